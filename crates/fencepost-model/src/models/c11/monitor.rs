//! SC_M: SC memory with a finite monitor that knows when a model of C or C++ could have diverged
//! (§5.2 of the POPL 2021 paper, Algorithms 1–5).
//!
//! A *view* is a row of value classes: those a thread could still read (or, in the RMW variant,
//! write right after) besides the last write's, given what it is aware of. Knowing more is a
//! smaller set; joining knowledge is intersection, which loses nothing because the writes behind a
//! view are a suffix of the modification order.
//!
//! Additions: races on a non-atomic location by a copy of it for each thread that accesses it (§6),
//! of which a view holds one bit, "not aware of the last access"; and what a model asks of SC
//! accesses and SC fences, the [`SeqCst`] of each family of views.
//!
//! Sound and complete if `SeqCst` is: with it, [`Monitor::violated`] holds iff the step completes a
//! non-robustness witness (Thm 5.3 there).

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;

use super::views::{PlainColumns, Views};
use crate::monitor::{Attempt, AttemptKind, Monitor, PlainKind, RaceRule, Shape, StaleKind, Step, Watch, Whose};
use crate::packed::{Layout, Row};
use crate::tracker::{Columns, HbScTracker};

/// What SC accesses and SC fences know about stale writes, beyond happens-before.
///
/// A row holds the classes of the writes that are *not* put out of reach, as in a view.
pub trait SeqCst: Sync + Sized {
    /// Rows of `width` columns for a program of this shape; none if it has no use for them.
    fn new(shape: &Shape, locations: usize, width: usize, layout: &mut Layout) -> Option<Self>;

    /// An SC step of thread `t`; `overwritten` is the column that becomes stale, if one does.
    fn step(&self, columns: &Columns, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>);

    /// A read of thread `t` from position `x` that may be stale: it has its place, and learns
    /// nothing.
    fn tainted_read(&self, state: &mut [u64], t: usize, x: usize, mode: Mode);

    /// A fence; `current` is what happens before it, already with what it acquires.
    fn fence(&self, state: &mut [u64], t: usize, mode: Mode, current: &Row);

    /// What an access of thread `t` and this order may not use besides what happens-before says.
    fn bounds(&self, t: usize, mode: Mode) -> impl Iterator<Item = &Row> + Clone;

    /// What whoever acquires from the last write of `x` may not use from then on, whatever the
    /// order of the access, besides what happens-before says.
    fn passed_on(&self, x: usize) -> Option<&Row>;

    /// The rows that belong to thread `t`.
    fn rows_of(&self, t: usize) -> Vec<Row>;
}

/// The monitor; its state is in the packed state.
pub struct ScM<S> {
    hb_sc: HbScTracker,
    /// V: what can be read.
    pub(crate) read: Family<S>,
    /// V_RMW: what can be written after.
    pub(crate) write: Family<S>,
    /// The columns of plain locations in the views of `read`.
    plain: PlainColumns,
}

/// What is known about the writes that can be used in one way.
pub(crate) struct Family<S> {
    pub(crate) columns: Columns,
    pub(crate) views: Views,
    /// For programs that need it.
    pub(crate) sc: Option<S>,
}

impl<S: SeqCst> Family<S> {
    /// The views of `extra` more columns hold them after the others.
    fn new(shape: &Shape, by: StaleKind, extra: usize, layout: &mut Layout) -> Self {
        let columns = Columns::new(shape, by);
        let (locations, width) = (columns.locations(), columns.width());
        let views = Views::new(shape, locations, width + extra, layout);
        let sc = S::new(shape, locations, width, layout);
        Family { columns, views, sc }
    }

    /// A step; `class` is the one that becomes stale, if it does in this family.
    fn step(&self, state: &mut [u64], t: usize, step: &Step, class: Option<usize>) {
        let overwritten = class.and_then(|class| self.columns.column(self.columns.position(step.loc), class));
        self.step_views(state, t, step, overwritten);
        if let Some(sc) = &self.sc {
            sc.step(&self.columns, state, t, step, overwritten.filter(|_| step.kind != AttemptKind::Read));
        }
    }

