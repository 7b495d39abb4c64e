//! RC20: SC_M of Margalit and Lahav, "Verifying Observational Robustness
//! against a C11-Style Memory Model", POPL 2021, §5.2 (Algorithms 1–5), with
//! value classes in place of values.
//!
//! Modelled: relaxed and stronger accesses, fences (`fence(sc)` as an acquire
//! fence, an update of one location and a release fence), release sequences;
//! races on non-atomic locations by a copy for every thread (§6), of which a
//! view holds one bit, "not aware of its last access". SC accesses are not in
//! the paper: they have an order consistent with hb, mo and fr, which a second
//! family of views follows. An SC access cannot use a write that precedes an SC write
//! to the same location which it is ordered after, by that order or by hb.
//!
//! Not modelled: what nobody could ask for, as for release/acquire. Acquire
//! views are there only for threads with acquire fences and relaxed reads,
//! release views only for those with release fences and relaxed writes; the
//! others that write relaxed share one.

use fencepost_base::ids::LocId;
use fencepost_base::order::Mode;
use fencepost_model::{AttemptKind, PlainKind};

use super::bits::{Column, Columns, Mask, Row, Table, mask_declarations, meets};
use super::encoding::{Attempt, Encoding, Step};
use super::hb_sc::HbSc;
use super::shape::Shape;

pub(crate) struct Rc20 {
    hb_sc: HbSc,
    /// V: what can be read.
    read: Family,
    /// V_RMW: what can be written after.
    write: Family,
    /// For every non-atomic location, the columns of the threads' copies in the views of `read`.
    copies: Vec<Vec<(usize, Column)>>,
    /// For every location: is there an SC write of it?
    sc_written: Vec<bool>,
}

/// Views of one kind of stale values.
struct Family {
    table: Table,
    views: Views,
    /// For programs with SC writes.
    sc: Option<ScViews>,
}

/// Views that travel along happens-before.
struct Views {
    /// V^c, of every thread.
    current: Vec<Row>,
    /// V^a, of threads that have a use for it.
    acquire: Vec<Option<Row>>,
    /// V^r, of threads that have a use for it.
    release: Vec<Option<Row>>,
    /// V^r of threads that never released anything.
    nothing: Option<Row>,
    /// V^w, of tracked locations.
    location: Vec<Option<Row>>,
}

/// Which values of a location no SC write known here has made unusable for SC accesses.
struct ScViews {
    /// Known to the SC accesses of a thread, by the order of SC accesses.
    own: Vec<Row>,
    /// Known by happens-before.
    views: Views,
    /// Known to the SC accesses of a location.
    accesses: Vec<Option<Row>>,
}

impl Rc20 {
    pub(crate) fn new(shape: &Shape) -> Self {
        let mut readable = shape.readable();
        let without_copies = readable.layout.clone();
        let copies = shape
            .contested
            .iter()
            .map(|threads| threads.iter().copied().zip(readable.layout.reserve(threads.len())).collect())
            .collect();
        let writable = shape.writable();
        let any_sc = shape.sc_written.contains(&true);
        let family = |table: Table, sc_layout: &Columns, name: &str| Family {
            views: Views::new(shape, &table.layout, name),
            sc: any_sc.then(|| ScViews::new(shape, sc_layout, &format!("s{name}"))),
            table,
        };
        let sc_layout = writable.layout.clone();
        Rc20 {
            hb_sc: HbSc::new(shape),
            read: family(readable, &without_copies, "v"),
            write: family(writable, &sc_layout, "vrmw"),
            copies,
            sc_written: shape.sc_written.clone(),
        }
    }

    fn families(&self) -> [&Family; 2] {
        [&self.read, &self.write]
    }

    fn fence_of(&self, t: usize, mode: Mode) -> Vec<String> {
        let mut statements = Vec::new();
        for family in self.families() {
            statements.extend(family.views.fence(t, mode));
            if let Some(sc) = &family.sc {
                statements.extend(sc.views.fence(t, mode));
                if let (true, Some(release)) = (mode.releases(), &sc.views.release[t]) {
                    statements.extend(release.narrow(&sc.own[t]));
                }
            }
        }
        statements
    }

