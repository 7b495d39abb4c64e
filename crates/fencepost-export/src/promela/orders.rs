//! Accesses with orders, and fences: SC_M of Margalit and Lahav, "Verifying
//! Observational Robustness against a C11-Style Memory Model", POPL 2021, §5.2
//! (Algorithms 1–5), with value classes in place of values.
//!
//! Modelled: relaxed and stronger accesses, fences, release sequences; races
//! on non-atomic locations by a copy for every thread (§6), of which a view holds
//! one bit, "not aware of its last access". What SC accesses and SC fences are
//! ordered after is a matter of the model: [`SeqCst`].
//!
//! Not modelled: what nobody could ask for, as for release/acquire.

use fencepost_base::ids::LocId;
use fencepost_base::order::Mode;
use fencepost_model::{AttemptKind, PlainKind};

use super::bits::{Column, Columns, Mask, Row, Table, mask_declarations, meets};
use super::encoding::{Attempt, Encoding, Step};
use super::hb_sc::HbSc;
use super::shape::Shape;
use super::views::Views;

/// What SC accesses and SC fences make unusable, beyond happens-before. As in views, rows hold what
/// is still usable.
pub(crate) trait SeqCst: Sized {
    /// With rows of this layout, whose names begin like this; none if the program has no use for it.
    fn new(shape: &Shape, layout: &Columns, name: &str) -> Option<Self>;

    /// All its rows.
    fn rows(&self) -> Vec<&Row>;

    /// What a step does. `overwritten` says whether the value that the location had remains usable.
    fn step(&self, table: &Table, t: usize, step: &Step<'_>, overwritten: bool) -> Vec<String>;

    /// What a read does that may be stale.
    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String>;

    /// What a fence does; `current` is what happens before it, with what it acquires.
    fn fence(&self, t: usize, mode: Mode, current: &Row) -> Vec<String>;

    /// What an access of this order must find its value in, besides the views.
    fn bounds(&self, t: usize, loc: LocId, mode: Mode) -> Vec<&Row>;
}

/// The monitor.
pub(crate) struct Orders<S> {
    hb_sc: HbSc,
    /// V: what can be read.
    read: Family<S>,
    /// V_RMW: what can be written after.
    write: Family<S>,
    /// For every non-atomic location, the columns of the threads' copies in the views of `read`.
    copies: Vec<Vec<(usize, Column)>>,
}

/// Views of one kind of stale values.
struct Family<S> {
    table: Table,
    views: Views,
    /// For programs that need it.
    sc: Option<S>,
}

impl<S: SeqCst> Orders<S> {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut readable = shape.readable();
        let without_copies = readable.layout.clone();
        let copies = shape
            .contested
            .iter()
            .map(|threads| threads.iter().copied().zip(readable.layout.reserve(threads.len())).collect())
            .collect();
        let writable = shape.writable();
        let family = |table: Table, sc_layout: &Columns, name: &str| Family {
            views: Views::new(shape, &table.layout, name),
            sc: S::new(shape, sc_layout, &format!("s{name}")),
            table,
        };
        let sc_layout = writable.layout.clone();
        Orders {
            hb_sc: HbSc::new(shape),
            read: family(readable, &without_copies, "v"),
            write: family(writable, &sc_layout, "vrmw"),
            copies,
        }
    }

    fn families(&self) -> [&Family<S>; 2] {
        [&self.read, &self.write]
    }

    /// The columns of the copies that a plain access concerns: a read, its own; a write, all.
    fn concerned(&self, t: usize, loc: LocId, kind: PlainKind) -> Mask {
        let copies = self.copies[loc.index()].iter();
        let columns = copies.filter(|&&(copy, _)| kind == PlainKind::Write || copy == t).map(|&(_, column)| column);
        Mask::of(&columns.collect::<Vec<_>>())
    }
}

