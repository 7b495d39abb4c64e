//! SC_M: SC memory with a finite monitor that knows when RC20 could have
//! diverged (§5.2 of the POPL 2021 paper, Algorithms 1–5), for plain
//! robustness: reads are checked like every other access and nothing is tainted.
//!
//! A *view* is a row of value classes: those a thread could still read (or,
//! in the RMW variant, write right after) besides the last write's, given what
//! it is aware of. Knowing more is a smaller set; joining knowledge is
//! intersection, which loses nothing because the writes behind a view are a
//! suffix of the modification order.
//!
//! Additions: races on a non-atomic location by a copy of it for each thread
//! that accesses it (§6), of which a view holds one bit, "not aware of the last
//! access"; SC accesses by a second family of views (`ScViews`). Parts that a
//! program has no use for are not there: acquire views exist only for
//! threads with acquire fences and reads that do not acquire, release views
//! for threads with release fences and writes that do not release, and all
//! other threads with such writes share one, the view that knows nothing.

use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;

use super::meaning::{Components, ScViewSets, View, ViewSets};
use crate::monitor::{Attempt, AttemptKind, Monitor, PlainKind, RaceRule, Shape, StaleKind, Step, Watch};
use crate::packed::{Layout, Row};
use crate::tracker::{Columns, HbScTracker, copy, narrow};

/// The monitor; its state is in the packed state.
pub struct ScM {
    hb_sc: HbScTracker,
    /// V: what can be read.
    read: Family,
    /// V_RMW: what can be written after.
    write: Family,
    /// The columns of plain locations in the views of `read`.
    plain: PlainColumns,
}

/// What is known about the writes that can be used in one way.
struct Family {
    columns: Columns,
    views: Views,
    /// For programs with SC accesses.
    sc: Option<ScViews>,
}

/// Views that travel along happens-before.
struct Views {
    /// V^c: what each thread is aware of.
    current: Vec<Row>,
    /// V^a: what each thread will be aware of after an acquire fence, if it has one.
    acquire: Vec<Option<Row>>,
    /// V^r: what each thread was aware of at its last release fence, if it has one.
    release: Vec<Option<Row>>,
    /// V^r of a thread that never had a release fence: it passes on nothing.
    nothing: Option<Row>,
    /// V^w: what a reader of each location's last write becomes aware of.
    location: Vec<Row>,
}

/// Columns of non-atomic locations.
enum PlainColumns {
    /// For every location, the column of each thread's copy.
    Copies(Vec<Vec<(ThreadId, usize)>>),
    /// One column for one access to this location.
    One(LocId),
}

impl PlainColumns {
    /// The columns that an access of `thread` to `loc` is about.
    fn of(&self, loc: LocId, thread: ThreadId, kind: PlainKind) -> impl Iterator<Item = usize> {
        let (copies, one) = match self {
            PlainColumns::Copies(copies) => (&copies[loc.index()][..], None),
            PlainColumns::One(watched) => (&[][..], (*watched == loc).then_some(0)),
        };
        let about = move |&&(copy, _): &&(ThreadId, usize)| kind == PlainKind::Write || copy == thread;
        copies.iter().filter(about).map(|&(_, column)| column).chain(one)
    }
}

/// What is known about SC writes. An entry of location x holds the classes of
/// the writes that no later SC write to x known here makes unreadable *to an
/// SC access*. `own` is what a thread's SC accesses know through the order of
/// SC accesses, `travelling` what happens-before carries along, `accesses` what
/// the SC accesses of a location know.
struct ScViews {
    own: Vec<Row>,
    travelling: Views,
    accesses: Vec<Row>,
}

