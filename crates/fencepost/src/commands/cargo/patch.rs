//! Suggested changes as a patch.
//!
//! A suggestion names a line and a column, which for Rust are those of the name of the method that
//! is called. Its arguments are read from there, as tokens. An order that is written out is
//! replaced; a fence gets a line of its own, where the access is a statement. What cannot be said
//! so is left out and told: an order in a variable, a fence in the middle of an expression, a file
//! of a dependency.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// A patch, and why some suggestions are not in it.
pub(super) struct Patch {
    pub(super) text: String,
    pub(super) notes: Vec<String>,
}

/// A suggestion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Edit {
    line: usize,
    column: usize,
    kind: String,
    on_failure: bool,
}

/// The suggestions of all findings.
pub(super) fn patch<'a>(findings: impl IntoIterator<Item = &'a Value>) -> Patch {
    let mut files: BTreeMap<String, BTreeSet<Edit>> = BTreeMap::new();
    for finding in findings {
        let edits = finding["suggestion"]["edits"].as_array().into_iter().flatten();
        for edit in edits {
            let number = |name: &str| edit[name].as_u64().and_then(|number| usize::try_from(number).ok());
            let (Some(file), Some(line), Some(kind)) = (edit["file"].as_str(), number("line"), edit["kind"].as_str())
            else {
                continue;
            };
            let edit = Edit {
                line,
                column: number("column").unwrap_or(1),
                kind: kind.into(),
                on_failure: edit["on_failure"].as_bool() == Some(true),
            };
            files.entry(file.to_string()).or_default().insert(edit);
        }
    }
    let (root, mut patch) = (root(), Patch { text: String::new(), notes: Vec::new() });
    for (file, edits) in files {
        let inside = Path::new(&file).strip_prefix(&root).map(Path::to_path_buf);
        let (Ok(inside), Ok(text)) = (inside, fs::read_to_string(&file)) else {
            patch.notes.push(format!("{file}: not a file of this project"));
            continue;
        };
        let (changed, problems) = changed(&text, &edits);
        patch.text += &fencepost_report::diff(&inside.to_string_lossy(), &text, &changed);
        patch.notes.extend(problems.into_iter().map(|problem| format!("{file}:{problem}")));
    }
    patch
}

/// What paths in a patch are relative to: the folder that version control is about, or else where
/// we are.
fn root() -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    here.ancestors().find(|folder| folder.join(".git").exists()).unwrap_or(&here).to_path_buf()
}

/// A text with the edits made, and those that could not be made.
fn changed(text: &str, edits: &BTreeSet<Edit>) -> (String, Vec<String>) {
    let (mut changes, mut problems): (BTreeMap<usize, Change>, _) = (BTreeMap::new(), Vec::new());
    for edit in edits {
        let found = offset(text, edit.line, edit.column).and_then(|at| Call::at(text, at)).ok_or("no call is here");
        let made = found.and_then(|call| make(text, &call, edit, &mut changes));
        if let Err(problem) = made {
            problems.push(format!("{}:{}: {problem}", edit.line, edit.column));
        }
    }
    let mut result = String::with_capacity(text.len());
    let mut from = 0;
    for (at, change) in changes {
        result += &text[from..at];
        result += &change.text;
        from = at + change.instead_of;
    }
    (result + &text[from..], problems)
}

/// What comes in the place of so many bytes.
struct Change {
    instead_of: usize,
    text: String,
}

const FENCE: &str = "std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);";

