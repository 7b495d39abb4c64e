//! Locks, for families that differ in what a thread does while it has one.

/// A lock, for N threads that take it again and again.
pub(super) struct Lock {
    globals: &'static str,
    /// What a thread does to take it, `CRITICAL`, and what it does to give it back: whole lines.
    protocol: &'static str,
}

impl Lock {
    /// The program without name, domain and N: who has the lock works on a plain location.
    pub(super) fn program(&self, plain: &str, locals: &str, critical: &str) -> String {
        let (globals, protocol) = (self.globals, self.protocol.replace("CRITICAL", critical));
        format!(
            "{globals}\nnonatomic {plain};\n\nthread p[N] {{\n  local {locals};\n  while (1) {{{protocol}  }}\n}}\n"
        )
    }
}

/// The spinlock of old Linux kernels.
pub(super) const SPIN: Lock = Lock {
    globals: "global lock = 1;",
    protocol: "
    r = lock.fsub(1, acq);
    while (r != 1) {
      do { r = lock.load(rlx); } while (r != 1);
      r = lock.fsub(1, acq);
    }
    CRITICAL
    lock.store(1, rel);
",
};

/// The ticket lock.
pub(super) const TICKET: Lock = Lock {
    globals: "global next, serving;",
    protocol: "
    t = next.fadd(1, acqrel);
    wait(serving == t, acq);
    CRITICAL
    serving.store(t + 1, rel);
",
};

/// Peterson's algorithm (the filter lock).
pub(super) const FILTER: Lock = Lock {
    globals: "global level[N], victim[N];",
    protocol: "
    l = 1;
    while (l < N) {
      level[me].store(l, rel);
      victim[l].xchg(me, acqrel);
      k = 1;
      while (k < N) {
        fence(sc);
        r = level[(me + k) % N].load(acq);
        if (r < l) {
          k = k + 1;
        } else {
          fence(sc);
          r = victim[l].load(acq);
          if (r != me) { break; }
        }
      }
      l = l + 1;
    }
    CRITICAL
    level[me].store(0, rel);
",
};

/// Lamport's fast mutual exclusion (1987, second algorithm).
pub(super) const FAST: Lock = Lock {
    globals: "global b[N], x, y;",
    protocol: "
    start:
    b[me].store(1, rel);
    fence(sc);
    x.store(me + 1, rel);
    fence(sc);
    r = y.load(acq);
    if (r != 0) {
      b[me].store(0, rel);
      wait(y == 0, acq);
      goto start;
    }
    y.store(me + 1, rel);
    fence(sc);
    r = x.load(acq);
    if (r != me + 1) {
      b[me].store(0, rel);
      k = 1;
      while (k < N) {
        fence(sc);
        wait(b[(me + k) % N] == 0, acq);
        k = k + 1;
      }
      fence(sc);
      r = y.load(acq);
      if (r != me + 1) {
        wait(y == 0, acq);
        goto start;
      }
    }
    CRITICAL
    y.store(0, rel);
    b[me].store(0, rel);
",
};
