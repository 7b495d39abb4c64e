//! The input languages, and their words.

use std::path::Path;

use crate::parse::foreign;
use crate::words::looks_like_automata;

/// A language that programs are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// The native language, `.fp`.
    Fp,
    /// The language of the Rocker tool, `.tpl`.
    Tpl,
    /// The language of the Trencher tool, `.txt`.
    Txt,
    /// C litmus tests as the herd simulator reads them, `.litmus`.
    Litmus,
}

impl Language {
    /// Every language.
    pub const ALL: &'static [Language] = &[Language::Fp, Language::Tpl, Language::Txt, Language::Litmus];

    /// The file extension, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Language::Fp => "fp",
            Language::Tpl => "tpl",
            Language::Txt => "txt",
            Language::Litmus => "litmus",
        }
    }

    /// The language with this file extension (without the dot).
    pub fn from_extension(extension: &str) -> Option<Language> {
        Language::ALL.iter().copied().find(|language| extension.eq_ignore_ascii_case(language.extension()))
    }

    /// The language of a file, by its extension.
    pub fn from_path(path: impl AsRef<Path>) -> Option<Language> {
        Language::from_extension(path.as_ref().extension()?.to_str()?)
    }

    /// Can a file with the extension of this language and this text be a program? `.txt` is the
    /// extension of much else, `.litmus` that of tests for many architectures.
    pub fn can_be(self, text: &str) -> bool {
        match self {
            Language::Fp | Language::Tpl => true,
            Language::Txt => looks_like_automata(text),
            Language::Litmus => foreign(text).is_none(),
        }
    }

    /// Words that start a top-level item.
    pub fn item_words(self) -> &'static [&'static str] {
        match self {
            Language::Fp => &["name", "domain", "const", "global", "nonatomic", "struct", "proc", "thread"],
            Language::Tpl => &["max_value", "global", "na", "track", "fn"],
            Language::Txt => &["thread"],
            Language::Litmus => &["locations", "filter", "exists", "forall", "final"],
        }
    }

    /// Words that start a statement (those that are not names of things).
    pub fn statement_words(self) -> &'static [&'static str] {
        match self {
            Language::Fp => &[
                "local", "if", "while", "do", "for", "choose", "break", "continue", "goto", "return", "skip", "assume",
                "assert", "verify", "bound", "atomic", "fence", "lwfence", "wait",
            ],
            Language::Tpl => &[
                "local", "if", "while", "goto", "skip", "assume", "assert", "verify", "fence", "oneof", "wait", "lock",
                "unlock", "FADD", "CAS", "BCAS", "exchange", "break", "continue",
            ],
            Language::Txt => &["initial", "transition", "end"],
            Language::Litmus => &["if", "while", "do", "break", "continue"],
        }
    }

    /// Words that cannot be names. `name` and `struct` can: they mean something only at the start of
    /// an item. `for` and `return` can as well: what follows tells.
    pub fn reserved_words(self) -> &'static [&'static str] {
        match self {
            Language::Fp => &[
                "domain",
                "const",
                "global",
                "nonatomic",
                "proc",
                "thread",
                "local",
                "if",
                "else",
                "while",
                "do",
                "choose",
                "or",
                "break",
                "continue",
                "goto",
                "skip",
                "assume",
                "assert",
                "verify",
                "bound",
                "atomic",
                "fence",
                "lwfence",
                "wait",
                "nondet",
                "me",
                "int",
                "wrap",
                "true",
                "false",
            ],
            Language::Tpl => &[
                "fn",
                "global",
                "na",
                "local",
                "if",
                "else",
                "while",
                "goto",
                "oneof",
                "skip",
                "assume",
                "assert",
                "verify",
                "fence",
                "wait",
                "true",
                "false",
                "break",
                "continue",
                "track",
                "max_value",
            ],
            // `end` is a common name of a state: it can be one.
            Language::Txt => &["thread", "initial", "transition"],
            Language::Litmus => &[
                "if", "else", "while", "do", "for", "switch", "case", "default", "goto", "return", "break", "continue",
                "sizeof", "struct", "union", "enum", "typedef", "int", "char", "short", "long", "signed", "unsigned",
                "bool", "_Bool", "void", "float", "double", "const", "volatile", "static", "register", "_Atomic",
            ],
        }
    }
}
