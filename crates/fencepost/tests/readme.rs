//! The README shows what fencepost really prints.

use std::path::Path;
use std::process::Command;

#[test]
fn the_screen_in_the_readme_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).expect("README.md");
    let shown = readme
        .split("```")
        .find_map(|block| block.trim_start().strip_prefix("$ fencepost "))
        .expect("a block that shows a command");
    let (command, screen) = shown.split_once('\n').expect("a command and its output");
    let output = Command::new(env!("CARGO_BIN_EXE_fencepost"))
        .args(command.split_whitespace())
        .current_dir(&root)
        .output()
        .expect("fencepost runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        printed.starts_with(screen.trim_end()),
        "the README shows\n{screen}\nbut `fencepost {command}` prints\n{printed}"
    );
}