fn make(text: &str, call: &Call, edit: &Edit, changes: &mut BTreeMap<usize, Change>) -> Result<(), &'static str> {
    if let "fence-before" | "fence-after" = edit.kind.as_str() {
        let is_before = edit.kind == "fence-before";
        let statement = Statement::around(text, call).ok_or("a fence needs a statement of its own here")?;
        let at =
            if is_before { statement.line } else { statement.after.ok_or("a fence needs a line of its own here")? };
        let text = format!("{}{FENCE}\n", statement.indentation);
        changes.entry(at).or_insert(Change { instead_of: 0, text });
        return Ok(());
    }
    let orders = if edit.on_failure { &call.orders[..] } else { call.orders.get(..1).unwrap_or_default() };
    if orders.is_empty() {
        return Err("the order is not written here");
    }
    for (number, order) in orders.iter().enumerate() {
        // What was changed already is changed further.
        let known = changes.get(&order.start).map_or(&text[order.clone()], |change| change.text.as_str());
        let new = stronger(known, &edit.kind, number > 0);
        changes.insert(order.start, Change { instead_of: order.len(), text: new.into() });
    }
    Ok(())
}

/// An order made stronger. A compare-and-swap that fails only reads.
fn stronger(order: &str, kind: &str, only_reads: bool) -> &'static str {
    let acquires = matches!(order, "Acquire" | "AcqRel") || kind == "acquire";
    let releases = matches!(order, "Release" | "AcqRel") || (kind == "release" && !only_reads);
    match (acquires, releases) {
        _ if order == "SeqCst" || kind == "seq-cst" => "SeqCst",
        (true, true) => "AcqRel",
        (true, false) => "Acquire",
        (false, true) => "Release",
        (false, false) => "Relaxed",
    }
}

/// Where a line and a column, both from 1, are in a text. Columns count bytes.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text.split_inclusive('\n').take(line.checked_sub(1)?).map(str::len).sum();
    let at = start + column.checked_sub(1)?;
    (at < text.len() && text.is_char_boundary(at)).then_some(at)
}

/// A call of a function.
struct Call {
    /// Its name begins here.
    start: usize,
    /// After the closing parenthesis.
    end: usize,
    /// Names of orders among its arguments.
    orders: Vec<Range<usize>>,
}

const ORDERS: [&str; 5] = ["Relaxed", "Release", "Acquire", "AcqRel", "SeqCst"];

impl Call {
    /// The call whose name begins here.
    fn at(text: &str, start: usize) -> Option<Call> {
        let mut tokens = Tokens { text, at: start };
        // The name, perhaps with a path and types.
        let open = tokens
            .by_ref()
            .take_while(|token| &text[token.clone()] != ";")
            .find(|token| &text[token.clone()] == "(")?;
        let (mut depth, mut orders) = (1, Vec::new());
        tokens.at = open.end;
        for token in tokens {
            match &text[token.clone()] {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                word if depth == 1 && ORDERS.contains(&word) => orders.push(token.clone()),
                _ => {}
            }
            if depth == 0 {
                return Some(Call { start, end: token.end, orders });
            }
        }
        None
    }
}

/// Words and signs; comments and blanks are passed over, and texts in quotes are one.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                '"' => quoted(rest),
                c => c.len_utf8(),
            };
            let token = self.at..self.at + length;
            self.at = token.end;
            if !first.is_whitespace() && !rest.starts_with("//") && !rest.starts_with("/*") {
                return Some(token);
            }
        }
    }
}

/// The length of a text in quotes.
fn quoted(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return at + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    text.len()
}

/// A statement that a fence can stand beside.
struct Statement {
    /// Where its first line begins.
    line: usize,
    indentation: String,
    /// Where the line after it begins, if the call ends it.
    after: Option<usize>,
}

