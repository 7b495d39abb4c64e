//! Files, directories and standard input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use fencepost_base::source::SourceFile;
use fencepost_report::json;
use fencepost_report::terminal::{self, Look, Skipped};
use fencepost_syntax::parse::MAX_TEXT;
use fencepost_syntax::{Language, foreign};

/// A text to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// As people call it.
    pub(crate) name: String,
    /// None for standard input.
    pub(crate) path: Option<PathBuf>,
    /// The language to read it in.
    pub(crate) language: Language,
}

/// Why there is nothing to read.
#[derive(Debug)]
pub(crate) enum InputError {
    /// It cannot be found, opened or read, or its language is not known.
    Plain {
        /// What was to be read.
        name: String,
        /// What is wrong.
        message: String,
        /// What to do.
        help: Option<String>,
    },
    /// It is not UTF-8.
    NotText {
        /// What was read.
        name: String,
        /// Its content.
        bytes: Vec<u8>,
    },
}

/// What is meant by paths.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// In order.
    pub(crate) list: Vec<Result<Input, InputError>>,
    /// Litmus tests in directories that are not in C.
    pub(crate) skipped: Vec<Skipped>,
}

/// The inputs meant by `paths`; directories are searched for programs.
pub(crate) fn collect(paths: &[PathBuf], language: Option<Language>) -> Inputs {
    let mut inputs = Inputs::default();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            match search(path, &mut found, &mut inputs.skipped) {
                Ok(()) if found.is_empty() => {
                    let directory = path.display();
                    inputs.list.push(Err(InputError::Plain {
                        name: directory.to_string(),
                        message: format!("nothing to do: no .fp, .tpl, C litmus or Trencher files in `{directory}`"),
                        help: None,
                    }));
                }
                Ok(()) => inputs.list.extend(found.into_iter().map(Ok)),
                Err((path, error)) => inputs.list.push(Err(unreadable(&path.display().to_string(), &error))),
            }
        } else {
            inputs.list.push(one(path, language));
        }
    }
    inputs
}

/// The input meant by one path that is no directory.
pub(crate) fn one(path: &Path, language: Option<Language>) -> Result<Input, InputError> {
    if path.as_os_str() == "-" {
        return Ok(Input { name: "<stdin>".into(), path: None, language: language.unwrap_or(Language::Fp) });
    }
    let name = path.display().to_string();
    match language.or_else(|| Language::from_path(path)) {
        Some(language) => Ok(Input { name, path: Some(path.to_path_buf()), language }),
        // A path that leads nowhere is the more useful thing to hear about.
        None => match fs::metadata(path) {
            Err(error) => Err(unreadable(&name, &error)),
            Ok(_) => Err(InputError::Plain {
                message: format!("cannot tell the language of `{name}` by its extension"),
                help: Some(other_language(path)),
                name,
            }),
        },
    }
}

/// What to do about a file in none of the languages.
fn other_language(path: &Path) -> String {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let compiler = match extension {
        "c" => "cc",
        "C" | "cc" | "cpp" | "cxx" | "c++" => "c++",
        _ => return "rename it to .fp, .tpl, .txt or .litmus, or say --language fp, tpl, txt or litmus".into(),
    };
    let (file, program) = (path.display(), path.with_extension(""));
    // A path without a directory would be looked for elsewhere.
    let program = if program.parent() == Some(Path::new("")) { Path::new(".").join(program) } else { program };
    let program = program.display();
    format!(
        "C and C++ programs are watched while they run: `fencepost {compiler} -pthread {file} -o {program}`, then \
         `fencepost run -- {program}`"
    )
}

impl Input {
    /// Reads it.
    pub(crate) fn read(&self) -> Result<SourceFile, InputError> {
        let mut bytes = Vec::new();
        let limit = MAX_TEXT as u64 + 1;
        let result = match &self.path {
            None => io::stdin().lock().take(limit).read_to_end(&mut bytes),
            Some(path) => File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)),
        };
        if let Err(error) = result {
            return Err(unreadable(&self.name, &error));
        }
        if bytes.len() > MAX_TEXT {
            return Err(InputError::Plain {
                name: self.name.clone(),
                message: format!("`{}` is larger than {} MiB", self.name, MAX_TEXT >> 20),
                help: None,
            });
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(SourceFile::new(self.name.clone(), text)),
            Err(error) => Err(InputError::NotText { name: self.name.clone(), bytes: error.into_bytes() }),
        }
    }
}

/// What an input is called, readable or not.
pub(crate) fn name(input: &Result<Input, InputError>) -> String {
    match input {
        Ok(input) => input.name.clone(),
        Err(error) => error.name().to_string(),
    }
}

impl InputError {
    /// For people.
    pub(crate) fn render(&self, look: &Look) -> String {
        match self {
            InputError::Plain { message, help, .. } => terminal::plain_error(message, help.as_deref(), look),
            InputError::NotText { name, bytes } => terminal::invalid_utf8(name, bytes, look),
        }
    }

    /// The file.
    pub(crate) fn name(&self) -> &str {
        match self {
            InputError::Plain { name, .. } | InputError::NotText { name, .. } => name,
        }
    }

    /// In one line.
    pub(crate) fn message(&self) -> String {
        match self {
            InputError::Plain { message, .. } => message.clone(),
            InputError::NotText { .. } => "the file is not valid UTF-8".into(),
        }
    }

    /// For scripts.
    pub(crate) fn json(&self) -> String {
        match self {
            InputError::Plain { name, message, help } => {
                let error = json::Error {
                    severity: "error",
                    line: None,
                    column: None,
                    message: message.clone(),
                    help: help.iter().cloned().collect(),
                };
                json::errors(name, vec![error])
            }
            InputError::NotText { name, bytes } => json::errors(name, json::invalid_utf8(name, bytes)),
        }
    }
}

fn unreadable(name: &str, error: &io::Error) -> InputError {
    InputError::Plain { name: name.to_string(), message: format!("cannot read `{name}`: {error}"), help: None }
}

/// Does the text of a file look like a program? If it cannot be read, that is an error to be
/// reported later, but for texts that are probably something else.
fn can_be(language: Language, path: &Path) -> bool {
    language != Language::Txt || fs::read_to_string(path).is_ok_and(|text| language.can_be(&text))
}

/// A litmus test that is not one in C.
fn skipped(language: Language, path: &Path) -> Option<Skipped> {
    let bytes = (language == Language::Litmus).then(|| fs::read(path).ok()).flatten()?;
    let foreign = foreign(&String::from_utf8_lossy(&bytes))?;
    Some(Skipped { file: path.display().to_string(), kind: foreign.kind(), what: foreign.to_string() })
}

/// Every program below `directory`, sorted; links to directories are not followed, so that the
/// search ends. Of the files that end in .txt only those that look like programs are. Litmus tests
/// that are not in C are remembered.
fn search(directory: &Path, found: &mut Vec<Input>, foreign: &mut Vec<Skipped>) -> Result<(), (PathBuf, io::Error)> {
    let fail = |error| (directory.to_path_buf(), error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory).map_err(fail)? {
        entries.push(entry.map_err(fail)?);
    }
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().map_err(fail)?.is_dir() {
            search(&path, found, foreign)?;
        } else if let Some(language) = Language::from_path(&path)
            && path.is_file()
            && can_be(language, &path)
        {
            match skipped(language, &path) {
                Some(skipped) => foreign.push(skipped),
                None => found.push(Input { name: path.display().to_string(), path: Some(path), language }),
            }
        }
    }
    Ok(())
}
