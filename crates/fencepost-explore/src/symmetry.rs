//! Symmetry: threads with the same code are interchangeable.
//!
//! A permutation of such threads maps runs to runs, and a monitor names threads only by their rows
//! (see [`fencepost_model::Monitor::rows`]). So of all states that differ by a permutation one is
//! enough: the one in which the local states of equal threads are sorted.

use std::collections::HashMap;

use fencepost_base::ids::ThreadId;
use fencepost_ir::{Op, Program};
use fencepost_model::packed::Slot;

/// Which threads are interchangeable, and what belongs to each.
#[derive(Debug, Default)]
pub(crate) struct Symmetry {
    /// Groups of two or more threads; for every thread its fields, which correspond one by one.
    groups: Vec<Vec<Vec<Slot>>>,
}

/// Groups of two or more threads with the same code; where they start makes no difference.
pub(crate) fn equal_threads(program: &Program) -> Vec<Vec<usize>> {
    let mut groups = groups(program);
    groups.retain(|group| group.len() > 1);
    groups
}

/// For every thread, the first one with the same code.
pub(crate) fn first_equal(program: &Program) -> Vec<ThreadId> {
    let mut first = vec![ThreadId(0); program.threads().len()];
    for group in groups(program) {
        group.iter().for_each(|&t| first[t] = ThreadId::from_index(group[0]));
    }
    first
}

/// All threads, those with the same code together.
fn groups(program: &Program) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut known = HashMap::new();
    for (t, thread) in program.threads().iter().enumerate() {
        let code: Vec<&Op> = thread.code.iter().map(|instr| &instr.op).collect();
        let group = *known.entry((thread.registers.len(), code)).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(group) => group.push(t),
            None => groups.push(vec![t]),
        }
    }
    groups
}

impl Symmetry {
    /// The symmetry of `groups` of threads whose fields are `fields`.
    pub(crate) fn new(groups: &[Vec<usize>], fields: impl Fn(usize) -> Vec<Slot>) -> Self {
        let mut kept = Vec::new();
        for group in groups {
            let members: Vec<Vec<Slot>> = group.iter().map(|&t| fields(t)).collect();
            let widths = |slots: &[Slot]| slots.iter().map(|slot| slot.width()).collect::<Vec<u32>>();
            // Fields of different widths, of which one value may not fit in another: not the same
            // after all.
            if members.iter().all(|slots| widths(slots) == widths(&members[0])) {
                kept.push(joined(members));
            }
        }
        Symmetry { groups: kept }
    }

    /// Groups of equal threads; for every thread its fields, which correspond one by one.
    pub(crate) fn groups(&self) -> &[Vec<Vec<Slot>>] {
        &self.groups
    }

    /// Sorts the local states of equal threads.
    #[inline]
    pub(crate) fn sort(&self, state: &mut [u64]) {
        for members in &self.groups {
            for end in 1..members.len() {
                let mut at = end;
                while at > 0 && less(state, &members[at], &members[at - 1]) {
                    for (a, b) in members[at].iter().zip(&members[at - 1]) {
                        let (mine, theirs) = (a.get(state), b.get(state));
                        a.set(state, theirs);
                        b.set(state, mine);
                    }
                    at -= 1;
                }
            }
        }
    }
}

fn less(state: &[u64], left: &[Slot], right: &[Slot]) -> bool {
    for (a, b) in left.iter().zip(right) {
        let (a, b) = (a.get(state), b.get(state));
        if a != b {
            return a < b;
        }
    }
    false
}

/// The same bits in fewer fields: those that lie side by side in every thread become one.
fn joined(mut members: Vec<Vec<Slot>>) -> Vec<Vec<Slot>> {
    for slots in &mut members {
        slots.retain(|slot| slot.width() > 0);
    }
    let mut at = 0;
    while at + 1 < members[0].len() {
        let pairs: Option<Vec<Slot>> = members.iter().map(|slots| slots[at].join(slots[at + 1])).collect();
        match pairs {
            Some(pairs) => {
                for (slots, pair) in members.iter_mut().zip(pairs) {
                    slots[at] = pair;
                    slots.remove(at + 1);
                }
            }
            None => at += 1,
        }
    }
    members
}
