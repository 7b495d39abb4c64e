//! How many stores an attacker has to delay, so that a search for attacks misses nothing.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory Models". By locality
//! (Thm 1), one thread that delays stores is always enough. Singularity (Thm 2) says when one *store* is enough.
//! Its proof has two conditions, of which the paper states one.
//!
//! - **Stores can overtake each other.** They cannot where a thread has one queue for all stores, nor where a light
//!   fence makes one store follow another. There a thread may have to delay as many as it likes.
//! - **A read never blocks.** Suppose that two delayed stores reach memory one after the other. The proof of Prop. 3
//!   shows first that both are to one location x (its Lemma 7). Then it moves the first store before the access of x,
//!   by another thread, that closes the cycle. That access now reads another value. In the paper this does no
//!   harm, because nothing happens after it. But `wait` and `bcas` do not happen at all unless they read the
//!   right value, and an atomic section can depend on what it reads anywhere within it.
//!
//! The move is the only step of the proof that changes a value. So if no thread can block on x, one delayed
//! store to x is enough. If one can, the rest of the proof still says that all delayed stores are to x: an
//! attacker delays the first store to x and, because a buffer is a queue, every later one to x.
//!
//! Example: `x = 1; x = 1; y = 1` beside `wait(y == 1); wait(x == 0)` is not robust against PSO. Both stores to x
//! must be delayed.

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Op, Program};
use fencepost_model::{Buffers, FenceMeaning, LightFences, Model};

use crate::flow::{self, Use, locations, use_of};

/// The stores that an attacker delays, from few to many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Delays {
    /// One (singularity).
    One,
    /// One, and every later one to the same location (singularity, where reads can block).
    OneLocation,
    /// As many as it likes (locality); where there is one buffer for all, every later store.
    Many,
}

/// The fewest delays that make a search for attacks on `program` complete.
pub fn enough_delays(program: &Program, model: &dyn Model) -> Delays {
    if model.buffers() != Some(Buffers::PerLocation) || has_light_fences(program, model) {
        return Delays::Many;
    }
    let blocking = Blocking::of(program);
    let repeats = |thread| {
        let code = program.thread(thread).code.iter().enumerate();
        let mut stores = code.filter(|(_, instr)| use_of(&instr.op) == Use::Store).map(|(pc, _)| Pc::from_index(pc));
        stores.any(|store| is_awaited_again(program, model, thread, store, &blocking))
    };
    match program.thread_ids().any(repeats) {
        true => Delays::OneLocation,
        false => Delays::One,
    }
}

/// Are stores of `program` ever ordered by light fences?
fn has_light_fences(program: &Program, model: &dyn Model) -> bool {
    let light = |op: &Op| match op {
        Op::Fence { order } => *order != FenceOrder::Sc && model.fence(*order) == FenceMeaning::Light,
        Op::LightFence { .. } => model.light_fences() != LightFences::Ignored,
        _ => false,
    };
    program.threads().iter().flat_map(|thread| &thread.code).any(|instr| light(&instr.op))
}

/// While `store` is in the buffer, can its thread store again to a location that another thread blocks on?
fn is_awaited_again(program: &Program, model: &dyn Model, thread: ThreadId, store: Pc, blocking: &Blocking) -> bool {
    let stored = |pc: Pc| {
        let op = &program.instr(thread, pc).op;
        let place = op.place().filter(|_| use_of(op) == Use::Store);
        place.map_or(0..0, |place| locations(program, place))
    };
    let mut awaited = stored(store).filter(|&loc| blocking.others(loc, thread)).peekable();
    // Following the control flow costs more than looking at who reads.
    if awaited.peek().is_none() {
        return false;
    }
    let again = flow::overtakers(program, model, thread, store);
    awaited.any(|loc| again.iter().any(|overtaker| stored(overtaker.pc).contains(&loc)))
}

/// For every location, the threads that may have to read a certain value there to go on: the first, and whether
/// there are more.
struct Blocking(Vec<Option<(ThreadId, bool)>>);

impl Blocking {
    fn of(program: &Program) -> Self {
        let mut blocking = vec![None; program.locations().len()];
        for thread in program.thread_ids() {
            for (pc, instr) in program.thread(thread).code.iter().enumerate() {
                let op = &instr.op;
                let in_section = || use_of(op) != Use::Store && program.is_in_section(thread, Pc::from_index(pc));
                let blocks = matches!(op, Op::Wait { .. } | Op::BlockingCas { .. }) || in_section();
                for loc in op.place().filter(|_| blocks).map_or(0..0, |place| locations(program, place)) {
                    blocking[loc] = match blocking[loc] {
                        None => Some((thread, false)),
                        Some((first, more)) => Some((first, more || first != thread)),
                    };
                }
            }
        }
        Blocking(blocking)
    }

    /// Can a thread other than `thread` block on the location?
    fn others(&self, loc: usize, thread: ThreadId) -> bool {
        self.0[loc].is_some_and(|(first, more)| more || first != thread)
    }
}
