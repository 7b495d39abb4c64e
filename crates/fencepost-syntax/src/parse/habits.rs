//! What people write who know C, C++ or Rust, and what to write instead.
//!
//! Nothing here changes what is accepted. A habit is looked for only where there is an error
//! anyway: no word of these lists is reserved, so each of them can be the name of something.

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;

use super::{Parser, Result};
use crate::language::Language;
use crate::lexer::TokenKind;

/// Words of other languages with one message.
struct Habit {
    words: &'static [&'static str],
    message: &'static str,
    help: &'static [&'static str],
}

const NO_TYPES: &str = "there are no types: every value is a number";

/// Words that begin a type.
const TYPES: &[&str] = &[
    "int",
    "unsigned",
    "signed",
    "bool",
    "char",
    "short",
    "long",
    "float",
    "double",
    "auto",
    "let",
    "var",
    "mut",
    "static",
    "extern",
    "volatile",
    "register",
    "constexpr",
    "size_t",
    "uintptr_t",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "atomic",
    "_Atomic",
    "atomic_int",
    "atomic_uint",
    "atomic_bool",
    "atomic_long",
    "atomic_flag",
    "atomic_size_t",
    "atomic_intptr_t",
    "atomic_uintptr_t",
    "AtomicBool",
    "AtomicU8",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
    "AtomicI8",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicPtr",
    "usize",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "i8",
    "i16",
    "i32",
    "i64",
    "shared",
];

const MUTEX: Habit = Habit {
    words: &[
        "mutex",
        "Mutex",
        "RwLock",
        "shared_mutex",
        "recursive_mutex",
        "pthread_mutex_t",
        "pthread_spinlock_t",
        "mtx_t",
        "spinlock_t",
        "lock_guard",
        "unique_lock",
        "scoped_lock",
        "lock",
        "unlock",
        "try_lock",
        "mtx_lock",
        "mtx_unlock",
        "pthread_mutex_lock",
        "pthread_mutex_unlock",
        "spin_lock",
        "spin_unlock",
        "condition_variable",
        "semaphore",
        "critical",
        "synchronized",
    ],
    message: "there are no locks: a lock is a location like any other",
    help: &["declare `global m;`, lock it by `m.bcas(0, 1, acq);`, unlock it by `m.store(0, rel);`"],
};

const FUNCTION: Habit = Habit {
    words: &["void", "fn", "def", "func", "function", "inline", "pub", "main", "P0", "P1", "P2", "P3"],
    message: "there are no functions: there are threads and procedures",
    help: &["a thread is `thread t { … }`, a procedure is `proc p(x) { … return r; }`"],
};

/// At the top level.
const ITEMS: &[Habit] = &[
    MUTEX,
    FUNCTION,
    Habit {
        words: TYPES,
        message: NO_TYPES,
        help: &["write `global x = 0;` for an atomic location, `nonatomic d = 0;` for a plain one"],
    },
    Habit {
        words: &["class", "union", "typedef", "enum", "type", "record"],
        message: "there are no types, but structs of locations",
        help: &["write `struct node[4] { global next; nonatomic value; }`, and `node[i].next.load()`"],
    },
    Habit {
        words: &["exists", "forall", "locations", "filter", "final"],
        message: "a program has no condition on its final states",
        help: &[
            "say what must be true where it matters: `assert(r == 1);` in a thread",
            "a C litmus test has such a condition: save it as `FILE.litmus`",
        ],
    },
    Habit {
        words: &["include", "define", "use", "using", "import", "mod", "namespace", "template", "module"],
        message: "there is nothing to include: a program is one file",
        help: &[],
    },
];

