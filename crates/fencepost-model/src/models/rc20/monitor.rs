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
use crate::monitor::{Attempt, AttemptKind, Monitor, PlainKind, RaceRule, Shape, Step};
use crate::packed::{Layout, Row};
use crate::tracker::{Columns, HbScTracker, copy, narrow};

/// The monitor; its state is in the packed state.
pub struct ScM {
    columns: Columns,
    hb_sc: HbScTracker,
    /// V: what can be read.
    read: Views,
    /// V_RMW: what can be written after.
    write: Views,
    /// The columns of plain locations in the views of `read`.
    plain: PlainColumns,
    /// For programs with SC accesses.
    sc: Option<[ScViews; 2]>,
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

/// For every non-atomic location, the column of each thread's copy.
struct PlainColumns {
    copies: Vec<Vec<(ThreadId, usize)>>,
    width: usize,
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

    /// Alg. 4 and 5: what the write of thread `t` to `x` passes on; a read-modify-write continues a release sequence.
    fn pass_on(&self, state: &mut [u64], t: usize, x: usize, kind: AttemptKind, mode: Mode) {
        let from = if mode.releases() { &self.current[t] } else { self.released(t) };
        match kind {
            AttemptKind::Rmw => narrow(state, &self.location[x], from),
            _ => copy(state, &self.location[x], from),
        }
    }
}

impl ScM {
    /// A monitor for programs of this shape.
    pub fn new(shape: &Shape, layout: &mut Layout) -> Self {
        let columns = Columns::new(&shape.classes);
        let (threads, locations, width) = (shape.threads.len(), columns.locations(), columns.width());
        let mut plain = PlainColumns { copies: Vec::new(), width };
        for accessed_by in &shape.plain {
            let copies = accessed_by.iter().zip(plain.width..).map(|(&thread, column)| (thread, column)).collect();
            plain.copies.push(copies);
            plain.width += accessed_by.len();
        }
        let mut sc_views = || ScViews {
            own: (0..threads).map(|_| layout.row(width)).collect(),
            travelling: Views::new(shape, locations, width, layout),
            accesses: (0..locations).map(|_| layout.row(width)).collect(),
        };
        let sc = shape.sc_accesses.then(|| [sc_views(), sc_views()]);
        ScM {
            read: Views::new(shape, locations, plain.width, layout),
            write: Views::new(shape, locations, width, layout),
            hb_sc: HbScTracker::new(threads, locations, layout),
            columns,
            plain,
            sc,
        }
    }

