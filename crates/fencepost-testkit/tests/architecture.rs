//! ARCHITECTURE.md is true: its crate map equals the workspace, and the paths it names exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn architecture() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md")
}

/// Crate → the workspace crates it depends on, as the document says.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let names = |cell: &str| -> Vec<String> { cell.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    architecture()
        .lines()
        .filter(|line| line.starts_with("| `fencepost") || line.starts_with("| `xtask"))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            let krate = names(cells[1]).remove(0);
            let full = |name: String| if name == "fencepost" { name } else { format!("fencepost-{name}") };
            (krate, names(cells[3]).into_iter().map(full).collect())
        })
        .collect()
}

/// The same, as cargo says.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo metadata");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let ours = dependencies
                .iter()
                .filter(|dependency| dependency["kind"].is_null())
                .filter_map(|dependency| dependency["name"].as_str())
                .filter(|name| name.starts_with("fencepost"))
                .map(str::to_string)
                .collect();
            (package["name"].as_str().expect("name").to_string(), ours)
        })
        .collect()
}

#[test]
fn the_crate_map_is_the_workspace() {
    assert_eq!(documented(), actual());
}

#[test]
fn every_path_named_exists() {
    let text = architecture();
    let inside: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let paths: Vec<&str> = inside
        .into_iter()
        .filter(|word| ["crates/", "litmus/", "xtask/", "docs/", "fuzz/"].iter().any(|top| word.starts_with(top)))
        .filter(|word| !word.contains("NAME"))
        .collect();
    assert!(paths.len() >= 5, "the document names paths");
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md names {path}, which does not exist");
    }
}
