//! Attacks, and those that the control flow rules out.
//!
//! Paper: §8 (attacks). The filter is what Trencher does for its fences, with more reasons: an
//! attack needs another thread to access what it delays, and to get in the way of what overtakes
//! it.

use std::collections::{HashMap, HashSet};

use fencepost_base::ids::{Pc, ThreadId, Value};
use fencepost_ir::{Op, Place, Program, Thread};
use fencepost_model::{Buffers, Model};
use fencepost_verdict::{Budget, Reason};

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

/// All pairs of a store and an access of the same thread that the buffers of `model` could reorder:
/// as many attacks there are before anybody looks at the control flow.
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

/// The attacks on `program` that are not ruled out by looking at it: the access can be reached from
/// the store without emptying the buffers (nor, for a store, through a light fence that covers the
/// delayed one), is not surely to the same location, conflicts with another thread, and another
/// thread accesses what is delayed. Of threads that are the same, one is enough.
pub fn attacks(program: &Program, model: &dyn Model) -> Vec<Attack> {
    attacks_within(program, model, &Budget::unlimited()).expect("no limits")
}

/// As [`attacks`], within a budget: there can be as many as pairs of a store and an access.
///
/// # Errors
/// When they take more time or memory than there is.
pub fn attacks_within(program: &Program, model: &dyn Model, budget: &Budget<'_>) -> Result<Vec<Attack>, Reason> {
    let Some(buffers) = model.buffers() else { return Ok(Vec::new()) };
    let users = Users::of(program);
    let mut kinds = HashSet::new();
    let mut attacks = Vec::new();
    for thread in program.thread_ids().filter(|&thread| kinds.insert(kind(program.thread(thread)))) {
        let code = &program.thread(thread).code;
        // What can come last in an attack, whatever is delayed.
        let conflicts = |pc: usize| {
            let mut touched = code[pc].op.place().map_or(0..0, |place| locations(program, place));
            match use_of(&code[pc].op) {
                Use::Load => touched.any(|loc| users.written_by_others(loc, thread)),
                Use::Store => {
                    buffers == Buffers::PerLocation && touched.any(|loc| users.accessed_by_others(loc, thread))
                }
                Use::Rmw | Use::Barrier | Use::Local => false,
            }
        };
        let conflicting: Vec<bool> = (0..code.len()).map(conflicts).collect();
        // For every place that is delayed, the ways to what can come last.
        let mut ways_past: HashMap<&Place, flow::Ways<'_>> = HashMap::new();
        for (store, instr) in code.iter().enumerate() {
            if use_of(&instr.op) != Use::Store || program.is_in_section(thread, Pc::from_index(store)) {
                continue;
            }
            let delayed = instr.op.place().expect("a store has a place");
            if !locations(program, delayed).any(|loc| users.accessed_by_others(loc, thread)) {
                continue;
            }
            let ways = ways_past.entry(delayed).or_insert_with(|| {
                let differs = |pc: usize| code[pc].op.place().is_some_and(|place| may_differ(place, delayed));
                let wanted = (0..code.len()).map(|pc| conflicting[pc] && differs(pc)).collect();
                flow::Ways::new(program, model, thread, wanted)
            });
            let store = Pc::from_index(store);
            for overtaker in ways.overtakers(store) {
                if use_of(&code[overtaker.pc.index()].op) != Use::Store || overtaker.unfenced {
                    attacks.push(Attack { thread, store, last: overtaker.pc });
                }
            }
            if (budget.expired)() {
                return Err(Reason::Time);
            }
            if size_of_val(attacks.as_slice()) as u64 > budget.max_bytes {
                return Err(Reason::Memory(budget.max_bytes));
            }
        }
    }
    Ok(attacks)
}

/// Can the two be different locations?
fn may_differ(place: &Place, other: &Place) -> bool {
    match (place, other) {
        (Place::Fixed(one), Place::Fixed(other)) => one != other,
        _ => true,
    }
}

/// Its code and its start: what one thread can do, so can another of its kind.
fn kind(thread: &Thread) -> (Vec<&Op>, Vec<Value>) {
    (
        thread.code.iter().map(|instr| &instr.op).collect(),
        thread.registers.iter().map(|register| register.init).collect(),
    )
}
