//! What a monitor needs to know about a program: what is accessed by whom, and how.

use std::ops::Range;
use std::sync::Arc;

use fencepost_analysis::classes::{self, Classes};
use fencepost_analysis::values::PossibleValues;
use fencepost_base::order::Mode;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{FenceMeaning, Model, PlainKind};

use super::Unsupported;
use super::bits::Table;

/// Most bits of a monitor, roughly: SPIN's states are 64 KiB at most.
const LARGEST_MONITOR: usize = 1 << 18;

/// The orders of the events that an instruction can make on one of these locations.
#[derive(Clone, Debug)]
struct Access {
    locations: Range<usize>,
    /// Of events that only read.
    reads: Option<Mode>,
    /// Of events that only write.
    writes: Option<Mode>,
    /// Of updates.
    updates: Option<Mode>,
}

/// What a monitor needs to know about a program.
pub(crate) struct Shape {
    domain: u64,
    classes: Vec<Option<Arc<Classes>>>,
    /// For every thread.
    pub(crate) threads: Vec<ThreadShape>,
    /// For every location: is it atomic, and do several threads access it?
    pub(crate) tracked: Vec<bool>,
    /// For every location: the threads that access it plainly, if they could race.
    pub(crate) contested: Vec<Vec<usize>>,
    /// For every location: is there an SC access of it?
    pub(crate) sc_accessed: Vec<bool>,
    /// For every location: is it tracked, and is there an SC write or update of it?
    pub(crate) sc_written: Vec<bool>,
    /// Are there SC fences that are events of their own?
    pub(crate) sc_fences: bool,
    readable: Vec<bool>,
    writable: Vec<bool>,
}

/// What a monitor needs to know about a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadShape {
    /// Has it a fence that acquires, and reads that do not?
    pub(crate) acquire_fence: bool,
    /// Has it a fence that releases, and writes that do not?
    pub(crate) release_fence: bool,
    /// Has it writes that do not release, and no fence that does?
    pub(crate) releases_nothing: bool,
}

impl Shape {
    pub(crate) fn new(program: &Program, model: &dyn Model, values: &PossibleValues) -> Result<Self, Unsupported> {
        let classes = classes::classes(program, values).map_err(Unsupported::new)?;
        let count = program.locations().len();
        let accesses: Vec<Vec<Access>> = program
            .threads()
            .iter()
            .map(|thread| thread.code.iter().filter_map(|instr| access(program, model, &instr.op)).collect())
            .collect();
        let of_all = |wanted: &dyn Fn(&Access) -> bool| -> Vec<bool> {
            let mut marked = vec![false; count];
            for access in accesses.iter().flatten().filter(|access| wanted(access)) {
                marked[access.locations.clone()].fill(true);
            }
            marked
        };
        let mut accessed_by = vec![0usize; count];
        for accesses in &accesses {
            let mut here = vec![0usize; count];
            for access in accesses {
                here[access.locations.clone()].fill(1);
            }
            accessed_by.iter_mut().zip(here).for_each(|(total, here)| *total += here);
        }
        let tracked: Vec<bool> = accessed_by.iter().map(|&threads| threads > 1).collect();
        let both = |a: Vec<bool>, b: Vec<bool>| -> Vec<bool> {
            a.into_iter().zip(b).zip(&tracked).map(|((a, b), &tracked)| a && b && tracked).collect()
        };
        let is_sc = |mode: Option<Mode>| mode == Some(Mode::Sc);
        let shape = Shape {
            domain: program.domain(),
            threads: program
                .threads()
                .iter()
                .zip(&accesses)
                .map(|(thread, accesses)| {
                    let fences = |orders: fn(Mode) -> bool| {
                        thread.code.iter().any(|instr| fence_mode(model, &instr.op).is_some_and(orders))
                    };
                    thread_shape(
                        accesses.iter().filter(|access| tracked[access.locations.clone()].contains(&true)),
                        fences,
                    )
                })
                .collect(),
            contested: contested(program),
            sc_accessed: of_all(&|access| is_sc(access.reads) || is_sc(access.writes) || is_sc(access.updates)),
            sc_written: both(of_all(&|access| is_sc(access.writes) || is_sc(access.updates)), tracked.clone()),
            sc_fences: program
                .threads()
                .iter()
                .flat_map(|thread| &thread.code)
                .any(|instr| is_sc(fence_mode(model, &instr.op))),
            readable: both(
                of_all(&|access| access.reads.is_some()),
                of_all(&|access| access.writes.is_some() || access.updates.is_some()),
            ),
            writable: both(
                of_all(&|access| access.writes.is_some() || access.updates.is_some()),
                of_all(&|access| access.writes.is_some()),
            ),
            tracked,
            classes,
        };
        shape.check_size()?;
        Ok(shape)
    }

    /// The columns of values that could be read although they are not the last.
    pub(crate) fn readable(&self) -> Table {
        self.table(&self.readable)
    }

