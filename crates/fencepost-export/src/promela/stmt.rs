//! Statements, as trees, and how they are laid out.

use std::fmt::Write as _;

/// A statement of a `d_step`, in which the first option that can be taken is taken.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// One that is written as it is.
    Line(String),
    /// `if` the condition holds the first, else the second.
    If(String, Vec<Stmt>, Vec<Stmt>),
    /// A failure of the program itself.
    Fail,
    /// The end of a path: the thread rests there next.
    Rest(Rest),
}

/// Where a thread rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rest {
    /// Before this instruction.
    At(u32),
    /// Not at all: it makes the choice at this instruction at once.
    Choosing(u32),
    /// For ever.
    End,
}

impl Rest {
    pub(crate) fn label(self) -> String {
        match self {
            Rest::At(pc) | Rest::Choosing(pc) => format!("L{pc}"),
            Rest::End => "end".into(),
        }
    }
}

/// Lines of text, as statements.
pub(crate) fn lines(texts: Vec<String>) -> Vec<Stmt> {
    texts.into_iter().map(Stmt::Line).collect()
}

/// Where the paths through `stmts` end, each once, in order of appearance.
pub(crate) fn rests(stmts: &[Stmt], found: &mut Vec<Rest>) {
    for stmt in stmts {
        match stmt {
            Stmt::Rest(rest) if !found.contains(rest) => found.push(*rest),
            Stmt::If(_, yes, no) => {
                rests(yes, found);
                rests(no, found);
            }
            _ => {}
        }
    }
}

/// Writes `stmts`; a path that ends sets `next` to the number of its end in `ends`, if that is not
/// 0.
pub(crate) fn write(out: &mut String, stmts: &[Stmt], ends: &[Rest], depth: usize) {
    let pad = "  ".repeat(depth);
    for stmt in stmts {
        match stmt {
            Stmt::Line(text) => drop(writeln!(out, "{pad}{text};")),
            // The macro may be empty, and a sequence may not.
            Stmt::Fail => drop(writeln!(out, "{pad}FAIL skip;")),
            Stmt::If(condition, yes, no) => {
                let _ = writeln!(out, "{pad}if");
                write_option(out, condition, yes, ends, depth);
                write_option(out, "else", no, ends, depth);
                let _ = writeln!(out, "{pad}fi;");
            }
            Stmt::Rest(rest) => {
                let number = ends.iter().position(|end| end == rest).unwrap_or_default();
                if number > 0 {
                    let _ = writeln!(out, "{pad}next = {number};");
                }
            }
        }
    }
}

fn write_option(out: &mut String, guard: &str, stmts: &[Stmt], ends: &[Rest], depth: usize) {
    let pad = "  ".repeat(depth);
    let mut body = String::new();
    write(&mut body, stmts, ends, depth + 2);
    match body.is_empty() {
        true => drop(writeln!(out, "{pad}:: {guard}")),
        false => drop(write!(out, "{pad}:: {guard} ->\n{body}")),
    }
}
