//! Places in the code as they are to blame: an address, and the calls between it and the frame that
//! is to blame if the address is in the library or in a wrapper.
//!
//! Everything that looks at a recorded run ([`crate::advice`], [`crate::replay`]) knows a place by
//! one number and asks no more of it than whether it is the same. For most accesses that is the
//! address. For one in a wrapper it is a number that stands for the chain of calls. So what would
//! be changed at one call of the wrapper is not changed at the others.

use std::collections::BTreeMap;

use fencepost_protocol::record::{ADDRESS_BITS, Op};

use crate::trace::Trace;

/// What no address is: the number of the first chain.
const FIRST: u64 = 1 << 63;

/// The addresses of a stack down to the one to blame.
pub(crate) type Cut<'a> = dyn FnMut(&[u64]) -> usize + 'a;

/// Numbers of places.
#[derive(Default)]
pub(crate) struct Places {
    numbers: BTreeMap<Vec<u64>, u64>,
    stacks: Vec<Vec<u64>>,
}

impl Places {
    /// The number of the place at the top of a stack.
    pub(crate) fn number(&mut self, stack: &[u64], cut: &mut Cut<'_>) -> u64 {
        match stack.get(..cut(stack)).unwrap_or(stack) {
            [] => 0,
            [pc] => *pc,
            chain => *self.numbers.entry(chain.to_vec()).or_insert_with(|| {
                self.stacks.push(chain.to_vec());
                FIRST + (self.stacks.len() - 1) as u64
            }),
        }
    }

    /// The stack of a place.
    pub(crate) fn stack(&self, number: u64) -> Vec<u64> {
        let chain = number.checked_sub(FIRST).and_then(|at| self.stacks.get(usize::try_from(at).ok()?));
        chain.cloned().unwrap_or_else(|| vec![number])
    }

    /// Every record of a trace gets the number of its place instead of an address and a chain.
    pub(crate) fn renumber(&mut self, trace: &mut Trace, cut: &mut Cut<'_>) {
        let mut known: BTreeMap<u64, u64> = BTreeMap::new();
        for record in trace.records.iter_mut().filter(|record| record.op != Op::Reset && record.pc != 0) {
            record.pc = match known.get(&record.pc) {
                Some(&number) => number,
                None => {
                    let pc = record.pc & ((1 << ADDRESS_BITS) - 1);
                    let calls = trace.chains.get(&(record.pc >> ADDRESS_BITS)).map(Vec::as_slice).unwrap_or_default();
                    let stack: Vec<u64> = [pc].iter().chain(calls).copied().collect();
                    let number = self.number(&stack, cut);
                    known.insert(record.pc, number);
                    number
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn chains_have_numbers_and_addresses_are_their_own() {
        // Addresses below 100 are in wrappers.
        let mut cut = |stack: &[u64]| stack.iter().take_while(|&&pc| pc < 100).count() + 1;
        let mut places = Places::default();
        let [one, other] = [[5, 200, 300], [5, 201, 300]].map(|stack| places.number(&stack, &mut cut));
        assert_ne!(one, other);
        assert_eq!(places.number(&[5, 200, 999], &mut cut), one);
        assert_eq!(places.number(&[150, 200], &mut cut), 150);
        assert_eq!([one, 150].map(|number| places.stack(number)), [vec![5, 200], vec![150]]);
        assert_eq!(places.number(&[7], &mut cut), 7, "nobody knows who has called");
    }
}
