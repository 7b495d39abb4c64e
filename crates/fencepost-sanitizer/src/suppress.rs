//! Suppressions: what not to report.
//!
//! The grammar is that of the thread sanitizer: one `kind:pattern` per line, `#` starts a comment.
//! A pattern matches anywhere in a name, unless it starts with `^` or ends in `$`; `*` stands for
//! anything. Names are functions, source files and modules of the frames of a report, and the
//! global variable it is about.

use crate::report::{Kind, Memory, Operation, Report};

/// What is suppressed, with how often it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    list: Vec<Suppression>,
}

/// A line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// As it was written.
    pub text: String,
    /// How many reports it suppressed.
    pub used: u64,
    what: What,
    pattern: Pattern,
}

/// What a suppression is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// Violations of robustness, by any frame.
    Robustness,
    /// Races, by any frame.
    Race,
    /// Races, by the innermost frame of an access.
    RaceTop,
    /// Anything done by code of a library.
    Library,
    /// Something only the thread sanitizer reports.
    Foreign,
}

impl Suppressions {
    /// Adds a list; the error names the line.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what: &str| format!("line {}: {what}: `{line}`", number + 1);
            let (kind, pattern) = line.split_once(':').ok_or_else(|| wrong("not of the form kind:pattern"))?;
            let what = match kind {
                "robustness" => What::Robustness,
                "race" => What::Race,
                "race_top" => What::RaceTop,
                "called_from_lib" => What::Library,
                "thread" | "mutex" | "signal" | "deadlock" => What::Foreign,
                _ => return Err(wrong("unknown kind (robustness, race, race_top and called_from_lib are known)")),
            };
            if pattern.is_empty() {
                return Err(wrong("the pattern is empty"));
            }
            self.list.push(Suppression { text: line.to_string(), used: 0, what, pattern: Pattern::new(pattern) });
        }
        Ok(())
    }

    /// Is this report suppressed? Counts it if so.
    pub fn covers(&mut self, report: &Report) -> bool {
        let found = self.list.iter_mut().find(|suppression| suppression.covers(report));
        found.map(|suppression| suppression.used += 1).is_some()
    }

    /// Every suppression, in the order of the list.
    pub fn list(&self) -> &[Suppression] {
        &self.list
    }
}

impl Suppression {
    fn covers(&self, report: &Report) -> bool {
        let by_any_frame = || {
            report.operations().iter().any(|operation| self.covers_frames(operation, usize::MAX))
                || matches!(&report.memory, Memory::Global { name, .. } if self.pattern.matches(name))
        };
        match (self.what, &report.kind) {
            (What::Robustness, Kind::Robustness(_)) | (What::Race, Kind::Race(_)) => by_any_frame(),
            (What::RaceTop, Kind::Race(_)) => {
                report.operations().iter().any(|operation| self.covers_frames(operation, 1))
            }
            (What::Library, _) => report.access.stack.first().is_some_and(|frame| self.pattern.matches(&frame.module)),
            (What::Robustness | What::Race | What::RaceTop | What::Foreign, _) => false,
        }
    }

    fn covers_frames(&self, operation: &Operation, count: usize) -> bool {
        operation.stack.iter().take(count).any(|frame| {
            let names = [frame.function.as_deref(), frame.file.as_deref(), Some(frame.module.as_str())];
            names.into_iter().flatten().any(|name| self.pattern.matches(name))
        })
    }
}

/// A pattern for names, cut at its stars: it matches anywhere, unless it starts with `^` or ends in
/// `$`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pieces: Vec<String>,
    from_start: bool,
    to_end: bool,
}

impl Pattern {
    /// Reads a pattern; anything is one.
    pub fn new(text: &str) -> Pattern {
        let (text, from_start) = text.strip_prefix('^').map_or((text, false), |rest| (rest, true));
        let (text, to_end) = text.strip_suffix('$').map_or((text, false), |rest| (rest, true));
        Pattern { pieces: text.split('*').map(str::to_string).collect(), from_start, to_end }
    }

    /// Does a name match?
    pub fn matches(&self, name: &str) -> bool {
        // Every piece but the last as early as possible, the last one as late as needed.
        let (last, others) = self.pieces.split_last().expect("splitting gives at least one piece");
        let mut rest = name;
        let mut anchored = self.from_start;
        for piece in others {
            let found =
                if anchored { rest.starts_with(piece.as_str()).then_some(0) } else { rest.find(piece.as_str()) };
            let Some(at) = found else { return false };
            rest = &rest[at + piece.len()..];
            anchored = false;
        }
        match (anchored, self.to_end) {
            (true, true) => rest == last,
            (true, false) => rest.starts_with(last.as_str()),
            (false, true) => rest.ends_with(last.as_str()),
            (false, false) => rest.contains(last.as_str()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, yes, no) in [
            ("foo", &["foo", "a_foo_b"][..], &["fo", ""][..]),
            ("^foo", &["foo", "foobar"], &["a_foo"]),
            ("foo$", &["foo", "a_foo"], &["foobar"]),
            ("^foo$", &["foo"], &["foobar", "a_foo"]),
            ("a*c", &["abc", "xacx", "a-b-c"], &["cba", "a"]),
            ("^a*b*c$", &["abc", "a__b__c"], &["abcd", "xabc", "acb"]),
            ("*", &["", "anything"], &[]),
            ("^*x", &["ax"], &["a"]),
            ("ns::queue<*>::push", &["ns::queue<int>::push(int)"], &["ns::stack<int>::push"]),
        ] {
            let read = Pattern::new(pattern);
            assert!(yes.iter().all(|name| read.matches(name)), "{pattern}");
            assert!(!no.iter().any(|name| read.matches(name)), "{pattern}");
        }
    }

    #[test]
    fn lists_are_read_or_refused_with_the_line() {
        let mut list = Suppressions::default();
        list.add("# comment\n\nrobustness:^queue_\n race:libfoo.so\nmutex:any\n").expect("well-formed");
        assert_eq!(list.list().len(), 3);
        for (text, line) in [("rase:x", "line 1"), ("race:x\nnonsense", "line 2"), ("race:", "line 1")] {
            assert!(Suppressions::default().add(text).expect_err("malformed").starts_with(line), "{text}");
        }
    }
}
