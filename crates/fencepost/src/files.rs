//! Writing files, all of them or nothing.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Links that are followed before they are taken for a circle, as elsewhere in the system.
const MOST_LINKS: usize = 40;

/// Makes `text` the content of a file, at once: nobody ever sees half of it, and if it fails all is
/// as before. A link stays a link, to a new content; permissions stay what they are. What is no
/// ordinary file, such as a device, is written to.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = destination(path)?;
    let before = match fs::metadata(&path) {
        Ok(metadata) if !metadata.is_file() => return write_into(&path, text),
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if before.is_some() {
        // Who may not change a file may not replace it either, even where the directory would allow
        // it.
        File::options().write(true).open(&path)?;
    }
    let (new, file) = beside(&path)?;
    let replaced = fill(file, text, before.as_ref()).and_then(|()| fs::rename(&new, &path));
    if replaced.is_err() {
        let _ = fs::remove_file(&new);
        return replaced;
    }
    // The file is there; that its directory cannot be synchronised everywhere is no failure.
    if let Ok(directory) = File::open(directory(&path)) {
        let _ = directory.sync_all();
    }
    Ok(())
}

/// Where a chain of links leads, whether there is anything or not.
fn destination(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = directory(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A new file in the directory of another.
fn beside(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or(ErrorKind::IsADirectory)?.to_string_lossy();
    for attempt in 0_u32.. {
        let new = path.with_file_name(format!(".{name}.{}-{attempt}.new", std::process::id()));
        match File::create_new(&new) {
            Ok(file) => return Ok((new, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, text: &str, before: Option<&Metadata>) -> io::Result<()> {
    file.write_all(text.as_bytes())?;
    if let Some(before) = before {
        keep_owner(&file, before);
        file.set_permissions(before.permissions())?;
    }
    file.sync_all()
}

/// The owner stays, where we are allowed to give files away.
#[cfg(unix)]
fn keep_owner(file: &File, before: &Metadata) {
    use std::os::unix::fs::{MetadataExt as _, fchown};
    let _ = fchown(file, Some(before.uid()), Some(before.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

fn write_into(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::options().write(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.flush()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    #[test]
    fn what_is_written_replaces_what_was_there() {
        let directory = std::env::temp_dir().join(format!("fencepost-files-{}", std::process::id()));
        fs::create_dir_all(directory.join("below")).expect("a directory");
        let (file, link, dangling) =
            (directory.join("below/file"), directory.join("link"), directory.join("below/dangling"));
        let read = |path: &Path| fs::read_to_string(path).expect("a file");
        write(&file, "one").expect("a new file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
        symlink("below/file", &link).expect("a link");
        symlink("../new", &dangling).expect("a link to nothing");
        write(&link, "two").expect("through a link");
        write(&dangling, "three").expect("through a link to nothing");
        assert_eq!((read(&file), read(&directory.join("new"))), ("two".into(), "three".into()));
        assert!(fs::symlink_metadata(&link).expect("the link").is_symlink());
        assert_eq!(fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o640);
        let is_new =
            |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name().to_string_lossy().ends_with(".new");
        assert!(!fs::read_dir(directory.join("below")).expect("a directory").any(is_new), "nothing is left behind");
        symlink("circle", directory.join("circle")).expect("a link to itself");
        for wrong in ["circle", "below", "no/such/directory", "/dev/full"] {
            assert!(write(&directory.join(wrong), "four").is_err(), "{wrong}");
        }
        fs::remove_dir_all(&directory).expect("it is ours");
    }
}
