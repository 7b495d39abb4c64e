//! The command line of `cargo fencepost`: what is for cargo, for us, and for the programs.

use std::ffi::OsString;

/// What cargo is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    Test,
    Run,
    Build,
    Bench,
}

impl Task {
    fn named(name: &str) -> Option<Task> {
        Some(match name {
            "test" | "t" => Task::Test,
            "run" | "r" => Task::Run,
            "build" | "b" => Task::Build,
            "bench" => Task::Bench,
            _ => return None,
        })
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Task::Test => "test",
            Task::Run => "run",
            Task::Build => "build",
            Task::Bench => "bench",
        }
    }
}

/// A command line, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) task: Task,
    /// For cargo.
    pub(super) cargo: Vec<OsString>,
    /// After `--fencepost`.
    pub(super) ours: Vec<OsString>,
    /// After `--`.
    pub(super) program: Vec<OsString>,
}

impl Line {
    /// The words after `cargo fencepost`.
    pub(super) fn read(words: &[OsString]) -> Result<Line, String> {
        let name = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
        let task = Task::named(&name).ok_or_else(|| format!("`{name}`: there are test, run, build and bench"))?;
        let mut line = Line { task, cargo: Vec::new(), ours: Vec::new(), program: Vec::new() };
        let (mut is_program, mut is_ours) = (false, false);
        for word in &words[1..] {
            match word.to_str() {
                Some("--fencepost") => is_ours = true,
                Some("--") if !is_program => (is_program, is_ours) = (true, false),
                _ if is_ours => line.ours.push(word.clone()),
                _ if is_program => line.program.push(word.clone()),
                _ => line.cargo.push(word.clone()),
            }
        }
        Ok(line)
    }

    /// The value of an option for cargo.
    pub(super) fn option(&self, name: &str) -> Option<OsString> {
        let mut words = self.cargo.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == name {
                return words.next().cloned();
            }
            if let Some(value) = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                return Some(value.into());
            }
        }
        None
    }

    /// Takes an option with its value away, and returns the last value.
    pub(super) fn take_option(&mut self, name: &str) -> Option<OsString> {
        let mut found = None;
        let mut kept = Vec::new();
        let mut words = std::mem::take(&mut self.cargo).into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if text == name {
                found = words.next();
            } else if let Some(value) = text.strip_prefix(name).and_then(|rest| rest.strip_prefix('=')) {
                found = Some(value.into());
            } else {
                kept.push(word);
            }
        }
        self.cargo = kept;
        found
    }

    /// Options that say which project is meant, with their values.
    pub(super) fn project(&self) -> Vec<OsString> {
        const WITH_VALUE: [&str; 2] = ["--manifest-path", "--config"];
        const ALONE: [&str; 3] = ["--locked", "--offline", "--frozen"];
        let mut found = Vec::new();
        let mut words = self.cargo.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if ALONE.contains(&&*text) || WITH_VALUE.iter().any(|name| text.starts_with(&format!("{name}="))) {
                found.push(word.clone());
            } else if WITH_VALUE.contains(&&*text) {
                found.push(word.clone());
                found.extend(words.next().cloned());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<Line, String> {
        Line::read(&words(text))
    }

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn three_parts() {
        let expected = Line {
            task: Task::Test,
            cargo: words("--release -p a"),
            ours: words("--runs 3"),
            program: words("--exact name"),
        };
        assert_eq!(line("test --release -p a --fencepost --runs 3 -- --exact name"), Ok(expected));
        let at_the_end = line("t -- --exact name --fencepost --runs 3").expect("well-formed");
        assert_eq!((at_the_end.program, at_the_end.ours), (words("--exact name"), words("--runs 3")));
        assert_eq!(line("run -- a -- b").expect("well-formed").program, words("a -- b"));
        assert!(line("check").is_err());
        assert!(line("").is_err());
    }

    #[test]
    fn options_of_cargo() {
        let mut line = line("test --target-dir=a --manifest-path x/Cargo.toml --offline -p b").expect("well-formed");
        assert_eq!(line.project(), words("--manifest-path x/Cargo.toml --offline"));
        assert_eq!(line.option("--manifest-path"), Some("x/Cargo.toml".into()));
        assert_eq!(line.take_option("--target-dir"), Some("a".into()));
        assert_eq!(line.cargo, words("--manifest-path x/Cargo.toml --offline -p b"));
    }
}
