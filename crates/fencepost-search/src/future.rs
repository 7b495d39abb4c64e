//! What threads can still do to memory, as far as their control flow tells, and who of them waits
//! in vain.

use std::ops::Range;

use fencepost_analysis::interpreter::Rest;
use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{FenceMeaning, Graph, Model};
use fencepost_verdict::{Budget, Reason};

use crate::threads::{StateId, Threads};

/// Instructions between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 10;

/// For every thread, instruction and location: over-approximations that know no values. `fence` is
/// the location that SC fences update.
pub(crate) struct Future {
    written: Vec<Closure>,
    accessed: Vec<Closure>,
}

impl Future {
    /// # Errors
    /// When it takes more time or memory than there is.
    pub(crate) fn new(program: &Program, fence: Option<LocId>, budget: &Budget<'_>) -> Result<Self, Reason> {
        let words = program.locations().len().div_ceil(64) as u64;
        let instructions: u64 = program.threads().iter().map(|thread| thread.code.len() as u64).sum();
        if 2 * 8 * words * instructions > budget.max_bytes {
            return Err(Reason::Memory(budget.max_bytes));
        }
        let of = |counts: &dyn Fn(&Op) -> bool| -> Result<Vec<Closure>, Reason> {
            program.thread_ids().map(|thread| Closure::of(program, fence, thread, counts, &|_| false, budget)).collect()
        };
        let writes = |op: &Op| !matches!(op, Op::Load { .. } | Op::PlainLoad { .. } | Op::Wait { .. });
        Ok(Future { written: of(&writes)?, accessed: of(&|_| true)? })
    }

    pub(crate) fn bytes(&self) -> u64 {
        let bytes = |closures: &[Closure]| closures.iter().map(Closure::bytes).sum::<u64>();
        bytes(&self.written) + bytes(&self.accessed)
    }

    /// Can the thread, in this state, still write to `loc`?
    pub(crate) fn writes(&self, threads: &Threads<'_>, thread: ThreadId, state: StateId, loc: LocId) -> bool {
        self.written[thread.index()].holds(threads.local(thread, state).pc, loc)
    }

    /// Can it still access `loc`?
    pub(crate) fn accesses(&self, threads: &Threads<'_>, thread: ThreadId, state: StateId, loc: LocId) -> bool {
        self.accessed[thread.index()].holds(threads.local(thread, state).pc, loc)
    }
}

/// The location that an SC fence updates in the model, if it does.
pub(crate) fn hidden(program: &Program, model: &dyn Model) -> Option<LocId> {
    program.fence_location().filter(|_| model.fence(FenceOrder::Sc) == FenceMeaning::HiddenRmw)
}

/// The locations that an instruction may access, `fence` being that of SC fences.
pub(crate) fn touched(program: &Program, fence: Option<LocId>, op: &Op) -> Range<usize> {
    match (op.place(), op) {
        (Some(Place::Fixed(loc)), _) => loc.index()..loc.index() + 1,
        (Some(Place::Element { array, .. }), _) => {
            let array = program.array(*array);
            array.base.index()..array.base.index() + array.len as usize
        }
        (None, Op::Fence { order: FenceOrder::Sc }) => fence.map_or(0..0, |fence| fence.index()..fence.index() + 1),
        _ => 0..0,
    }
}

/// A partial execution in which some reads are put off.
pub(crate) struct Waiting<'a> {
    pub(crate) threads: &'a Threads<'a>,
    pub(crate) future: &'a Future,
    pub(crate) graph: &'a Graph,
    pub(crate) locals: &'a [StateId],
    /// For every thread whose read is put off, the number of events there were.
    pub(crate) put_off: &'a [Option<u32>],
}

impl Waiting<'_> {
    /// For every thread: can it go on, now or when others have? `waiting` is taken to be put off
    /// now.
    pub(crate) fn alive(&self, waiting: Option<ThreadId>) -> Vec<bool> {
        let thread_ids = || self.threads.program().thread_ids();
        let can_go_on = |thread: ThreadId| match self.rest(thread) {
            Rest::Access(access) => {
                Some(thread) != waiting && is_awake(self.graph, self.put_off[thread.index()], access.loc)
            }
            Rest::Fence(_) | Rest::Choice(_) => self.put_off[thread.index()].is_none(),
            _ => false,
        };
        let mut alive: Vec<bool> = thread_ids().map(can_go_on).collect();
        loop {
            let writes = |other: ThreadId, loc| {
                alive[other.index()] && self.future.writes(self.threads, other, self.locals[other.index()], loc)
            };
            let awakes = |thread: &ThreadId| match self.rest(*thread) {
                Rest::Access(access) if !alive[thread.index()] => {
                    thread_ids().any(|other| other != *thread && writes(other, access.loc))
                }
                _ => false,
            };
            match thread_ids().find(awakes) {
                Some(thread) => alive[thread.index()] = true,
                None => return alive,
            }
        }
    }

    fn rest(&self, thread: ThreadId) -> &Rest {
        self.threads.rest_of(thread, self.locals[thread.index()])
    }
}

/// Is there something to read from that was not there when the read was put off?
pub(crate) fn is_awake(graph: &Graph, put_off: Option<u32>, loc: LocId) -> bool {
    put_off.is_none_or(|mark| graph.writes(loc).iter().any(|w| w.0 >= mark))
}

/// For every instruction of a thread, the locations of the instructions that count from there on.
pub(crate) struct Closure {
    /// Words of one instruction: a bit for every location.
    words: usize,
    bits: Vec<u64>,
}

impl Closure {
    /// Nothing counts that comes only after an instruction that stops.
    pub(crate) fn of(
        program: &Program,
        fence: Option<LocId>,
        thread: ThreadId,
        counts: &dyn Fn(&Op) -> bool,
        stops: &dyn Fn(&Op) -> bool,
        budget: &Budget<'_>,
    ) -> Result<Closure, Reason> {
        let code = &program.thread(thread).code;
        let words = program.locations().len().div_ceil(64);
        let mut bits = vec![0u64; words * code.len()];
        for (set, instr) in bits.chunks_mut(words.max(1)).zip(code) {
            if counts(&instr.op) {
                touched(program, fence, &instr.op).for_each(|loc| set[loc / 64] |= 1 << (loc % 64));
            }
        }
        // Most control flow goes forwards: from the end, until nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for pc in (0..code.len()).rev() {
                if pc.is_multiple_of(BETWEEN_LOOKS) && (budget.expired)() {
                    return Err(Reason::Time);
                }
                if stops(&code[pc].op) {
                    continue;
                }
                for next in code[pc].op.successors(Pc::from_index(pc)) {
                    for word in 0..words {
                        let more = bits[next.index() * words + word];
                        let mine = &mut bits[pc * words + word];
                        changed |= *mine | more != *mine;
                        *mine |= more;
                    }
                }
            }
        }
        Ok(Closure { words, bits })
    }

    pub(crate) fn bytes(&self) -> u64 {
        8 * self.bits.len() as u64
    }

    /// Is there any such location?
    pub(crate) fn is_empty(&self, pc: Pc) -> bool {
        self.bits[pc.index() * self.words..][..self.words].iter().all(|&word| word == 0)
    }

    pub(crate) fn holds(&self, pc: Pc, loc: LocId) -> bool {
        self.bits[pc.index() * self.words + loc.index() / 64] >> (loc.index() % 64) & 1 == 1
    }
}
