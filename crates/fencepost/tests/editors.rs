//! The extension for VS Code, where its interface is played: `editors/vscode/test/client.js`.

// What is skipped is said.
#![allow(clippy::print_stderr)]

use std::path::Path;
use std::process::Command;

#[test]
fn the_client_of_vs_code_starts_the_server() {
    if Command::new("node").arg("--version").output().is_err() {
        eprintln!("skipped: the client of VS Code: there is no node");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/vscode/test/client.js");
    let output = Command::new("node").arg(script).arg(env!("CARGO_BIN_EXE_fencepost")).output().expect("node runs");
    let [said, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success() && said.contains("all is well"), "{said}{errors}");
}
