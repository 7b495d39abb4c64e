//! The sanitizer's runtime, carried inside the command and unpacked on first use.
//!
//! Files go to a directory named by their content. Each is written under another name first and
//! then renamed. So commands that run at the same time, and commands of different versions, do not
//! disturb each other.
//!
//! What is linked into programs must come from ourselves. A file that is there already is used only
//! if it has the right bytes, belongs to the user or to root, and nobody else can write to it;
//! otherwise it is replaced. The same is asked of the directories. They are never replaced: another
//! one is taken, or the command fails.

use std::env;
use std::fs::{self, DirBuilder, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A file of the runtime.
struct Carried {
    name: &'static str,
    bytes: &'static [u8],
}

const ARCHIVE: &str = "libfencepost.a";
const HEADER: &str = "include/fencepost.h";
/// The names that other tools' tests use.
const GENMC: &str = "include/genmc.h";
const LKMM: &str = "include/lkmm.h";
const SV_COMP: &str = "include/sv-comp.h";
/// Headers of the C++ library that ours stand before.
const LIBRARY: &str = "include/bits";
const WAIT: &str = "include/bits/atomic_wait.h";
const TIMED_WAIT: &str = "include/bits/atomic_timed_wait.h";
const EXPORTS: &str = "exports.list";
const SPECS: &str = "gcc.specs";
const PRELUDE: &str = "atomics-only.s";

const FILES: [Carried; 10] = [
    Carried { name: ARCHIVE, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_ARCHIVE")) },
    Carried { name: HEADER, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_HEADER")) },
    Carried { name: GENMC, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_GENMC")) },
    Carried { name: LKMM, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_LKMM")) },
    Carried { name: SV_COMP, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_SV_COMP")) },
    Carried { name: WAIT, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_WAIT")) },
    Carried { name: TIMED_WAIT, bytes: include_bytes!(env!("FENCEPOST_RUNTIME_TIMED_WAIT")) },
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
        own_directory(&runtime.directory)?;
        own_directory(&runtime.include())?;
        own_directory(&runtime.directory.join(LIBRARY))?;
        for Carried { name, bytes } in FILES {
            runtime.add(name, bytes)?;
        }
        Ok(runtime)
    }

    /// The static library.
    pub(crate) fn archive(&self) -> PathBuf {
        self.directory.join(ARCHIVE)
    }

    /// Where `fencepost.h` is, and what else programs can include.
    pub(crate) fn include(&self) -> PathBuf {
        self.directory.join("include")
    }

    /// The names that shared objects may want to find in the program, as a dynamic list for the
    /// linker.
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

    /// Writes a file, unless it is there as it should be.
    pub(crate) fn add(&self, name: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let path = self.directory.join(name);
        if !is_intact(&path, bytes) {
            replace(&path, bytes).map_err(|error| at(&path, &error))?;
        }
        Ok(path)
    }
}

/// Is there a file of ours with these bytes?
fn is_intact(path: &Path, bytes: &[u8]) -> bool {
    read_own(path).is_ok_and(|found| found == bytes)
}

/// The content of a file of ours; an error if it is not ours alone.
pub(crate) fn read_own(path: &Path) -> io::Result<Vec<u8>> {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let mut file = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || !is_ours(&metadata) {
        return Err(ErrorKind::PermissionDenied.into());
    }
    let mut found = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0));
    file.read_to_end(&mut found)?;
    Ok(found)
}

/// Is there a directory of ours, and no link to one?
pub(crate) fn is_own_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && is_ours(&found))
}

/// Nobody else may write to this file, which is ours and may be a copy of another.
pub(crate) fn make_own(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

/// Puts a file in place of what is there, at once.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut other = path.as_os_str().to_os_string();
    other.push(format!(".{}", std::process::id()));
    // An earlier process with our number may have died while it wrote.
    let _ = fs::remove_file(&other);
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&other)?;
    let written = file.write_all(bytes).and_then(|()| fs::rename(&other, path));
    if written.is_err() {
        let _ = fs::remove_file(&other);
    }
    written
}

/// Does it belong to the user or to root, and can nobody else write to it?
fn is_ours(found: &Metadata) -> bool {
    is_owned(found) && found.mode() & 0o022 == 0
}

fn is_owned(found: &Metadata) -> bool {
    [rustix::process::geteuid().as_raw(), 0].contains(&found.uid())
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(
        ErrorKind::PermissionDenied,
        format!("`{}` {why}; set FENCEPOST_CACHE_DIR to a directory of your own", path.display()),
    )
}

/// Where searches for devices are kept, compiled.
pub(crate) fn compiled_searches() -> io::Result<PathBuf> {
    let directory = cache()?.join("searches");
    own_directory(&directory)?;
    Ok(directory)
}

/// Where unpacked runtimes are kept: the directory that was named, or the usual one, or one in the
/// temporary directory.
pub(crate) fn cache() -> io::Result<PathBuf> {
    let named = |variable: &str| env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = named("FENCEPOST_CACHE_DIR") {
        // The linker may run elsewhere.
        let directory = std::path::absolute(directory)?;
        make_directory(&directory).map_err(|error| at(&directory, &error))?;
        return match protects(&directory) {
            true => Ok(directory),
            false => Err(refused(&directory, "belongs to somebody else, or others can write to it")),
        };
    }
    // A home that does not exist is not made.
    let usual = named("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(named("HOME").filter(|home| home.is_dir())?.join(".cache")));
    if let Some(directory) = usual.map(|usual| usual.join("fencepost"))
        && make_directory(&directory).is_ok()
        && protects(&directory)
        && writable(&directory)
    {
        return Ok(directory);
    }
    let temporary = env::temp_dir();
    if !temporary.is_dir() {
        return Err(refused(&temporary, "(TMPDIR) does not exist"));
    }
    let directory = temporary.join(format!("fencepost-{}", rustix::process::geteuid().as_raw()));
    own_directory(&directory)?;
    Ok(directory)
}

/// Is what we make there safe from others?
fn protects(directory: &Path) -> bool {
    // Where only its owner can rename a directory, ours stays where it is.
    let is_sticky = |found: &Metadata| is_owned(found) && found.mode() & 0o1000 != 0;
    fs::metadata(directory).is_ok_and(|found| found.is_dir() && (is_ours(&found) || is_sticky(&found)))
}

/// Can files be made there? (Read-only homes and containers.)
fn writable(directory: &Path) -> bool {
    rustix::fs::access(directory, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
}

/// Makes a directory, or makes sure that the one that is there is ours.
pub(crate) fn own_directory(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o755).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(at(path, &error)),
        _ => {}
    }
    match fs::symlink_metadata(path).map_err(|error| at(path, &error))? {
        found if found.is_dir() && is_ours(&found) => Ok(()),
        _ => Err(refused(path, "belongs to somebody else, or others can write to it")),
    }
}

fn make_directory(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o755).create(path)
}
