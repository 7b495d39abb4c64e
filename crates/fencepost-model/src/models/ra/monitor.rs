//! SCM: SC memory with a finite monitor that knows when release/acquire could
//! have diverged (§5 of the PLDI 2019 paper, Fig. 5 and 6).
//!
//! Sound and complete: for every reachable state and every step a thread is
//! ready to take, [`Monitor::violated`] holds iff the step completes a
//! non-robustness witness (Thm 5.1, Thm 5.3). [`super::meaning`] says what
//! each component means; the names are the paper's.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, ThreadId};

use super::meaning::Components;
use crate::monitor::{Attempt, AttemptKind, Monitor, Shape};
use crate::packed::{Layout, Row};

/// The monitor; its state is in the packed state.
pub struct Scm {
    /// For every location of the program: its position among the monitored ones.
    monitored: Vec<Option<usize>>,
    /// For every monitored location: where its value classes start in a row, and how many there are.
    classes: Vec<(usize, usize)>,
    v_sc: Vec<Row>,
    m_sc: Vec<Row>,
    w_sc: Vec<Row>,
    v: Vec<Row>,
    w: Vec<Row>,
    v_rmw: Vec<Row>,
    w_rmw: Vec<Row>,
}

impl Scm {
    /// A monitor for programs of this shape.
    pub fn new(shape: &Shape, layout: &mut Layout) -> Self {
        let mut classes = Vec::new();
        let mut values = 0;
        let monitored = shape
            .classes
            .iter()
            .map(|&count| {
                (count > 0).then(|| {
                    classes.push((values, count));
                    values += count;
                    classes.len() - 1
                })
            })
            .collect();
        let locations = classes.len();
        let mut rows = |count: usize, width: usize| -> Vec<Row> { (0..count).map(|_| layout.row(width)).collect() };
        Scm {
            monitored,
            classes,
            v: rows(shape.threads, values),
            v_rmw: rows(shape.threads, values),
            w: rows(locations, values),
            w_rmw: rows(locations, values),
            v_sc: rows(shape.threads, locations),
            m_sc: rows(locations, locations),
            w_sc: rows(locations, locations),
        }
    }

    /// The components, as sets; for tests.
    pub fn components(&self, state: &[u64]) -> Components {
        let locs: Vec<LocId> =
            (0..self.monitored.len()).filter(|&l| self.monitored[l].is_some()).map(LocId::from_index).collect();
        let location_sets = |rows: &[Row]| -> Vec<BTreeSet<LocId>> {
            rows.iter().map(|row| (0..locs.len()).filter(|&y| row.test(state, y)).map(|y| locs[y]).collect()).collect()
        };
        let value_sets = |rows: &[Row]| -> Vec<BTreeSet<(LocId, usize)>> {
            let members = |row: &Row| {
                let mut set = BTreeSet::new();
                for (y, &(first, count)) in self.classes.iter().enumerate() {
                    set.extend((0..count).filter(|&c| row.test(state, first + c)).map(|c| (locs[y], c)));
                }
                set
            };
            rows.iter().map(members).collect()
        };
        Components {
            v_sc: location_sets(&self.v_sc),
            m_sc: location_sets(&self.m_sc),
            w_sc: location_sets(&self.w_sc),
            v: value_sets(&self.v),
            w: value_sets(&self.w),
            v_rmw: value_sets(&self.v_rmw),
            w_rmw: value_sets(&self.w_rmw),
        }
    }

    fn position(&self, loc: LocId) -> usize {
        self.monitored[loc.index()].expect("only atomic locations are monitored")
    }

    /// Fig. 5, reads: the thread learns what the last write of x knew; x remembers what its reader knew.
    fn read_sc(&self, state: &mut [u64], t: usize, x: usize) {
        for i in 0..self.v_sc[t].chunks() {
            let v = self.v_sc[t].get(state, i);
            let m = self.m_sc[x].get(state, i);
            let w = self.w_sc[x].get(state, i);
            self.v_sc[t].set(state, i, v | w);
            self.m_sc[x].set(state, i, m | v);
        }
    }

