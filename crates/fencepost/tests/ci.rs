//! What `ci/` offers to services: the script that writes a log, and the report that is made of it.

// What is skipped is said.
#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the sources")
}

/// The script, with the command that is tested first in the path.
fn run_sarif(log: &Path, arguments: &[&str]) -> Output {
    let bin = Path::new(env!("CARGO_BIN_EXE_fencepost")).parent().expect("a directory").to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&path))).expect("no colons");
    let script = root().join("ci/run-sarif");
    let mut command = Command::new("bash");
    command.arg(script).arg(log).args(arguments).env("PATH", path).current_dir(root());
    command.output().expect("bash runs")
}

#[test]
fn a_log_is_written_and_the_exit_code_is_kept() {
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("run-sarif.sarif");
    let _ = std::fs::remove_file(&log);
    let program = "crates/fencepost/tests/cmd/check.in/sb.fp";
    let found = run_sarif(&log, &["check", program, "--model", "ra"]);
    assert_eq!(found.status.code(), Some(1), "{}", String::from_utf8_lossy(&found.stderr));
    let text = std::fs::read_to_string(&log).expect("a log");
    let sarif: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let result = &sarif["runs"][0]["results"][0];
    let print = &result["partialFingerprints"]["fencepost/1"];
    assert!(print.is_string(), "{result}");
    assert_eq!(run_sarif(&log, &["no-such-command"]).status.code(), Some(2));

    if Command::new("jq").arg("--version").output().is_err() {
        eprintln!("skipped: the Code Quality report, and the lines on the screen: there is no jq");
        return;
    }
    let shown = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(shown.starts_with(&format!("{program}:")) && shown.contains("overwritten value"), "{shown}");
    let filter = root().join("ci/gitlab/code-quality.jq");
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join("code-quality.sarif");
    std::fs::write(&log, &text).expect("a file");
    let made = Command::new("jq").arg("-f").arg(filter).arg(&log).output().expect("jq runs");
    let report: serde_json::Value = serde_json::from_slice(&made.stdout).expect("JSON");
    assert_eq!(report.as_array().map(Vec::len), Some(1));
    assert_eq!((&report[0]["fingerprint"], &report[0]["location"]["path"]), (print, &program.into()));
    assert!(report[0]["location"]["lines"]["begin"].is_u64(), "{report}");
}
