//! C++20: the order S of SC accesses and SC fences.
//!
//! Source: ISO C++20, [atomics.order] p3–4; the clocks of D-sets by which a sanitizer could decide
//! it, cut down to one bit for each stale value. Around it, happens-before and races are those of
//! [`super::orders`].
//!
//! An access *visits* a write if it is that write or reads it. D(s), of an SC event s, has the SC
//! accesses that are s or S-before s, and all that happens before an SC fence that is s or S-before
//! s. Nobody may miss a write that has a visitor in D of an SC fence that happens before; an SC
//! access neither one that has a visitor in D of an SC access strongly before it.
//!
//! A row stands for a set of accesses and holds the values that can be taken without missing a
//! write which the set has a visitor of. A union of sets is an intersection of rows.
//!
//! - `fences`: ⋃ D of the SC fences that happen before.
//! - `pending`: what the next SC fence has in its D, besides what happens before it.
//! - `accesses`: ⋃ D of SC accesses that come before in their thread, and then by happens-before.
//! - `own`: ⋃ D of the thread's SC accesses so far. A release write publishes what it was before.
//! - `coherent`, for every location: what its accesses have before them in S, up to the last write
//!   (a read comes after those only), and all.
//!
//! Not modelled: what nobody could ask for. Without SC fences there is neither `fences` nor
//! `pending`, without SC accesses neither `accesses` nor `own`. Accesses of a location that one
//! thread has for itself add nothing: what they order comes from that thread, which knows it.

use fencepost_base::ids::LocId;
use fencepost_base::order::Mode;
use fencepost_model::AttemptKind;

use super::bits::{Columns, Row, Table};
use super::encoding::Step;
use super::orders::SeqCst;
use super::shape::Shape;
use super::views::{Views, rows_of};

/// What S makes unusable.
pub(crate) struct OrderS {
    by_fences: Option<ByFences>,
    by_accesses: Option<ByAccesses>,
    coherent: Vec<Option<Coherent>>,
}

struct ByFences {
    fences: Views,
    pending: Views,
}

struct ByAccesses {
    accesses: Views,
    own: Vec<Row>,
}

struct Coherent {
    written: Row,
    all: Row,
}

impl OrderS {
    /// What travels along happens-before.
    fn travelling(&self) -> impl Iterator<Item = &Views> {
        let by_fences = self.by_fences.iter().flat_map(|by| [&by.fences, &by.pending]);
        by_fences.chain(self.by_accesses.iter().map(|by| &by.accesses))
    }

    /// What matters if the step is an SC access.
    fn if_sc(&self, mode: Mode) -> Option<&ByAccesses> {
        self.by_accesses.as_ref().filter(|_| mode == Mode::Sc)
    }

    /// An SC access is after those strongly before it; not yet after what it reads from.
    fn enter(&self, t: usize, mode: Mode) -> Vec<String> {
        self.if_sc(mode).map_or_else(Vec::new, |by| by.own[t].narrow(&by.accesses.current[t]))
    }

    /// Later accesses of the location are after what this one is after.
    fn leave(&self, t: usize, coherent: &Coherent, mode: Mode) -> Vec<String> {
        let fences = self.by_fences.iter().map(|by| &by.fences.current[t]);
        let own = self.if_sc(mode).map(|by| &by.own[t]);
        fences.chain(own).flat_map(|row| coherent.all.narrow(row)).collect()
    }
}

impl SeqCst for OrderS {
    fn new(shape: &Shape, layout: &Columns, name: &str) -> Option<Self> {
        let sc_accesses = shape.tracked.iter().zip(&shape.sc_accessed).any(|(&tracked, &sc)| tracked && sc);
        if !sc_accesses && !shape.sc_fences {
            return None;
        }
        let views = |kind: &str| Views::new(shape, layout, &format!("{name}_{kind}"));
        let row = |kind: &str, number: usize| layout.row(&format!("{name}_{kind}{number}"));
        let own = || (0..shape.threads.len()).map(|t| row("own", t)).collect();
        let coherent = rows_of(&shape.tracked, &|x| row("m", x)).into_iter().enumerate();
        Some(OrderS {
            by_fences: shape.sc_fences.then(|| ByFences { fences: views("f"), pending: views("p") }),
            by_accesses: sc_accesses.then(|| ByAccesses { accesses: views("a"), own: own() }),
            coherent: coherent.map(|(x, all)| Some(Coherent { written: row("w", x), all: all? })).collect(),
        })
    }

