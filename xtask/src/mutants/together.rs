//! Many mutants in one build.
//!
//! To compile the project once for each mutant takes hours. So every function that mutants break is
//! written several times, as it is and once for each of them, and an environment variable says
//! which one is meant:
//!
//! ```text
//! fn f(…) -> … { match crate::mutated() { 17 => { as mutant 17 has it } _ => { as it is } } }
//! ```
//!
//! The sources are formatted by rustfmt, so indentation tells where functions begin and end. What
//! cannot be written like that is tried alone: a mutant outside of functions, a function whose type
//! depends on its body (`impl Trait`), a constant one.

use std::collections::BTreeMap;
use std::ops::Range;

use super::list::Mutant;

/// The environment variable that names a mutant by its number, from 1.
pub(super) const VARIABLE: &str = "FENCEPOST_MUTANT";

/// What is added to the root of a crate that has mutants.
pub(super) const READER: &str = "
pub(crate) fn mutated() -> usize {
    static MUTATED: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *MUTATED.get_or_init(|| std::env::var(\"FENCEPOST_MUTANT\").map_or(0, |text| text.parse().unwrap_or(0)))
}
";

/// A source file in which every function has its mutants beside it.
pub(super) struct Combined {
    pub(super) text: String,
    /// The lines that belong to each mutant, counted from 1; several may share them.
    pub(super) lines: BTreeMap<usize, Range<usize>>,
}

/// Writes mutants, each with its number, into the source of one file. Those that are within no
/// function have no lines in the result.
pub(super) fn combine(source: &str, mutants: &[(usize, &Mutant)]) -> Combined {
    // By the function that is broken: where its body lies, and the bodies of its mutants.
    let mut functions: BTreeMap<(usize, usize), Vec<(usize, String)>> = BTreeMap::new();
    for (number, mutant) in mutants {
        let Some(start) = source.find(mutant.from) else { continue };
        let Some(body) = enclosing_body(source, start..start + mutant.from.len()) else { continue };
        let broken = source[body.clone()].replacen(mutant.from, mutant.to, 1);
        functions.entry((body.start, body.end)).or_default().push((*number, broken));
    }
    let (mut text, mut lines, mut done) = (String::new(), BTreeMap::new(), 0);
    for ((start, end), broken) in functions {
        // A function within one that is written several times would need as many switches.
        if start < done {
            continue;
        }
        text.push_str(&source[done..start]);
        let first = text.lines().count();
        text.push_str("match crate::mutated() {\n");
        for (number, body) in &broken {
            text.push_str(&format!("{number} => {{\n{body}}}\n"));
        }
        text.push_str(&format!("_ => {{\n{}}}\n}}\n", &source[start..end]));
        let last = text.lines().count();
        lines.extend(broken.into_iter().map(|(number, _)| (number, first..last + 1)));
        done = end;
    }
    text.push_str(&source[done..]);
    // What is written several times, in functions that are, would be compiled for hours.
    Combined { text: text.replace("#[inline(always)]", ""), lines }
}

/// The body of the innermost function around a place, without its braces.
fn enclosing_body(source: &str, place: Range<usize>) -> Option<Range<usize>> {
    let (mut innermost, mut at) = (None, 0);
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if start > place.start {
            break;
        }
        if is_head(line.trim_start())
            && let Some(body) = body(source, start, line.len() - line.trim_start().len())
            && body.start <= place.start
            && place.end <= body.end
        {
            innermost = Some(body);
        }
    }
    innermost
}

/// Does a function begin here whose body may be chosen when it runs?
fn is_head(line: &str) -> bool {
    let words = ["pub ", "pub(crate) ", "pub(super) "];
    let line = words.iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    line.starts_with("fn ")
}

/// The body of the function whose first line begins at `head` and is indented so far.
fn body(source: &str, head: usize, indentation: usize) -> Option<Range<usize>> {
    let closing = format!("{}}}", " ".repeat(indentation));
    let (mut start, mut at) = (None, head);
    for line in source[head..].split_inclusive('\n') {
        let end = line.trim_end();
        match start {
            None if end.ends_with('{') => start = Some(at + line.len()),
            None if end.ends_with(['}', ';']) => return None,
            Some(start) if end == closing => return Some(start..at),
            _ => {}
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::list::mutant;
    use super::*;

    const SOURCE: &str = "
impl S {
    pub(crate) fn one(
        &self,
    ) -> bool {
        let inner = |x: u32| {
            x > 1
        };
        inner(2)
    }

    const fn two() -> u32 {
        2
    }

    fn three(&self) {
        self.three();
    }
}
";

    #[test]
    fn what_reads_the_variable_reads_this_one() {
        assert!(READER.contains(&format!("\"{VARIABLE}\"")));
    }

    #[test]
    fn functions_are_written_once_for_each_of_their_mutants() {
        let more = mutant("more", "", "x > 1", "x > 2");
        let less = mutant("less", "", "inner(2)", "inner(0)");
        let constant = mutant("constant", "", "        2\n", "        3\n");
        let nothing = mutant("nothing", "", "        self.three();\n", "");
        let together = combine(SOURCE, &[(1, &more), (2, &less), (3, &constant), (4, &nothing)]);
        assert_eq!(together.lines.keys().copied().collect::<Vec<_>>(), [1, 2, 4], "{}", together.text);
        assert_eq!(together.lines[&1], together.lines[&2]);
        for (text, count) in [
            ("match crate::mutated() {\n1 => {\n        let inner = |x: u32| {\n            x > 2", 1),
            ("inner(0)\n}\n_ => {\n", 1),
            ("x > 1", 2),
            ("inner(2)", 2),
            ("4 => {\n}\n_ => {\n        self.three();\n}\n}\n    }\n}\n", 1),
        ] {
            assert_eq!(together.text.matches(text).count(), count, "{text}\n{}", together.text);
        }
        let line = together.text.lines().position(|line| line.contains("x > 2")).expect("it is there") + 1;
        assert!(together.lines[&1].contains(&line));
    }
}
