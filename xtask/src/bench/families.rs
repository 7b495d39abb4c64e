//! Programs of any size: the same algorithm for N = 2, 3, 4, … threads.
//!
//! Each family is robust against the models it names, for every N that has been decided, with as
//! few fences as we know of. Threads loop for ever and are copies of each other, except where the
//! text says why not. The critical section of a lock is one plain store: if two threads could be
//! there at once, it would be a race.

use super::locks::{self, Lock};

/// An algorithm for any number of threads.
pub(crate) struct Family {
    /// Its name; with a size appended, that of a program.
    pub(crate) name: &'static str,
    /// What it is, and what N counts.
    pub(crate) title: &'static str,
    /// The models it is robust against.
    pub(crate) models: &'static [&'static str],
    /// The smallest domain for this N.
    domain: fn(usize) -> usize,
    /// The program without name, domain and N.
    body: fn() -> String,
}

/// The smallest member of every family.
pub(crate) const SMALLEST: usize = 2;

impl Family {
    /// The name of the member of size `n`.
    pub(crate) fn member(&self, n: usize) -> String {
        format!("{}-{n}", self.name)
    }

    /// The text of the member of size `n`, in the native language.
    pub(crate) fn source(&self, n: usize) -> String {
        let name = self.member(n);
        let domain = (self.domain)(n);
        let title = self.title;
        format!("// {title}\nname \"{name}\";\ndomain {domain};\nconst N = {n};\n{}", (self.body)())
    }
}

/// All families.
pub(crate) const FAMILIES: &[Family] = &[
    Family {
        name: "spinlock",
        title: "The spinlock of old Linux kernels, N threads.",
        models: &["ra", "rc20"],
        domain: |n| n + 2,
        body: || locked(SPINLOCK, &locks::SPIN, "r"),
    },
    Family {
        name: "ticketlock",
        title: "The ticket lock, N threads and one ticket more.",
        models: &["ra", "rc20"],
        domain: |n| n + 1,
        body: || locked(TICKETLOCK, &locks::TICKET, "t"),
    },
    Family {
        name: "seqlock",
        title: "A sequence lock, two writers and N readers.",
        models: &["ra", "rc20"],
        domain: |_| 4,
        body: || SEQLOCK.into(),
    },
    Family {
        name: "peterson",
        title: "Peterson's algorithm for N threads (the filter lock).",
        models: &["ra", "rc20"],
        domain: |n| 2 * n,
        body: || locked(PETERSON, &locks::FILTER, "l, k, r"),
    },
    Family {
        name: "bakery",
        title: "Lamport's bakery (1974), N threads.",
        models: &["ra", "rc20"],
        domain: |n| 2 * n,
        body: || BAKERY.into(),
    },
    Family {
        name: "lamport",
        title: "Lamport's fast mutual exclusion (1987, second algorithm), N threads.",
        models: &["ra", "rc20"],
        domain: |n| 2 * n,
        body: || locked(LAMPORT, &locks::FAST, "k, r"),
    },
    Family {
        name: "chase-lev",
        title: "The Chase-Lev deque, one owner and N thieves.",
        models: &["ra", "rc20"],
        domain: |_| 8,
        body: || CHASE_LEV.into(),
    },
];

/// A lock with a comment on it.
fn locked(comment: &str, lock: &Lock, locals: &str) -> String {
    format!("{comment}{}", lock.program("critical", locals, "critical = 1;"))
}

const SPINLOCK: &str = "\
// Decrement, enter if the lock was free, else read until it looks free and try again. One atomic
// location: there is nothing to reorder. Each waiting thread decrements at most once per release,
// so the counter stays within the domain.
";

const TICKETLOCK: &str = "\
// Draw a number, wait for it to be called, call the next one; numbers wrap around. Drawing acquires
// and releases, or else an old call of the same number might be taken for the new one.
";

const SEQLOCK: &str = "\
// The number is odd while somebody writes; readers try again when it has changed. It takes four
// values and starts over, so a reader can overlook a whole round, under SC too: robustness does not
// mind, but nothing can be asserted of what was read.
global seq, a, b;

thread writer[2] {
  local s;
  while (1) {
    s = wait(seq == 0 || seq == 2, rlx);
    seq.bcas(s, s + 1, acq);
    a.store(s / 2, rel);
    b.store(s / 2, rel);
    seq.store(s + 2, rel);
  }
}

thread reader[N] {
  local s, t, x, y;
  while (1) {
    do {
      s = wait(seq == 0 || seq == 2, acq);
      x = a.load(acq);
      y = b.load(acq);
      t = seq.load(rlx);
    } while (s != t);
  }
}
";