    /// Fig. 5, writes: the thread learns what any access of x knew, and nobody else knows the new last write.
    fn write_sc(&self, state: &mut [u64], t: usize, x: usize) {
        for i in 0..self.v_sc[t].chunks() {
            let known = self.v_sc[t].get(state, i) | self.m_sc[x].get(state, i);
            self.v_sc[t].set(state, i, known);
            self.m_sc[x].set(state, i, known);
            self.w_sc[x].set(state, i, known);
        }
        for (other, row) in self.v_sc.iter().enumerate() {
            if other != t {
                row.remove(state, x);
            }
        }
        for y in (0..self.classes.len()).filter(|&y| y != x) {
            self.m_sc[y].remove(state, x);
            self.w_sc[y].remove(state, x);
        }
    }

    /// Fig. 6: what `rows[t]` may still read shrinks to what a reader of the last write of x may.
    fn narrow(state: &mut [u64], narrowed: &Row, by: &Row) {
        for i in 0..narrowed.chunks() {
            let both = narrowed.get(state, i) & by.get(state, i);
            narrowed.set(state, i, both);
        }
    }

    fn copy(state: &mut [u64], to: &Row, from: &Row) {
        for i in 0..to.chunks() {
            let chunk = from.get(state, i);
            to.set(state, i, chunk);
        }
    }

    fn clear_location(&self, state: &mut [u64], row: &Row, x: usize) {
        let (first, count) = self.classes[x];
        for bit in first..first + count {
            row.remove(state, bit);
        }
    }

    /// Fig. 6: the value overwritten is one that everybody but the writer may still see.
    fn overwrite(&self, state: &mut [u64], threads: &[Row], locations: &[Row], t: usize, x: usize, current: usize) {
        let bit = self.classes[x].0 + current;
        for (_, row) in threads.iter().enumerate().filter(|&(other, _)| other != t) {
            row.insert(state, bit);
        }
        for (_, row) in locations.iter().enumerate().filter(|&(z, _)| z != x) {
            row.insert(state, bit);
        }
    }

    /// Fig. 6, writes: the writer knows its own write to be the last; the write passes on what the writer knew.
    fn write_stale(&self, state: &mut [u64], threads: &[Row], locations: &[Row], t: usize, x: usize, current: usize) {
        self.clear_location(state, &threads[t], x);
        Self::copy(state, &locations[x], &threads[t]);
        self.overwrite(state, threads, locations, t, x, current);
    }
}

impl Monitor for Scm {
    fn start(&self, state: &mut [u64]) {
        for x in 0..self.classes.len() {
            for row in &self.v_sc {
                row.insert(state, x);
            }
            self.m_sc[x].insert(state, x);
            self.w_sc[x].insert(state, x);
        }
    }

    fn step(&self, state: &mut [u64], thread: ThreadId, kind: AttemptKind, loc: LocId, current: usize) {
        let t = thread.index();
        let x = self.position(loc);
        match kind {
            AttemptKind::Read => {
                self.read_sc(state, t, x);
                Self::narrow(state, &self.v[t], &self.w[x]);
                Self::narrow(state, &self.v_rmw[t], &self.w_rmw[x]);
            }
            AttemptKind::Write => {
                self.write_sc(state, t, x);
                self.write_stale(state, &self.v, &self.w, t, x, current);
                self.write_stale(state, &self.v_rmw, &self.w_rmw, t, x, current);
            }
            AttemptKind::Rmw => {
                self.write_sc(state, t, x);
                Self::narrow(state, &self.v[t], &self.w[x]);
                Self::copy(state, &self.w[x], &self.v[t]);
                self.overwrite(state, &self.v, &self.w, t, x, current);
                // The write that was read now has a read-modify-write right behind it: nobody may write there.
                Self::narrow(state, &self.v_rmw[t], &self.w_rmw[x]);
                Self::copy(state, &self.w_rmw[x], &self.v_rmw[t]);
            }
        }
    }

    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool {
        let t = thread.index();
        let x = self.position(attempt.loc);
        if !self.v_sc[t].test(state, x) {
            return false;
        }
        let (first, count) = self.classes[x];
        let row = match attempt.kind {
            AttemptKind::Read => &self.v[t],
            AttemptKind::Write | AttemptKind::Rmw => &self.v_rmw[t],
        };
        (0..count).any(|class| row.test(state, first + class) && attempt.accepts.contains(class))
    }
}
