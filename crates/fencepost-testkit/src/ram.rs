//! A folder in memory, in which something goes wrong.

use std::collections::BTreeMap;
use std::io::{self, Cursor, ErrorKind, Read, Seek, SeekFrom, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fencepost_base::files::{Files, Input};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// One operation is refused.
    Refused,
    /// One operation is refused, and so is everything after it: the disk is full, or the process is
    /// dead.
    Dead,
    /// Some bytes are written, and then no more.
    Torn,
    /// A bit that is read is another one.
    Flipped,
    /// A file ends where it is read.
    Truncated,
    /// Half of the bytes are read or written, which callers have to expect.
    Short,
}

/// A file: its bytes, and how many of them would survive a power failure.
type Content = Arc<Mutex<(Vec<u8>, usize)>>;

/// Files in memory. At one operation, counted from 0, there can be a fault.
#[derive(Clone, Default)]
pub struct Ram(Arc<Inner>);

#[derive(Default)]
struct Inner {
    files: Mutex<BTreeMap<String, Content>>,
    operations: AtomicU64,
    fault: Option<(u64, Fault)>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ram {
    /// No files, and a fault.
    pub fn with_fault(at: u64, fault: Fault) -> Self {
        Ram(Arc::new(Inner { fault: Some((at, fault)), ..Inner::default() }))
    }

    /// The files as they are after a power failure: what was not [`Files::sync`]ed is gone.
    pub fn after_power_failure(&self) -> Self {
        let survives = |(name, content): (&String, &Content)| {
            let content = lock(content);
            let safe = content.0[..content.1].to_vec();
            (name.clone(), Arc::new(Mutex::new((safe, content.1))))
        };
        let files = lock(&self.0.files).iter().map(survives).collect();
        Ram(Arc::new(Inner { files: Mutex::new(files), ..Inner::default() }))
    }

    /// The files as they are after the process was killed: all that was written is there.
    pub fn after_kill(&self) -> Self {
        let copy = |(name, content): (&String, &Content)| (name.clone(), Arc::new(Mutex::new(lock(content).clone())));
        let files = lock(&self.0.files).iter().map(copy).collect();
        Ram(Arc::new(Inner { files: Mutex::new(files), ..Inner::default() }))
    }

    /// Number of operations so far.
    pub fn operations(&self) -> u64 {
        self.0.operations.load(Ordering::Relaxed)
    }

    /// Bytes of all files.
    pub fn bytes(&self) -> usize {
        lock(&self.0.files).values().map(|content| lock(content).0.len()).sum()
    }

    /// Changes the bytes of a file.
    ///
    /// # Panics
    /// If there is no such file.
    pub fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
        change(&mut lock(&lock(&self.0.files)[name]).0);
    }

    /// What goes wrong with the next operation.
    fn count(&self) -> io::Result<Option<Fault>> {
        let now = self.0.operations.fetch_add(1, Ordering::Relaxed);
        match self.0.fault {
            Some((at, Fault::Refused)) if now == at => Err(full()),
            Some((at, Fault::Dead)) if now >= at => Err(full()),
            Some((at, fault)) if now == at => Ok(Some(fault)),
            _ => Ok(None),
        }
    }

    fn find(&self, name: &str) -> io::Result<Content> {
        lock(&self.0.files).get(name).cloned().ok_or_else(|| ErrorKind::NotFound.into())
    }
}

fn full() -> io::Error {
    ErrorKind::StorageFull.into()
}

impl Files for Ram {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send>> {
        self.count()?;
        let content = Content::default();
        lock(&self.0.files).insert(name.to_owned(), Arc::clone(&content));
        Ok(Box::new(Output { ram: self.clone(), content }))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn Input>> {
        self.count()?;
        let content = lock(&*self.find(name)?).0.clone();
        Ok(Box::new(Reader { ram: self.clone(), content: Cursor::new(content) }))
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.count()?;
        let content = self.find(name)?;
        let mut content = lock(&content);
        content.1 = content.0.len();
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.count()?;
        let content = self.find(from)?;
        let mut files = lock(&self.0.files);
        files.remove(from);
        files.insert(to.to_owned(), content);
        Ok(())
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.count()?;
        lock(&self.0.files).remove(name).map(|_| ()).ok_or_else(|| ErrorKind::NotFound.into())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.count()?;
        Ok(lock(&self.0.files).keys().cloned().collect())
    }
}

struct Output {
    ram: Ram,
    content: Content,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fault = self.ram.count()?;
        let half = bytes.len().div_ceil(2);
        let (written, result) = match fault {
            Some(Fault::Torn) => (half, Err(full())),
            Some(Fault::Short) => (half, Ok(half)),
            _ => (bytes.len(), Ok(bytes.len())),
        };
        lock(&self.content).0.extend_from_slice(&bytes[..written]);
        result
    }

    fn flush(&mut self) -> io::Result<()> {
        self.ram.count().map(|_| ())
    }
}

struct Reader {
    ram: Ram,
    content: Cursor<Vec<u8>>,
}

impl Read for Reader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self.ram.count()? {
            Some(Fault::Truncated) => Ok(0),
            Some(Fault::Short) => {
                let half = bytes.len().div_ceil(2);
                self.content.read(&mut bytes[..half])
            }
            fault => {
                let read = self.content.read(bytes)?;
                if fault == Some(Fault::Flipped) && read > 0 {
                    bytes[read / 2] ^= 4;
                }
                Ok(read)
            }
        }
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.content.seek(to)
    }
}
