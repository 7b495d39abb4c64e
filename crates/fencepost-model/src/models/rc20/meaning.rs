//! What the components of the monitor SC_M mean on an execution graph (§5.2 of
//! the POPL 2021 paper), evaluated literally. Tests compare the monitor with
//! this after every step.
//!
//! Modelled: plain robustness, that is, T = ∅. A view is the set of classes of
//! `W≠maxₓ \ dom(R ; …)` over all locations x, with `R = mo ; rf? ; hb?`; in the
//! RMW variant writes in `dom(rf ; [RMW])` are left out too. The formula of V^a
//! is read with an optional last part, without which a thread would forget its
//! own accesses when it acquires. As in the monitor, `V^w(x, x)` is empty: whoever reads
//! x is aware of its last write.
//!
//! For a non-atomic location, a view holds the threads whose copy of it the
//! owner is not aware of: the last access that the copy records, a write by anybody or
//! a read by its thread, is not in the domain of the same path with `hb?` in
//! place of R. Initialisation is known to everybody.
//!
//! SC accesses: let `S = ([SC] ; (hb ∪ mo ∪ fr) ; [SC])⁺`. An SC access e of
//! thread τ added behind a write w has an S-edge to every SC write after w in
//! mo; all S-edges into e that can close a cycle come from SC events in
//! `dom(hb? ; [E_τ])`, since in an SC run every other one (from what w passes
//! on, from accesses that precede e because they took w or older writes) comes
//! from an event older than the writes after w. So e is in order iff w is not in
//! `dom(R_S ; [E_τ])`, with `R_S = mo ; [W ∩ SC] ; S? ; [SC] ; hb?`. The monitor
//! has this set as an intersection of what the thread's own SC accesses know,
//! `mo ; [W ∩ SC] ; S? ; [SC ∩ E_τ]`, and of what has come to it by
//! synchronisation, `R_S ; sw ; [E_τ]`; all views are values of suffixes of mo,
//! so intersecting sets of values loses nothing. Reads-from on non-atomic locations
//! carries nothing here: without races it leads only where happens-before leads already.

use std::collections::BTreeSet;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_base::order::Mode;

use super::{hb, sc_order};
use crate::graph::{EventId, Graph};
use crate::models::sc::hb_sc;
use crate::monitor::Shape;
use crate::rel::Rel;

/// A view: classes of values of atomic locations, threads (by number) of copies of non-atomic ones.
pub type View = BTreeSet<(LocId, usize)>;

/// The components of SC_M, as sets. Rows are indexed by thread or by atomic location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// V_SC, M_SC and W_SC, as for release/acquire.
    pub hb_sc: [Vec<BTreeSet<LocId>>; 3],
    /// V.
    pub read: ViewSets,
    /// V_RMW.
    pub write: ViewSets,
    /// The views of SC writes, for reading and for writing; none without SC accesses.
    pub sc: Option<[ScViewSets; 2]>,
}

/// Views that travel along happens-before. Those that a program has no use for are not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewSets {
    /// V^c.
    pub current: Vec<View>,
    /// V^a, for threads that need it.
    pub acquire: Vec<Option<View>>,
    /// V^r, for threads that need it.
    pub release: Vec<Option<View>>,
    /// V^r of threads without release fences.
    pub nothing: Option<View>,
    /// V^w.
    pub location: Vec<View>,
}

/// What is known about SC writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScViewSets {
    /// What the thread's SC accesses know.
    pub own: Vec<View>,
    /// What synchronisation carries along.
    pub travelling: ViewSets,
    /// What the SC accesses of a location know.
    pub accesses: Vec<View>,
    /// What the next SC access of a thread is bound by: `own` and `travelling` together.
    pub combined: Vec<View>,
}

/// One graph with the relations that the definitions are made of.
struct Paths<'a> {
    graph: &'a Graph,
    shape: &'a Shape,
    locs: Vec<LocId>,
    hb: Rel,
    hb_sc: Rel,
    /// rf on atomic locations.
    rf: Rel,
    /// `[E⊒rel] ; ([F] ; po)? ; rf*`: to the writes that pass something on.
    passed_on: Rel,
    /// `(po ; [F])? ; [E⊒acq]`: to where it is taken up.
    taken_up: Rel,
    /// The last access that each copy of each non-atomic location records.
    last_plain: Vec<(LocId, ThreadId, EventId)>,
}

/// The paths by which what the views of a family are about comes to their owners.
struct Family {
    current: Rel,
    acquire: Rel,
    release: Rel,
    location: Rel,
}