impl<S: SeqCst> Family<S> {
    /// Alg. 1, 4 and 5 (for the RMW variant Alg. 2). `overwritten` says whether the value that the
    /// location had remains usable.
    fn step(&self, t: usize, step: &Step<'_>, overwritten: bool) -> Vec<String> {
        let all = self.table.all(step.loc);
        let mut statements: Vec<String> = self.views.mine(t).flat_map(|row| row.remove(&all)).collect();
        if step.kind != AttemptKind::Write {
            statements.extend(self.views.read(t, step));
        }
        if step.kind == AttemptKind::Read {
            return statements;
        }
        if overwritten {
            let (prepare, class) = self.table.current(step.loc, step.value).computed_once();
            statements.extend(prepare);
            let others = self.views.others(t, Some(step.loc.index()));
            statements.extend(others.flat_map(|row| row.insert(&class)));
        }
        statements.extend(self.views.pass_on(t, step));
        // V^w(x, x) is not in the paper: who reads x is aware of its last write.
        let location = self.views.location[step.loc.index()].iter();
        statements.extend(location.flat_map(|row| row.remove(&all)));
        statements
    }

    fn fence(&self, t: usize, mode: Mode) -> Vec<String> {
        let mut statements = self.views.fence(t, mode);
        statements.extend(self.sc.iter().flat_map(|sc| sc.fence(t, mode, &self.views.current[t])));
        statements
    }
}

impl<S: SeqCst> Encoding for Orders<S> {
    fn declarations(&self) -> Vec<String> {
        let mut declarations = mask_declarations(&[&self.read.table, &self.write.table]);
        declarations.extend(self.hb_sc.declarations());
        for family in self.families() {
            let rows = family.views.rows().chain(family.sc.iter().flat_map(SeqCst::rows));
            declarations.extend(rows.flat_map(|row| row.declarations(&Mask::default())));
        }
        declarations
    }

    fn step(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let is_fence = step.mode == Mode::Full;
        let mut statements = if is_fence { self.fence(t, Mode::Acq) } else { Vec::new() };
        statements.extend(match step.kind {
            AttemptKind::Read => self.hb_sc.read(t, step.loc),
            AttemptKind::Write | AttemptKind::Rmw => self.hb_sc.write(t, step.loc),
        });
        // Nobody can write behind a write that an update has read.
        for (family, overwritten) in self.families().into_iter().zip([true, step.kind == AttemptKind::Write]) {
            statements.extend(family.step(t, step, overwritten));
            let overwritten = overwritten && step.kind != AttemptKind::Read;
            statements.extend(family.sc.iter().flat_map(|sc| sc.step(&family.table, t, step, overwritten)));
        }
        if is_fence {
            statements.extend(self.fence(t, Mode::Rel));
        }
        statements
    }

    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let mut statements = self.hb_sc.read(t, step.loc);
        let sc = self.families().into_iter().filter_map(|family| family.sc.as_ref());
        statements.extend(sc.flat_map(|sc| sc.tainted_read(t, step)));
        statements
    }

    fn fence(&self, t: usize, mode: Mode) -> Vec<String> {
        self.families().into_iter().flat_map(|family| family.fence(t, mode)).collect()
    }

    fn plain(&self, t: usize, loc: LocId, kind: PlainKind) -> Vec<String> {
        let copies = self.concerned(t, loc, kind);
        let mine = self.read.views.mine(t).flat_map(|row| row.remove(&copies));
        let others = self.read.views.others(t, None).flat_map(|row| row.insert(&copies));
        mine.chain(others).collect()
    }

    fn race(&self, t: usize, loc: LocId, kind: PlainKind) -> Option<String> {
        meets(&[&self.read.views.current[t]], &self.concerned(t, loc, kind))
    }

    fn races_are_states(&self) -> bool {
        false
    }

    fn stale(&self, t: usize, attempt: &Attempt<'_>) -> Option<String> {
        let family = match attempt.kind {
            AttemptKind::Read => &self.read,
            AttemptKind::Write | AttemptKind::Rmw => &self.write,
        };
        let mut rows = vec![&family.views.current[t]];
        rows.extend(family.sc.iter().flat_map(|sc| sc.bounds(t, attempt.loc, attempt.mode)));
        let usable = meets(&rows, &family.table.accepted(attempt.loc, &attempt.accepts))?;
        Some(format!("{} && {usable}", self.hb_sc.is_aware(t, attempt.loc)?))
    }
}
