//! The order S of C++20 in the monitor: which stale writes SC accesses and SC fences put out of
//! reach.
//!
//! Source: [atomics.order] p3–4 of C++20; the monitor around it is that of the POPL 2021 paper
//! (`models::c11`).
//!
//! An access *visits* a write if it is that write or reads it. For an SC event s let D(s) be the
//! accesses that are SC and before s in S, or s itself, or that happen before an SC fence which is
//! s or before s in S. In an SC run, the next access e of a thread can take a write to x older than
//! w iff no visitor of w
//!
//! 1. happens before e, or
//! 2. is in D(f) of an SC fence f that happens before e, or
//! 3. e is SC, and it is in D(s) of an SC access s that is strongly before e.
//!
//! Other cycles in S would enter e through the write that it reads, and so would be there without
//! e. What is known of each D is whether it has a visitor of a newer write: a set of accesses
//! becomes a row of columns, as a view does.
//!
//! - `ordered`: ⋃ D(f) over the SC fences f that happen before.
//! - `strongly`: ⋃ D(s) over the SC accesses s that come before in their thread, and from there by
//!   happens-before. A release write passes on what came before it, not what it orders itself.
//!   `own` is D of the thread's own SC accesses so far.
//! - `pending`: what the next SC fence will have in its D, besides what happens before it.
//! - Per location E(x): what all accesses to x have before them in S (`all`), or those up to the last
//!   write (`written`). What is coherence-ordered before a write is `all`, and before a read
//!   `written`. Every access adds `ordered`, an SC access s adds D(s), and D(s) = `strongly` ∪ `own` ∪
//!   E(x) ∪ {s}.
//!
//! The first three travel along happens-before. A fence changes rows of its own thread only. What a
//! program has no use for is not there: `ordered` and `pending` without SC fences, `strongly` and
//! `own` without SC accesses.
//!
//! Sound and complete, as far as tests tell: `oracle/tests/cpp20_monitor.rs` compares it with the
//! axioms after every step of random runs, for accesses of every kind and order.

use fencepost_base::order::Mode;

use crate::models::c11::monitor::{self, SeqCst};
use crate::models::c11::views::Views;
use crate::monitor::{AttemptKind, Shape, Step};
use crate::packed::{Layout, Row};
use crate::tracker::{Columns, copy, narrow};

/// C++20's monitor.
pub type ScM = monitor::ScM<Order>;

/// What S puts out of reach.
pub struct Order {
    fences: Option<Fences>,
    accesses: Option<Accesses>,
    /// E(x) up to the last write, for every location.
    written: Vec<Row>,
    /// E(x), for every location.
    all: Vec<Row>,
}

/// For programs with SC fences.
struct Fences {
    ordered: Views,
    pending: Views,
}

/// For programs with SC accesses.
struct Accesses {
    strongly: Views,
    own: Vec<Row>,
}

impl Order {
    /// What travels along happens-before.
    fn travelling(&self) -> impl Iterator<Item = &Views> {
        let fences = self.fences.iter().flat_map(|fences| [&fences.ordered, &fences.pending]);
        fences.chain(self.accesses.iter().map(|accesses| &accesses.strongly))
    }

    /// All rows.
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let own = self.accesses.iter().flat_map(|accesses| &accesses.own);
        self.travelling().flat_map(Views::rows).chain(own).chain(&self.written).chain(&self.all)
    }

    /// Nobody has a visitor of the new write in a set yet.
    fn overwrite(&self, state: &mut [u64], overwritten: Option<usize>) {
        if let Some(column) = overwritten {
            self.rows().for_each(|row| row.insert(state, column));
        }
    }

    /// An SC access is behind what is strongly before it.
    fn enter(&self, state: &mut [u64], t: usize, mode: Mode) {
        if let (Mode::Sc, Some(Accesses { strongly, own })) = (mode, &self.accesses) {
            narrow(state, &own[t], &strongly.current[t]);
        }
    }

    /// What comes to be before later accesses of `x`, because this one is.
    fn leave(&self, state: &mut [u64], t: usize, x: usize, mode: Mode) {
        if let Some(Fences { ordered, .. }) = &self.fences {
            narrow(state, &self.all[x], &ordered.current[t]);
        }
        if let (Mode::Sc, Some(Accesses { own, .. })) = (mode, &self.accesses) {
            narrow(state, &self.all[x], &own[t]);
        }
    }
}

