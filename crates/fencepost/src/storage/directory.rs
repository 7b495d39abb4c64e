//! Files of searches, in one directory or two.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fencepost_base::files::{Files, Input};
use indicatif::HumanBytes;

use super::absolute;

/// A directory of our own, in the one that was named, which ends with the process.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new(parent: &Path) -> Result<Self, String> {
        let failed = |error| format!("cannot use `{}` for states: {error}", parent.display());
        fs::create_dir_all(parent).map_err(failed)?;
        let parent = absolute(parent)?;
        for attempt in 0_u32.. {
            let path = parent.join(format!("fencepost-{}-{attempt}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(ErrorKind::AlreadyExists.into()))
    }
}

/// A directory that is there for later processes. No two processes use it at once.
#[derive(Clone)]
pub(super) struct Lasting {
    path: PathBuf,
    /// As people call it.
    name: PathBuf,
    /// Locked as long as it is open.
    _lock: Arc<File>,
}

/// The file that is locked.
const LOCK: &str = "lock";
/// What the names of files of searches begin with.
const SEARCH: &str = "search";

impl Lasting {
    /// For a new checkpoint.
    pub(super) fn new(path: &Path) -> Result<Self, String> {
        fs::create_dir_all(path).map_err(|error| format!("cannot use `{}`: {error}", path.display()))?;
        let lasting = Lasting::lock(path)?;
        if lasting.command().exists() {
            let path = path.display();
            return Err(format!("there is a checkpoint in `{path}`: `fencepost resume {path}` goes on from it"));
        }
        lasting.remove_searches();
        Ok(lasting)
    }

    /// One that is there.
    pub(super) fn existing(path: &Path) -> Result<Self, String> {
        match path.join("command").exists() {
            true => Lasting::lock(path),
            false => Err(format!("there is no checkpoint in `{}`", path.display())),
        }
    }

    fn lock(name: &Path) -> Result<Self, String> {
        let path = absolute(name)?;
        let failed = |error: &dyn std::fmt::Display| format!("cannot use `{}`: {error}", path.display());
        let lock = File::options().create(true).write(true).truncate(false).open(path.join(LOCK));
        let lock = lock.map_err(|error| failed(&error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Lasting { path, name: name.to_path_buf(), _lock: Arc::new(lock) }),
            Err(fs::TryLockError::WouldBlock) => Err(failed(&"another process is at work with it")),
            Err(fs::TryLockError::Error(error)) => Err(failed(&error)),
        }
    }

    pub(super) fn name(&self) -> &Path {
        &self.name
    }

    /// The file that says what the command is.
    pub(super) fn command(&self) -> PathBuf {
        self.path.join("command")
    }

    /// Removes all that is ours, and the directory if there is nothing else. The command goes first:
    /// without it the rest means nothing. What cannot be removed does no harm.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(self.command());
        self.remove_searches();
        let _ = fs::remove_file(self.path.join(LOCK));
        let _ = fs::remove_dir(&self.path);
    }

    fn remove_searches(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // A process that is killed while it writes its command leaves half of it.
            if name.starts_with(SEARCH) || name.starts_with(".command.") {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Files of searches. Those that a later process needs are in the lasting directory, if there is one;
/// the others in the other one, if there are both.
pub(super) struct Directory {
    scratch: Option<Scratch>,
    lasting: Option<Lasting>,
    space: Arc<Mutex<Space>>,
}

/// How much room there is, and who takes it.
struct Space {
    most: Option<u64>,
    used: u64,
    sizes: HashMap<String, u64>,
}

fn lock(space: &Mutex<Space>) -> MutexGuard<'_, Space> {
    space.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Space {
    fn take(&mut self, name: &str, bytes: u64) -> io::Result<()> {
        if let Some(most) = self.most.filter(|most| self.used + bytes > *most) {
            return Err(io::Error::other(format!("the limit of {} on files was reached", HumanBytes(most))));
        }
        self.used += bytes;
        *self.sizes.entry(name.to_owned()).or_default() += bytes;
        Ok(())
    }

    fn give_back(&mut self, name: &str) {
        self.used -= self.sizes.remove(name).unwrap_or(0);
    }
}

impl Directory {
    /// With at most so many bytes, if there is a limit.
    pub(super) fn new(scratch: Option<Scratch>, lasting: Option<Lasting>, most: Option<u64>) -> Result<Self, String> {
        let mut space = Space { most, used: 0, sizes: HashMap::new() };
        if let Some(lasting) = &lasting {
            let failed = |error| format!("cannot read `{}`: {error}", lasting.path.display());
            for entry in fs::read_dir(&lasting.path).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with(SEARCH) {
                    let bytes = entry.metadata().map_err(failed)?.len();
                    space.used += bytes;
                    space.sizes.insert(name, bytes);
                }
            }
        }
        Ok(Directory { scratch, lasting, space: Arc::new(Mutex::new(space)) })
    }

    pub(super) fn lasting(&self) -> Option<&Lasting> {
        self.lasting.as_ref()
    }

    /// What cannot be removed does no harm.
    pub(super) fn remove_scratch(&self) {
        if let Some(Scratch(path)) = &self.scratch {
            let _ = fs::remove_dir_all(path);
        }
    }

    /// Where a file is.
    fn path(&self, name: &str) -> PathBuf {
        let is_lasting = name.contains("-layer-") || name.contains("-notes");
        match (&self.scratch, &self.lasting) {
            (Some(Scratch(path)), None) => path.join(name),
            (Some(Scratch(path)), Some(_)) if !is_lasting => path.join(name),
            (_, Some(lasting)) => lasting.path.join(name),
            (None, None) => PathBuf::from(name),
        }
    }
}

struct Output {
    name: String,
    file: File,
    space: Arc<Mutex<Space>>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.space).take(&self.name, bytes.len() as u64)?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Files for Directory {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        let file = File::create(self.path(name))?;
        lock(&self.space).give_back(name);
        Ok(Box::new(Output { name: name.to_owned(), file, space: Arc::clone(&self.space) }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        Ok(Box::new(File::open(self.path(name))?))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        File::open(self.path(name))?.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let path = self.path(to);
        fs::rename(self.path(from), &path)?;
        let mut space = lock(&self.space);
        space.give_back(to);
        if let Some(bytes) = space.sizes.remove(from) {
            space.sizes.insert(to.to_owned(), bytes);
        }
        drop(space);
        // Not every system can open a directory; where it can, that has to work.
        match path.parent().map(File::open) {
            Some(Ok(directory)) => directory.sync_all(),
            _ => Ok(()),
        }
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))?;
        lock(&self.space).give_back(name);
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for path in
            [self.scratch.as_ref().map(|scratch| &scratch.0), self.lasting.as_ref().map(|lasting| &lasting.path)]
                .into_iter()
                .flatten()
        {
            for entry in fs::read_dir(path)? {
                names.push(entry?.file_name().to_string_lossy().into_owned());
            }
        }
        names.retain(|name| name.starts_with(SEARCH));
        names.sort();
        Ok(names)
    }
}
