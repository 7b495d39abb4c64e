//! The sanitizer's runtime, carried inside the command and unpacked on first use.
//!
//! Files go to a directory named by their content, each under another name first and then renamed: commands that run at
//! the same time, and commands of different versions, do not disturb each other.

use std::env;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// A file of the runtime.
struct Carried {
    name: &'static str,
    bytes: &'static [u8],
}

const ARCHIVE: &str = "libfencepost.a";
const HEADER: &str = "include/fencepost.h";
const EXPORTS: &str = "exports.list";
const SPECS: &str = "gcc.specs";
const PRELUDE: &str = "atomics-only.s";

const FILES: [Carried; 5] = [
    Carried { name: ARCHIVE, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_ARCHIVE")) },
    Carried { name: HEADER, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_HEADER")) },
    Carried { name: EXPORTS, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_EXPORTS")) },
    Carried { name: SPECS, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_SPECS")) },
    Carried { name: PRELUDE, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_PRELUDE")) },
];

/// The unpacked runtime.
pub(crate) struct Runtime {
    directory: PathBuf,
}

impl Runtime {
    /// Unpacks it, unless that was done before.
    pub(crate) fn unpack() -> io::Result<Runtime> {
        let runtime = Runtime { directory: cache()?.join(env!("FENCEPOST_RUNTIME_HASH")) };
        for Carried { name, bytes } in FILES {
            runtime.place(name, bytes)?;
        }
        Ok(runtime)
    }

    /// The static library.
    pub(crate) fn archive(&self) -> PathBuf {
        self.directory.join(ARCHIVE)
    }

    /// Where `fencepost.h` is.
    pub(crate) fn include(&self) -> PathBuf {
        self.directory.join("include")
    }

    /// The names that shared objects may want to find in the program, as a dynamic list for the linker.
    pub(crate) fn exports(&self) -> PathBuf {
        self.directory.join(EXPORTS)
    }

    /// Makes gcc's compiler instrument without its linker knowing of it.
    pub(crate) fn specs(&self) -> PathBuf {
        self.directory.join(SPECS)
    }

    /// Makes the assembler drop gcc's calls for plain accesses.
    pub(crate) fn prelude(&self) -> PathBuf {
        self.directory.join(PRELUDE)
    }

    /// Writes a file, unless it is there with this length.
    fn place(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.directory.join(name);
        if fs::metadata(&path).is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(());
        }
        make_directory(path.parent().expect("the file is in the cache"))?;
        let mut other = path.clone().into_os_string();
        other.push(format!(".{}", std::process::id()));
        fs::write(&other, bytes)?;
        fs::rename(&other, &path)
    }

    /// A file of the runtime that is made when needed; `make` writes it to the path it is given.
    pub(crate) fn made(&self, name: &str, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<PathBuf> {
        let path = self.directory.join(name);
        if !path.exists() {
            let other = self.directory.join(format!("{}-{name}", std::process::id()));
            make(&other)?;
            fs::rename(&other, &path)?;
        }
        Ok(path)
    }
}

/// Where unpacked runtimes are kept.
fn cache() -> io::Result<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = named("FENCEPOST_CACHE_DIR") {
        // The linker may run elsewhere.
        return std::path::absolute(directory);
    }
    let usual =
        named("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| Some(named("HOME")?.join(".cache")));
    if let Some(usual) = usual {
        let directory = usual.join("fencepost");
        if make_directory(&directory).is_ok() && writable(&directory) {
            return Ok(directory);
        }
    }
    // Everybody can write to the temporary directory: what is linked into programs must come from ourselves.
    let user = rustix::process::getuid().as_raw();
    let directory = env::temp_dir().join(format!("fencepost-{user}"));
    make_directory(&directory)?;
    match fs::symlink_metadata(&directory)? {
        found if found.is_dir() && found.uid() == user && found.mode() & 0o022 == 0 => Ok(directory),
        _ => Err(io::Error::new(
            ErrorKind::PermissionDenied,
            format!("`{}` belongs to somebody else; set FENCEPOST_CACHE_DIR", directory.display()),
        )),
    }
}

/// Can files be made there? (Read-only homes and containers.)
fn writable(directory: &Path) -> bool {
    rustix::fs::access(directory, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
}

fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}
