//! Finding and loading programs; building our own.

use std::path::{Path, PathBuf};
use std::process::Command;

use fencepost_ir::Program;
use fencepost_lower::Language;

/// All programs under `path`, sorted.
pub(crate) fn programs(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = std::fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() {
            found.extend(programs(&path)?);
        } else if let Some(language) = Language::from_path(&path)
            && std::fs::read_to_string(&path).is_ok_and(|text| language.can_be(&text))
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Loads one program; its text comes along for header comments.
pub(crate) fn load(path: &Path) -> Result<(Program, String), String> {
    let language = Language::from_path(path).ok_or_else(|| format!("{}: not a program", path.display()))?;
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let loaded = fencepost_lower::load(language, &text);
    let first = loaded.diagnostics.iter().find(|diagnostic| diagnostic.is_error()).map(|d| d.message.clone());
    match loaded.program {
        Some(program) => Ok((program, text)),
        None => Err(format!("{}: {}", path.display(), first.unwrap_or_default())),
    }
}

/// Builds the command line, optimised; where it is.
pub(crate) fn fencepost() -> Result<PathBuf, String> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let built = Command::new(cargo).args(["build", "--release", "--quiet", "--package", "fencepost"]).status();
    if !built.map_err(|error| error.to_string())?.success() {
        return Err("fencepost does not build".into());
    }
    // Next to this program, wherever the build directory is.
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(own.with_file_name("fencepost").with_extension(std::env::consts::EXE_EXTENSION))
}
