//! Release/acquire: SCM of Lahav and Margalit, "Robustness against
//! Release/Acquire Semantics", PLDI 2019, §5 (Fig. 5 and 6), with value
//! classes in place of the critical values of §5.1.
//!
//! Modelled: execution-graph robustness; every access as release/acquire,
//! `fence(sc)` as an update of one location; races as states in which two
//! conflicting plain accesses are enabled (Def. 6.1). Not modelled: anything
//! that nobody could ask for. Locations of one thread alone are never stale to it
//! and tell nobody anything; what can be read of a location is tracked only if
//! it is read otherwise than by updates, what can be written after only if it is
//! written otherwise.

use fencepost_model::AttemptKind;

use super::bits::{Row, Table, mask_declarations, meets};
use super::encoding::{Attempt, Encoding, Step};
use super::hb_sc::HbSc;
use super::shape::Shape;

pub(crate) struct Ra {
    hb_sc: HbSc,
    /// V and W: what can be read.
    read: Stale,
    /// V_RMW and W_RMW: what can be written after.
    write: Stale,
}

/// Values that are not the last of their location, and that a thread, or a thread that has read the
/// last write of a location, could still use.
struct Stale {
    table: Table,
    threads: Vec<Row>,
    /// For every tracked location.
    locations: Vec<Option<Row>>,
}

impl Ra {
    pub(crate) fn new(shape: &Shape) -> Self {
        Ra {
            hb_sc: HbSc::new(shape),
            read: Stale::new(shape, shape.readable(), "v", "w"),
            write: Stale::new(shape, shape.writable(), "vrmw", "wrmw"),
        }
    }
}

impl Stale {
    fn new(shape: &Shape, table: Table, thread: &str, location: &str) -> Self {
        let row = |name: &str, number: usize| table.layout.row(&format!("{name}{number}"));
        let tracked = |(x, &tracked): (usize, &bool)| tracked.then(|| row(location, x));
        Stale {
            threads: (0..shape.threads.len()).map(|t| row(thread, t)).collect(),
            locations: shape.tracked.iter().enumerate().map(tracked).collect(),
            table,
        }
    }

    fn declarations(&self) -> Vec<String> {
        let rows = self.threads.iter().chain(self.locations.iter().flatten());
        rows.flat_map(|row| row.declarations(&Default::default())).collect()
    }

    /// Fig. 6; `overwritten` says whether the value that the location had remains usable.
    fn step(&self, t: usize, step: &Step<'_>, overwritten: bool) -> Vec<String> {
        let (thread, x) = (&self.threads[t], step.loc.index());
        let Some(location) = &self.locations[x] else { return Vec::new() };
        let mut statements = Vec::new();
        if step.kind == AttemptKind::Write {
            // The writer knows its own write to be the last.
            statements.extend(thread.remove(&self.table.all(step.loc)));
        } else {
            statements.extend(thread.narrow(location));
        }
        if step.kind != AttemptKind::Read {
            statements.extend(location.copy(thread));
        }
        if overwritten {
            let (prepare, class) = self.table.current(step.loc, step.value).computed_once();
            let threads = self.threads.iter().enumerate().filter(|&(other, _)| other != t).map(|(_, row)| row);
            let locations = self.locations.iter().enumerate().filter(|&(y, _)| y != x);
            let others = threads.chain(locations.filter_map(|(_, row)| row.as_ref()));
            statements.extend(prepare);
            statements.extend(others.flat_map(|row| row.insert(&class)));
        }
        statements
    }
}

impl Encoding for Ra {
    fn declarations(&self) -> Vec<String> {
        let mut declarations = mask_declarations(&[&self.read.table, &self.write.table]);
        declarations.extend(self.hb_sc.declarations());
        declarations.extend(self.read.declarations());
        declarations.extend(self.write.declarations());
        declarations
    }

    fn step(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let mut statements = match step.kind {
            AttemptKind::Read => self.hb_sc.read(t, step.loc),
            AttemptKind::Write | AttemptKind::Rmw => self.hb_sc.write(t, step.loc),
        };
        statements.extend(self.read.step(t, step, step.kind != AttemptKind::Read));
        // Nobody can write behind a write that an update has read.
        statements.extend(self.write.step(t, step, step.kind == AttemptKind::Write));
        statements
    }

    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        self.hb_sc.read(t, step.loc)
    }

    fn races_are_states(&self) -> bool {
        true
    }

    fn stale(&self, t: usize, attempt: &Attempt<'_>) -> Option<String> {
        let family = match attempt.kind {
            AttemptKind::Read => &self.read,
            AttemptKind::Write | AttemptKind::Rmw => &self.write,
        };
        let usable = meets(&[&family.threads[t]], &family.table.accepted(attempt.loc, &attempt.accepts))?;
        Some(format!("{} && {usable}", self.hb_sc.is_aware(t, attempt.loc)?))
    }
}
