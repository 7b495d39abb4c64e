//! What threads and locations are aware of along happens-before, as rows of a packed state.
//!
//! Paper: Margalit and Lahav, "Verifying Observational Robustness against a C11-Style Memory
//! Model", POPL 2021, §5.2, Algorithms 1–5. A *view* is a row of columns, one for each thing that
//! its owner may *not* be aware of. Knowing more is a smaller set, and joining knowledge is
//! intersection.
//!
//! Parts that a program has no use for are not there: acquire views exist only for threads with
//! acquire fences and reads that do not acquire, release views for threads with release fences and
//! writes that do not release. All other threads with such writes share one, the view that knows
//! nothing.

use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;

use crate::monitor::{AttemptKind, PlainKind, Shape};
use crate::packed::{Layout, Row};
use crate::tracker::{copy, narrow};

/// Views that travel along happens-before.
pub(crate) struct Views {
    /// V^c: what each thread is aware of.
    pub(crate) current: Vec<Row>,
    /// V^a: what each thread will be aware of after an acquire fence, if it has one.
    pub(crate) acquire: Vec<Option<Row>>,
    /// V^r: what each thread was aware of at its last release fence, if it has one.
    pub(crate) release: Vec<Option<Row>>,
    /// V^r of a thread that never had a release fence: it passes on nothing.
    pub(crate) nothing: Option<Row>,
    /// V^w: what a reader of each location's last write becomes aware of.
    pub(crate) location: Vec<Row>,
}

/// Columns of non-atomic locations.
pub(crate) enum PlainColumns {
    /// For every location, the column of each thread's copy.
    Copies(Vec<Vec<(ThreadId, usize)>>),
    /// One column for one access to this location.
    One(LocId),
}

impl PlainColumns {
    /// The columns that an access of `thread` to `loc` is about.
    pub(crate) fn of(&self, loc: LocId, thread: ThreadId, kind: PlainKind) -> impl Iterator<Item = usize> {
        let (copies, one) = match self {
            PlainColumns::Copies(copies) => (&copies[loc.index()][..], None),
            PlainColumns::One(watched) => (&[][..], (*watched == loc).then_some(0)),
        };
        let about = move |&&(copy, _): &&(ThreadId, usize)| kind == PlainKind::Write || copy == thread;
        copies.iter().filter(about).map(|&(_, column)| column).chain(one)
    }
}

impl Views {
    pub(crate) fn new(shape: &Shape, locations: usize, width: usize, layout: &mut Layout) -> Self {
        let mut row = || layout.row(width);
        Views {
            current: shape.threads.iter().map(|_| row()).collect(),
            acquire: shape.threads.iter().map(|thread| thread.acquire_fence.then(&mut row)).collect(),
            release: shape.threads.iter().map(|thread| thread.release_fence.then(&mut row)).collect(),
            nothing: shape.relaxed_writes.then(&mut row),
            location: (0..locations).map(|_| row()).collect(),
        }
    }

    /// The release view of thread `t`.
    pub(crate) fn released(&self, t: usize) -> &Row {
        self.release[t].as_ref().or(self.nothing.as_ref()).expect("a program with relaxed writes has release views")
    }

    /// Alg. 1, lines 4–7: a read becomes aware of what the last write of `x` passes on.
    pub(crate) fn acquire_from(&self, state: &mut [u64], t: usize, x: usize, mode: Mode) {
        if let Some(acquire) = &self.acquire[t] {
            narrow(state, acquire, &self.location[x]);
        }
        if mode.acquires() {
            narrow(state, &self.current[t], &self.location[x]);
        }
    }

    /// The same from a write that passes on one thing, that of this column.
    pub(crate) fn acquire_column(&self, state: &mut [u64], t: usize, mode: Mode, column: usize) {
        let current = mode.acquires().then_some(&self.current[t]);
        for row in self.acquire[t].iter().chain(current) {
            row.remove(state, column);
        }
    }

    /// Every view except the writer's own current and acquire views, and that of location `except`.
    pub(crate) fn others(&self, t: usize, except: Option<usize>) -> impl Iterator<Item = &Row> {
        let not_mine = move |&(thread, _): &(usize, &Row)| thread != t;
        let acquire = self.acquire.iter().enumerate().filter_map(|(thread, row)| Some((thread, row.as_ref()?)));
        let threads = self.current.iter().enumerate().chain(acquire).filter(not_mine).map(|(_, row)| row);
        let locations = self.location.iter().enumerate().filter(move |&(z, _)| Some(z) != except).map(|(_, row)| row);
        threads.chain(self.release.iter().flatten()).chain(&self.nothing).chain(locations)
    }

    /// The writer's own current and acquire views.
    pub(crate) fn mine(&self, t: usize) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.current[t]).chain(&self.acquire[t])
    }

    /// Alg. 3.
    pub(crate) fn fence(&self, state: &mut [u64], t: usize, mode: Mode) {
        if let (true, Some(acquire)) = (mode.acquires(), &self.acquire[t]) {
            copy(state, &self.current[t], acquire);
        }
        if let (true, Some(release)) = (mode.releases(), &self.release[t]) {
            copy(state, release, &self.current[t]);
        }
    }

    /// Alg. 4 and 5: what the write of thread `t` to `x` passes on; a read-modify-write continues a
    /// release sequence.
    pub(crate) fn pass_on(&self, state: &mut [u64], t: usize, x: usize, kind: AttemptKind, mode: Mode) {
        let from = if mode.releases() { &self.current[t] } else { self.released(t) };
        match kind {
            AttemptKind::Rmw => narrow(state, &self.location[x], from),
            _ => copy(state, &self.location[x], from),
        }
    }

    /// What belongs to thread `t`.
    pub(crate) fn rows_of(&self, t: usize) -> impl Iterator<Item = Row> {
        std::iter::once(&self.current[t]).chain(&self.acquire[t]).chain(&self.release[t]).cloned()
    }

    /// All rows, in the order of [`ViewSets::iter_mut`].
    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        let fenced = self.acquire.iter().chain(&self.release).chain([&self.nothing]).flatten();
        self.current.iter().chain(fenced).chain(&self.location)
    }
}
