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

/// The shell commands of a step of the action.
fn step(name: &str) -> String {
    let action = std::fs::read_to_string(root().join("ci/github/action.yml")).expect("an action");
    let (_, step) = action.split_once(&format!("- name: {name}\n")).expect("a step of that name");
    let (_, commands) = step.split_once("run: |\n").expect("commands");
    let inside = commands.lines().take_while(|line| line.is_empty() || line.starts_with("        "));
    inside.map(|line| line.trim_start_matches("        ").to_string() + "\n").collect()
}

/// Runs a step as the service does.
fn run_step(name: &str, environment: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step(name)]).current_dir(root());
    let output = command.envs(environment.iter().copied()).output().expect("bash runs");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn the_action_says_what_came_of_it() {
    for (code, fail, exit, says) in [
        ("0", "true", 0, "nothing was found"),
        ("1", "true", 1, "found something"),
        ("66", "true", 1, "found something"),
        ("66", "never", 0, "found something"),
        ("3", "true", 0, "did not decide"),
        ("2", "true", 1, "could not do its work (exit code 2)"),
        ("101", "true", 1, "tests failed (exit code 101)"),
        ("", "true", 1, "could not do its work (exit code none)"),
    ] {
        let (ended, said) = run_step("Result", &[("CODE", code), ("FAIL", fail)]);
        assert_eq!(ended, Some(exit), "{code} {fail}: {said}");
        assert!(said.contains(says), "{code}: {said}");
    }
}

#[test]
fn the_action_hands_its_arguments_on() {
    // A command that says how it was called, in the place of the script.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("action");
    let ours = folder.join("github");
    std::fs::create_dir_all(&ours).expect("a folder");
    std::fs::write(folder.join("run-sarif"), "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 66\n").expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.join("run-sarif"), executable).expect("it is ours");
    let outputs = folder.join("outputs");
    for (arguments, words) in [("", ""), ("a b --model ra", "<a><b><--model><ra>")] {
        let _ = std::fs::remove_file(&outputs);
        let [path, outputs_path] = [&ours, &outputs].map(|path| path.to_string_lossy().into_owned());
        let environment = [
            ("COMMAND", "check"),
            ("ARGUMENTS", arguments),
            ("SARIF", "log"),
            ("GITHUB_ACTION_PATH", &path),
            ("GITHUB_OUTPUT", &outputs_path),
        ];
        assert_eq!(run_step("Check", &environment), (Some(0), format!("<log><check>{words}")));
        assert_eq!(std::fs::read_to_string(&outputs).expect("outputs"), "sarif=log\nexit-code=66\n");
    }
}
