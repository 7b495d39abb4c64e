//! mimalloc, whose C sources travel in the crate libmimalloc-sys: cargo fetches them, nothing of them is kept here.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Options;
use super::repair::Rewrite;
use super::study::{self, Study};
use crate::compilers::{Compilers, Sources};

/// The version whose sources were studied.
const VERSION: &str = "0.1.49";
const CLIENT: &str = "bench/case-studies/mimalloc.c";
const DIR: &str = "target/case-studies/mimalloc";

/// Its atomics are macros with the order in their names.
const REWRITES: &[Rewrite] = &[
    ("mi_atomic_load_relaxed(", "fp_load("),
    ("mi_atomic_load_acquire(", "fp_load("),
    ("mi_atomic_store_release(", "fp_store("),
    ("mi_atomic_store_relaxed(", "fp_store("),
    ("mi_atomic_exchange_relaxed(", "fp_exchange("),
    ("mi_atomic_exchange_release(", "fp_exchange("),
    ("mi_atomic_exchange_acq_rel(", "fp_exchange("),
    ("mi_atomic_cas_weak_release(", "fp_cas_weak("),
    ("mi_atomic_cas_weak_acq_rel(", "fp_cas_weak("),
    ("mi_atomic_cas_strong_release(", "fp_cas_strong("),
    ("mi_atomic_cas_strong_acq_rel(", "fp_cas_strong("),
    ("mi_atomic_add_relaxed(", "fp_add("),
    ("mi_atomic_add_acq_rel(", "fp_add("),
    ("mi_atomic_sub_relaxed(", "fp_sub("),
    ("mi_atomic_sub_acq_rel(", "fp_sub("),
    ("mi_atomic_and_acq_rel(", "fp_and("),
    ("mi_atomic_or_acq_rel(", "fp_or("),
    ("mi_atomic_load_ptr_relaxed(", "fp_load_ptr("),
    ("mi_atomic_load_ptr_acquire(", "fp_load_ptr("),
    ("mi_atomic_store_ptr_release(", "fp_store_ptr("),
    ("mi_atomic_store_ptr_relaxed(", "fp_store_ptr("),
    ("mi_memory_order(relaxed)", "mi_memory_order(seq_cst)"),
    ("mi_memory_order(acquire)", "mi_memory_order(seq_cst)"),
    ("mi_memory_order(release)", "mi_memory_order(seq_cst)"),
    ("mi_memory_order(acq_rel)", "mi_memory_order(seq_cst)"),
];

/// What the rewritten lines call.
const SEQ_CST: &str = "
#define fp_load(p) mi_atomic(load_explicit)(p, mi_memory_order(seq_cst))
#define fp_store(p, x) mi_atomic(store_explicit)(p, x, mi_memory_order(seq_cst))
#define fp_exchange(p, x) mi_atomic(exchange_explicit)(p, x, mi_memory_order(seq_cst))
#define fp_cas_weak(p, e, x) mi_atomic_cas_weak(p, e, x, mi_memory_order(seq_cst), mi_memory_order(seq_cst))
#define fp_cas_strong(p, e, x) mi_atomic_cas_strong(p, e, x, mi_memory_order(seq_cst), mi_memory_order(seq_cst))
#define fp_add(p, x) mi_atomic(fetch_add_explicit)(p, x, mi_memory_order(seq_cst))
#define fp_sub(p, x) mi_atomic(fetch_sub_explicit)(p, x, mi_memory_order(seq_cst))
#define fp_and(p, x) mi_atomic(fetch_and_explicit)(p, x, mi_memory_order(seq_cst))
#define fp_or(p, x) mi_atomic(fetch_or_explicit)(p, x, mi_memory_order(seq_cst))
#define fp_load_ptr(tp, p) mi_atomic(load_explicit)(p, mi_memory_order(seq_cst))
#define fp_store_ptr(tp, p, x) mi_atomic(store_explicit)(p, x, mi_memory_order(seq_cst))
";

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
    let header = copy.join("include/mimalloc/atomic.h");
    // At the end, so that no line gets another number.
    let text = std::fs::read_to_string(&header).map_err(|error| format!("{}: {error}", header.display()))?;
    std::fs::write(&header, text + SEQ_CST).map_err(|error| format!("{}: {error}", header.display()))?;
    let sources = client(&copy);
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
