//! Parts that monitors share: which locations and values they track, and how
//! hb_SC is tracked.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, ThreadId};

use crate::monitor::{Accepts, Shape, StaleKind, Watch, Whose};
use crate::packed::{Layout, Row};

/// The atomic locations of a program, and the columns that a row of values has for their value
/// classes.
pub struct Columns {
    /// For every location of the program: its position among the monitored ones.
    monitored: Vec<Option<usize>>,
    /// For every monitored location: where its value classes start in a row, and how many there
    /// are.
    classes: Vec<(usize, usize)>,
    width: usize,
    watched: Watched,
}

/// Which columns there are.
#[derive(Clone, Copy)]
enum Watched {
    /// One for every class of every location.
    Everything,
    /// One, for a class of the location at this position, or for all its classes together.
    One(usize, Option<usize>),
    /// None.
    Nothing,
}

impl Columns {
    /// What a program of this shape needs to know of the writes that can be used in the way `by`.
    pub(crate) fn new(shape: &Shape, by: StaleKind) -> Self {
        let mut classes = Vec::new();
        let mut width = 0;
        let monitored: Vec<Option<usize>> = shape
            .classes
            .iter()
            .map(|&count| {
                (count > 0).then(|| {
                    classes.push((width, count));
                    width += count;
                    classes.len() - 1
                })
            })
            .collect();
        let watched = match shape.watch {
            Watch::Everything => Watched::Everything,
            Watch::Stale { loc, class, by: watched, .. } if watched == by => {
                Watched::One(monitored[loc.index()].expect("only atomic locations are watched so"), class)
            }
            Watch::Stale { .. } | Watch::Plain(_) => Watched::Nothing,
        };
        let width = match watched {
            Watched::Everything => width,
            Watched::One(..) => 1,
            Watched::Nothing => 0,
        };
        Columns { monitored, classes, width, watched }
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

    /// The column of a class, if it has one.
    pub(crate) fn column(&self, x: usize, class: usize) -> Option<usize> {
        match self.watched {
            Watched::Everything => Some(self.classes[x].0 + class),
            Watched::One(watched, only) => (x == watched && only.is_none_or(|only| only == class)).then_some(0),
            Watched::Nothing => None,
        }
    }

    /// Clears the columns of location `x`.
    pub(crate) fn clear(&self, state: &mut [u64], row: &Row, x: usize) {
        match self.watched {
            Watched::Everything => {
                let (first, count) = self.classes[x];
                for column in first..first + count {
                    row.remove(state, column);
                }
            }
            Watched::One(watched, _) if watched == x => row.remove(state, 0),
            Watched::One(..) | Watched::Nothing => {}
        }
    }

    /// Is a class of location `x` that is accepted set in every one of `rows`?
    pub(crate) fn any_accepted<'a>(
        &self,
        state: &[u64],
        rows: impl Iterator<Item = &'a Row> + Clone,
        x: usize,
        accepts: &Accepts<'_>,
    ) -> bool {
        let everywhere = |column: usize| rows.clone().all(|row| row.test(state, column));
        match self.watched {
            Watched::Everything => {
                let (first, count) = self.classes[x];
                (0..count).any(|class| accepts.contains(class) && everywhere(first + class))
            }
            Watched::One(watched, only) => {
                let accepted = match only {
                    Some(class) => accepts.contains(class),
                    None => *accepts == Accepts::Any,
                };
                watched == x && accepted && everywhere(0)
            }
            Watched::Nothing => false,
        }
    }

    /// The monitored locations.
    pub(crate) fn ids(&self) -> Vec<LocId> {
        (0..self.monitored.len()).filter(|&loc| self.monitored[loc].is_some()).map(LocId::from_index).collect()
    }

