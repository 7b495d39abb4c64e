//! What a monitor does and asks, as masks.
//!
//! A monitor is code over packed states, and a device needs data. The laws of [`Monitor`] say that a
//! change makes every bit a constant, a conjunction or a disjunction of bits, and that a question is
//! a conjunction. Such a function is known when it is known at the state of which all bits are set,
//! the one of which none is, and their neighbours. What was found that way is compared with the
//! monitor on further states; where they differ, there is no effect, and no search on a device.
//!
//! Exact under these laws. `tests/device.rs` of the test kit compares whole searches.
//!
//! [`Monitor`]: fencepost_model::Monitor

/// Further states on which what was found is compared with the monitor.
const COMPARED: usize = 24;

/// The bits of a state that belong to a monitor.
pub(super) struct Bits {
    words: usize,
    /// Word and bit of each.
    bits: Vec<(usize, u64)>,
}

/// A set of bits of a state, a word each.
pub(super) type Mask = Vec<u64>;

/// What a change does to a state. Bits outside of `keep` become those of `set`, or what the parts
/// say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Effect {
    pub(super) keep: Mask,
    pub(super) set: Mask,
    pub(super) parts: Vec<Part>,
}

/// Some bits are set if all, or some, of others are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Part {
    pub(super) all: bool,
    pub(super) of: Mask,
    pub(super) to: Mask,
}

impl Bits {
    /// Those of `parts`, words and bits of them, in states of `words` words.
    pub(super) fn new(words: usize, parts: &[(u32, u64)]) -> Self {
        let single = |&(word, mask): &(u32, u64)| {
            (0..64).map(|bit| 1 << bit).filter(move |bit| mask & bit != 0).map(move |bit| (word as usize, bit))
        };
        Bits { words, bits: parts.iter().flat_map(single).collect() }
    }

    fn none(&self) -> Mask {
        vec![0; self.words]
    }

    fn all(&self) -> Mask {
        let mut mask = self.none();
        self.bits.iter().for_each(|&(word, bit)| mask[word] |= bit);
        mask
    }

    /// States that look as if drawn, the same ones always.
    fn some(&self) -> impl Iterator<Item = Mask> + '_ {
        let mut seed: u64 = 0x9e37_79b9_7f4a_7c15;
        std::iter::repeat_with(move || {
            let mut mask = self.none();
            for &(word, bit) in &self.bits {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                mask[word] |= if seed >> 40 & 3 == 0 { 0 } else { bit };
            }
            mask
        })
        .take(COMPARED)
    }

    /// The effect of `change`; none if it is not of that form.
    pub(super) fn effect(&self, change: impl Fn(&mut [u64])) -> Option<Effect> {
        let after = |mut state: Mask| {
            change(&mut state);
            state
        };
        let (low, high) = (after(self.none()), after(self.all()));
        let mut effect = Effect { keep: vec![u64::MAX; self.words], set: self.none(), parts: Vec::new() };
        let lowered: Vec<Mask> = self.each(|state, word, bit| state[word] & !bit, self.all()).map(after).collect();
        let raised: Vec<Mask> = self.each(|state, word, bit| state[word] | bit, self.none()).map(after).collect();
        for &(word, bit) in &self.bits {
            let is_set = |state: &Mask| state[word] & bit != 0;
            let (needed, enough) = (self.which(&lowered, |state| !is_set(state)), self.which(&raised, is_set));
            let own = |mask: &Mask| *mask == self.single(word, bit);
            let (all, of) = match (is_set(&low), is_set(&high)) {
                (true, true) => {
                    effect.keep[word] &= !bit;
                    effect.set[word] |= bit;
                    continue;
                }
                (false, false) => {
                    effect.keep[word] &= !bit;
                    continue;
                }
                (true, false) => return None,
                (false, true) if own(&needed) && own(&enough) => continue,
                (false, true) if needed.iter().any(|&word| word != 0) => (true, needed),
                (false, true) => (false, enough),
            };
            effect.keep[word] &= !bit;
            match effect.parts.iter_mut().find(|part| part.all == all && part.of == of) {
                Some(part) => part.to[word] |= bit,
                None => effect.parts.push(Part { all, of, to: self.single(word, bit) }),
            }
        }
        let agrees = |state: Mask| effect.apply(&state) == after(state);
        self.some().chain([self.none(), self.all()]).all(agrees).then_some(effect)
    }

    /// The bits of which `question` asks whether all are set. `Ok(None)` if the answer is always no,
    /// an error if it is not of that form.
    pub(super) fn conjunction(&self, question: impl Fn(&[u64]) -> bool) -> Result<Option<Mask>, ()> {
        let needed = match question(&self.all()) {
            true => {
                let lowered = self.each(|state, word, bit| state[word] & !bit, self.all());
                Some(self.which(&lowered.collect::<Vec<Mask>>(), |state| !question(state)))
            }
            false => None,
        };
        let holds = |state: &Mask| needed.as_ref().is_some_and(|needed| contains(state, needed));
        let mut states = self.some().chain([self.none(), self.all()]).chain(needed.clone());
        if states.all(|state| holds(&state) == question(&state)) { Ok(needed) } else { Err(()) }
    }

    /// `state` with each bit changed, one at a time.
    fn each<'a>(
        &'a self,
        change: impl Fn(&Mask, usize, u64) -> u64 + 'a,
        state: Mask,
    ) -> impl Iterator<Item = Mask> + 'a {
        self.bits.iter().map(move |&(word, bit)| {
            let mut changed = state.clone();
            changed[word] = change(&state, word, bit);
            changed
        })
    }

    /// The bits at whose state, of one for each, `test` holds.
    fn which(&self, states: &[Mask], test: impl Fn(&Mask) -> bool) -> Mask {
        let mut mask = self.none();
        for (&(word, bit), _) in self.bits.iter().zip(states).filter(|(_, state)| test(state)) {
            mask[word] |= bit;
        }
        mask
    }

    fn single(&self, word: usize, bit: u64) -> Mask {
        let mut mask = self.none();
        mask[word] = bit;
        mask
    }
}

