//! Attacks, and those that the control flow rules out.
//!
//! Paper: §8 (attacks); the filter is what Trencher does for its fences, with
//! more reasons: an attack needs somebody else to access what it delays and to get in the way of what overtakes it.

use fencepost_base::ids::{Pc, ThreadId};
use fencepost_ir::{Place, Program};
use fencepost_model::{Buffers, Model};

use crate::flow::{self, Use, Users, locations, use_of};

/// A thread delays a store past a later access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attack {
    /// The attacker.
    pub thread: ThreadId,
    /// The store it delays.
    pub store: Pc,
    /// Its last access before it waits for the helpers.
    pub last: Pc,
}

/// All pairs of a store and an access of the same thread that the buffers of `model` could reorder: as many attacks
/// there are before anybody looks at the control flow.
pub fn pairs(program: &Program, model: &dyn Model) -> usize {
    let count = |wanted: fn(Use) -> bool, thread: ThreadId| {
        program.thread(thread).code.iter().filter(|instr| wanted(use_of(&instr.op))).count()
    };
    let pairs = |thread| {
        let last = match model.buffers() {
            Some(Buffers::PerLocation) => count(|usage| matches!(usage, Use::Load | Use::Store), thread),
            _ => count(|usage| usage == Use::Load, thread),
        };
        count(|usage| usage == Use::Store, thread) * last
    };
    program.thread_ids().map(pairs).sum()
}

/// The attacks on `program` that are not ruled out by looking at it: the access can be reached from the store
/// without emptying the buffers (nor, for a store, through a light fence that covers the delayed one), is not surely
/// to the same location, conflicts with another thread, and another thread accesses what is delayed. Of
/// threads that are the same, one is enough.
pub fn attacks(program: &Program, model: &dyn Model) -> Vec<Attack> {
    let Some(buffers) = model.buffers() else { return Vec::new() };
    let users = Users::of(program);
    let mut attacks = Vec::new();
    for thread in program.thread_ids().filter(|&thread| is_first_of_its_kind(program, thread)) {
        let code = &program.thread(thread).code;
        for (store, instr) in code.iter().enumerate() {
            if use_of(&instr.op) != Use::Store || program.is_in_section(thread, Pc::from_index(store)) {
                continue;
            }
            let store = Pc::from_index(store);
            let delayed = instr.op.place().expect("a store has a place");
            if !locations(program, delayed).any(|loc| users.accessed_by_others(loc, thread)) {
                continue;
            }
            for overtaker in flow::overtakers(program, model, thread, store) {
                let op = &code[overtaker.pc.index()].op;
                let Some(place) = op.place().filter(|place| may_differ(place, delayed)) else { continue };
                let mut touched = locations(program, place);
                let conflicts = match use_of(op) {
                    Use::Load => touched.any(|loc| users.written_by_others(loc, thread)),
                    Use::Store => {
                        buffers == Buffers::PerLocation
                            && overtaker.unfenced
                            && touched.any(|loc| users.accessed_by_others(loc, thread))
                    }
                    Use::Rmw | Use::Barrier | Use::Local => false,
                };
                if conflicts {
                    attacks.push(Attack { thread, store, last: overtaker.pc });
                }
            }
        }
    }
    attacks
}

/// Can the two be different locations?
fn may_differ(place: &Place, other: &Place) -> bool {
    match (place, other) {
        (Place::Fixed(one), Place::Fixed(other)) => one != other,
        _ => true,
    }
}

/// Is there no earlier thread with the same code and the same start? What one can do, so can the other.
fn is_first_of_its_kind(program: &Program, thread: ThreadId) -> bool {
    let this = program.thread(thread);
    let same = |other: &fencepost_ir::Thread| {
        let same_code = || other.code.iter().zip(&this.code).all(|(a, b)| a.op == b.op);
        let same_start = || other.registers.iter().zip(&this.registers).all(|(a, b)| a.init == b.init);
        other.code.len() == this.code.len()
            && other.registers.len() == this.registers.len()
            && same_start()
            && same_code()
    };
    !program.threads()[..thread.index()].iter().any(same)
}