    /// The columns of the copies that a plain access concerns: a read, its own; a write, all.
    fn concerned(&self, t: usize, loc: LocId, kind: PlainKind) -> Mask {
        let copies = self.copies[loc.index()].iter();
        let columns = copies.filter(|&&(copy, _)| kind == PlainKind::Write || copy == t).map(|&(_, column)| column);
        Mask::of(&columns.collect::<Vec<_>>())
    }
}

impl Views {
    fn new(shape: &Shape, layout: &Columns, name: &str) -> Self {
        let row = |kind: &str, number: usize| layout.row(&format!("{name}_{kind}{number}"));
        let threads = || shape.threads.iter().enumerate();
        let releases_nothing = shape.threads.iter().any(|thread| thread.releases_nothing);
        Views {
            current: threads().map(|(t, _)| row("c", t)).collect(),
            acquire: threads().map(|(t, thread)| thread.acquire_fence.then(|| row("a", t))).collect(),
            release: threads().map(|(t, thread)| thread.release_fence.then(|| row("r", t))).collect(),
            nothing: releases_nothing.then(|| layout.row(&format!("{name}_none"))),
            location: rows_of(&shape.tracked, &|x| row("w", x)),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        let fenced = self.acquire.iter().chain(&self.release).chain([&self.nothing]).flatten();
        self.current.iter().chain(fenced).chain(self.location.iter().flatten())
    }

    /// The current and acquire view of a thread.
    fn mine(&self, t: usize) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.current[t]).chain(&self.acquire[t])
    }

    /// All views but those of a thread itself, and of one location.
    fn others(&self, t: usize, except: Option<usize>) -> impl Iterator<Item = &Row> {
        let threads = (0..self.current.len()).filter(move |&other| other != t).flat_map(|other| self.mine(other));
        let locations = self.location.iter().enumerate().filter(move |&(y, _)| Some(y) != except);
        let passed_on = self.release.iter().chain([&self.nothing]).flatten();
        threads.chain(passed_on).chain(locations.filter_map(|(_, row)| row.as_ref()))
    }

    /// Alg. 1 and 2, lines 4–7.
    fn read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let Some(location) = &self.location[step.loc.index()] else { return Vec::new() };
        let acquire = self.acquire[t].iter().flat_map(|acquire| acquire.narrow(location));
        let current = if step.mode.acquires() { self.current[t].narrow(location) } else { Vec::new() };
        acquire.chain(current).collect()
    }

    /// Alg. 3.
    fn fence(&self, t: usize, mode: Mode) -> Vec<String> {
        let mut statements = Vec::new();
        if let (true, Some(acquire)) = (mode.acquires(), &self.acquire[t]) {
            statements.extend(self.current[t].copy(acquire));
        }
        if let (true, Some(release)) = (mode.releases(), &self.release[t]) {
            statements.extend(release.copy(&self.current[t]));
        }
        statements
    }

    /// Alg. 4 and 5, lines 3–8: what a write passes on. An update continues a release sequence.
    fn pass_on(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let Some(location) = &self.location[step.loc.index()] else { return Vec::new() };
        let released = || self.release[t].as_ref().or(self.nothing.as_ref());
        let Some(from) = (if step.mode.releases() { Some(&self.current[t]) } else { released() }) else {
            return Vec::new();
        };
        if step.kind == AttemptKind::Rmw { location.narrow(from) } else { location.copy(from) }
    }
}

impl Family {
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

