//! Golden tests of syntax errors: each file in `errors/` has what is wrong with
//! it in a file beside it. `FENCEPOST_BLESS=1` writes those files anew.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::SourceFile;
use fencepost_syntax::{Language, parse};

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

#[test]
fn syntax_errors_are_reported_as_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let bless = env::var_os("FENCEPOST_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let Some(language) = Language::from_path(&path) else { continue };
        let source = SourceFile::new("", fs::read_to_string(&path).unwrap());
        let found = listing(&source, &parse(language, source.text()).messages.into_list());
        let golden = path.with_extension(format!("{}.txt", language.extension()));
        if bless {
            fs::write(&golden, &found).unwrap();
        } else if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("{}\n{found}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "differs from the golden file:\n{}", wrong.join("\n"));
}
