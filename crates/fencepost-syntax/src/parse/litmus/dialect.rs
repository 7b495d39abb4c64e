//! Litmus tests that are not tests in C11: those of other architectures, which say so in their
//! first word, and those of the Linux kernel, whose first word is `C` as well. They use the
//! kernel's macros and types, and ask about a memory model of its own.

use std::fmt;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use crate::lexer::{Token, TokenKind};

/// The first words of tests that the herd simulator and its relatives read.
const ARCHITECTURES: &[&str] = &[
    "AArch64", "AArch32", "ARM", "ASL", "Bell", "BPF", "CPP", "JAVA", "LISA", "MIPS", "PPC", "PTX", "RISCV", "SPARC",
    "Vulkan", "X86", "X86_64",
];

/// Types of the kernel.
const KERNEL_TYPES: &[&str] = &["atomic_t", "atomic64_t", "atomic_long_t", "spinlock_t", "rwlock_t", "srcu_struct"];

/// Macros and functions of the kernel, before `(` or `{`.
const KERNEL_NAMES: &[&str] = &[
    "READ_ONCE",
    "WRITE_ONCE",
    "barrier",
    "mb",
    "rmb",
    "wmb",
    "call_rcu",
    "__fence",
    "__load",
    "__store",
    "__srcu",
    "__xchg",
    "__cmpxchg",
    "__lock",
    "__trylock",
    "__islocked",
    "__unlock",
];

/// How such names begin.
const KERNEL_PREFIXES: &[&str] = &[
    "smp_",
    "rcu_",
    "srcu_",
    "synchronize_",
    "spin_",
    "read_lock",
    "read_unlock",
    "write_lock",
    "write_unlock",
    "xchg",
    "cmpxchg",
    "try_cmpxchg",
    "atomic_read",
    "atomic_set",
    "atomic_xchg",
    "atomic_cmpxchg",
    "atomic_try_cmpxchg",
    "atomic_add",
    "atomic_sub",
    "atomic_inc",
    "atomic_dec",
    "atomic64_",
    "atomic_long_",
    "__atomic_op",
    "__atomic_fetch_op",
    "__atomic_add_unless",
];

/// What a litmus test is, if not a test in C11.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Foreign {
    /// Of this architecture.
    Architecture(&'static str),
    /// In the Linux kernel's dialect of C.
    Kernel,
    /// Something else: there is no first word that is known.
    Other,
}

impl Foreign {
    /// The architecture that the first word of a test names.
    pub(super) fn architecture(word: &str) -> Option<Foreign> {
        let word = if word.eq_ignore_ascii_case("RISC-V") { "RISCV" } else { word };
        let known = ARCHITECTURES.iter().find(|known| known.eq_ignore_ascii_case(word));
        known.map(|known| Foreign::Architecture(known))
    }

    /// What is wrong with it, at the word that gives it away.
    pub(super) fn diagnostic(&self, span: Span, word: &str) -> Diagnostic {
        match self {
            Foreign::Architecture(_) => {
                Diagnostic::error(span, format!("this is {self}; fencepost reads C litmus tests"))
                    .help("the first line of a C litmus test is `C NAME`")
            }
            Foreign::Kernel => {
                Diagnostic::error(span, format!("this is {self} (`{word}`); fencepost reads tests in C11"))
                    .help("the kernel's memory model is another one; the functions of <stdatomic.h> are known")
            }
            Foreign::Other => Diagnostic::error(span, format!("expected `C` and a name, found `{word}`"))
                .help("only litmus tests in C are read; their first line is `C NAME`"),
        }
    }

    /// In a list of kinds: `AArch64`, `Linux-kernel C`.
    pub fn kind(&self) -> &'static str {
        match self {
            Foreign::Architecture(name) => name,
            Foreign::Kernel => "Linux-kernel C",
            Foreign::Other => "other",
        }
    }
}

/// `an AArch64 test`
impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Foreign::Architecture(name) => {
                let article = if name.starts_with(['A', 'X']) { "an" } else { "a" };
                write!(f, "{article} {name} test")
            }
            Foreign::Kernel => f.write_str("a Linux-kernel test"),
            Foreign::Other => f.write_str("not a litmus test in C"),
        }
    }
}

/// The first word that only tests of the kernel have.
pub(super) fn kernel_word(tokens: &[Token], text: &str) -> Option<Span> {
    let next = tokens.iter().skip(1).map(|token| token.kind).chain([TokenKind::End]);
    let is_kernels = |token: &Token, next: TokenKind| {
        let word = &text[token.span.range()];
        let is_called = matches!(next, TokenKind::LeftParen | TokenKind::LeftBrace);
        let is_macro = || KERNEL_NAMES.contains(&word) || KERNEL_PREFIXES.iter().any(|prefix| word.starts_with(prefix));
        token.kind == TokenKind::Word && (KERNEL_TYPES.contains(&word) || (is_called && is_macro()))
    };
    tokens.iter().zip(next).find(|(token, next)| is_kernels(token, *next)).map(|(token, _)| token.span)
}

#[cfg(test)]
mod tests {
    use super::Foreign;
    use crate::foreign;

    #[test]
    fn tests_are_told_by_their_first_word_and_by_the_kernels() {
        let kind = |text: &str| foreign(text).map(|foreign| foreign.kind());
        assert_eq!(kind("C t\n{ }\nP0 (int* x) { *x = 1; }"), None);
        assert_eq!(kind("C t\n\"READ_ONCE(x)\"\n{ }\nP0 (int* x) { int spin_lock = 1; /* smp_mb() */ }"), None);
        assert_eq!(kind("(* first *) AArch64 t\n{ }"), Some("AArch64"));
        assert_eq!(kind("RISC-V t\n{ }"), Some("RISCV"));
        assert_eq!(kind("C t\n{ spinlock_t l; }"), Some("Linux-kernel C"));
        assert_eq!(kind("C t\n{ }\nP0 (int* x) { smp_store_release(x, 1); }"), Some("Linux-kernel C"));
        assert_eq!(kind("C t\n{ }\nP0 (int* x) { __store{once}(x, 1); }"), Some("Linux-kernel C"));
        assert_eq!(kind(""), Some("other"));
        assert_eq!(kind("../elsewhere.litmus"), Some("other"));
        assert_eq!(Foreign::Architecture("X86").to_string(), "an X86 test");
        assert_eq!(Foreign::Architecture("PPC").to_string(), "a PPC test");
    }
}
