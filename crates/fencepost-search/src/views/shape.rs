//! What a program needs of the machine, as its code tells: columns of views, views of threads, and
//! which writes may pass on less than their threads know.

use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_base::order::{FenceOrder, Mode};
use fencepost_ir::{LocationKind, Op, Program};
use fencepost_model::{FenceMeaning, Model, Views};
use fencepost_verdict::{Budget, Reason};

use crate::future::{Closure, hidden, touched};

/// The shape of states, and what is known of threads.
pub(super) struct Shape {
    /// Columns of a view.
    pub(super) columns: usize,
    /// For every location: has it plain accesses only?
    pub(super) is_plain: Vec<bool>,
    /// For every plain location: who reads it, and the column for that.
    pub(super) readers: Vec<Vec<(ThreadId, usize)>>,
    /// For every thread: has it a view of what an acquire fence would let it know?
    pub(super) acquire: Vec<bool>,
    /// For every thread: has it a view of what its last release fence passes on?
    pub(super) release: Vec<bool>,
    /// Do writes come after all others to their location?
    pub(super) appends: bool,
    /// Does the model permit all that the machine does?
    pub(super) is_exact: bool,
    /// The location that SC fences update here.
    pub(super) fence: Option<LocId>,
    /// For every thread, the writes that do not release and need not be behind a release fence:
    /// stores and updates. None where every write releases.
    bare: Vec<[Closure; 2]>,
    /// The locations of such updates.
    pub(super) updated_bare: Vec<LocId>,
    /// For every thread, its writes that are not plain.
    published: Vec<Closure>,
}