type Entries<'a> = &'a dyn Fn(&dyn Fn(EventId) -> bool) -> View;
type ClassOf<'a> = &'a dyn Fn(LocId, Value) -> usize;

/// The meaning of the monitor of `shape` on `graph`. `class_of` gives the value class of atomic
/// locations.
pub fn meaning(graph: &Graph, shape: &Shape, class_of: impl Fn(LocId, Value) -> usize) -> Components {
    let paths = Paths::new(graph, shape);
    let [read, write] = [false, true].map(|rmw| paths.views_of_writes(rmw, &class_of));
    let sc = shape.sc_accesses.then(|| [false, true].map(|rmw| paths.views_of_sc_writes(rmw, &class_of)));
    Components { hb_sc: paths.hb_sc_aware(), read, write, sc }
}

impl<'a> Paths<'a> {
    fn new(graph: &'a Graph, shape: &'a Shape) -> Self {
        let identity = |in_set: &dyn Fn(EventId) -> bool| Rel::identity_on(graph.len(), in_set);
        let is_fence = |e: EventId| matches!(graph.label(e), Label::Fence { .. } | Label::Rmw { mode: Mode::Full, .. });
        let releases = identity(&|e| graph.label(e).mode().releases());
        let acquires = identity(&|e| graph.label(e).mode().acquires());
        let fence = identity(&is_fence);
        let rf = graph.rf().filter(|_, read| !graph.label(read).is_nonatomic());
        let hb_sc = hb_sc(graph);
        let mut last_plain = Vec::new();
        for (x, accessed_by) in shape.plain.iter().enumerate() {
            let x = LocId::from_index(x);
            for &thread in accessed_by {
                let by_thread = |e: EventId| graph.event(e).thread == Some(thread);
                let recorded =
                    |e: &EventId| graph.label(*e).loc() == Some(x) && (graph.label(*e).is_write() || by_thread(*e));
                // SC orders them all; the numbers of events need not follow the run.
                let later = |a: &EventId, b: &EventId| match hb_sc.contains(*a, *b) {
                    true => std::cmp::Ordering::Less,
                    false => std::cmp::Ordering::Greater,
                };
                last_plain.extend(graph.ids().filter(recorded).max_by(later).map(|last| (x, thread, last)));
            }
        }
        Paths {
            locs: (0..graph.locations()).map(LocId::from_index).filter(|x| shape.classes[x.index()] > 0).collect(),
            passed_on: releases.then(&fence.then(&graph.po()).optional()).then(&rf.plus().optional()),
            taken_up: graph.po().then(&fence).optional().then(&acquires),
            rf,
            hb: hb(graph),
            graph,
            shape,
            hb_sc,
            last_plain,
        }
    }