impl Views {
    fn new(shape: &Shape, locations: usize, width: usize, layout: &mut Layout) -> Self {
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
    fn released(&self, t: usize) -> &Row {
        self.release[t].as_ref().or(self.nothing.as_ref()).expect("a program with relaxed writes has release views")
    }

    /// Alg. 1, lines 4–7: a read becomes aware of what the last write of `x` passes on.
    fn acquire_from(&self, state: &mut [u64], t: usize, x: usize, mode: Mode) {
        if let Some(acquire) = &self.acquire[t] {
            narrow(state, acquire, &self.location[x]);
        }
        if mode.acquires() {
            narrow(state, &self.current[t], &self.location[x]);
        }
    }

    /// Every view except the writer's own current and acquire views, and that of location `except`.
    fn others(&self, t: usize, except: Option<usize>) -> impl Iterator<Item = &Row> {
        let not_mine = move |&(thread, _): &(usize, &Row)| thread != t;
        let acquire = self.acquire.iter().enumerate().filter_map(|(thread, row)| Some((thread, row.as_ref()?)));
        let threads = self.current.iter().enumerate().chain(acquire).filter(not_mine).map(|(_, row)| row);
        let locations = self.location.iter().enumerate().filter(move |&(z, _)| Some(z) != except).map(|(_, row)| row);
        threads.chain(self.release.iter().flatten()).chain(&self.nothing).chain(locations)
    }

    /// The writer's own current and acquire views.
    fn mine(&self, t: usize) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.current[t]).chain(&self.acquire[t])
    }

    /// Alg. 3.
    fn fence(&self, state: &mut [u64], t: usize, mode: Mode) {
        if let (true, Some(acquire)) = (mode.acquires(), &self.acquire[t]) {
            copy(state, &self.current[t], acquire);
        }
        if let (true, Some(release)) = (mode.releases(), &self.release[t]) {
            copy(state, release, &self.current[t]);
        }
    }

    /// Alg. 4 and 5: what the write of thread `t` to `x` passes on; a read-modify-write continues a
    /// release sequence.
    fn pass_on(&self, state: &mut [u64], t: usize, x: usize, kind: AttemptKind, mode: Mode) {
        let from = if mode.releases() { &self.current[t] } else { self.released(t) };
        match kind {
            AttemptKind::Rmw => narrow(state, &self.location[x], from),
            _ => copy(state, &self.location[x], from),
        }
    }
}

impl Family {
    /// The views of `extra` more columns hold them after the others.
    fn new(shape: &Shape, by: StaleKind, extra: usize, layout: &mut Layout) -> Self {
        let columns = Columns::new(shape, by);
        let (locations, width) = (columns.locations(), columns.width());
        let views = Views::new(shape, locations, width + extra, layout);
        let sc = shape.sc_accesses.then(|| ScViews {
            own: shape.threads.iter().map(|_| layout.row(width)).collect(),
            travelling: Views::new(shape, locations, width, layout),
            accesses: (0..locations).map(|_| layout.row(width)).collect(),
        });
        Family { columns, views, sc }
    }

    /// A step; `overwritten` is the class that becomes stale, if it does in this family.
    fn step(&self, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        self.step_views(state, t, step, overwritten);
        if let Some(sc) = &self.sc {
            self.step_sc(sc, state, t, step, overwritten);
        }
    }

    /// The column that a step of this kind sets in the views that do not know of it.
    fn overwritten(&self, x: usize, class: Option<usize>) -> Option<usize> {
        class.and_then(|class| self.columns.column(x, class))
    }

    /// The views of writes at a step.
    fn step_views(&self, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        let views = &self.views;
        let x = self.columns.position(step.loc);
        // Whoever accesses x is aware of its last write.
        for row in views.mine(t) {
            self.columns.clear(state, row, x);
        }
        if step.kind != AttemptKind::Write {
            views.acquire_from(state, t, x, step.mode);
        }
        if step.kind != AttemptKind::Read {
            if let Some(column) = self.overwritten(x, overwritten) {
                for row in views.others(t, Some(x)) {
                    row.insert(state, column);
                }
            }
            views.pass_on(state, t, x, step.kind, step.mode);
            self.columns.clear(state, &views.location[x], x);
        }
    }

    /// The views of SC writes at a step.
    fn step_sc(&self, views: &ScViews, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        let x = self.columns.position(step.loc);
        let is_sc = step.mode == Mode::Sc;
        if step.kind != AttemptKind::Write {
            views.travelling.acquire_from(state, t, x, step.mode);
        }
        if is_sc && step.kind != AttemptKind::Read {
            narrow(state, &views.own[t], &views.accesses[x]);
        }
        if is_sc {
            narrow(state, &views.own[t], &views.travelling.current[t]);
        }
        if step.kind != AttemptKind::Read {
            if let Some(column) = self.overwritten(x, overwritten) {
                let everybody = views.travelling.others(t, None).chain(views.travelling.mine(t));
                for row in everybody.chain(&views.own).chain(&views.accesses) {
                    row.insert(state, column);
                }
            }
            if is_sc {
                self.columns.clear(state, &views.own[t], x);
            }
        }
        if is_sc {
            narrow(state, &views.accesses[x], &views.own[t]);
        }
        if step.kind != AttemptKind::Read {
            views.travelling.pass_on(state, t, x, step.kind, step.mode);
            if step.mode.releases() {
                narrow(state, &views.travelling.location[x], &views.own[t]);
            }
        }
    }
}

