//! Compiled texts, in files that are named by what they are compiled from.
//!
//! A file begins with a digest of the rest. One that does not fit, or cannot be read, is as good as
//! none; it is written anew. That it cannot be written is no reason to fail.

use std::fs;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

/// Bytes of a digest.
const DIGEST: usize = 32;

/// A directory for compiled texts, or none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache(pub(crate) Option<PathBuf>);

impl Cache {
    /// What was compiled from this, or what `compile` makes of it now.
    pub(crate) fn get<E>(&self, from: &[&str], compile: impl FnOnce() -> Result<Vec<u8>, E>) -> Result<Vec<u8>, E> {
        let Some(directory) = &self.0 else { return compile() };
        let mut name = Sha256::new();
        for part in from {
            name.update((part.len() as u64).to_le_bytes());
            name.update(part);
        }
        let name: String = name.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let file = directory.join(format!("{name}.cubin"));
        if let Some(bytes) = fs::read(&file).ok().and_then(unwrap) {
            return Ok(bytes);
        }
        let bytes = compile()?;
        // Under another name first, so that nobody reads half of it.
        let half = directory.join(format!("{name}.{}", std::process::id()));
        let written = fs::write(&half, [&Sha256::digest(&bytes)[..], &bytes].concat());
        if written.and_then(|()| fs::rename(&half, &file)).is_err() {
            let _ = fs::remove_file(&half);
        }
        Ok(bytes)
    }
}

fn unwrap(file: Vec<u8>) -> Option<Vec<u8>> {
    let (digest, bytes) = file.split_at_checked(DIGEST)?;
    (Sha256::digest(bytes)[..] == *digest).then(|| bytes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn what_is_damaged_is_compiled_again() {
        let directory = std::env::temp_dir().join(format!("fencepost-cubins-{}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        let cache = Cache(Some(directory.clone()));
        let mut compiled = 0;
        let mut get = |cache: &Cache| {
            cache.get::<Infallible>(&["text", "sm_90"], || {
                compiled += 1;
                Ok(vec![1, 2, 3])
            })
        };
        assert_eq!((get(&cache), get(&cache)), (Ok(vec![1, 2, 3]), Ok(vec![1, 2, 3])));
        for file in fs::read_dir(&directory).expect("a directory") {
            fs::write(file.expect("a file").path(), [7; 40]).expect("written");
        }
        assert_eq!(get(&cache), Ok(vec![1, 2, 3]));
        assert_eq!(get(&Cache(None)), Ok(vec![1, 2, 3]));
        assert_eq!(compiled, 3);
        fs::remove_dir_all(&directory).expect("removed");
    }
}