/// Where a statement begins.
const STATEMENTS: &[Habit] = &[
    MUTEX,
    Habit {
        words: TYPES,
        message: NO_TYPES,
        help: &["write `local r = 0;` for a register of the thread; shared locations are declared at the top level"],
    },
    Habit {
        words: &["switch", "match", "case", "default", "elif", "unless"],
        message: "cases are distinguished by `if`",
        help: &["write `if (r == 0) { … } else if (r == 1) { … } else { … }`"],
    },
    Habit {
        words: &["loop", "until", "repeat", "forever", "for", "foreach"],
        message: "loops are `while`, `do` and `for`",
        help: &["write `while (1) { … }`, or `for (i = 0; i < 3; i = i + 1) { … }`"],
    },
    Habit {
        words: &["assert_eq", "assert_ne", "debug_assert", "debug_assert_eq", "static_assert", "expect"],
        message: "there is one kind of assertion",
        help: &["write `assert(r == 1);`"],
    },
    Habit {
        words: &["printf", "println", "print", "puts", "cout", "cerr", "eprintln", "dbg", "log"],
        message: "nothing is printed: a search goes through all runs at once",
        help: &["`assert(r == 1);` asks for a run in which r is not 1, and shows it"],
    },
    Habit {
        words: &["malloc", "calloc", "new", "make_shared", "make_unique", "Box", "Arc", "alloc"],
        message: "there is no heap: a node is the index of an element",
        help: &[
            "declare the nodes: `struct node[4] { global next; nonatomic value; }`",
            "give them out by a counter: `n = fresh.fadd(1);`",
        ],
    },
    Habit {
        words: &["free", "delete", "drop"],
        message: "there is no heap: a node is the index of an element",
        help: &["to have nodes used again, put their indices into a list or set a field `used`"],
    },
    Habit {
        words: &[
            "yield",
            "sched_yield",
            "yield_now",
            "sleep",
            "usleep",
            "pause",
            "_mm_pause",
            "spin_loop",
            "cpu_relax",
        ],
        message: "threads need not give way: every interleaving is looked at",
        help: &["leave it out; to wait for a value, write `wait(x == 1);`"],
    },
    Habit {
        words: &[
            "atomic_thread_fence",
            "atomic_signal_fence",
            "__sync_synchronize",
            "smp_mb",
            "mb",
            "mfence",
            "_mm_mfence",
            "dmb",
        ],
        message: "a fence is written `fence(order)`",
        help: &["write `fence(sc);`, or acq, rel, acqrel in place of sc"],
    },
    Habit {
        words: &["pthread_create", "pthread_join", "spawn", "join", "jthread", "thrd_create"],
        message: "threads are there from the beginning",
        help: &["write `thread t { … }` at the top level; to wait for another thread, wait for what it stores"],
    },
    Habit {
        words: &["atomic_load", "atomic_load_explicit", "READ_ONCE", "smp_load_acquire", "__atomic_load_n"],
        message: "operations are written after the location",
        help: &["write `r = x.load(acq);`, without `&`"],
    },
    Habit {
        words: &[
            "atomic_store",
            "atomic_store_explicit",
            "WRITE_ONCE",
            "smp_store_release",
            "__atomic_store_n",
            "atomic_init",
        ],
        message: "operations are written after the location",
        help: &["write `x.store(1, rel);`, without `&`"],
    },
    Habit {
        words: &[
            "atomic_fetch_add",
            "atomic_fetch_add_explicit",
            "atomic_fetch_sub",
            "atomic_fetch_sub_explicit",
            "atomic_fetch_or",
            "atomic_fetch_or_explicit",
            "atomic_fetch_and",
            "atomic_fetch_and_explicit",
            "__atomic_fetch_add",
            "__sync_fetch_and_add",
            "atomic_exchange",
            "atomic_exchange_explicit",
        ],
        message: "operations are written after the location",
        help: &["write `r = x.fadd(1, acqrel);` (also `fsub`, `fand`, `for`, `fxor`, `xchg`), without `&`"],
    },
    Habit {
        words: &[
            "atomic_compare_exchange_strong",
            "atomic_compare_exchange_strong_explicit",
            "atomic_compare_exchange_weak",
            "atomic_compare_exchange_weak_explicit",
            "__sync_bool_compare_and_swap",
            "__sync_val_compare_and_swap",
            "cmpxchg",
        ],
        message: "operations are written after the location",
        help: &["write `r = x.cas(expected, new, acqrel);`: r is the value read; it was swapped if `r == expected`"],
    },
];