    /// The views of writes at a step.
    fn step_views(&self, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        let views = &self.views;
        let x = self.columns.position(step.loc);
        // Whoever accesses x is aware of its last write.
        for row in views.mine(t) {
            self.columns.clear(state, row, x);
        }
        if step.kind != AttemptKind::Write {
            views.acquire_from(state, t, x, step.mode);
        }
        if step.kind != AttemptKind::Read {
            if let Some(column) = overwritten {
                for row in views.others(t, Some(x)) {
                    row.insert(state, column);
                }
            }
            views.pass_on(state, t, x, step.kind, step.mode);
            self.columns.clear(state, &views.location[x], x);
        }
    }

    fn fence(&self, state: &mut [u64], t: usize, mode: Mode) {
        self.views.fence(state, t, mode);
        if let Some(sc) = &self.sc {
            sc.fence(state, t, mode, &self.views.current[t]);
        }
    }

    /// The rows that all have a write that an access of this order and thread can use.
    fn bounds(&self, t: usize, mode: Mode) -> impl Iterator<Item = &Row> + Clone {
        let sc = self.sc.iter().flat_map(move |sc| sc.bounds(t, mode));
        std::iter::once(&self.views.current[t]).chain(sc)
    }

    /// Of a monitor that watches one thing: is it still there for whoever acquires from the last write
    /// of `x`?
    fn is_left(&self, state: &[u64], x: usize) -> bool {
        let sc = self.sc.as_ref().and_then(|sc| sc.passed_on(x));
        is_set(state, &self.views.location[x]) && sc.is_none_or(|row| is_set(state, row))
    }

    /// Can an access of this order and thread use a stale write that it accepts?
    fn is_stale(&self, state: &[u64], t: usize, x: usize, attempt: &Attempt<'_>) -> bool {
        self.columns.any_accepted(state, self.bounds(t, attempt.mode), x, &attempt.accepts)
    }

    /// Of a monitor that watches one thing: is it still there for thread `t`, in the weakest order?
    fn is_within_reach(&self, state: &[u64], t: usize) -> bool {
        // This is asked of every thread at every step: an iterator over all rows costs more.
        self.has_columns()
            && is_set(state, &self.views.current[t])
            && self.sc.as_ref().is_none_or(|sc| sc.bounds(t, Mode::Rlx).all(|row| is_set(state, row)))
    }

    /// Is there anything to be known in this family?
    fn has_columns(&self) -> bool {
        self.views.current.first().is_some_and(|row| row.chunks() > 0)
    }

    /// What belongs to thread `t`.
    fn rows_of(&self, t: usize) -> impl Iterator<Item = Row> {
        let sc = self.sc.iter().flat_map(move |sc| sc.rows_of(t));
        self.views.rows_of(t).chain(sc)
    }
}

/// Is the first column of the row set, if it has one?
fn is_set(state: &[u64], row: &Row) -> bool {
    row.chunks() == 0 || row.test(state, 0)
}

impl<S: SeqCst> ScM<S> {
    /// A monitor for programs of this shape.
    pub fn new(shape: &Shape, layout: &mut Layout) -> Self {
        let (plain, extra) = match shape.watch {
            Watch::Everything => {
                let mut column = Columns::new(shape, StaleKind::Read).width();
                let first = column;
                let mut next = |&thread: &ThreadId| {
                    column += 1;
                    (thread, column - 1)
                };
                let copies = shape.plain.iter().map(|threads| threads.iter().map(&mut next).collect()).collect();
                (PlainColumns::Copies(copies), column - first)
            }
            Watch::Plain(loc) => (PlainColumns::One(loc), 1),
            Watch::Stale { .. } => (PlainColumns::Copies(vec![Vec::new(); shape.plain.len()]), 0),
        };
        let read = Family::new(shape, StaleKind::Read, extra, layout);
        let write = Family::new(shape, StaleKind::Write, 0, layout);
        ScM { hb_sc: HbScTracker::new(shape, &read.columns, layout), read, write, plain }
    }

    fn families(&self) -> [&Family<S>; 2] {
        [&self.read, &self.write]
    }
}

impl<S: SeqCst> Monitor for ScM<S> {
    fn start(&self, state: &mut [u64]) {
        self.hb_sc.start(state);
    }

