//! The corpus: the programs of `litmus/`.

use std::path::{Path, PathBuf};

use fencepost_ir::Program;
use fencepost_lower::{Deref, Language, Reading};

use crate::expect::{Expectation, expectations};

/// A file of the corpus.
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Its path within the corpus.
    pub name: String,
}

/// What a file contains.
pub struct Content {
    /// The text.
    pub text: String,
    /// The program, about which the front end has nothing to say.
    pub program: Program,
    /// What its comments expect.
    pub expected: Vec<Expectation>,
}

/// All files but those of [`any_number`], in the order of their names.
pub fn files() -> Vec<Entry> {
    let mut files = all();
    files.retain(|file| !file.name.starts_with(ANY_NUMBER));
    files
}

/// Programs with threads of any number of copies, in the order of their names.
pub fn any_number() -> Vec<Entry> {
    let mut files = all();
    files.retain(|file| file.name.starts_with(ANY_NUMBER));
    files
}

/// Their folder: no engine but one takes them as they are.
const ANY_NUMBER: &str = "any-number/";

fn all() -> Vec<Entry> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../litmus");
    let mut paths = Vec::new();
    collect(&root, &mut paths);
    paths.sort();
    assert!(paths.len() > 50, "the corpus is there");
    let entry = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
        Entry { path, name }
    };
    paths.into_iter().map(entry).collect()
}

fn collect(dir: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a directory of the corpus") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else {
            paths.push(path);
        }
    }
}

impl Entry {
    /// Reads the file.
    pub fn read(&self) -> Result<Content, String> {
        let language = Language::from_path(&self.path).ok_or("not a program")?;
        let text = std::fs::read_to_string(&self.path).map_err(|error| error.to_string())?;
        // Litmus tests are read as herd reads them; who says so is not warned.
        let reading = Reading { deref: Some(Deref::Plain) };
        let loaded = fencepost_lower::load_as(language, &text, reading);
        if let Some(diagnostic) = loaded.diagnostics.first() {
            return Err(format!("the front end complains: {}", diagnostic.message));
        }
        let program = loaded.program.ok_or("no program")?;
        let expected = expectations(&text).map_err(|error| error.to_string())?;
        Ok(Content { text, program, expected })
    }
}
