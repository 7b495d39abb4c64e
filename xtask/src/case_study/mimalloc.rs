//! mimalloc, whose C sources travel in the crate libmimalloc-sys: cargo fetches them, nothing of
//! them is kept here.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Options;
use super::repair::Rewrites;
use super::study::{self, Study};
use crate::compilers::{Compilers, Sources};

/// The version whose sources were studied.
const VERSION: &str = "0.1.49";
const CLIENT: &str = "bench/case-studies/mimalloc.c";
const DIR: &str = "target/case-studies/mimalloc";

/// Its atomics are macros with the order at the end of their names.
const REWRITES: Rewrites = Rewrites {
    orders: &[
        ("_relaxed(", "_seq_cst("),
        ("_acquire(", "_seq_cst("),
        ("_release(", "_seq_cst("),
        ("_acq_rel(", "_seq_cst("),
    ],
    fences: &[
        ("_relaxed(", "_fenced("),
        ("_acquire(", "_fenced("),
        ("_release(", "_fenced("),
        ("_acq_rel(", "_fenced("),
        ("_seq_cst(", "_fenced("),
    ],
};

/// The macros that the rewritten lines need: name, parameters, function, arguments.
const VALUES: &[(&str, &str, &str, &str)] = &[
    ("load", "p", "load_explicit", "p"),
    ("exchange", "p,x", "exchange_explicit", "p,x"),
    ("add", "p,x", "fetch_add_explicit", "p,x"),
    ("sub", "p,x", "fetch_sub_explicit", "p,x"),
    ("and", "p,x", "fetch_and_explicit", "p,x"),
    ("or", "p,x", "fetch_or_explicit", "p,x"),
    ("increment", "p", "fetch_add_explicit", "p,(uintptr_t)1"),
    ("decrement", "p", "fetch_sub_explicit", "p,(uintptr_t)1"),
    ("load_ptr", "tp,p", "load_explicit", "p"),
    ("exchange_ptr", "tp,p,x", "exchange_explicit", "p,x"),
    ("loadi64", "p", "load_explicit", "p"),
    ("addi64", "p,x", "fetch_add_explicit", "p,x"),
    ("casi64_strong", "p,e,x", "compare_exchange_strong_explicit", "p,e,x,mi_memory_order(seq_cst)"),
    ("cas_weak", "p,e,x", "compare_exchange_weak_explicit", "p,e,x,mi_memory_order(seq_cst)"),
    ("cas_strong", "p,e,x", "compare_exchange_strong_explicit", "p,e,x,mi_memory_order(seq_cst)"),
    ("cas_ptr_weak", "tp,p,e,x", "compare_exchange_weak_explicit", "p,e,x,mi_memory_order(seq_cst)"),
    ("cas_ptr_strong", "tp,p,e,x", "compare_exchange_strong_explicit", "p,e,x,mi_memory_order(seq_cst)"),
];

/// Those that return nothing.
const STORES: &[(&str, &str)] = &[("store", "p,x"), ("store_ptr", "tp,p,x"), ("storei64", "p,x")];

/// Definitions of the macros: `seq_cst`, and with a fence on either side.
fn definitions() -> impl Iterator<Item = String> {
    const FENCE: &str = "mi_atomic(thread_fence)(mi_memory_order(seq_cst));";
    let values = VALUES.iter().flat_map(|(name, parameters, function, arguments)| {
        let access = format!("mi_atomic({function})({arguments},mi_memory_order(seq_cst))");
        [
            format!("-Dmi_atomic_{name}_seq_cst({parameters})={access}"),
            format!(
                "-Dmi_atomic_{name}_fenced({parameters})=\
                 __extension__({{{FENCE}__auto_type fenced_={access};{FENCE}fenced_;}})"
            ),
        ]
    });
    let stores = STORES.iter().flat_map(|(name, parameters)| {
        let access = "mi_atomic(store_explicit)(p,x,mi_memory_order(seq_cst))";
        [
            format!("-Dmi_atomic_{name}_seq_cst({parameters})={access}"),
            format!("-Dmi_atomic_{name}_fenced({parameters})=__extension__({{{FENCE}{access};{FENCE}}})"),
        ]
    });
    values.chain(stores)
}

/// The sources as they were published, with our client.
pub(crate) fn sources() -> Result<Sources, String> {
    Ok(client(&fetched()?))
}

fn client(library: &Path) -> Sources {
    let include = |dir: &str| format!("-I{}", library.join(dir).display());
    Sources {
        files: vec![CLIENT.into(), library.join("src/static.c")],
        flags: vec!["-DMI_DEBUG=0".into(), "-DNDEBUG".into(), include("include"), include("src")],
        is_cpp: false,
    }
}

pub(crate) fn run(compilers: &Compilers, options: &Options) -> Result<(), String> {
    let copy = PathBuf::from(DIR).join("copy");
    study::copy(&fetched()?, &copy)?;
    let mut sources = client(&copy);
    sources.flags.extend(definitions());
    Study {
        name: "mimalloc",
        copy,
        sources,
        arguments: [&[25, 4], &[25, 200]],
        schedules: &["os"],
        runs: 10,
        rewrites: REWRITES,
    }
    .run(compilers, options)
}

/// Lets cargo fetch the crate, by a project that depends on it; where its C sources are.
fn fetched() -> Result<PathBuf, String> {
    let dir = Path::new(DIR).join("crate");
    let fail = |error: std::io::Error| format!("{}: {error}", dir.display());
    std::fs::create_dir_all(dir.join("src")).map_err(fail)?;
    let manifest = format!(
        "[package]\nname = \"sources\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n\
         [dependencies]\nlibmimalloc-sys = \"={VERSION}\"\n\n[workspace]\n"
    );
    std::fs::write(dir.join("Cargo.toml"), manifest).map_err(fail)?;
    std::fs::write(dir.join("src/lib.rs"), "").map_err(fail)?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--manifest-path"])
        .arg(dir.join("Cargo.toml"))
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("libmimalloc-sys: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let manifest = metadata["packages"].as_array().into_iter().flatten().find_map(|package| {
        let is_it = package["name"] == "libmimalloc-sys";
        package["manifest_path"].as_str().filter(|_| is_it).map(PathBuf::from)
    });
    let root = manifest.as_deref().and_then(Path::parent).ok_or("libmimalloc-sys: cargo does not say where it is")?;
    Ok(root.join("c_src/mimalloc/v2"))
}