    fn step(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.read.columns.position(step.loc);
        if step.mode == Mode::Full {
            self.fence(state, thread, Mode::Acq);
        }
        match step.kind {
            AttemptKind::Read => self.hb_sc.read(state, t, x),
            AttemptKind::Write | AttemptKind::Rmw => self.hb_sc.write(state, t, x),
        }
        // The write that an update reads has the update right behind it: nobody may write there.
        let writable = (step.kind == AttemptKind::Write).then_some(step.current);
        self.read.step(state, t, step, Some(step.current));
        self.write.step(state, t, step, writable);
        if step.mode == Mode::Full {
            self.fence(state, thread, Mode::Rel);
        }
    }

    fn tainted_read(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.read.columns.position(step.loc);
        self.hb_sc.read(state, t, x);
        for sc in self.families().into_iter().filter_map(|family| family.sc.as_ref()) {
            sc.tainted_read(state, t, x, step.mode);
        }
    }

    fn fence(&self, state: &mut [u64], thread: ThreadId, mode: Mode) {
        for family in self.families() {
            family.fence(state, thread.index(), mode);
        }
    }

    fn plain(&self, state: &mut [u64], thread: ThreadId, loc: LocId, kind: PlainKind) {
        let views = &self.read.views;
        for column in self.plain.of(loc, thread, kind) {
            for row in views.others(thread.index(), None) {
                row.insert(state, column);
            }
            for row in views.mine(thread.index()) {
                row.remove(state, column);
            }
        }
    }

    fn races(&self) -> RaceRule {
        RaceRule::Monitored
    }

    fn stale_read(&self, state: &mut [u64], thread: ThreadId, mode: Mode, passes_on: bool) {
        if let (true, PlainColumns::One(_)) = (passes_on, &self.plain) {
            self.read.views.acquire_column(state, thread.index(), mode, self.read.columns.width());
        }
    }

    fn is_race(&self, state: &[u64], thread: ThreadId, loc: LocId, kind: PlainKind) -> bool {
        let unaware = |column: usize| self.read.views.current[thread.index()].test(state, column);
        self.plain.of(loc, thread, kind).any(unaware)
    }

    fn is_unordered(&self, state: &[u64], thread: ThreadId, loc: LocId, acquires: bool) -> bool {
        let message = &self.read.views.location[self.read.columns.position(loc)];
        // Whoever acquires is ordered after what the message passes on.
        let unaware = |column: usize| !acquires || message.test(state, column);
        self.is_race(state, thread, loc, PlainKind::Read) && self.plain.of(loc, thread, PlainKind::Read).any(unaware)
    }

    fn is_within_reach(&self, state: &[u64], thread: ThreadId) -> bool {
        self.families().iter().any(|family| family.is_within_reach(state, thread.index()))
    }

    fn is_passed_on(&self, state: &[u64], loc: LocId) -> bool {
        let x = self.read.columns.position(loc);
        self.families().iter().any(|family| family.has_columns() && !family.is_left(state, x))
    }

    fn has_leaked(&self, state: &[u64]) -> bool {
        self.families().iter().any(|family| {
            family.columns.width() > 0
                && self.hb_sc.meets(state, |t| family.is_within_reach(state, t), |x| family.is_left(state, x))
        })
    }

    fn aware(&self) -> Vec<(Row, Whose)> {
        self.hb_sc.aware(&self.read.columns)
    }

    fn rows(&self, thread: ThreadId) -> Vec<Row> {
        let t = thread.index();
        let hb_sc = std::iter::once(self.hb_sc.row(t).clone());
        self.read.rows_of(t).chain(self.write.rows_of(t)).chain(hb_sc).collect()
    }

    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool {
        let t = thread.index();
        let x = self.read.columns.position(attempt.loc);
        let family = match attempt.kind {
            AttemptKind::Read => &self.read,
            AttemptKind::Write | AttemptKind::Rmw => &self.write,
        };
        self.hb_sc.knows(state, t, x) && family.is_stale(state, t, x, attempt)
    }
}

impl<S> ScM<S> {
    /// Who is hb_SC-aware of which last writes; for tests.
    pub(crate) fn hb_sc_aware(&self, state: &[u64]) -> [Vec<BTreeSet<LocId>>; 3] {
        self.hb_sc.components(state, &self.read.columns)
    }

    /// Of a monitor of everything, for every location the column of each thread's copy; for tests.
    pub(crate) fn copies(&self) -> &[Vec<(ThreadId, usize)>] {
        match &self.plain {
            PlainColumns::Copies(copies) => copies,
            PlainColumns::One(_) => unreachable!("tests look at monitors of everything"),
        }
    }
}