/// After the dot.
const METHODS: &[Habit] = &[
    MUTEX,
    Habit { words: &["fetch_add"], message: "`fetch_add` is written `fadd`", help: &["write `r = x.fadd(1);`"] },
    Habit { words: &["fetch_sub"], message: "`fetch_sub` is written `fsub`", help: &["write `r = x.fsub(1);`"] },
    Habit { words: &["fetch_and"], message: "`fetch_and` is written `fand`", help: &["write `r = x.fand(1);`"] },
    Habit { words: &["fetch_or"], message: "`fetch_or` is written `for`", help: &["write `r = x.for(1);`"] },
    Habit { words: &["fetch_xor"], message: "`fetch_xor` is written `fxor`", help: &["write `r = x.fxor(1);`"] },
    Habit {
        words: &["exchange", "swap", "test_and_set", "getAndSet"],
        message: "an exchange is written `xchg`",
        help: &["write `r = x.xchg(1);`: r is the old value"],
    },
    Habit {
        words: &[
            "compare_exchange",
            "compare_exchange_strong",
            "compare_exchange_weak",
            "compare_and_swap",
            "compare_and_set",
            "compareAndSet",
            "compareAndSwap",
            "fetch_update",
        ],
        message: "a compare-and-swap is written `cas` (`casw` if it may fail for no reason)",
        help: &["write `r = x.cas(expected, new);`: r is the value read; it was swapped if `r == expected`"],
    },
    Habit {
        words: &["wait", "notify_one", "notify_all", "notify"],
        message: "waiting is a statement, and needs nobody to notify",
        help: &["write `wait(x != 0);`, or `r = wait(x != 0);` to keep the value"],
    },
    Habit { words: &["clear"], message: "there is no operation `clear`", help: &["write `x.store(0);`"] },
    Habit {
        words: &["get", "read", "set", "write"],
        message: "atomic locations are accessed by `load` and `store`",
        help: &["write `r = x.load();` and `x.store(1);`"],
    },
];