impl Family {
    /// A read that may be stale has its place in the order of SC accesses.
    fn tainted_read(&self, state: &mut [u64], t: usize, x: usize, mode: Mode) {
        if let (Mode::Sc, Some(sc)) = (mode, &self.sc) {
            narrow(state, &sc.own[t], &sc.travelling.current[t]);
            narrow(state, &sc.accesses[x], &sc.own[t]);
        }
    }

    fn fence(&self, state: &mut [u64], t: usize, mode: Mode) {
        self.views.fence(state, t, mode);
        if let Some(sc) = &self.sc {
            sc.travelling.fence(state, t, mode);
            if let (true, Some(release)) = (mode.releases(), &sc.travelling.release[t]) {
                narrow(state, release, &sc.own[t]);
            }
        }
    }

    /// Can an access of this order and thread use a stale write that it accepts?
    fn is_stale(&self, state: &[u64], t: usize, x: usize, attempt: &Attempt<'_>) -> bool {
        let current = &self.views.current[t];
        match (attempt.mode, &self.sc) {
            (Mode::Sc, Some(ScViews { own, travelling, .. })) => {
                let rows = [current, &own[t], &travelling.current[t]];
                self.columns.any_accepted(state, &rows, x, &attempt.accepts)
            }
            _ => self.columns.any_accepted(state, &[current], x, &attempt.accepts),
        }
    }

    /// What belongs to thread `t`.
    fn rows_of(&self, t: usize) -> impl Iterator<Item = Row> {
        let sc = self.sc.iter().flat_map(move |sc| std::iter::once(sc.own[t].clone()).chain(sc.travelling.rows_of(t)));
        self.views.rows_of(t).chain(sc)
    }
}

impl ScM {
    /// A monitor for programs of this shape.
    pub fn new(shape: &Shape, layout: &mut Layout) -> Self {
        let (plain, extra) = match shape.watch {
            Watch::Everything => {
                let mut column = Columns::new(shape, StaleKind::Read).width();
                let first = column;
                let mut next = |&thread: &ThreadId| {
                    column += 1;
                    (thread, column - 1)
                };
                let copies = shape.plain.iter().map(|threads| threads.iter().map(&mut next).collect()).collect();
                (PlainColumns::Copies(copies), column - first)
            }
            Watch::Plain(loc) => (PlainColumns::One(loc), 1),
            Watch::Stale { .. } => (PlainColumns::Copies(vec![Vec::new(); shape.plain.len()]), 0),
        };
        let read = Family::new(shape, StaleKind::Read, extra, layout);
        let write = Family::new(shape, StaleKind::Write, 0, layout);
        ScM { hb_sc: HbScTracker::new(shape, &read.columns, layout), read, write, plain }
    }
}

impl Monitor for ScM {
    fn start(&self, state: &mut [u64]) {
        self.hb_sc.start(state);
    }

    fn step(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.read.columns.position(step.loc);
        if step.mode == Mode::Full {
            self.fence(state, thread, Mode::Acq);
        }
        match step.kind {
            AttemptKind::Read => self.hb_sc.read(state, t, x),
            AttemptKind::Write | AttemptKind::Rmw => self.hb_sc.write(state, t, x),
        }
        // The write that an update reads has the update right behind it: nobody may write there.
        let writable = (step.kind == AttemptKind::Write).then_some(step.current);
        self.read.step(state, t, step, Some(step.current));
        self.write.step(state, t, step, writable);
        if step.mode == Mode::Full {
            self.fence(state, thread, Mode::Rel);
        }
    }

    fn tainted_read(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.read.columns.position(step.loc);
        self.hb_sc.read(state, t, x);
        self.read.tainted_read(state, t, x, step.mode);
        self.write.tainted_read(state, t, x, step.mode);
    }

    fn fence(&self, state: &mut [u64], thread: ThreadId, mode: Mode) {
        self.read.fence(state, thread.index(), mode);
        self.write.fence(state, thread.index(), mode);
    }

