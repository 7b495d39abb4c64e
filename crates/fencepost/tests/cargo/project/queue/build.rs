//! Compiles C as the crate `cc` does: with the compiler that the environment names for the target.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    assert!(!cfg!(fencepost), "a build script was built for the sanitizer");
    println!("cargo::rerun-if-changed=native.c");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    let compiler = env::var_os("CC_x86_64_unknown_linux_gnu").unwrap_or_else(|| "cc".into());
    let object = out.join("native.o");
    let compiled = Command::new(compiler).args(["-O1", "-fPIC", "-c", "native.c", "-o"]).arg(&object).status();
    assert!(compiled.unwrap().success());
    let archived = Command::new("ar").arg("rcs").arg(out.join("libnative.a")).arg(&object).status();
    assert!(archived.unwrap().success());
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static=native");
}