impl Shape {
    /// # Errors
    /// When it takes more time or memory than there is.
    pub(super) fn new(
        program: &Program,
        model: &dyn Model,
        views: Views,
        budget: &Budget<'_>,
    ) -> Result<Shape, Reason> {
        let is_plain: Vec<bool> =
            program.locations().iter().map(|location| location.kind == LocationKind::NonAtomic).collect();
        let (readers, columns) = readers(program);
        let size = columns as u64 * (3 * program.threads().len() + is_plain.len()) as u64;
        if size > budget.max_bytes {
            return Err(Reason::Memory(budget.max_bytes));
        }
        let code = |thread: ThreadId| program.thread(thread).code.iter().map(|instr| &instr.op);
        let all = || program.thread_ids().flat_map(code);
        let reads_weakly = |op: &Op| reading(op).any(|mode| !model.acquires(mode));
        let writes_weakly = |op: &Op| writing(op).is_some_and(|mode| !model.releases(mode));
        let is_synchronised = !all().any(|op| reads_weakly(op) || writes_weakly(op));
        let fences = |thread, does: fn(Mode) -> bool| code(thread).any(|op| fence(model, op).is_some_and(does));
        let acquire = |thread| code(thread).any(reads_weakly) && fences(thread, Mode::acquires);
        let release = |thread| code(thread).any(writes_weakly) && fences(thread, Mode::releases);
        // What the machine leaves out: the order of SC accesses, and of SC fences that are events.
        // If all accesses synchronise, an SC fence may as well be an update of a hidden location.
        let is_sc = |op: &Op| reading(op).chain(writing(op)).any(|mode| mode == Mode::Sc);
        let has_sc_order = model.declaration().repairs.sc_accesses && all().any(is_sc);
        let sc_fences = program.fence_location().filter(|_| model.fence(FenceOrder::Sc) == FenceMeaning::Event);
        let hidden = hidden(program, model).or(sc_fences.filter(|_| is_synchronised));
        let closures = |counts: &dyn Fn(&Op) -> bool, stops: &dyn Fn(&Op) -> bool| {
            let of = |thread| Closure::of(program, hidden, thread, counts, stops, budget);
            program.thread_ids().map(of).collect::<Result<Vec<Closure>, Reason>>()
        };
        let stops = |op: &Op| fence(model, op).is_some_and(Mode::releases);
        let is_store = |op: &Op| matches!(op, Op::Store { .. });
        let bare = match all().any(writes_weakly) {
            true => {
                let stores = closures(&|op| writes_weakly(op) && is_store(op), &stops)?;
                let updates = closures(&|op| writes_weakly(op) && !is_store(op), &stops)?;
                stores.into_iter().zip(updates).map(|(stores, updates)| [stores, updates]).collect()
            }
            false => Vec::new(),
        };
        let is_updated_bare = |loc: &LocId| {
            let updates = |op: &Op| writes_weakly(op) && !is_store(op);
            all().any(|op| updates(op) && touched(program, hidden, op).contains(&loc.index()))
        };
        let publishes = |op: &Op| writing(op).is_some() || matches!(op, Op::Fence { .. });
        Ok(Shape {
            columns,
            readers,
            acquire: program.thread_ids().map(acquire).collect(),
            release: program.thread_ids().map(release).collect(),
            appends: views == Views::Last,
            is_exact: !has_sc_order && (sc_fences.is_none() || is_synchronised),
            fence: hidden,
            bare,
            updated_bare: (0..is_plain.len()).map(LocId::from_index).filter(is_updated_bare).collect(),
            published: closures(&publishes, &|_| false)?,
            is_plain,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bare.iter().flatten().chain(&self.published).map(Closure::bytes).sum()
    }

    /// Are there writes that need not pass on what their thread knows?
    pub(super) fn has_bare_writes(&self) -> bool {
        !self.bare.is_empty()
    }

    /// Can the thread, from this instruction on, store to `loc` what passes on no more than its last
    /// release fence?
    pub(super) fn stores_bare(&self, thread: ThreadId, pc: Pc, loc: LocId) -> bool {
        self.bare.get(thread.index()).is_some_and(|[stores, _]| stores.holds(pc, loc))
    }

    /// The same for updates, which pass on what they read, too.
    pub(super) fn updates_bare(&self, thread: ThreadId, pc: Pc, loc: LocId) -> bool {
        self.bare.get(thread.index()).is_some_and(|[_, updates]| updates.holds(pc, loc))
    }

    /// Can the thread, from this instruction on, pass anything on?
    pub(super) fn publishes(&self, thread: ThreadId, pc: Pc) -> bool {
        !self.published[thread.index()].is_empty(pc)
    }
}

/// For every location, who reads it plainly, each with a column behind those of locations; and how
/// many columns that makes.
fn readers(program: &Program) -> (Vec<Vec<(ThreadId, usize)>>, usize) {
    let mut columns = program.locations().len();
    let mut readers: Vec<Vec<(ThreadId, usize)>> = vec![Vec::new(); columns];
    for thread in program.thread_ids() {
        for instr in &program.thread(thread).code {
            if !matches!(instr.op, Op::PlainLoad { .. }) {
                continue;
            }
            for loc in touched(program, None, &instr.op) {
                if readers[loc].last().is_none_or(|(last, _)| *last != thread) {
                    readers[loc].push((thread, columns));
                    columns += 1;
                }
            }
        }
    }
    (readers, columns)
}

/// The orders with which an instruction can read, if not plainly.
fn reading(op: &Op) -> impl Iterator<Item = Mode> {
    let (one, other) = match op {
        Op::Load { order, .. } | Op::Wait { order, .. } => (Some((*order).into()), None),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } => (Some((*order).into()), None),
        Op::Cas { success, failure, .. } => (Some((*success).into()), Some((*failure).into())),
        _ => (None, None),
    };
    one.into_iter().chain(other)
}

/// The order with which an instruction can write, if not plainly.
fn writing(op: &Op) -> Option<Mode> {
    match op {
        Op::Store { order, .. } => Some((*order).into()),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } | Op::Cas { success: order, .. } => {
            Some((*order).into())
        }
        _ => None,
    }
}

/// The order of a fence, if the instruction is one and the model knows it.
fn fence(model: &dyn Model, op: &Op) -> Option<Mode> {
    let Op::Fence { order } = op else { return None };
    match model.fence(*order) {
        FenceMeaning::Nothing | FenceMeaning::Light => None,
        FenceMeaning::HiddenRmw => Some(Mode::Full),
        FenceMeaning::Event => Some((*order).into()),
    }
}