impl Effect {
    fn apply(&self, state: &[u64]) -> Mask {
        let mut after: Mask =
            state.iter().zip(self.keep.iter().zip(&self.set)).map(|(word, (keep, set))| word & keep | set).collect();
        for part in &self.parts {
            let hit = if part.all { contains(state, &part.of) } else { meets(state, &part.of) };
            after.iter_mut().zip(&part.to).for_each(|(word, to)| *word |= if hit { *to } else { 0 });
        }
        after
    }

    /// As words for a device: what is kept, what is set, how many parts; for each of them whether
    /// all bits are asked for, which, and what they set.
    pub(super) fn words(&self) -> Vec<u64> {
        let mut words = [&self.keep[..], &self.set, &[self.parts.len() as u64]].concat();
        for part in &self.parts {
            words.push(u64::from(part.all));
            words.extend(part.of.iter().chain(&part.to));
        }
        words
    }
}

fn contains(state: &[u64], mask: &[u64]) -> bool {
    state.iter().zip(mask).all(|(state, mask)| state & mask == *mask)
}

fn meets(state: &[u64], mask: &[u64]) -> bool {
    state.iter().zip(mask).any(|(state, mask)| state & mask != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits() -> Bits {
        Bits::new(2, &[(0, 0b1011), (1, 0b110)])
    }

    #[test]
    fn constants_conjunctions_and_disjunctions_are_told_apart() {
        let effect = bits().effect(|state| {
            let old = [state[0], state[1]];
            let set = |on: bool, bit: u64| if on { bit } else { 0 };
            state[0] = 1 | set(old[0] & 8 != 0 || old[1] & 2 != 0, 2) | old[0] & 8;
            state[1] = set(old[0] & 3 == 3, 2);
        });
        let effect = effect.expect("of that form");
        assert_eq!((effect.keep[0], effect.keep[1]), (!0b11, !0b110));
        assert_eq!(effect.set, [1, 0]);
        let parts =
            [Part { all: false, of: vec![8, 2], to: vec![2, 0] }, Part { all: true, of: vec![3, 0], to: vec![0, 2] }];
        assert_eq!(effect.parts, parts);
    }

    #[test]
    fn what_is_neither_is_refused() {
        let majority = |state: &mut [u64]| {
            let on = (state[0] & 0b1011).count_ones() >= 2;
            state[0] = if on { state[0] | 1 } else { state[0] & !1 };
        };
        assert_eq!(bits().effect(majority), None);
        assert_eq!(bits().effect(|state| state[0] ^= 1), None);
        assert_eq!(bits().conjunction(|state| (state[0] & 0b1011).count_ones() >= 2), Err(()));
    }

    #[test]
    fn questions_are_conjunctions() {
        assert_eq!(bits().conjunction(|state| state[0] & 3 == 3 && state[1] & 4 != 0), Ok(Some(vec![3, 4])));
        assert_eq!(bits().conjunction(|_| false), Ok(None));
        assert_eq!(bits().conjunction(|_| true), Ok(Some(vec![0, 0])));
    }
}