    fn plain(&self, state: &mut [u64], thread: ThreadId, loc: LocId, kind: PlainKind) {
        let views = &self.read.views;
        for column in self.plain.of(loc, thread, kind) {
            for row in views.others(thread.index(), None) {
                row.insert(state, column);
            }
            for row in views.mine(thread.index()) {
                row.remove(state, column);
            }
        }
    }

    fn races(&self) -> RaceRule {
        RaceRule::Monitored
    }

    fn is_race(&self, state: &[u64], thread: ThreadId, loc: LocId, kind: PlainKind) -> bool {
        let unaware = |column: usize| self.read.views.current[thread.index()].test(state, column);
        self.plain.of(loc, thread, kind).any(unaware)
    }

    fn is_within_reach(&self, state: &[u64], thread: ThreadId) -> bool {
        let rows = [&self.read, &self.write].map(|family| &family.views.current[thread.index()]);
        rows.iter().any(|row| row.chunks() > 0 && row.test(state, 0))
    }

    fn is_passed_on(&self, state: &[u64], loc: LocId) -> bool {
        let x = self.read.columns.position(loc);
        let rows = [&self.read, &self.write].map(|family| &family.views.location[x]);
        rows.iter().any(|row| row.chunks() > 0 && !row.test(state, 0))
    }

    fn has_leaked(&self, state: &[u64]) -> bool {
        [&self.read, &self.write]
            .iter()
            .any(|family| self.hb_sc.meets(state, &family.views.current, &family.views.location))
    }

    fn rows(&self, thread: ThreadId) -> Vec<Row> {
        let t = thread.index();
        let hb_sc = std::iter::once(self.hb_sc.row(t).clone());
        self.read.rows_of(t).chain(self.write.rows_of(t)).chain(hb_sc).collect()
    }

    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool {
        let t = thread.index();
        let x = self.read.columns.position(attempt.loc);
        let family = match attempt.kind {
            AttemptKind::Read => &self.read,
            AttemptKind::Write | AttemptKind::Rmw => &self.write,
        };
        self.hb_sc.knows(state, t, x) && family.is_stale(state, t, x, attempt)
    }
}

impl ScM {
    /// The components, as sets; for tests.
    pub fn components(&self, state: &[u64]) -> Components {
        let sc_views = |family: &Family| {
            let views = family.sc.as_ref()?;
            let own = family.sets(state, &views.own);
            let travelling = family.view_sets(state, &views.travelling);
            let combined = own.iter().zip(&travelling.current).map(|(own, current)| own & current).collect();
            Some(ScViewSets { own, travelling, accesses: family.sets(state, &views.accesses), combined })
        };
        let mut read = self.read.view_sets(state, &self.read.views);
        let PlainColumns::Copies(copies) = &self.plain else { unreachable!("tests look at monitors of everything") };
        for (view, row) in read.iter_mut().zip(self.read.views.rows()) {
            for (x, copies) in copies.iter().enumerate() {
                let unaware = copies.iter().filter(|&&(_, column)| row.test(state, column));
                view.extend(unaware.map(|&(thread, _)| (LocId::from_index(x), thread.index())));
            }
        }
        Components {
            hb_sc: self.hb_sc.components(state, &self.read.columns),
            read,
            write: self.write.view_sets(state, &self.write.views),
            sc: sc_views(&self.read).zip(sc_views(&self.write)).map(|(read, write)| [read, write]),
        }
    }
}

impl Family {
    fn sets(&self, state: &[u64], rows: &[Row]) -> Vec<View> {
        rows.iter().map(|row| self.columns.members(state, row)).collect()
    }

    fn view_sets(&self, state: &[u64], views: &Views) -> ViewSets {
        let set = |row: &Row| self.columns.members(state, row);
        ViewSets {
            current: self.sets(state, &views.current),
            acquire: views.acquire.iter().map(|row| row.as_ref().map(set)).collect(),
            release: views.release.iter().map(|row| row.as_ref().map(set)).collect(),
            nothing: views.nothing.as_ref().map(set),
            location: self.sets(state, &views.location),
        }
    }
}

impl Views {
    /// What belongs to thread `t`.
    fn rows_of(&self, t: usize) -> impl Iterator<Item = Row> {
        std::iter::once(&self.current[t]).chain(&self.acquire[t]).chain(&self.release[t]).cloned()
    }

    /// All rows, in the order of [`ViewSets::iter_mut`].
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let fenced = self.acquire.iter().chain(&self.release).chain([&self.nothing]).flatten();
        self.current.iter().chain(fenced).chain(&self.location)
    }
}