    fn rows(&self) -> Vec<&Row> {
        let own = self.by_accesses.iter().flat_map(|by| &by.own);
        let coherent = self.coherent.iter().flatten().flat_map(|coherent| [&coherent.written, &coherent.all]);
        self.travelling().flat_map(Views::rows).chain(own).chain(coherent).collect()
    }

    fn step(&self, table: &Table, t: usize, step: &Step<'_>, overwritten: bool) -> Vec<String> {
        let Some(coherent) = &self.coherent[step.loc.index()] else { return Vec::new() };
        let writes = step.kind != AttemptKind::Read;
        let before = if writes { &coherent.all } else { &coherent.written };
        let mut statements = Vec::new();
        if overwritten {
            // No set has a visitor of the new write.
            let (prepare, class) = table.current(step.loc, step.value).computed_once();
            statements.extend(prepare);
            statements.extend(self.rows().into_iter().flat_map(|row| row.insert(&class)));
        }
        statements.extend(self.enter(t, step.mode));
        if step.kind != AttemptKind::Write {
            statements.extend(self.travelling().flat_map(|views| views.read(t, step)));
        }
        let pending = self.by_fences.iter().flat_map(|by| by.pending.mine(t));
        statements.extend(pending.flat_map(|row| row.narrow(before)));
        if writes {
            statements.extend(self.travelling().flat_map(|views| views.pass_on(t, step)));
            if let (true, Some(by)) = (step.mode.releases(), &self.by_accesses) {
                let published = by.accesses.location[step.loc.index()].iter();
                statements.extend(published.flat_map(|row| row.narrow(&by.own[t])));
            }
        }
        if let Some(by) = self.if_sc(step.mode) {
            statements.extend(by.own[t].narrow(before));
            statements.extend(by.own[t].remove(&table.all(step.loc)));
        }
        statements.extend(self.leave(t, coherent, step.mode));
        if writes {
            statements.extend(coherent.written.copy(&coherent.all));
        }
        statements
    }

    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        // It has its place in S and visits nothing: nobody knows which write it reads.
        let Some(coherent) = &self.coherent[step.loc.index()] else { return Vec::new() };
        let mut statements = self.enter(t, step.mode);
        statements.extend(self.leave(t, coherent, step.mode));
        statements
    }

    fn fence(&self, t: usize, mode: Mode, current: &Row) -> Vec<String> {
        let half = |half: Mode| self.travelling().flat_map(move |views| views.fence(t, half));
        let mut statements = Vec::new();
        if mode.acquires() {
            statements.extend(half(Mode::Acq));
        }
        if let (Mode::Sc, Some(by)) = (mode, &self.by_fences) {
            let d = [current, &by.pending.current[t]];
            statements.extend(by.fences.mine(t).flat_map(|row| d.map(|d| row.narrow(d)).concat()));
        }
        if mode.releases() {
            statements.extend(half(Mode::Rel));
            if let Some(by) = &self.by_accesses {
                let released = by.accesses.release[t].iter();
                statements.extend(released.flat_map(|row| row.narrow(&by.own[t])));
            }
        }
        statements
    }

    fn bounds(&self, t: usize, _: LocId, mode: Mode) -> Vec<&Row> {
        let fences = self.by_fences.iter().map(|by| &by.fences.current[t]);
        let accesses = self.if_sc(mode).into_iter().flat_map(|by| [&by.own[t], &by.accesses.current[t]]);
        fences.chain(accesses).collect()
    }
}
