//! Parts that monitors share: which locations and values they track, and how
//! hb_SC is tracked.

use std::collections::BTreeSet;

use fencepost_base::ids::LocId;

use crate::monitor::Accepts;
use crate::packed::{Layout, Row};

/// The atomic locations of a program and the columns of their value classes in a row of values.
pub(crate) struct Columns {
    /// For every location of the program: its position among the monitored ones.
    monitored: Vec<Option<usize>>,
    /// For every monitored location: where its value classes start in a row, and how many there are.
    classes: Vec<(usize, usize)>,
    width: usize,
}

impl Columns {
    /// For locations with these numbers of classes; none for those with 0.
    pub(crate) fn new(counts: &[usize]) -> Self {
        let mut classes = Vec::new();
        let mut width = 0;
        let monitored = counts
            .iter()
            .map(|&count| {
                (count > 0).then(|| {
                    classes.push((width, count));
                    width += count;
                    classes.len() - 1
                })
            })
            .collect();
        Columns { monitored, classes, width }
    }

    /// Number of monitored locations.
    pub(crate) fn locations(&self) -> usize {
        self.classes.len()
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The position of a monitored location.
    pub(crate) fn position(&self, loc: LocId) -> usize {
        self.monitored[loc.index()].expect("only atomic locations are monitored")
    }

    /// The column of a class.
    pub(crate) fn column(&self, x: usize, class: usize) -> usize {
        self.classes[x].0 + class
    }

    /// Clears the columns of location `x`.
    pub(crate) fn clear(&self, state: &mut [u64], row: &Row, x: usize) {
        let (first, count) = self.classes[x];
        for column in first..first + count {
            row.remove(state, column);
        }
    }

    /// Is a class of location `x` that is accepted set in every one of `rows`?
    pub(crate) fn any_accepted(&self, state: &[u64], rows: &[&Row], x: usize, accepts: &Accepts<'_>) -> bool {
        let (first, count) = self.classes[x];
        (0..count).any(|class| accepts.contains(class) && rows.iter().all(|row| row.test(state, first + class)))
    }

    /// The monitored locations.
    pub(crate) fn ids(&self) -> Vec<LocId> {
        (0..self.monitored.len()).filter(|&loc| self.monitored[loc].is_some()).map(LocId::from_index).collect()
    }

    /// The classes set in a row; for tests.
    pub(crate) fn members(&self, state: &[u64], row: &Row) -> BTreeSet<(LocId, usize)> {
        let locs = self.ids();
        let mut set = BTreeSet::new();
        for (y, &(first, count)) in self.classes.iter().enumerate() {
            set.extend((0..count).filter(|&class| row.test(state, first + class)).map(|class| (locs[y], class)));
        }
        set
    }
}

/// `narrowed ∩= by`
pub(crate) fn narrow(state: &mut [u64], narrowed: &Row, by: &Row) {
    for i in 0..narrowed.chunks() {
        let both = narrowed.get(state, i) & by.get(state, i);
        narrowed.set(state, i, both);
    }
}

/// `to := from`
pub(crate) fn copy(state: &mut [u64], to: &Row, from: &Row) {
    for i in 0..to.chunks() {
        let chunk = from.get(state, i);
        to.set(state, i, chunk);
    }
}

/// V_SC, M_SC and W_SC of the PLDI 2019 paper (§5, Fig. 5): who is hb_SC-aware of which last writes.
pub(crate) struct HbScTracker {
    v: Vec<Row>,
    m: Vec<Row>,
    w: Vec<Row>,
}

impl HbScTracker {
    pub(crate) fn new(threads: usize, locations: usize, layout: &mut Layout) -> Self {
        let mut rows = |count: usize| -> Vec<Row> { (0..count).map(|_| layout.row(locations)).collect() };
        HbScTracker { v: rows(threads), m: rows(locations), w: rows(locations) }
    }

    pub(crate) fn start(&self, state: &mut [u64]) {
        for x in 0..self.m.len() {
            for row in &self.v {
                row.insert(state, x);
            }
            self.m[x].insert(state, x);
            self.w[x].insert(state, x);
        }
    }

    /// Is thread `t` hb_SC-aware of the last write of `x`?
    pub(crate) fn knows(&self, state: &[u64], t: usize, x: usize) -> bool {
        self.v[t].test(state, x)
    }

    /// Fig. 5, reads: the thread learns what the last write of x knew; x remembers what its reader knew.
    pub(crate) fn read(&self, state: &mut [u64], t: usize, x: usize) {
        for i in 0..self.v[t].chunks() {
            let v = self.v[t].get(state, i);
            let m = self.m[x].get(state, i);
            let w = self.w[x].get(state, i);
            self.v[t].set(state, i, v | w);
            self.m[x].set(state, i, m | v);
        }
    }

    /// Fig. 5, writes: the thread learns what any access of x knew, and nobody else knows the new last write.
    pub(crate) fn write(&self, state: &mut [u64], t: usize, x: usize) {
        for i in 0..self.v[t].chunks() {
            let known = self.v[t].get(state, i) | self.m[x].get(state, i);
            self.v[t].set(state, i, known);
            self.m[x].set(state, i, known);
            self.w[x].set(state, i, known);
        }
        for (other, row) in self.v.iter().enumerate() {
            if other != t {
                row.remove(state, x);
            }
        }
        for y in (0..self.m.len()).filter(|&y| y != x) {
            self.m[y].remove(state, x);
            self.w[y].remove(state, x);
        }
    }

    /// The three components, as sets of locations; for tests.
    pub(crate) fn components(&self, state: &[u64], columns: &Columns) -> [Vec<BTreeSet<LocId>>; 3] {
        let locs = columns.ids();
        [&self.v, &self.m, &self.w].map(|rows| {
            let members = |row: &Row| (0..locs.len()).filter(|&y| row.test(state, y)).map(|y| locs[y]).collect();
            rows.iter().map(members).collect()
        })
    }
}