    /// The same for what SC writes make unusable; `matters` if there are SC writes of the location.
    fn step_sc(&self, t: usize, step: &Step<'_>, overwritten: bool, matters: bool) -> Vec<String> {
        let Some(sc) = &self.sc else { return Vec::new() };
        let is_sc = step.mode == Mode::Sc;
        let writes = step.kind != AttemptKind::Read;
        let accesses = sc.accesses[step.loc.index()].as_ref().filter(|_| is_sc);
        let mut statements = Vec::new();
        if step.kind != AttemptKind::Write {
            statements.extend(sc.views.read(t, step));
        }
        // A write is after all accesses of its location.
        if let Some(accesses) = accesses.filter(|_| writes) {
            statements.extend(sc.own[t].narrow(accesses));
        }
        if is_sc {
            statements.extend(sc.own[t].narrow(&sc.views.current[t]));
        }
        if writes && matters {
            if overwritten {
                let (prepare, class) = self.table.current(step.loc, step.value).computed_once();
                statements.extend(prepare);
                statements.extend(sc.rows().flat_map(|row| row.insert(&class)));
            }
            if is_sc {
                statements.extend(sc.own[t].remove(&self.table.all(step.loc)));
            }
        }
        if let Some(accesses) = accesses {
            statements.extend(accesses.narrow(&sc.own[t]));
        }
        if writes {
            statements.extend(sc.views.pass_on(t, step));
            if let (true, Some(location)) = (step.mode.releases(), &sc.views.location[step.loc.index()]) {
                statements.extend(location.narrow(&sc.own[t]));
            }
        }
        statements
    }
}

impl ScViews {
    fn new(shape: &Shape, layout: &Columns, name: &str) -> Self {
        let row = |kind: &str, number: usize| layout.row(&format!("{name}_{kind}{number}"));
        let accessed: Vec<bool> = shape.tracked.iter().zip(&shape.sc_accessed).map(|(&a, &b)| a && b).collect();
        ScViews {
            own: (0..shape.threads.len()).map(|t| row("own", t)).collect(),
            views: Views::new(shape, layout, name),
            accesses: rows_of(&accessed, &|x| row("m", x)),
        }
    }

    fn rows(&self) -> impl Iterator<Item = &Row> {
        self.own.iter().chain(self.views.rows()).chain(self.accesses.iter().flatten())
    }
}

/// A row for every location that is wanted.
fn rows_of(wanted: &[bool], row: &dyn Fn(usize) -> Row) -> Vec<Option<Row>> {
    wanted.iter().enumerate().map(|(x, &wanted)| wanted.then(|| row(x))).collect()
}

impl Encoding for Rc20 {
    fn declarations(&self) -> Vec<String> {
        let mut declarations = mask_declarations(&[&self.read.table, &self.write.table]);
        declarations.extend(self.hb_sc.declarations());
        for family in self.families() {
            let rows = family.views.rows().chain(family.sc.iter().flat_map(ScViews::rows));
            declarations.extend(rows.flat_map(|row| row.declarations(&Mask::default())));
        }
        declarations
    }

    fn step(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let is_fence = step.mode == Mode::Full;
        let mut statements = if is_fence { self.fence_of(t, Mode::Acq) } else { Vec::new() };
        statements.extend(match step.kind {
            AttemptKind::Read => self.hb_sc.read(t, step.loc),
            AttemptKind::Write | AttemptKind::Rmw => self.hb_sc.write(t, step.loc),
        });
        let matters = self.sc_written[step.loc.index()];
        // Nobody can write behind a write that an update has read.
        for (family, overwritten) in self.families().into_iter().zip([true, step.kind == AttemptKind::Write]) {
            statements.extend(family.step(t, step, overwritten));
            statements.extend(family.step_sc(t, step, overwritten, matters));
        }
        if is_fence {
            statements.extend(self.fence_of(t, Mode::Rel));
        }
        statements
    }

    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let mut statements = self.hb_sc.read(t, step.loc);
        // Stale or not, it has its place in the order of SC accesses.
        if step.mode == Mode::Sc {
            for sc in self.families().into_iter().filter_map(|family| family.sc.as_ref()) {
                statements.extend(sc.own[t].narrow(&sc.views.current[t]));
                let accesses = sc.accesses[step.loc.index()].iter();
                statements.extend(accesses.flat_map(|accesses| accesses.narrow(&sc.own[t])));
            }
        }
        statements
    }

    fn fence(&self, t: usize, mode: Mode) -> Vec<String> {
        self.fence_of(t, mode)
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
        if let Some(sc) = &family.sc
            && attempt.mode == Mode::Sc
            && self.sc_written[attempt.loc.index()]
        {
            rows.extend([&sc.own[t], &sc.views.current[t]]);
        }
        let usable = meets(&rows, &family.table.accepted(attempt.loc, &attempt.accepts))?;
        Some(format!("{} && {usable}", self.hb_sc.is_aware(t, attempt.loc)?))
    }
}
