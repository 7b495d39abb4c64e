//! Partial-order reduction: which threads can be tried alone?
//!
//! Papers: Godefroid, "Partial-Order Methods for the Verification of Concurrent Systems" (1996),
//! for persistent sets; Bošnački and Holzmann, "Improving Spin's partial-order reduction for
//! breadth-first search" (SPIN 2005), for the condition on cycles that the search checks.
//!
//! **Independence.** Two steps of different threads are independent if they touch different
//! locations, or only read. In either order they give the same execution graph. Hence they give the
//! same memory *and* the same monitor, which is a function of the graph (PLDI 2019, Lemma 5.2; POPL
//! 2021, Thm 5.5). Whether a thread could use a stale write of x depends on its own past and on the
//! writes to x. So to be ready for an access counts as a read of x, also when SC memory blocks the
//! access.
//!
//! **Persistent sets.** A set T of threads is persistent in a state if whatever the other threads
//! do, as long as those in T do nothing, is independent of the next steps of T. What the others can
//! do is over-approximated by the accesses in their code from where they are. Threads blocked in a
//! `wait` or blocking compare-and-swap do nothing until somebody writes that location.
//!
//! **Sound.** Take a run from the state that leaves SC. Either it contains a step of T, which can
//! be moved to its front. Or it contains none, and then it is possible after any step of T as well.
//! The second case must not repeat for ever. So the search insists on a step of T that leads to a
//! state not yet expanded, and tries all threads otherwise.
//!
//! **Atomic sections.** A section is one step that touches several locations. If it leaves no
//! choice, these are the locations that it touches now: it touches others only after somebody has
//! written one of them. Otherwise they are all that its code can touch. A section that blocks
//! before there is a choice does nothing until somebody writes what it has touched.

use fencepost_base::ids::LocId;

use crate::compile::{Access, CompiledThread, Step};
use crate::system::ThreadSet;

/// A set of locations; beyond 64, several locations share a bit, which only makes more steps
/// dependent.
type LocSet = u64;

/// What the code of every thread can access from every instruction on, and from there first.
pub(crate) struct Futures {
    threads: Vec<Vec<Future>>,
    first: Vec<Vec<Future>>,
    /// The same up to the end of a section.
    sections: Vec<Vec<Future>>,
}

/// Locations read or written, and locations written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Future {
    accessed: LocSet,
    written: LocSet,
}

impl Future {
    /// Adds an access to `loc`.
    pub(crate) fn add(&mut self, loc: LocId, writes: bool) {
        self.accessed |= bit(loc);
        self.written |= if writes { bit(loc) } else { 0 };
    }
}

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Nothing any more.
    Nothing,
    /// Something that concerns nobody else.
    Local,
    /// An access that SC memory allows.
    Access { loc: LocId, writes: bool },
    /// A fence that nobody notices now, and with it the access after it, whatever that is.
    Fence,
    /// An access that SC memory blocks until somebody writes the location.
    Blocked(LocId),
    /// An atomic section.
    Section,
    /// An atomic section that SC memory blocks until somebody writes a location that it touches.
    BlockedSection,
}

impl Next {
    /// Can the thread take a step now?
    fn is_enabled(self) -> bool {
        matches!(self, Next::Local | Next::Access { .. } | Next::Fence | Next::Section)
    }
}

fn bit(loc: LocId) -> LocSet {
    1 << (loc.index() % 64)
}

impl Futures {
    /// Looks ahead in the code of `threads`.
    pub(crate) fn of(threads: &[CompiledThread]) -> Self {
        let of = |passes: fn(&Step) -> bool| threads.iter().map(|thread| futures(thread, passes)).collect();
        Futures {
            threads: of(|_| true),
            first: of(|step| match step {
                Step::Access(access) => access.private || access.fence_location().is_some(),
                _ => true,
            }),
            sections: of(|step| !matches!(step, Step::Leave)),
        }
    }

    /// What the code of the section that begins at `pc` can touch.
    pub(crate) fn section(&self, t: usize, pc: u32) -> Future {
        self.sections[t][pc as usize]
    }

