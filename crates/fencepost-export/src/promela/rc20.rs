//! RC20: the order of SC accesses, which is not in the POPL 2021 paper ([`super::orders`]).
//!
//! Modelled: an order of SC accesses that is consistent with hb, mo and fr,
//! which a second family of views follows. An SC access cannot use a write that
//! precedes an SC write to the same location which it is ordered after, by that order
//! or by hb. `fence(sc)` has no part in it: it is an acquire fence, an update of
//! one location and a release fence.

use fencepost_base::ids::LocId;
use fencepost_base::order::Mode;
use fencepost_model::AttemptKind;

use super::bits::{Columns, Row, Table};
use super::encoding::Step;
use super::orders::SeqCst;
use super::shape::Shape;
use super::views::{Views, rows_of};

/// Which values of a location no SC write known here has made unusable for SC accesses. For
/// programs with SC writes.
pub(crate) struct ScViews {
    /// Known to the SC accesses of a thread, by the order of SC accesses.
    own: Vec<Row>,
    /// Known by happens-before.
    views: Views,
    /// Known to the SC accesses of a location.
    accesses: Vec<Option<Row>>,
    /// For every location: is there an SC write of it?
    written: Vec<bool>,
}

impl SeqCst for ScViews {
    fn new(shape: &Shape, layout: &Columns, name: &str) -> Option<Self> {
        let row = |kind: &str, number: usize| layout.row(&format!("{name}_{kind}{number}"));
        let accessed: Vec<bool> = shape.tracked.iter().zip(&shape.sc_accessed).map(|(&a, &b)| a && b).collect();
        shape.sc_written.contains(&true).then(|| ScViews {
            own: (0..shape.threads.len()).map(|t| row("own", t)).collect(),
            views: Views::new(shape, layout, name),
            accesses: rows_of(&accessed, &|x| row("m", x)),
            written: shape.sc_written.clone(),
        })
    }

    fn rows(&self) -> Vec<&Row> {
        self.own.iter().chain(self.views.rows()).chain(self.accesses.iter().flatten()).collect()
    }

    fn step(&self, table: &Table, t: usize, step: &Step<'_>, overwritten: bool) -> Vec<String> {
        let is_sc = step.mode == Mode::Sc;
        let writes = step.kind != AttemptKind::Read;
        let accesses = self.accesses[step.loc.index()].as_ref().filter(|_| is_sc);
        let mut statements = Vec::new();
        if step.kind != AttemptKind::Write {
            statements.extend(self.views.read(t, step));
        }
        // A write is after all accesses of its location.
        if let Some(accesses) = accesses.filter(|_| writes) {
            statements.extend(self.own[t].narrow(accesses));
        }
        if is_sc {
            statements.extend(self.own[t].narrow(&self.views.current[t]));
        }
        if writes && self.written[step.loc.index()] {
            if overwritten {
                let (prepare, class) = table.current(step.loc, step.value).computed_once();
                statements.extend(prepare);
                statements.extend(self.rows().into_iter().flat_map(|row| row.insert(&class)));
            }
            if is_sc {
                statements.extend(self.own[t].remove(&table.all(step.loc)));
            }
        }
        if let Some(accesses) = accesses {
            statements.extend(accesses.narrow(&self.own[t]));
        }
        if writes {
            statements.extend(self.views.pass_on(t, step));
            if let (true, Some(location)) = (step.mode.releases(), &self.views.location[step.loc.index()]) {
                statements.extend(location.narrow(&self.own[t]));
            }
        }
        statements
    }

    fn tainted_read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        // Stale or not, it has its place in the order of SC accesses.
        if step.mode != Mode::Sc {
            return Vec::new();
        }
        let accesses = self.accesses[step.loc.index()].iter();
        let mut statements = self.own[t].narrow(&self.views.current[t]);
        statements.extend(accesses.flat_map(|accesses| accesses.narrow(&self.own[t])));
        statements
    }

    fn fence(&self, t: usize, mode: Mode, _: &Row) -> Vec<String> {
        let mut statements = self.views.fence(t, mode);
        if let (true, Some(release)) = (mode.releases(), &self.views.release[t]) {
            statements.extend(release.narrow(&self.own[t]));
        }
        statements
    }

    fn bounds(&self, t: usize, loc: LocId, mode: Mode) -> Vec<&Row> {
        let matters = mode == Mode::Sc && self.written[loc.index()];
        if matters { vec![&self.own[t], &self.views.current[t]] } else { Vec::new() }
    }
}
