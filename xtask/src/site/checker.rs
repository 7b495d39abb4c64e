//! The checker as a module of WebAssembly.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::root;

const TARGET: &str = "wasm32-unknown-unknown";
/// Bytes of stack: what the first thread of a program has elsewhere.
const STACK: u32 = 8 << 20;

/// Is there all that it takes?
///
/// # Errors
/// With what to install, if not.
pub(super) fn can_be_built() -> Result<(), String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    if knows_target(&rustc) {
        return Ok(());
    }
    Err(format!(
        "the compiler's target {TARGET} is missing; `rustup target add {TARGET}` installs it. \
         `cargo xtask site --book` does without the workbench."
    ))
}

/// Does it have the standard library for the target?
fn knows_target(rustc: &OsStr) -> bool {
    let asked = Command::new(rustc).current_dir(root()).args(["--print", "target-libdir", "--target", TARGET]).output();
    let Ok(output) = asked else { return false };
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let is_std = |name: &str| name.starts_with("libstd") && name.ends_with(".rlib");
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    output.status.success() && names.into_iter().any(|name| name.to_str().is_some_and(is_std))
}

/// Builds the module.
pub(super) fn build() -> Result<Vec<u8>, String> {
    can_be_built()?;
    // A folder of its own: this may run within a build, which holds the lock of the usual one.
    let target = root().join("target/wasm");
    let stack = format!("-Clink-arg=-zstack-size={STACK}");
    let built = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root())
        .args(["rustc", "--quiet", "--locked", "--package", "fencepost-web", "--lib", "--crate-type", "cdylib"])
        .args(["--profile", "site", "--target", TARGET, "--target-dir"])
        .arg(&target)
        .args(["--", &stack])
        .status();
    if !built.map_err(|error| error.to_string())?.success() {
        return Err("the checker does not build for a browser".into());
    }
    let module = target.join(TARGET).join("site/fencepost_web.wasm");
    fs::read(&module).map_err(|error| format!("{}: {error}", module.display()))
}