fn find(habits: &'static [Habit], word: &str) -> Option<&'static Habit> {
    habits.iter().find(|habit| habit.words.contains(&word))
}

impl Habit {
    fn diagnostic(&self, span: Span) -> Diagnostic {
        self.help.iter().fold(Diagnostic::error(span, self.message), |diagnostic, help| diagnostic.help(*help))
    }
}

/// What a statement that begins with this word should look like, if it is a word of another
/// language.
pub fn statement_habit(word: &str, span: Span) -> Option<Diagnostic> {
    Some(find(STATEMENTS, word)?.diagnostic(span))
}

impl Parser<'_> {
    /// A word of another language at the top level.
    pub(super) fn item_habit(&self) -> Option<Diagnostic> {
        let (word, span, after) = self.path()?;
        // `int main() {`: not the type is the point.
        let function = self.kind_after(after) == TokenKind::Word && self.kind_after(after + 1) == TokenKind::LeftParen;
        let habit = find(ITEMS, word)?;
        Some(if function { &FUNCTION } else { habit }.diagnostic(span))
    }

    /// A type before the name that it belongs to: `int x`, `unsigned long *x`, `std::atomic<int> x`.
    /// It is reported, and the name is read as if it stood alone.
    pub(super) fn skip_type_before(&mut self) {
        if self.language != Language::Fp {
            return;
        }
        let start = self.span();
        let mut length = 0;
        while let Some(tokens) = self.type_at(length) {
            length += tokens;
        }
        // `global shared;`: a name like any other.
        if length == 0 || self.kind_after(length) != TokenKind::Word {
            return;
        }
        (0..length).for_each(|_| self.skip());
        self.no_types(start);
    }

    /// A type after the name that it belongs to: `x: AtomicU32`.
    pub(super) fn skip_type_after(&mut self) {
        if self.language != Language::Fp || self.kind() != TokenKind::Colon {
            return;
        }
        let start = self.span();
        let Some(tokens) = self.type_at(1) else { return };
        (0..=tokens).for_each(|_| self.skip());
        self.no_types(start);
    }

    fn no_types(&mut self, start: Span) {
        let span = self.span_from(start);
        let help = format!("leave out `{}`", self.slice(span));
        self.messages.push(Diagnostic::error(span, NO_TYPES).help(help));
    }

    /// The number of tokens of a type that begins `distance` tokens from here, with what belongs to
    /// it: `std::atomic<int>`, `char *`.
    fn type_at(&self, distance: usize) -> Option<usize> {
        let (word, _, mut tokens) = self.path_after(distance)?;
        if !TYPES.contains(&word) {
            return None;
        }
        let mut depth = 0usize;
        loop {
            match self.kind_after(distance + tokens) {
                TokenKind::Less => depth += 1,
                TokenKind::Greater if depth > 0 => depth -= 1,
                TokenKind::Star | TokenKind::And => {}
                TokenKind::Word | TokenKind::Colon | TokenKind::Comma if depth > 0 => {}
                _ => return Some(tokens),
            }
            tokens += 1;
        }
    }

    /// `thread t() {`, as a function is written. It is reported, and the body is read.
    pub(super) fn skip_thread_parameters(&mut self, name: &str) {
        if self.kind() != TokenKind::LeftParen {
            return;
        }
        let start = self.span();
        self.skip_past_parens(self.position);
        let problem = Diagnostic::error(self.span_from(start), "a thread has no parameters")
            .help(format!("write `thread {name} {{ … }}`"))
            .help(format!("for threads with the same code, write `thread {name}[2] {{ … }}`: `me` is 0 in the first of them, and 1 in the second"));
        self.messages.push(problem);
    }

    /// A statement of another language, at its first word.
    pub(super) fn foreign_statement(&self) -> Option<Diagnostic> {
        if self.language != Language::Fp {
            return None;
        }
        let next = self.kind_after(1);
        match self.kind() {
            TokenKind::Star => Some(Diagnostic::error(self.span(), "there are no pointers").help(POINTER)),
            TokenKind::Plus | TokenKind::Minus if next == self.kind() => {
                Some(step(self.span().to(self.tokens[self.position + 1].span)))
            }
            TokenKind::Word => {
                let (word, span, after) = self.path()?;
                let path = after > 1;
                let macro_call = next == TokenKind::Bang && self.kind_after(2) == TokenKind::LeftParen;
                let declares = matches!(
                    self.kind_after(after),
                    TokenKind::Word | TokenKind::Less | TokenKind::Star | TokenKind::And
                );
                // `atomic_load(&x)`, `printf("…")`: a procedure of that name could not be called so.
                let foreign_argument = self.kind_after(after) == TokenKind::LeftParen
                    && matches!(self.kind_after(after + 1), TokenKind::And | TokenKind::Text);
                // `atomic` begins a section.
                let ours = self.language.statement_words().contains(&word) && next == TokenKind::Word;
                if ours || !(path || macro_call || declares || foreign_argument) {
                    return None;
                }
                statement_habit(word, span)
                    .or_else(|| path.then(|| Diagnostic::error(span, "a name is one word, without `::`")))
                    .or_else(|| {
                        let message = format!("there is no `{word}!(…)`");
                        let plain = format!("write `{word}(…);`");
                        macro_call.then(|| Diagnostic::error(span, message).help(plain))
                    })
            }
            _ => None,
        }
    }

    /// The last word of a path like `std::atomic_thread_fence` at the cursor, the place of the
    /// whole, and the number of its tokens.
    pub(super) fn path(&self) -> Option<(&str, Span, usize)> {
        self.path_after(0)
    }

    /// The same, some tokens from here.
    fn path_after(&self, distance: usize) -> Option<(&str, Span, usize)> {
        if self.kind_after(distance) != TokenKind::Word {
            return None;
        }
        let mut span = self.tokens[self.position + distance].span;
        let mut last = self.slice(span);
        let mut tokens = 1;
        while self.kind_after(distance + tokens) == TokenKind::Colon
            && self.kind_after(distance + tokens + 1) == TokenKind::Colon
            && self.kind_after(distance + tokens + 2) == TokenKind::Word
        {
            let token = self.tokens[self.position + distance + tokens + 2];
            last = self.slice(token.span);
            span = span.to(token.span);
            tokens += 3;
        }
        Some((last, span, tokens))
    }

    /// What is wrong with `place` before an operator where `=` or `.` is expected: `x++`, `x += 1`,
    /// `p->next`, `x < …`.
    pub(super) fn foreign_operator(&self) -> Option<Diagnostic> {
        if self.language != Language::Fp {
            return None;
        }
        let (here, next) = (self.kind(), self.kind_after(1));
        let both = || self.span().to(self.tokens[self.position + 1].span);
        match (here, next) {
            (TokenKind::Minus, TokenKind::Greater) => {
                Some(Diagnostic::error(both(), "there are no pointers").help(POINTER))
            }
            (TokenKind::Plus, TokenKind::Plus) | (TokenKind::Minus, TokenKind::Minus) => Some(step(both())),
            (_, TokenKind::Equals) if super::expr::binary_op(here).is_some() => {
                let operator = self.slice(self.span());
                Some(Diagnostic::error(both(), format!("there is no operator `{operator}=`")).help(format!(
                    "write `r = r {operator} 1;` for a register; a shared location is updated by `x.fadd(1);`"
                )))
            }
            _ => None,
        }
    }

    /// An access in the middle of an expression (`x.load() == 0`), or of a call.
    pub(super) fn access_in_expr(&self) -> Option<Diagnostic> {
        let access = self.kind() == TokenKind::Dot
            && self.kind_after(1) == TokenKind::Word
            && self.kind_after(2) == TokenKind::LeftParen;
        if !access || self.language != Language::Fp {
            return None;
        }
        let word = self.tokens[self.position + 1].span;
        let before = self.tokens[self.position.saturating_sub(1)];
        let place = if before.kind == TokenKind::Word { self.slice(before.span) } else { "x" };
        let operation = self.slice(word);
        let message = format!("a memory access (`{place}.{operation}(…)`) cannot be part of an expression");
        let problem = Diagnostic::error(self.span().to(word), message).help(format!(
            "an access is a statement of its own: write `r = {place}.{operation}(…);` before, and use `r` here"
        ));
        Some(match self.polling {
            true => problem.help(format!("to wait until another thread has stored something: `wait({place} != 0);`")),
            false => problem,
        })
    }

    /// What is wrong with the name of an operation.
    pub(super) fn method_habit(&mut self, word: &str, span: Span) -> Result<()> {
        match find(METHODS, word) {
            Some(habit) if self.language == Language::Fp => self.report(habit.diagnostic(span)),
            _ => Ok(()),
        }
    }
}

const POINTER: &str = "a node is the index of an element: with `struct node[4] { global next; nonatomic value; }`, \
                       write `node[i].next.load()`";

/// `x++` and `++x`.
fn step(span: Span) -> Diagnostic {
    let operator = "there are no operators `++` and `--`";
    Diagnostic::error(span, operator)
        .help("write `r = r + 1;` for a register; a shared location is incremented by `x.fadd(1);`")
}