    /// Adds the persistent sets found, given what every thread (at most 64) does next and where it
    /// is, and what those at a section touch in it.
    pub(crate) fn persistent(&self, next: &[(Next, u32)], sections: &[Future], sets: &mut Vec<ThreadSet>) {
        let mut threads = [Reach::default(); ThreadSet::BITS as usize];
        let mut all: ThreadSet = 0;
        for (t, &(step, pc)) in next.iter().enumerate().filter(|(_, (step, _))| step.is_enabled()) {
            all |= 1 << t;
            let step = match step {
                Next::Access { loc, writes } => {
                    Future { accessed: bit(loc), written: if writes { bit(loc) } else { 0 } }
                }
                Next::Fence => self.first[t][pc as usize],
                Next::Section => sections[t],
                Next::Nothing | Next::Local | Next::Blocked(_) | Next::BlockedSection => Future::default(),
            };
            threads[t] = Reach { step, reach: self.reach(next, sections, t) };
        }
        if all.count_ones() < 2 {
            return;
        }
        for t in 0..next.len() {
            if all >> t & 1 == 1 {
                let set = closure(&threads[..next.len()], all, 1 << t);
                if set != all && !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        sets.sort_by_key(|set| set.count_ones());
    }

    fn future(&self, next: &[(Next, u32)], t: usize) -> Future {
        self.threads[t].get(next[t].1 as usize).copied().unwrap_or_default()
    }

    /// What thread `t` may do, and the blocked threads that it may wake.
    fn reach(&self, next: &[(Next, u32)], sections: &[Future], t: usize) -> Future {
        let mut reach = self.future(next, t);
        let mut woken: ThreadSet = 0;
        loop {
            let sleeper = next.iter().enumerate().find(|(other, (step, _))| {
                woken >> other & 1 == 0
                    && match step {
                        Next::Blocked(loc) => reach.written & bit(*loc) != 0,
                        Next::BlockedSection => reach.written & sections[*other].accessed != 0,
                        _ => false,
                    }
            });
            let Some((sleeper, _)) = sleeper else { return reach };
            woken |= 1 << sleeper;
            let future = self.future(next, sleeper);
            reach.accessed |= future.accessed;
            reach.written |= future.written;
        }
    }
}

/// What an enabled thread does next, and what it and those that it wakes may do from now on.
#[derive(Clone, Copy, Debug, Default)]
struct Reach {
    step: Future,
    reach: Future,
}

/// The smallest persistent set that contains `set`, as far as this analysis can tell: as long as
/// there is an enabled thread outside that may do, or let others do, something that depends on the
/// next steps of the set, it is added.
fn closure(threads: &[Reach], all: ThreadSet, mut set: ThreadSet) -> ThreadSet {
    let mut looked_at: ThreadSet = 0;
    let (mut accessed, mut written) = (0, 0);
    while set != looked_at {
        for t in (0..threads.len()).filter(|t| (set & !looked_at) >> t & 1 == 1) {
            accessed |= threads[t].step.accessed;
            written |= threads[t].step.written;
        }
        looked_at = set;
        for (t, Reach { reach, .. }) in threads.iter().enumerate().filter(|(t, _)| (all & !looked_at) >> t & 1 == 1) {
            if reach.written & accessed != 0 || reach.accessed & written != 0 {
                set |= 1 << t;
            }
        }
    }
    set
}

/// Backward data-flow analysis on the control-flow graph of one thread, which does not look beyond
/// instructions that are not to be passed.
fn futures(thread: &CompiledThread, passes: fn(&Step) -> bool) -> Vec<Future> {
    let own = |access: &Access| {
        // Neighbours have different bits, so there are no others beyond as many of them as there
        // are bits.
        let locations = access.target.locations().take(LocSet::BITS as usize);
        let accessed = locations.map(|loc| bit(LocId::from_index(loc))).fold(0, |a, b| a | b);
        Future { accessed, written: if access.only_reads() { 0 } else { accessed } }
    };
    let mut futures: Vec<Future> = vec![Future::default(); thread.steps.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..futures.len()).rev() {
            let access = thread.access(pc as u32).filter(|access| !access.private);
            let mut future = access.map_or(Future::default(), own);
            if passes(&thread.steps[pc]) {
                for &next in &thread.next[pc] {
                    future.accessed |= futures[next as usize].accessed;
                    future.written |= futures[next as usize].written;
                }
            }
            changed |= future != futures[pc];
            futures[pc] = future;
        }
    }
    futures
}