impl SeqCst for Order {
    fn new(shape: &Shape, locations: usize, width: usize, layout: &mut Layout) -> Option<Self> {
        if !(shape.sc_accesses || shape.sc_fences) {
            return None;
        }
        let mut views = || Views::new(shape, locations, width, layout);
        let fences = shape.sc_fences.then(|| Fences { ordered: views(), pending: views() });
        let strongly = shape.sc_accesses.then(views);
        let mut rows = |count: usize| -> Vec<Row> { (0..count).map(|_| layout.row(width)).collect() };
        let accesses = strongly.map(|strongly| Accesses { strongly, own: rows(shape.threads.len()) });
        Some(Order { fences, accesses, written: rows(locations), all: rows(locations) })
    }

    fn step(&self, columns: &Columns, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        let x = columns.position(step.loc);
        let (reads, writes) = (step.kind != AttemptKind::Write, step.kind != AttemptKind::Read);
        let coherent = if writes { &self.all[x] } else { &self.written[x] };
        self.overwrite(state, overwritten);
        self.enter(state, t, step.mode);
        if reads {
            self.travelling().for_each(|views| views.acquire_from(state, t, x, step.mode));
        }
        if let Some(Fences { pending, .. }) = &self.fences {
            pending.mine(t).for_each(|row| narrow(state, row, coherent));
        }
        if writes {
            self.travelling().for_each(|views| views.pass_on(state, t, x, step.kind, step.mode));
        }
        if let Some(Accesses { strongly, own }) = &self.accesses {
            if writes && step.mode.releases() {
                narrow(state, &strongly.location[x], &own[t]);
            }
            if step.mode == Mode::Sc {
                narrow(state, &own[t], coherent);
                columns.clear(state, &own[t], x);
            }
        }
        self.leave(state, t, x, step.mode);
        if writes {
            copy(state, &self.written[x], &self.all[x]);
        }
    }

    fn tainted_read(&self, state: &mut [u64], t: usize, x: usize, mode: Mode) {
        self.enter(state, t, mode);
        self.leave(state, t, x, mode);
    }

    fn fence(&self, state: &mut [u64], t: usize, mode: Mode, current: &Row) {
        if mode.acquires() {
            self.travelling().for_each(|views| views.fence(state, t, Mode::Acq));
        }
        if let (Mode::Sc, Some(Fences { ordered, pending })) = (mode, &self.fences) {
            for row in ordered.mine(t) {
                narrow(state, row, current);
                narrow(state, row, &pending.current[t]);
            }
        }
        if mode.releases() {
            self.travelling().for_each(|views| views.fence(state, t, Mode::Rel));
            if let Some(Accesses { strongly, own }) = &self.accesses
                && let Some(release) = &strongly.release[t]
            {
                narrow(state, release, &own[t]);
            }
        }
    }

    fn bounds(&self, t: usize, mode: Mode) -> impl Iterator<Item = &Row> + Clone {
        let ordered = self.fences.iter().map(move |fences| &fences.ordered.current[t]);
        let of_sc = self.accesses.iter().filter(move |_| mode == Mode::Sc);
        ordered.chain(of_sc.flat_map(move |accesses| [&accesses.own[t], &accesses.strongly.current[t]]))
    }

    fn passed_on(&self, x: usize) -> Option<&Row> {
        self.fences.as_ref().map(|fences| &fences.ordered.location[x])
    }

    fn rows_of(&self, t: usize) -> Vec<Row> {
        let own = self.accesses.iter().map(|accesses| accesses.own[t].clone());
        self.travelling().flat_map(|views| views.rows_of(t)).chain(own).collect()
    }
}
