//! How many stores an attacker has to delay, so that a search for attacks misses nothing.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory
//! Models". By locality (Thm 1), one thread that delays stores is always enough. Singularity
//! (Thm 2) says when one *store* is enough. Its proof has two conditions, of which the paper states
//! one.
//!
//! - **Stores can overtake each other.** They cannot where a thread has one queue for all stores,
//!   nor where a light fence makes one store follow another. There a thread may have to delay as
//!   many as it likes.
//! - **A read never blocks.** Suppose that two delayed stores reach memory one after the other. The
//!   proof of Prop. 3 shows first that both are to one location x (its Lemma 7). Then it moves the
//!   first store before the access of x, by another thread, that closes the cycle. That access now
//!   reads another value. In the paper this does no harm, because nothing happens after it. But
//!   `wait` and `bcas` do not happen at all unless they read the right value, and an atomic section
//!   can depend on what it reads anywhere within it.
//!
//! The move is the only step of the proof that changes a value. So if no thread can block on x, one
//! delayed store to x is enough. If one can, the rest of the proof still says that all delayed
//! stores are to x: an attacker delays the first store to x and, because a buffer is a queue, every
//! later one to x.
//!
//! Example: `x = 1; x = 1; y = 1` beside `wait(y == 1); wait(x == 0)` is not robust against PSO.
//! Both stores to x must be delayed.

use std::collections::HashMap;

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_base::order::FenceOrder;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{Buffers, FenceMeaning, LightFences, Model};

use crate::flow::{self, Few, Use, locations, use_of};

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

/// Places of a thread's stores whose ways are followed. With more of them it is not worth the time:
/// delaying more than is needed is right, too.
const MOST_PLACES: usize = 100;

/// The fewest delays that make a search for attacks on `program` complete.
pub fn enough_delays(program: &Program, model: &dyn Model) -> Delays {
    if model.buffers() != Some(Buffers::PerLocation) || has_light_fences(program, model) {
        return Delays::Many;
    }
    let blocking = Blocking::of(program);
    match program.thread_ids().any(|thread| stores_again(program, model, thread, &blocking)) {
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

/// Can `thread` store to a location that another thread blocks on while an earlier store to it is
/// in the buffer?
fn stores_again(program: &Program, model: &dyn Model, thread: ThreadId, blocking: &Blocking) -> bool {
    let code = &program.thread(thread).code;
    let place = |pc: usize| code[pc].op.place().filter(|_| use_of(&code[pc].op) == Use::Store);
    let awaited = |place: &Place| locations(program, place).filter(|&loc| blocking.others(loc, thread));
    let mut stores: HashMap<&Place, Vec<Pc>> = HashMap::new();
    for pc in 0..code.len() {
        if let Some(place) = place(pc).filter(|place| awaited(place).next().is_some()) {
            stores.entry(place).or_default().push(Pc::from_index(pc));
        }
    }
    stores.len() > MOST_PLACES
        || stores.iter().any(|(first, stores)| {
            let overlaps = |other: &Place| awaited(first).any(|loc| locations(program, other).contains(&loc));
            let again = (0..code.len()).map(|pc| place(pc).is_some_and(overlaps)).collect();
            let ways = flow::Ways::new(program, model, thread, again);
            stores.iter().any(|&store| ways.overtakers(store).next().is_some())
        })
}

/// For every location, the threads that may have to read a certain value there to go on.
struct Blocking(Vec<Few>);

impl Blocking {
    fn of(program: &Program) -> Self {
        let mut blocking = vec![Few::default(); program.locations().len()];
        for thread in program.thread_ids() {
            for (pc, instr) in program.thread(thread).code.iter().enumerate() {
                let op = &instr.op;
                let in_section = || use_of(op) != Use::Store && program.is_in_section(thread, Pc::from_index(pc));
                let blocks = matches!(op, Op::Wait { .. } | Op::BlockingCas { .. }) || in_section();
                if let Some(place) = op.place().filter(|_| blocks) {
                    blocking[locations(program, place)].iter_mut().for_each(|threads| threads.add(thread));
                }
            }
        }
        Blocking(blocking)
    }

    /// Can a thread other than `thread` block on the location?
    fn others(&self, loc: usize, thread: ThreadId) -> bool {
        self.0[loc].has_other_than(thread)
    }
}
