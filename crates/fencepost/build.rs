//! Builds the sanitizer's runtime and prepares it for being carried inside the command.
//!
//! The runtime is a static library of Rust code, standard library included. It ends up in programs
//! that may contain Rust code and another standard library of their own. So everything but the
//! names in `exports.txt` is made local: first one relocatable object (groups of sections resolved,
//! or some linkers reject it), then all other symbols hidden. What is exported is weak, so that a
//! program with its own `malloc` keeps it.
//!
//! The runtime's own calls of the functions in `redefine.txt` are redirected. For `fencepost cc`
//! wraps these functions in the program, and a wrapper that calls itself never ends.
//!
//! On other targets than the one the runtime is written for, nothing is embedded and `fencepost cc`
//! says so.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "x86_64-unknown-linux-gnu";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(fencepost_runtime)");
    println!("cargo::rerun-if-changed=build.rs");
    // The library watches no programs.
    if env::var("TARGET").as_deref() != Ok(TARGET) || env::var_os("CARGO_FEATURE_CLI").is_none() {
        return;
    }
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("../..");
    let runtime = root.join("crates/fencepost-runtime");
    if !runtime.join("Cargo.toml").is_file() {
        println!("cargo::warning=the sources of the runtime are not here: `fencepost cc` and `run` are left out");
        return;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let carried = "crates/fencepost/src/carried";
    for input in [
        "crates/fencepost-runtime",
        "crates/fencepost-clock",
        "crates/fencepost-protocol",
        "Cargo.toml",
        "Cargo.lock",
        carried,
    ] {
        let path = root.join(input);
        // A path that does not exist would count as changed every time.
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }

    let archive = localise(&build(&root, &out), &runtime, &out);
    let exports = out.join("exports.list");
    let list: String = names(&runtime.join("exports.txt")).iter().map(|name| format!("{name};\n")).collect();
    fs::write(&exports, format!("{{\n{list}}};\n")).expect("the output directory is writable");

    let (specs, prelude) = (root.join(carried).join("gcc.specs"), root.join(carried).join("atomics-only.s"));
    let mut hasher = DefaultHasher::new();
    for (variable, file) in [
        ("ARCHIVE", archive),
        ("HEADER", runtime.join("include/fencepost.h")),
        ("GENMC", runtime.join("include/genmc.h")),
        ("LKMM", runtime.join("include/lkmm.h")),
        ("SV_COMP", runtime.join("include/sv-comp.h")),
        ("WAIT", runtime.join("include/bits/atomic_wait.h")),
        ("TIMED_WAIT", runtime.join("include/bits/atomic_timed_wait.h")),
        ("EXPORTS", exports),
        ("SPECS", specs),
        ("PRELUDE", prelude),
    ] {
        fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display())).hash(&mut hasher);
        println!("cargo::rustc-env=FENCEPOST_RUNTIME_{variable}={}", file.display());
    }
    println!("cargo::rustc-env=FENCEPOST_RUNTIME_HASH={:016x}", hasher.finish());
    println!("cargo::rustc-cfg=fencepost_runtime");
}

/// The static library, by a cargo of its own with its own directory: the one that runs us holds the
/// lock of the usual one.
fn build(root: &Path, out: &Path) -> PathBuf {
    let directory = out.join("rt");
    let mut cargo = Command::new(env::var_os("CARGO").expect("cargo sets it"));
    cargo
        .args(["build", "--package", "fencepost-runtime", "--profile", "runtime", "--target", TARGET, "--target-dir"])
        .arg(&directory)
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"));
    // Flags and wrappers (coverage, lints) are meant for the command, not for what it carries.
    for variable in
        ["CARGO_ENCODED_RUSTFLAGS", "RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_TARGET"]
    {
        cargo.env_remove(variable);
    }
    // Processors since 2009: clocks are joined by maxima of vectors, which older ones do not have.
    cargo.env("RUSTFLAGS", "-C target-cpu=x86-64-v2");
    run(&mut cargo);
    directory.join(TARGET).join("runtime/libfencepost_runtime.a")
}

/// The library with everything hidden that is not exported.
fn localise(library: &Path, runtime: &Path, out: &Path) -> PathBuf {
    let (object, archive) = (out.join("runtime.o"), out.join("libfencepost.a"));
    run(Command::new("ld")
        .args(["-r", "--force-group-allocation", "-u", "__tsan_init"])
        .arg(library)
        .arg("-o")
        .arg(&object));
    let mut objcopy = Command::new("objcopy");
    objcopy.args(["--wildcard", "--strip-debug"]);
    for line in names(&runtime.join("redefine.txt")) {
        objcopy.arg(format!("--redefine-sym={}", line.replacen(' ', "=", 1)));
    }
    run(objcopy.arg(&object));
    // A second time: symbols are kept by the names they have in the end.
    let mut objcopy = Command::new("objcopy");
    objcopy.args(["--wildcard", "--weaken"]);
    for name in names(&runtime.join("exports.txt")) {
        objcopy.arg(format!("--keep-global-symbol={name}"));
    }
    run(objcopy.arg(&object));
    // `ar` adds to what is there.
    let _ = fs::remove_file(&archive);
    run(Command::new("ar").args([OsStr::new("rcsD"), archive.as_os_str(), object.as_os_str()]));
    archive
}

/// The lines of a list, without comments.
fn names(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_string).collect()
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(
        output.status.success(),
        "the sanitizer's runtime cannot be built: {command:?}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