    /// The classes set in a row of everything; for tests.
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

/// V_SC, M_SC and W_SC of the PLDI 2019 paper (§5, Fig. 5): who is hb_SC-aware of which last
/// writes.
pub(crate) struct HbScTracker {
    v: Vec<Row>,
    m: Vec<Row>,
    w: Vec<Row>,
    /// The positions of the locations whose last writes are followed, one for each column.
    followed: Vec<usize>,
    /// Does every write to a location that is followed become the one to be aware of?
    renewed: bool,
}

impl HbScTracker {
    pub(crate) fn new(shape: &Shape, columns: &Columns, layout: &mut Layout) -> Self {
        let locations = columns.locations();
        let followed = match shape.watch {
            Watch::Everything => (0..locations).collect(),
            Watch::Stale { loc, .. } => vec![columns.position(loc)],
            Watch::Plain(_) => Vec::new(),
        };
        let mut rows = |count: usize| -> Vec<Row> { (0..count).map(|_| layout.row(followed.len())).collect() };
        let renewed = !matches!(shape.watch, Watch::Stale { lasting: true, .. });
        HbScTracker { v: rows(shape.threads.len()), m: rows(locations), w: rows(locations), followed, renewed }
    }

    /// The column of the location at position `x`, if it is followed.
    fn column(&self, x: usize) -> Option<usize> {
        self.followed.binary_search(&x).ok()
    }

    /// Everybody is aware of the initial write, unless that is not the one of interest.
    pub(crate) fn start(&self, state: &mut [u64]) {
        for (column, &x) in self.followed.iter().enumerate() {
            for row in self.v.iter().filter(|_| self.renewed) {
                row.insert(state, column);
            }
            self.m[x].insert(state, column);
            self.w[x].insert(state, column);
        }
    }

    /// Is thread `t` hb_SC-aware of the last write of `x`, or the one that is followed?
    pub(crate) fn knows(&self, state: &[u64], t: usize, x: usize) -> bool {
        self.column(x).is_some_and(|column| self.v[t].test(state, column))
    }

    /// Of a monitor that follows one location: is a thread, or the last write of a location, that is
    /// hb_SC-aware of the write that is followed among those that `thread` and `location` name?
    pub(crate) fn meets(
        &self,
        state: &[u64],
        thread: impl Fn(usize) -> bool,
        location: impl Fn(usize) -> bool,
    ) -> bool {
        let aware = |row: &Row| row.chunks() > 0 && row.test(state, 0);
        let threads = self.v.iter().enumerate().any(|(t, row)| aware(row) && thread(t));
        threads || self.w.iter().enumerate().any(|(x, row)| aware(row) && location(x))
    }

    /// Of a monitor that follows one location: the bits that [`HbScTracker::meets`] is about.
    pub(crate) fn aware(&self, columns: &Columns) -> Vec<(Row, Whose)> {
        let threads = self.v.iter().enumerate().map(|(t, row)| (row.clone(), Whose::Thread(ThreadId::from_index(t))));
        let locations = self.w.iter().zip(columns.ids()).map(|(row, loc)| (row.clone(), Whose::Location(loc)));
        threads.chain(locations).filter(|(row, _)| row.chunks() > 0).collect()
    }

    /// What belongs to thread `t`.
    pub(crate) fn row(&self, t: usize) -> &Row {
        &self.v[t]
    }

    /// Fig. 5, reads: the thread learns what the last write of x knew; x remembers what its reader
    /// knew.
    pub(crate) fn read(&self, state: &mut [u64], t: usize, x: usize) {
        for i in 0..self.v[t].chunks() {
            let v = self.v[t].get(state, i);
            let m = self.m[x].get(state, i);
            let w = self.w[x].get(state, i);
            self.v[t].set(state, i, v | w);
            self.m[x].set(state, i, m | v);
        }
    }

    /// Fig. 5, writes: the thread learns what any access of x knew, and nobody else knows the new
    /// last write.
    pub(crate) fn write(&self, state: &mut [u64], t: usize, x: usize) {
        for i in 0..self.v[t].chunks() {
            let known = self.v[t].get(state, i) | self.m[x].get(state, i);
            self.v[t].set(state, i, known);
            self.m[x].set(state, i, known);
            self.w[x].set(state, i, known);
        }
        let Some(column) = self.column(x).filter(|_| self.renewed) else { return };
        for (other, row) in self.v.iter().enumerate() {
            if other != t {
                row.remove(state, column);
            }
        }
        for y in (0..self.m.len()).filter(|&y| y != x) {
            self.m[y].remove(state, column);
            self.w[y].remove(state, column);
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