    fn threads(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.shape.threads.len()).map(ThreadId::from_index)
    }

    fn is_of(&self, event: EventId, thread: ThreadId) -> bool {
        self.graph.event(event).thread == Some(thread)
    }

    fn is_release_fence(&self, event: EventId) -> bool {
        match self.graph.label(event) {
            Label::Fence { mode } => mode.releases(),
            label => label.mode() == Mode::Full,
        }
    }

    /// The classes of the writes that are neither the last ones nor excluded.
    fn stale(&self, rmw: bool, class_of: ClassOf<'_>, excluded: &dyn Fn(EventId) -> bool) -> View {
        let graph = self.graph;
        let read_by_rmw = |w: EventId| graph.ids().any(|e| graph.label(e).is_rmw() && graph.source(e) == Some(w));
        let mut view = View::new();
        for &x in &self.locs {
            let writes = graph.writes(x);
            for &w in &writes[..writes.len() - 1] {
                if !(excluded(w) || rmw && read_by_rmw(w)) {
                    view.insert((x, class_of(x, graph.label(w).value_written().expect("a write"))));
                }
            }
        }
        view
    }

    /// The copies of non-atomic locations whose last access is not excluded.
    fn unknown_copies(&self, excluded: &dyn Fn(EventId) -> bool) -> View {
        let unknown = |&&(_, _, last): &&(LocId, ThreadId, EventId)| !self.graph.is_init(last) && !excluded(last);
        self.last_plain.iter().filter(unknown).map(|&(x, thread, _)| (x, thread.index())).collect()
    }

    /// The views of a family; `entries` gives those of a view by what it excludes.
    fn views(&self, family: &Family, entries: Entries<'_>) -> ViewSets {
        let of_thread = |path: &Rel, t: ThreadId| entries(&|w| path.reaches(w, |e| self.is_of(e, t)));
        let is_fence_of = |e: EventId, t: ThreadId| self.is_of(e, t) && self.is_release_fence(e);
        let at_fence = |t: ThreadId| entries(&|w| family.release.reaches(w, |e| is_fence_of(e, t)));
        let of_location = |y: &LocId| entries(&|w| family.location.contains(w, self.graph.last_write(*y)));
        let shape = |t: ThreadId| &self.shape.threads[t.index()];
        ViewSets {
            current: self.threads().map(|t| of_thread(&family.current, t)).collect(),
            acquire: self.threads().map(|t| shape(t).acquire_fence.then(|| of_thread(&family.acquire, t))).collect(),
            release: self.threads().map(|t| shape(t).release_fence.then(|| at_fence(t))).collect(),
            nothing: self.shape.relaxed_writes.then(|| entries(&|_| false)),
            location: self.locs.iter().map(of_location).collect(),
        }
    }

    /// V or V_RMW; V with the copies of non-atomic locations.
    fn views_of_writes(&self, rmw: bool, class_of: ClassOf<'_>) -> ViewSets {
        let family = |known: Rel| Family {
            acquire: known.then(&self.passed_on.then(&self.rf).optional()),
            location: known.then(&self.passed_on),
            release: known.clone(),
            current: known,
        };
        let aware = self.graph.mo().then(&self.graph.rf().optional()).then(&self.hb.optional());
        let mut views = self.views(&family(aware), &|excluded| self.stale(rmw, class_of, excluded));
        for (view, y) in views.location.iter_mut().zip(&self.locs) {
            view.retain(|(x, _)| x != y);
        }
        if !rmw {
            views.add(self.views(&family(self.hb.optional()), &|excluded| self.unknown_copies(excluded)));
        }
        views
    }

    /// The same about SC writes.
    fn views_of_sc_writes(&self, rmw: bool, class_of: ClassOf<'_>) -> ScViewSets {
        let is_sc = |e: EventId| self.graph.label(e).mode() == Mode::Sc;
        let sc_writes = Rel::identity_on(self.graph.len(), |e| is_sc(e) && self.graph.label(e).is_write());
        let known_to_sc = self.graph.mo().then(&sc_writes).then(&sc_order(self.graph).optional());
        let known = known_to_sc.then(&self.hb.optional());
        let family = Family {
            current: known.then(&self.passed_on).then(&self.rf).then(&self.taken_up),
            acquire: known.then(&self.passed_on).then(&self.rf),
            location: known.then(&self.passed_on),
            release: known.clone(),
        };
        let stale = |excluded: &dyn Fn(EventId) -> bool| self.stale(rmw, class_of, excluded);
        let of_thread = |path: &Rel, t: ThreadId| stale(&|w| path.reaches(w, |e| self.is_of(e, t)));
        let accesses = |x: LocId, e: EventId| self.graph.label(e).loc() == Some(x) && is_sc(e);
        ScViewSets {
            own: self.threads().map(|t| of_thread(&known_to_sc, t)).collect(),
            travelling: self.views(&family, &stale),
            accesses: self.locs.iter().map(|&x| stale(&|w| known_to_sc.reaches(w, |e| accesses(x, e)))).collect(),
            combined: self.threads().map(|t| of_thread(&known, t)).collect(),
        }
    }

    fn hb_sc_aware(&self) -> [Vec<BTreeSet<LocId>>; 3] {
        let (graph, hb_sc) = (self.graph, self.hb_sc.optional());
        let aware = |reached: &dyn Fn(EventId) -> bool| -> BTreeSet<LocId> {
            self.locs.iter().copied().filter(|&y| hb_sc.reaches(graph.last_write(y), reached)).collect()
        };
        [
            self.threads().map(|t| aware(&|e| graph.is_init(e) || self.is_of(e, t))).collect(),
            self.locs.iter().map(|&x| aware(&|e| graph.label(e).loc() == Some(x))).collect(),
            self.locs.iter().map(|&x| aware(&|e| e == graph.last_write(x))).collect(),
        ]
    }
}

impl ViewSets {
    /// All views.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut View> {
        let fenced = self.acquire.iter_mut().chain(&mut self.release).chain([&mut self.nothing]).flatten();
        self.current.iter_mut().chain(fenced).chain(&mut self.location)
    }

    /// Adds the entries of other views of the same shape.
    fn add(&mut self, mut other: ViewSets) {
        self.iter_mut().zip(other.iter_mut()).for_each(|(view, more)| view.append(more));
    }
}
