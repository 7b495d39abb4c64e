//! Golden files: what a test expects, in files that are rewritten on request. Diagnostics have
//! theirs beside each program.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::SourceFile;
use fencepost_lower::Language;

/// Compares what `diagnose` says of every program in `folder` with the file beside it; with
/// `FENCEPOST_BLESS` set, writes those files anew.
///
/// # Panics
/// When something differs, or the folder cannot be read or has no programs.
pub fn assert_diagnostics(folder: &Path, diagnose: impl Fn(Language, &str) -> Vec<Diagnostic>) {
    let mut paths: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in paths {
        let Some(language) = Language::from_path(&path) else { continue };
        // `.txt` is a language too: `a.fp.txt` is what is expected of `a.fp`.
        if path.file_stem().and_then(Language::from_path).is_some() {
            continue;
        }
        seen += 1;
        let source = SourceFile::new("", fs::read_to_string(&path).expect("UTF-8"));
        let found = listing(&source, &diagnose(language, source.text()));
        let golden = path.with_extension(format!("{}.txt", language.extension()));
        wrong.extend(difference(&golden, &found));
    }
    assert!(seen > 0, "no programs in {}", folder.display());
    assert!(wrong.is_empty(), "differs from the golden file:\n{}", wrong.join("\n"));
}

/// Compares `found` with the file `golden`; with `FENCEPOST_BLESS` set, writes that file anew.
///
/// # Panics
/// When they differ, or the file cannot be written.
pub fn assert_golden(golden: &Path, found: &str) {
    if let Some(difference) = difference(golden, found) {
        panic!("differs from the golden file:\n{difference}");
    }
}

/// What was found instead of the content of `golden`, if it differs and is not to be accepted.
fn difference(golden: &Path, found: &str) -> Option<String> {
    if env::var_os("FENCEPOST_BLESS").is_some() {
        fs::write(golden, found).expect("a writable folder");
        return None;
    }
    (fs::read_to_string(golden).unwrap_or_default() != found).then(|| format!("{}\n{found}", golden.display()))
}

fn listing(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let at = source.start_of(diagnostic.primary.span);
        let severity = if diagnostic.severity == Severity::Error { "error" } else { "warning" };
        let _ = writeln!(out, "{}:{} {severity}: {}", at.line, at.column, diagnostic.message);
        if !diagnostic.primary.text.is_empty() {
            let _ = writeln!(out, "  {}", diagnostic.primary.text);
        }
        for other in &diagnostic.secondary {
            let at = source.start_of(other.span);
            let _ = writeln!(out, "  {}:{} {}", at.line, at.column, other.text);
        }
        for help in &diagnostic.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}