    /// One family of views at a step; `overwritten` is the class that becomes stale, if it does in this family.
    fn step_views(&self, views: &Views, state: &mut [u64], t: usize, step: &Step, overwritten: Option<usize>) {
        let x = self.columns.position(step.loc);
        // Whoever accesses x is aware of its last write.
        for row in views.mine(t) {
            self.columns.clear(state, row, x);
        }
        if step.kind != AttemptKind::Write {
            views.acquire_from(state, t, x, step.mode);
        }
        if step.kind != AttemptKind::Read {
            if let Some(class) = overwritten {
                let column = self.columns.column(x, class);
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
            if let Some(class) = overwritten {
                let column = self.columns.column(x, class);
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

impl Monitor for ScM {
    fn start(&self, state: &mut [u64]) {
        self.hb_sc.start(state);
    }

    fn step(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.columns.position(step.loc);
        if step.mode == Mode::Full {
            self.fence(state, thread, Mode::Acq);
        }
        match step.kind {
            AttemptKind::Read => self.hb_sc.read(state, t, x),
            AttemptKind::Write | AttemptKind::Rmw => self.hb_sc.write(state, t, x),
        }
        // The write that an update reads has the update right behind it: nobody may write there.
        let writable = (step.kind == AttemptKind::Write).then_some(step.current);
        self.step_views(&self.read, state, t, step, Some(step.current));
        self.step_views(&self.write, state, t, step, writable);
        if let Some([read, write]) = &self.sc {
            self.step_sc(read, state, t, step, Some(step.current));
            self.step_sc(write, state, t, step, writable);
        }
        if step.mode == Mode::Full {
            self.fence(state, thread, Mode::Rel);
        }
    }

    fn tainted_read(&self, state: &mut [u64], thread: ThreadId, step: &Step) {
        let t = thread.index();
        let x = self.columns.position(step.loc);
        self.hb_sc.read(state, t, x);
        // Stale or not, it has its place in the order of SC accesses.
        if step.mode == Mode::Sc {
            for views in self.sc.iter().flatten() {
                narrow(state, &views.own[t], &views.travelling.current[t]);
                narrow(state, &views.accesses[x], &views.own[t]);
            }
        }
    }

    fn fence(&self, state: &mut [u64], thread: ThreadId, mode: Mode) {
        let t = thread.index();
        self.read.fence(state, t, mode);
        self.write.fence(state, t, mode);
        for views in self.sc.iter().flatten() {
            views.travelling.fence(state, t, mode);
            if let (true, Some(release)) = (mode.releases(), &views.travelling.release[t]) {
                narrow(state, release, &views.own[t]);
            }
        }
    }

    fn plain(&self, state: &mut [u64], thread: ThreadId, loc: LocId, kind: PlainKind) {
        for &(copy, column) in &self.plain.copies[loc.index()] {
            if kind == PlainKind::Write || copy == thread {
                for row in self.read.others(thread.index(), None) {
                    row.insert(state, column);
                }
                for row in self.read.mine(thread.index()) {
                    row.remove(state, column);
                }
            }
        }
    }

    fn races(&self) -> RaceRule {
        RaceRule::Monitored
    }

    fn is_race(&self, state: &[u64], thread: ThreadId, loc: LocId, kind: PlainKind) -> bool {
        let unaware = |column: usize| self.read.current[thread.index()].test(state, column);
        let mut copies = self.plain.copies[loc.index()].iter();
        copies.any(|&(copy, column)| (kind == PlainKind::Write || copy == thread) && unaware(column))
    }

    fn violated(&self, state: &[u64], thread: ThreadId, attempt: &Attempt<'_>) -> bool {
        let t = thread.index();
        let x = self.columns.position(attempt.loc);
        let (views, family) = match attempt.kind {
            AttemptKind::Read => (&self.read, 0),
            AttemptKind::Write | AttemptKind::Rmw => (&self.write, 1),
        };
        if !self.hb_sc.knows(state, t, x) {
            return false;
        }
        let current = &views.current[t];
        match (attempt.mode, &self.sc) {
            (Mode::Sc, Some(sc)) => {
                let ScViews { own, travelling, .. } = &sc[family];
                let rows = [current, &own[t], &travelling.current[t]];
                self.columns.any_accepted(state, &rows, x, &attempt.accepts)
            }
            _ => self.columns.any_accepted(state, &[current], x, &attempt.accepts),
        }
    }
}

impl ScM {
    /// The components, as sets; for tests.
    pub fn components(&self, state: &[u64]) -> Components {
        let sc_views = |views: &ScViews| {
            let own = self.sets(state, &views.own);
            let travelling = self.view_sets(state, &views.travelling);
            let combined = own.iter().zip(&travelling.current).map(|(own, current)| own & current).collect();
            ScViewSets { own, travelling, accesses: self.sets(state, &views.accesses), combined }
        };
        let mut read = self.view_sets(state, &self.read);
        for (view, row) in read.iter_mut().zip(self.read.rows()) {
            for (x, copies) in self.plain.copies.iter().enumerate() {
                let unaware = copies.iter().filter(|&&(_, column)| row.test(state, column));
                view.extend(unaware.map(|&(thread, _)| (LocId::from_index(x), thread.index())));
            }
        }
        Components {
            hb_sc: self.hb_sc.components(state, &self.columns),
            read,
            write: self.view_sets(state, &self.write),
            sc: self.sc.as_ref().map(|families| families.each_ref().map(sc_views)),
        }
    }

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
    /// All rows, in the order of [`ViewSets::iter_mut`].
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let fenced = self.acquire.iter().chain(&self.release).chain([&self.nothing]).flatten();
        self.current.iter().chain(fenced).chain(&self.location)
    }
}
