//! Programs of any size that are safe under SRA, with assertions and mostly with loops.

use std::fmt::Write;

use crate::bench::locks::{self, Lock};

/// A program for any number of threads, or of values.
pub(super) struct Family {
    /// Its name; with a size appended, that of a program.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) title: &'static str,
    pub(super) grows: Grows,
    /// The smallest size, and the largest that is tried.
    pub(super) sizes: (usize, usize),
    /// The program.
    body: fn(usize) -> String,
}

/// What the size counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grows {
    Threads,
    Values,
}

impl Family {
    /// The name of the member of this size.
    pub(super) fn member(&self, size: usize) -> String {
        format!("{}-{size}", self.name)
    }

    /// The text of the member of this size.
    pub(super) fn source(&self, size: usize) -> String {
        format!("// {}\nname \"{}\";\n{}", self.title, self.member(size), (self.body)(size))
    }
}

/// All families.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "spin",
        title: "The spinlock of old Linux kernels, N threads.",
        grows: Grows::Threads,
        sizes: (2, 8),
        body: |n| lock(n, n + 2, &locks::SPIN),
    },
    Family {
        name: "ticket",
        title: "The ticket lock, N threads and one ticket more.",
        grows: Grows::Threads,
        sizes: (2, 8),
        body: |n| lock(n, n + 1, &locks::TICKET),
    },
    Family {
        name: "filter",
        title: "Peterson's algorithm for N threads (the filter lock).",
        grows: Grows::Threads,
        sizes: (2, 5),
        body: |n| lock(n, 2 * n, &locks::FILTER),
    },
    Family {
        name: "fast",
        title: "Lamport's fast mutual exclusion, N threads.",
        grows: Grows::Threads,
        sizes: (2, 4),
        body: |n| lock(n, 2 * n, &locks::FAST),
    },
    Family {
        name: "chain",
        title: "Messages passed on: N threads, each waits for the one before.",
        grows: Grows::Threads,
        sizes: (2, 8),
        body: chain,
    },
    Family {
        name: "tickets",
        title: "The ticket lock, two threads and N tickets.",
        grows: Grows::Values,
        sizes: (3, 16),
        body: |n| lock(2, n, &locks::TICKET),
    },
    Family {
        name: "messages",
        title: "Message passing, the numbers below N one after the other.",
        grows: Grows::Values,
        sizes: (2, 16),
        body: messages,
    },
    Family {
        name: "sequence",
        title: "A sequence lock with N numbers, one writer and one reader.",
        grows: Grows::Values,
        sizes: (4, 16),
        body: sequence,
    },
];

/// A lock and its critical section.
fn lock(threads: usize, domain: usize, lock: &Lock) -> String {
    let program = lock.program("owner", "r, t, l, k", "owner = me; r = owner; assert(r == me);");
    format!("domain {domain};\nconst N = {threads};\n{program}")
}

fn chain(threads: usize) -> String {
    let last = threads - 1;
    let mut text = format!(
        "domain 2;\nglobal data, flag[{threads}];\nthread first {{ data.store(1, rel); flag[0].store(1, rel); }}\n"
    );
    for thread in 1..last {
        let before = thread - 1;
        let _ = writeln!(text, "thread p{thread} {{ wait(flag[{before}] == 1, acq); flag[{thread}].store(1, rel); }}");
    }
    let before = last - 1;
    let _ = writeln!(
        text,
        "thread last {{ local r; wait(flag[{before}] == 1, acq); r = data.load(acq); assert(r == 1); }}"
    );
    text
}

fn messages(values: usize) -> String {
    format!(
        "domain {values};
global data, flag;
thread writer {{ local v; while (1) {{ data.store(v, rel); flag.store(v, rel); v = v + 1; assume(v != 0); }} }}
thread reader {{ local f, d; while (1) {{ f = flag.load(acq); d = data.load(acq); assert(d >= f); }} }}
"
    )
}

fn sequence(numbers: usize) -> String {
    format!(
        "domain {numbers};
global seq, a, b;
thread writer {{
  local s;
  while (s < {numbers} - 2) {{
    seq.store(s + 1, rel);
    a.store(s, rel); b.store(s, rel);
    s = s + 2;
    seq.store(s, rel);
  }}
}}
thread reader {{
  local s, t, x, y;
  while (1) {{
    do {{
      do {{ s = seq.load(acq); }} while (s % 2 == 1);
      x = a.load(acq);
      y = b.load(acq);
      t = seq.load(acq);
    }} while (s != t);
    assert(x == y);
  }}
}}
"
    )
}

#[cfg(test)]
mod tests {
    use fencepost_cover::{Answer, Options, safe};
    use fencepost_lower::Language;
    use fencepost_verdict::Budget;

    use super::FAMILIES;

    #[test]
    fn the_smallest_member_is_safe() {
        for family in FAMILIES {
            let name = family.member(family.sizes.0);
            let loaded = fencepost_lower::load(Language::Fp, &family.source(family.sizes.0));
            assert_eq!(loaded.diagnostics.len(), 0, "{name}: {:?}", loaded.diagnostics);
            let program = loaded.program.expect("a program without diagnostics");
            let outcome = safe(&program, Options::default(), &Budget::unlimited());
            assert_eq!(outcome.answer, Answer::Unreachable, "{name}");
        }
    }

    #[test]
    fn larger_members_are_programs() {
        for family in FAMILIES {
            for size in family.sizes.0..=family.sizes.1 {
                let loaded = fencepost_lower::load(Language::Fp, &family.source(size));
                assert_eq!(loaded.diagnostics.len(), 0, "{}: {:?}", family.member(size), loaded.diagnostics);
            }
        }
    }
}