const PETERSON: &str = "\
// N - 1 levels, each of which holds one thread back: the last that came, as long as anybody else is
// there or further. A new victim is announced by an exchange, which learns of the levels of those
// who came before. What a thread sees while it looks around is in the past of all fences that
// follow: hence one in front of each look, at a level and at the victim.
";

const BAKERY: &str = "\
// Draw a number greater than all others, wait for the smaller ones; equal numbers go by the
// thread's own. Numbers grow as long as somebody is waiting, without bound: each thread enters
// once. A fence in front of each look at another thread, when drawing and when waiting.
global choosing[N], number[N];
nonatomic critical;

thread p[N] {
  local k = 1, m, r;
  choosing[me].store(1, rel);
  while (k < N) {
    fence(sc);
    r = number[(me + k) % N].load(acq);
    if (r > m) { m = r; }
    k = k + 1;
  }
  m = m + 1;
  number[me].store(m, rel);
  choosing[me].store(0, rel);
  k = 1;
  while (k < N) {
    fence(sc);
    wait(choosing[(me + k) % N] == 0, acq);
    wait(number[(me + k) % N] == 0 || number[(me + k) % N] >= m + ((me + k) % N < me), acq);
    k = k + 1;
  }
  critical = 1;
  number[me].store(0, rel);
}
";

const LAMPORT: &str = "\
// Without contention a thread touches five locations only, however many threads there are. Fences
// enclose the write to x and follow the one to y; the slow path has one in front of each look at
// another thread's flag, and one behind the last (two threads would do without, three without the
// last).
";

const CHASE_LEV: &str = "\
// One owner works at the bottom, thieves take from the top by compare-and-swap. One task at a time.
// For correctness the owner needs the fence in pop and a thief the one between its loads; the
// others are the price of having no other runs than SC (compare
// litmus/algorithms/chase-lev-rel.fp).
const LAST = 2;
const SIZE = 2;
global top = 1, bottom = 1;
nonatomic task[LAST];

proc run(i) {
  local r;
  r = task[i];
  assert(r == 1);
  task[i] = 0;
}

thread owner {
  local b = 1, t, r;
  while (1) {
    choose {
      fence(sc);
      t = top.load(acq);
      if (b < LAST && b - t < SIZE) {
        task[b] = 1;
        b = b + 1;
        bottom.store(b, rel);
      }
    } or {
      b = b - 1;
      bottom.store(b, rel);
      fence(sc);
      t = top.load(rlx);
      if (b > t) {
        run(b);
      } else if (b < t) {
        b = t;
        bottom.store(b, rel);
      } else {
        r = top.cas(t, t + 1, acqrel, rlx);
        b = t + 1;
        bottom.store(b, rel);
        if (r == t) { run(t); }
      }
    }
  }
}

thread thief[N] {
  local b, t, r;
  while (1) {
    fence(sc);
    t = top.load(rlx);
    fence(sc);
    b = bottom.load(acq);
    if (t < b) {
      fence(sc);
      r = top.cas(t, t + 1, acqrel, rlx);
      if (r == t) { run(t); }
    }
  }
}
";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fencepost_ir::Program;
    use fencepost_lower::Language;
    use fencepost_model::models;
    use fencepost_verdict::{Budget, Verdict};

    use super::{FAMILIES, Family, SMALLEST};

    fn load(family: &Family, n: usize) -> Program {
        let loaded = fencepost_lower::load(Language::Fp, &family.source(n));
        assert_eq!(loaded.diagnostics.len(), 0, "{}: {:?}", family.member(n), loaded.diagnostics);
        loaded.program.expect("a program without diagnostics")
    }

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<&str> = FAMILIES.iter().map(|family| family.name).collect();
        assert_eq!(names.len(), FAMILIES.len());
    }

    #[test]
    fn members_of_every_size_are_programs() {
        for family in FAMILIES {
            for n in SMALLEST..=9 {
                load(family, n);
            }
        }
    }

    /// Robust, and no assertion fails.
    #[test]
    fn the_smallest_member_is_robust_against_the_models_it_claims() {
        for family in FAMILIES {
            let program = load(family, SMALLEST);
            for name in family.models {
                let model = models::by_name(name).expect("a model of the list");
                let outcome = fencepost_check::Question::new(&program, model)
                    .robustness(&Budget::unlimited())
                    .expect("no internal error");
                assert!(matches!(outcome.verdict, Verdict::Holds), "{} against {name}", family.name);
                assert!(outcome.sc_failure.is_none(), "{} fails under SC", family.name);
            }
        }
    }
}
