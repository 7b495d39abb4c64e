//! SCM: SC memory with a finite monitor that knows when release/acquire could
//! have diverged (§5 of the PLDI 2019 paper, Fig. 5 and 6).
//!
//! Sound and complete: for every reachable state and every step a thread is
//! ready to take, [`Monitor::violated`] holds iff the step completes a
//! non-robustness witness (Thm 5.1, Thm 5.3). [`super::meaning`] says what
//! each component means; the names are the paper's.

use fencepost_base::ids::{LocId, ThreadId};

use super::meaning::Components;
use crate::monitor::{Attempt, AttemptKind, Monitor, Shape, StaleKind, Step, Whose};
use crate::packed::{Layout, Row};
use crate::tracker::{Columns, HbScTracker, copy, narrow};

/// The monitor; its state is in the packed state.
pub struct Scm {
    /// The columns of `v` and `w`.
    read: Columns,
    /// The columns of `v_rmw` and `w_rmw`.
    write: Columns,
    hb_sc: HbScTracker,
    v: Vec<Row>,
    w: Vec<Row>,
    v_rmw: Vec<Row>,
    w_rmw: Vec<Row>,
}

impl Scm {
    /// A monitor for programs of this shape.
    pub fn new(shape: &Shape, layout: &mut Layout) -> Self {
        let (read, write) = (Columns::new(shape, StaleKind::Read), Columns::new(shape, StaleKind::Write));
        let (threads, locations) = (shape.threads.len(), read.locations());
        let mut rows = |count: usize, width: usize| -> Vec<Row> { (0..count).map(|_| layout.row(width)).collect() };
        let (v, v_rmw) = (rows(threads, read.width()), rows(threads, write.width()));
        let (w, w_rmw) = (rows(locations, read.width()), rows(locations, write.width()));
        Scm { hb_sc: HbScTracker::new(shape, &read, layout), read, write, v, w, v_rmw, w_rmw }
    }

    /// The components, as sets; for tests.
    pub fn components(&self, state: &[u64]) -> Components {
        let values = |rows: &[Row]| rows.iter().map(|row| self.read.members(state, row)).collect();
        let [v_sc, m_sc, w_sc] = self.hb_sc.components(state, &self.read);
        Components {
            v_sc,
            m_sc,
            w_sc,
            v: values(&self.v),
            w: values(&self.w),
            v_rmw: values(&self.v_rmw),
            w_rmw: values(&self.w_rmw),
        }
    }

    /// Fig. 6: the value overwritten is one that everybody but the writer may still see.
    fn overwrite(state: &mut [u64], (columns, threads, locations): Family<'_>, t: usize, x: usize, current: usize) {
        let Some(column) = columns.column(x, current) else { return };
        for (_, row) in threads.iter().enumerate().filter(|&(other, _)| other != t) {
            row.insert(state, column);
        }
        for (_, row) in locations.iter().enumerate().filter(|&(z, _)| z != x) {
            row.insert(state, column);
        }
    }

    /// Fig. 6, writes: the writer knows its own write to be the last; the write passes on what the
    /// writer knew.
    fn write_stale(state: &mut [u64], family: Family<'_>, t: usize, x: usize, current: usize) {
        let (columns, threads, locations) = family;
        columns.clear(state, &threads[t], x);
        copy(state, &locations[x], &threads[t]);
        Self::overwrite(state, family, t, x, current);
    }
}

/// Columns, and their rows of threads and locations.
type Family<'a> = (&'a Columns, &'a [Row], &'a [Row]);

impl Monitor for Scm {
    fn start(&self, state: &mut [u64]) {
        self.hb_sc.start(state);
    }

    fn step(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.read.position(step.loc);
        let read: Family<'_> = (&self.read, &self.v, &self.w);
        let write: Family<'_> = (&self.write, &self.v_rmw, &self.w_rmw);
        match step.kind {
            AttemptKind::Read => {
                self.hb_sc.read(state, t, x);
                narrow(state, &self.v[t], &self.w[x]);
                narrow(state, &self.v_rmw[t], &self.w_rmw[x]);
            }
            AttemptKind::Write => {
                self.hb_sc.write(state, t, x);
                Self::write_stale(state, read, t, x, step.current);
                Self::write_stale(state, write, t, x, step.current);
            }
            AttemptKind::Rmw => {
                self.hb_sc.write(state, t, x);
                narrow(state, &self.v[t], &self.w[x]);
                copy(state, &self.w[x], &self.v[t]);
                Self::overwrite(state, read, t, x, step.current);
                // The write that was read now has a read-modify-write right behind it: nobody may
                // write there.
                narrow(state, &self.v_rmw[t], &self.w_rmw[x]);
                copy(state, &self.w_rmw[x], &self.v_rmw[t]);
            }
        }
    }

    fn tainted_read(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        self.hb_sc.read(state, thread.index(), self.read.position(step.loc));
    }

    fn is_within_reach(&self, state: &[u64], thread: ThreadId) -> bool {
        let rows = [&self.v[thread.index()], &self.v_rmw[thread.index()]];
        rows.iter().any(|row| row.chunks() > 0 && row.test(state, 0))
    }

    fn is_passed_on(&self, state: &[u64], loc: LocId) -> bool {
        let x = self.read.position(loc);
        [&self.w[x], &self.w_rmw[x]].iter().any(|row| row.chunks() > 0 && !row.test(state, 0))
    }

    fn has_leaked(&self, state: &[u64]) -> bool {
        let is_set = |row: &Row| row.chunks() > 0 && row.test(state, 0);
        let meets = |threads: &[Row], locations: &[Row]| {
            self.hb_sc.meets(state, |t| is_set(&threads[t]), |x| is_set(&locations[x]))
        };
        meets(&self.v, &self.w) || meets(&self.v_rmw, &self.w_rmw)
    }

    fn aware(&self) -> Vec<(Row, Whose)> {
        self.hb_sc.aware(&self.read)
    }

    fn rows(&self, thread: ThreadId) -> Vec<Row> {
        let t = thread.index();
        vec![self.v[t].clone(), self.v_rmw[t].clone(), self.hb_sc.row(t).clone()]
    }

    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool {
        let t = thread.index();
        let x = self.read.position(attempt.loc);
        let (columns, row) = match attempt.kind {
            AttemptKind::Read => (&self.read, &self.v[t]),
            AttemptKind::Write | AttemptKind::Rmw => (&self.write, &self.v_rmw[t]),
        };
        self.hb_sc.knows(state, t, x) && columns.any_accepted(state, std::iter::once(row), x, &attempt.accepts)
    }
}