impl Statement {
    /// The statement that makes a call, once and before anything else that it does.
    fn around(text: &str, call: &Call) -> Option<Statement> {
        let before = &text[..call.start];
        let begin = before.rfind([';', '{', '}']).map_or(0, |end| end + 1);
        let words = &before[begin..];
        let start = begin + (words.len() - words.trim_start().len());
        let line = text[..start].rfind('\n').map_or(0, |end| end + 1);
        let indentation = &text[line..start];
        let told = text[start..call.start].trim();
        let is_simple = !told.contains(['(', '[', '|', '&', '?', '=', '<', '/'])
            || told.starts_with("let ") && {
                let (_, value) = told.split_once('=')?;
                !value.contains(['(', '[', '|', '&', '?', '<', '/'])
            };
        let keyword = told.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_plain = !["if", "while", "for", "loop", "match", "return", "else", "unsafe", "async"].contains(&keyword);
        if !indentation.trim().is_empty() || !is_simple || !is_plain {
            return None;
        }
        let rest = &text[call.end..];
        let first = rest.find('\n').map_or(rest, |end| &rest[..end]);
        let after = (first.trim() == ";" && rest.len() > first.len()).then(|| call.end + first.len() + 1);
        Some(Statement { line, indentation: indentation.into(), after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(text: &str, edits: &[(usize, usize, &str)]) -> (String, usize) {
        let edit =
            |&(line, column, kind): &(usize, usize, &str)| Edit { line, column, kind: kind.into(), on_failure: false };
        let (text, problems) = changed(text, &edits.iter().map(edit).collect());
        (text, problems.len())
    }

    #[test]
    fn orders_are_made_stronger_where_they_are_written() {
        for (text, column, kind, wanted) in [
            ("x.store(1, Ordering::Relaxed);", 3, "release", "x.store(1, Ordering::Release);"),
            ("x.load(Relaxed)", 3, "acquire", "x.load(Acquire)"),
            ("x.store(y.load(Relaxed), Relaxed)", 3, "release", "x.store(y.load(Relaxed), Release)"),
            ("x.swap(1, atomic::Ordering::Acquire)", 3, "release", "x.swap(1, atomic::Ordering::AcqRel)"),
            ("x.fetch_add(f(\"(\"), Relaxed)", 3, "seq-cst", "x.fetch_add(f(\"(\"), SeqCst)"),
            ("AtomicU8::load(&x, /* ) */ Relaxed)", 1, "acquire", "AtomicU8::load(&x, /* ) */ Acquire)"),
            ("fence(Ordering::AcqRel);", 1, "seq-cst", "fence(Ordering::SeqCst);"),
        ] {
            assert_eq!(apply(text, &[(1, column, kind)]), (wanted.to_string(), 0), "{text}");
        }
    }

    #[test]
    fn two_edits_of_an_order_become_one() {
        let text = "x.swap(1, Relaxed);\n";
        assert_eq!(apply(text, &[(1, 3, "acquire"), (1, 3, "release")]).0, "x.swap(1, AcqRel);\n");
    }

    #[test]
    fn a_failing_compare_and_swap_does_not_release() {
        let edit = |kind: &str| Edit { line: 1, column: 3, kind: kind.into(), on_failure: true };
        let text = "x.compare_exchange(0, 1, Relaxed, Relaxed);";
        let both = changed(text, &[edit("acquire"), edit("release")].into()).0;
        assert_eq!(both, "x.compare_exchange(0, 1, AcqRel, Acquire);");
    }

    #[test]
    fn fences_get_a_line_of_their_own() {
        let text = "fn f() {\n    x.store(1, Relaxed);\n    let r = y.load(Relaxed);\n}\n";
        let (fenced, problems) = apply(text, &[(2, 7, "fence-after")]);
        assert_eq!(problems, 0);
        assert_eq!(
            fenced,
            format!("fn f() {{\n    x.store(1, Relaxed);\n    {FENCE}\n    let r = y.load(Relaxed);\n}}\n")
        );
        assert_eq!(apply(text, &[(3, 15, "fence-before")]).0, fenced);
        for text in [
            "while x.load(Relaxed) {}\n",
            "f(x.load(Relaxed));\n",
            "a && x.load(Relaxed);\n",
            "if c { x.load(Relaxed) }\n",
        ] {
            let column = text.find("load").expect("it is there") + 1;
            assert_eq!(apply(text, &[(1, column, "fence-before")]), (text.to_string(), 1), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_changed_is_left_alone() {
        for text in ["x.load(order);", "let x = 1;", ""] {
            assert_eq!(apply(text, &[(1, 3, "acquire")]), (text.to_string(), 1), "{text}");
        }
    }
}
