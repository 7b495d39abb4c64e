//! The Rust toolchain that a project is built with.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The one target whose programs can be watched.
pub(super) const TARGET: &str = "x86_64-unknown-linux-gnu";

/// What its compiler says about itself.
pub(super) struct Toolchain {
    rustc: OsString,
    version: String,
    sysroot: PathBuf,
}

impl Toolchain {
    /// The one that cargo would use here.
    pub(super) fn find() -> Result<Toolchain, String> {
        let rustc = env::var_os("RUSTC").filter(|name| !name.is_empty()).unwrap_or_else(|| "rustc".into());
        let ask = |arguments: &[&str]| {
            let name = rustc.to_string_lossy();
            let output = Command::new(&rustc).args(arguments).output();
            let output =
                output.map_err(|error| format!("cannot run `{name}`: {error}; install Rust from https://rustup.rs"))?;
            match output.status.success() {
                true => String::from_utf8(output.stdout).map_err(|error| format!("`{name}`: {error}")),
                false => Err(format!("`{name}`: {}", String::from_utf8_lossy(&output.stderr).trim_end())),
            }
        };
        let version = ask(&["-vV"])?;
        let sysroot = PathBuf::from(ask(&["--print", "sysroot"])?.trim_end());
        let toolchain = Toolchain { rustc, version, sysroot };
        match toolchain.field("host") {
            Some(TARGET) => Ok(toolchain),
            host => Err(format!(
                "the compiler's host is {}: only programs for {TARGET} can be watched",
                host.unwrap_or("unknown")
            )),
        }
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.version.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    /// A command that compiles.
    pub(super) fn compiler(&self) -> Command {
        Command::new(&self.rustc)
    }

    /// All that `rustc -vV` says.
    pub(super) fn version(&self) -> &str {
        &self.version
    }

    /// `1.95.0`
    pub(super) fn release(&self) -> &str {
        self.field("release").unwrap_or("of an unknown version")
    }

    pub(super) fn sysroot(&self) -> &Path {
        &self.sysroot
    }

    /// The version of its LLVM.
    pub(super) fn llvm_version(&self) -> Result<&str, String> {
        self.field("LLVM version").ok_or_else(|| "`rustc -vV` does not say which LLVM it uses".into())
    }

    /// Its LLVM, as a library.
    pub(super) fn llvm(&self) -> Result<PathBuf, String> {
        let directory = self.sysroot.join("lib");
        let entries = fs::read_dir(&directory).map_err(|error| format!("`{}`: {error}", directory.display()))?;
        let is_llvm = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            name.starts_with("libLLVM.so.") || (name.starts_with("libLLVM-") && name.ends_with(".so"))
        };
        // The other name is a script for linkers, where there are both.
        let found = entries.flatten().map(|entry| entry.path()).filter(is_llvm);
        found.min_by_key(|path| !path.to_string_lossy().contains("libLLVM.so.")).ok_or_else(|| {
            format!(
                "the compiler's LLVM is not in `{}`: this toolchain is none of rustup's. Install one \
                 (`rustup toolchain install stable`), and say `cargo +stable fencepost`.\n{}",
                directory.display(),
                super::PREBUILT
            )
        })
    }
}
