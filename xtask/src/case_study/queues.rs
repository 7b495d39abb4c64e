//! Lock-free queues that Debian has as packages of headers.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Options;
use super::repair::Rewrites;
use super::study::{self, Study};
use crate::compilers::{Compilers, Sources};

const DIR: &str = "target/case-studies";
const CLIENTS: &str = "bench/case-studies";

/// What is put in place of an order; both are in `fenced.hpp`.
const SEQ_CST: &str = "FENCEPOST_SEQ_CST";
const FENCED: &str = "FENCEPOST_FENCED";

/// By their full names; that of a namespace goes first.
const NAMES: Rewrites = Rewrites {
    orders: &[
        ("std::memory_order_", "memory_order_"),
        ("detail::memory_order_", "memory_order_"),
        ("memory_order_relaxed", SEQ_CST),
        ("memory_order_consume", SEQ_CST),
        ("memory_order_acquire", SEQ_CST),
        ("memory_order_release", SEQ_CST),
        ("memory_order_acq_rel", SEQ_CST),
        ("memory_order_seq_cst", SEQ_CST),
    ],
    fences: &[
        ("std::memory_order_", "memory_order_"),
        ("detail::memory_order_", "memory_order_"),
        ("memory_order_relaxed", FENCED),
        ("memory_order_consume", FENCED),
        ("memory_order_acquire", FENCED),
        ("memory_order_release", FENCED),
        ("memory_order_acq_rel", FENCED),
        ("memory_order_seq_cst", FENCED),
        (SEQ_CST, FENCED),
    ],
};

/// atomic_queue has one-letter names for the orders.
const LETTERS: Rewrites = Rewrites {
    orders: &[
        ("(X)", "(FENCEPOST_SEQ_CST)"),
        ("(A)", "(FENCEPOST_SEQ_CST)"),
        (", A)", ", FENCEPOST_SEQ_CST)"),
        (", R)", ", FENCEPOST_SEQ_CST)"),
        (", X)", ", FENCEPOST_SEQ_CST)"),
        (", A, ", ", FENCEPOST_SEQ_CST, "),
        (", R, ", ", FENCEPOST_SEQ_CST, "),
        (", X, ", ", FENCEPOST_SEQ_CST, "),
        (", memory_order)", ", FENCEPOST_SEQ_CST)"),
    ],
    fences: &[
        (SEQ_CST, FENCED),
        ("(X)", "(FENCEPOST_FENCED)"),
        ("(A)", "(FENCEPOST_FENCED)"),
        (", A)", ", FENCEPOST_FENCED)"),
        (", R)", ", FENCEPOST_FENCED)"),
        (", X)", ", FENCEPOST_FENCED)"),
        (", A, ", ", FENCEPOST_FENCED, "),
        (", R, ", ", FENCEPOST_FENCED, "),
        (", X, ", ", FENCEPOST_FENCED, "),
        (", memory_order)", ", FENCEPOST_FENCED)"),
    ],
};

/// A library of headers.
struct Library {
    name: &'static str,
    package: &'static str,
    /// Its folder among the system's headers.
    headers: &'static str,
    client: &'static str,
    rewrites: Rewrites,
}

pub(crate) fn boost_lockfree(compilers: &Compilers, options: &Options) -> Result<(), String> {
    let (name, package, headers, client) = ("boost-lockfree", "libboost-dev", "boost/lockfree", "boost_lockfree.cpp");
    Library { name, package, headers, client, rewrites: NAMES }.run(compilers, options)
}

pub(crate) fn concurrentqueue(compilers: &Compilers, options: &Options) -> Result<(), String> {
    let (name, package, headers, client) =
        ("concurrentqueue", "libconcurrentqueue-dev", "concurrentqueue", "concurrentqueue.cpp");
    Library { name, package, headers, client, rewrites: NAMES }.run(compilers, options)
}

pub(crate) fn atomic_queue(compilers: &Compilers, options: &Options) -> Result<(), String> {
    let (name, package, headers, client) = ("atomic-queue", "libatomic-queue-dev", "atomic_queue", "atomic_queue.cpp");
    Library { name, package, headers, client, rewrites: LETTERS }.run(compilers, options)
}

impl Library {
    fn run(&self, compilers: &Compilers, options: &Options) -> Result<(), String> {
        let headers = match self.installed() {
            Ok(headers) => headers,
            Err(reason) => {
                println!("{}: skipped: {reason}", self.name);
                return Ok(());
            }
        };
        let copy = Path::new(DIR).join(self.name).join("copy");
        study::copy(&headers, &copy.join(self.headers))?;
        let mut sources = Sources::file(Path::new(CLIENTS).join(self.client));
        sources.flags = vec![
            "-std=c++17".into(),
            "-mcx16".into(),
            // Old headers, new compilers.
            "-Wno-missing-template-arg-list-after-template-kw".into(),
            format!("-I{}", copy.display()),
            format!("-include{CLIENTS}/fenced.hpp"),
        ];
        Study {
            name: self.name,
            copy,
            sources,
            arguments: [&[4, 200], &[4, 100_000]],
            schedules: &["os", "random", "pct:3"],
            runs: 20,
            rewrites: self.rewrites,
        }
        .run(compilers, options)
    }

    /// Installs the package if it is not there and we may.
    fn installed(&self) -> Result<PathBuf, String> {
        let headers = Path::new("/usr/include").join(self.headers);
        if !headers.is_dir() {
            let installed =
                Command::new("apt-get").args(["install", "--yes", "--no-install-recommends", self.package]).output();
            let succeeded = installed.is_ok_and(|output| output.status.success());
            if !succeeded || !headers.is_dir() {
                return Err(format!("{} is missing: install the package {}", headers.display(), self.package));
            }
        }
        Ok(headers)
    }
}
