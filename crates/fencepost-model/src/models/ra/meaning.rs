//! I(G): what the components of the monitor SCM mean on an execution graph
//! (§5 of the PLDI 2019 paper), evaluated literally. Tests compare the
//! monitor with this after every step.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, ThreadId, Value};

use crate::graph::{EventId, Graph};
use crate::models::ra::hb;
use crate::models::sc::hb_sc;

/// The components of SCM, as sets. Rows are indexed by thread or location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// V_SC(τ): the locations whose last write the thread is hb_SC-aware of.
    pub v_sc: Vec<BTreeSet<LocId>>,
    /// M_SC(x): the locations whose last write has an hb_SC-path to some access of x.
    pub m_sc: Vec<BTreeSet<LocId>>,
    /// W_SC(x): the locations whose last write has an hb_SC-path to the last write of x.
    pub w_sc: Vec<BTreeSet<LocId>>,
    /// V(τ): for each location, the classes of values the thread may still read besides the last
    /// write's.
    pub v: Vec<BTreeSet<(LocId, usize)>>,
    /// W(x): the same for a thread that has just read the last write of x.
    pub w: Vec<BTreeSet<(LocId, usize)>>,
    /// V_RMW(τ): the same for writes that no read-modify-write has read.
    pub v_rmw: Vec<BTreeSet<(LocId, usize)>>,
    /// W_RMW(x): the same for W.
    pub w_rmw: Vec<BTreeSet<(LocId, usize)>>,
}

/// I(G) for a program with `threads` threads. `class_of` gives the value
/// class, or `None` if the location is not monitored.
pub fn meaning(graph: &Graph, threads: usize, class_of: impl Fn(LocId, Value) -> Option<usize>) -> Components {
    let hb_sc = hb_sc(graph).optional();
    let observed = graph.mo().then(&hb(graph).optional());
    let tids: Vec<ThreadId> = (0..threads).map(ThreadId::from_index).collect();
    let monitored = |loc: &LocId| {
        let init = graph.label(graph.writes(*loc)[0]).value_written().expect("initialisation writes");
        class_of(*loc, init).is_some()
    };
    let locs: Vec<LocId> = (0..graph.locations()).map(LocId::from_index).filter(monitored).collect();
    let of_thread = |e: EventId, thread: ThreadId| graph.event(e).thread == Some(thread);
    let accesses = |e: EventId, loc: LocId| graph.label(e).loc() == Some(loc);
    let aware = |reached: &dyn Fn(EventId) -> bool| -> BTreeSet<LocId> {
        locs.iter().copied().filter(|&y| hb_sc.reaches(graph.last_write(y), reached)).collect()
    };
    let read_by_rmw = |w: EventId| graph.ids().any(|e| graph.label(e).is_rmw() && graph.source(e) == Some(w));
    let stale = |excluded: &dyn Fn(EventId) -> bool| -> BTreeSet<(LocId, usize)> {
        let mut classes = BTreeSet::new();
        for &x in &locs {
            let writes = graph.writes(x);
            for &w in &writes[..writes.len() - 1] {
                if !excluded(w) {
                    let value = graph.label(w).value_written().expect("a write");
                    classes.insert((x, class_of(x, value).expect("every written value has a class")));
                }
            }
        }
        classes
    };
    let seen_by_thread = |w: EventId, thread: ThreadId| observed.reaches(w, |e| of_thread(e, thread));
    let seen_by_write = |w: EventId, y: LocId| observed.contains(w, graph.last_write(y));
    Components {
        v_sc: tids.iter().map(|&t| aware(&|e| graph.is_init(e) || of_thread(e, t))).collect(),
        m_sc: locs.iter().map(|&x| aware(&|e| accesses(e, x))).collect(),
        w_sc: locs.iter().map(|&x| aware(&|e| e == graph.last_write(x))).collect(),
        v: tids.iter().map(|&t| stale(&|w| seen_by_thread(w, t))).collect(),
        w: locs.iter().map(|&y| stale(&|w| seen_by_write(w, y))).collect(),
        v_rmw: tids.iter().map(|&t| stale(&|w| seen_by_thread(w, t) || read_by_rmw(w))).collect(),
        w_rmw: locs.iter().map(|&y| stale(&|w| seen_by_write(w, y) || read_by_rmw(w))).collect(),
    }
}