    /// The columns of values that could be written after although they are not the last.
    pub(crate) fn writable(&self) -> Table {
        self.table(&self.writable)
    }

    fn table(&self, wanted: &[bool]) -> Table {
        let classes = self.classes.iter().zip(wanted);
        Table::new(classes.map(|(classes, &wanted)| classes.clone().filter(|_| wanted)).collect(), self.domain)
    }

    fn check_size(&self) -> Result<(), Unsupported> {
        let locations = self.tracked.iter().filter(|&&tracked| tracked).count();
        let wanted = self.readable.iter().zip(&self.writable).zip(&self.classes);
        let columns: usize = wanted
            .filter(|((readable, writable), _)| **readable || **writable)
            .map(|(_, classes)| classes.as_ref().map_or(0, |classes| classes.representatives().len()))
            .sum();
        let rows = self.threads.len() + locations;
        if rows.saturating_mul(2 * columns + 2 * locations) > LARGEST_MONITOR {
            return Err(Unsupported::new(format!(
                "a monitor of {} threads and {locations} locations with {columns} values to tell apart is too large for SPIN",
                self.threads.len()
            )));
        }
        Ok(())
    }
}

fn thread_shape<'a>(
    accesses: impl Iterator<Item = &'a Access> + Clone,
    fences: impl Fn(fn(Mode) -> bool) -> bool,
) -> ThreadShape {
    let relaxed = |mode: Option<Mode>, orders: fn(Mode) -> bool| mode.is_some_and(|mode| !orders(mode));
    let reads =
        accesses.clone().any(|access| relaxed(access.reads, Mode::acquires) || relaxed(access.updates, Mode::acquires));
    let writes = accesses
        .clone()
        .any(|access| relaxed(access.writes, Mode::releases) || relaxed(access.updates, Mode::releases));
    ThreadShape {
        acquire_fence: reads && fences(Mode::acquires),
        release_fence: writes && fences(Mode::releases),
        releases_nothing: writes && !fences(Mode::releases),
    }
}

/// The order of an instruction that is a fence of some kind in the model.
fn fence_mode(model: &dyn Model, op: &Op) -> Option<Mode> {
    let Op::Fence { order } = op else { return None };
    match model.fence(*order) {
        FenceMeaning::Nothing | FenceMeaning::Light => None,
        FenceMeaning::Event => Some((*order).into()),
        FenceMeaning::HiddenRmw => Some(Mode::Full),
    }
}

fn access(program: &Program, model: &dyn Model, op: &Op) -> Option<Access> {
    let (reads, writes, updates) = match op {
        Op::Load { order, .. } | Op::Wait { order, .. } => (Some((*order).into()), None, None),
        Op::Store { order, .. } => (None, Some((*order).into()), None),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } => (None, None, Some((*order).into())),
        Op::Cas { success, failure, .. } => (Some((*failure).into()), None, Some((*success).into())),
        Op::Fence { order } if model.fence(*order) == FenceMeaning::HiddenRmw => (None, None, Some(Mode::Full)),
        _ => return None,
    };
    let locations = match op.place() {
        Some(place) => locations(program, place),
        None => program.fence_location().map_or(0..0, |loc| loc.index()..loc.index() + 1),
    };
    Some(Access { locations, reads, writes, updates })
}

/// The locations that a place can be.
pub(crate) fn locations(program: &Program, place: &Place) -> Range<usize> {
    match place {
        Place::Fixed(loc) => loc.index()..loc.index() + 1,
        Place::Element { array, index } => {
            let array = program.array(*array);
            let (base, len) = (array.base.index(), array.len as usize);
            match index.as_constant(program.domain()).map(usize::try_from) {
                Some(Ok(index)) if index < len => base + index..base + index + 1,
                Some(_) => base..base,
                None => base..base + len,
            }
        }
    }
}

/// The plain access that an instruction makes.
pub(crate) fn plain(op: &Op) -> Option<(PlainKind, &Place)> {
    match op {
        Op::PlainLoad { place, .. } => Some((PlainKind::Read, place)),
        Op::PlainStore { place, .. } => Some((PlainKind::Write, place)),
        _ => None,
    }
}

/// For every location, the threads that access it plainly, if there are several and one of them
/// writes.
pub(crate) fn contested(program: &Program) -> Vec<Vec<usize>> {
    let mut threads: Vec<Vec<usize>> = vec![Vec::new(); program.locations().len()];
    let mut written = vec![false; program.locations().len()];
    for thread in program.thread_ids() {
        for (kind, place) in program.thread(thread).code.iter().filter_map(|instr| plain(&instr.op)) {
            for loc in locations(program, place) {
                written[loc] |= kind == PlainKind::Write;
                if threads[loc].last() != Some(&thread.index()) {
                    threads[loc].push(thread.index());
                }
            }
        }
    }
    for (threads, written) in threads.iter_mut().zip(written) {
        if threads.len() < 2 || !written {
            threads.clear();
        }
    }
    threads
}
