//! `cargo xtask site`: the book and the workbench, as files for a browser.
//!
//! The site needs no server: it works from disk. The workbench is the checker compiled to
//! WebAssembly (`crates/fencepost-web`), the page around it (`crates/fencepost-web/www`), and the
//! script of the HTML reports, which shows what was found.

mod book;
mod checker;
mod examples;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (flags, folders): (Vec<&String>, Vec<&String>) = arguments.iter().partition(|one| one.starts_with("--"));
    if let Some(flag) = flags.iter().find(|flag| **flag != "--book") {
        return Err(format!("there is no option {flag}"));
    }
    let out = folders.first().map_or_else(|| root().join("target/site"), PathBuf::from);
    // Before the book, so that what is missing is said soon.
    let checker = if flags.is_empty() { Some(checker::build()?) } else { None };
    empty(&out)?;
    book::build(&root().join("docs"), &out, checker.is_some())?;
    if let Some(checker) = &checker {
        workbench(checker, &out.join("workbench"))?;
    }
    println!("{}", out.join("index.html").display());
    Ok(())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the project").to_path_buf()
}

/// Makes the folder, without what was in it. It must look like a site, or be empty.
fn empty(folder: &Path) -> Result<(), String> {
    if fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some()) {
        if !folder.join("index.html").exists() {
            return Err(format!("{} is no site, and not empty", folder.display()));
        }
        fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), String> {
    let told = |error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(told)?;
    }
    fs::write(path, contents).map_err(told)
}

/// The pages of the workbench, and the checker as a script: a page from disk may not read files.
fn workbench(checker: &[u8], out: &Path) -> Result<(), String> {
    let www = root().join("crates/fencepost-web/www");
    for name in ["index.html", "workbench.css", "theme.js", "engine.js", "editor.js", "workbench.js"] {
        write(&out.join(name), read(&www.join(name))?)?;
    }
    let assets = root().join("crates/fencepost-report/assets");
    for name in ["finding.js", "finding.css"] {
        write(&out.join(name), read(&assets.join(name))?)?;
    }
    let text = BASE64_STANDARD.encode(checker);
    write(&out.join("checker.js"), format!("globalThis.fencepostChecker = \"{text}\";\n"))?;
    write(&out.join("examples.js"), examples::script()?)
}

/// As text of HTML, also within quotes.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
