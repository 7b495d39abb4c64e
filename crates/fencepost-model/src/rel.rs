//! Binary relations on the events of a graph, and the combinators in which
//! the papers write their axioms.

use crate::graph::EventId;

/// A relation on `0..size`, one row of bits per element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rel {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Rel {
    /// The empty relation on `size` elements.
    pub fn empty(size: usize) -> Self {
        let words = size.div_ceil(64);
        Rel { size, words, bits: vec![0; size * words] }
    }

    /// `[S]`: the identity on the elements satisfying `in_set`.
    pub fn identity_on(size: usize, in_set: impl Fn(EventId) -> bool) -> Self {
        let mut rel = Rel::empty(size);
        for a in (0..size).map(EventId::from_index).filter(|&a| in_set(a)) {
            rel.insert(a, a);
        }
        rel
    }

    /// Number of elements of the carrier.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds the pair ⟨a, b⟩.
    pub fn insert(&mut self, a: EventId, b: EventId) {
        self.bits[a.index() * self.words + b.index() / 64] |= 1 << (b.index() % 64);
    }

    /// Is ⟨a, b⟩ in the relation?
    pub fn contains(&self, a: EventId, b: EventId) -> bool {
        self.bits[a.index() * self.words + b.index() / 64] >> (b.index() % 64) & 1 == 1
    }

    /// All pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        (0..self.size).map(EventId::from_index).flat_map(|a| self.successors(a).map(move |b| (a, b)))
    }

    /// The successors of `a`, in order.
    pub fn successors(&self, a: EventId) -> impl Iterator<Item = EventId> + use<'_> {
        let row = &self.bits[a.index() * self.words..(a.index() + 1) * self.words];
        row.iter().enumerate().flat_map(|(word, &bits)| {
            let rest = |bits: &u64| Some(bits & (bits - 1)).filter(|&rest| rest != 0);
            std::iter::successors(Some(bits).filter(|&bits| bits != 0), rest)
                .map(move |bits| EventId::from_index(word * 64 + bits.trailing_zeros() as usize))
        })
    }

    /// R ∪ S
    #[must_use]
    pub fn union(&self, other: &Rel) -> Rel {
        self.zip(other, |a, b| a | b)
    }

    /// R ∩ S
    #[must_use]
    pub fn intersection(&self, other: &Rel) -> Rel {
        self.zip(other, |a, b| a & b)
    }

    /// R \ S
    #[must_use]
    pub fn minus(&self, other: &Rel) -> Rel {
        self.zip(other, |a, b| a & !b)
    }

    /// R ; S
    #[must_use]
    pub fn then(&self, other: &Rel) -> Rel {
        let mut result = Rel::empty(self.size);
        for (a, b) in self.pairs() {
            for word in 0..self.words {
                result.bits[a.index() * self.words + word] |= other.bits[b.index() * self.words + word];
            }
        }
        result
    }

    /// R⁻¹
    #[must_use]
    pub fn inverse(&self) -> Rel {
        let mut result = Rel::empty(self.size);
        for (a, b) in self.pairs() {
            result.insert(b, a);
        }
        result
    }

    /// R?: with the identity.
    #[must_use]
    pub fn optional(&self) -> Rel {
        self.union(&Rel::identity_on(self.size, |_| true))
    }

    /// R⁺: the transitive closure.
    #[must_use]
    pub fn plus(&self) -> Rel {
        if self.is_ascending() { self.plus_of_ascending() } else { self.plus_of_any() }
    }

    /// Does every pair lead to a later element? So do po and rf, in a graph that grew along them.
    fn is_ascending(&self) -> bool {
        (0..self.size).map(EventId::from_index).all(|a| self.successors(a).next().is_none_or(|b| b > a))
    }

    /// From the last element backwards, each one reaches what its successors reach; a successor
    /// reached already has nothing to add.
    fn plus_of_ascending(&self) -> Rel {
        let mut result = Rel::empty(self.size);
        for a in (0..self.size).rev() {
            let (before, after) = result.bits.split_at_mut((a + 1) * self.words);
            let row = &mut before[a * self.words..];
            for b in self.successors(EventId::from_index(a)) {
                if row[b.index() / 64] >> (b.index() % 64) & 1 == 0 {
                    row[b.index() / 64] |= 1 << (b.index() % 64);
                    let reached = &after[(b.index() - a - 1) * self.words..][..self.words];
                    row.iter_mut().zip(reached).for_each(|(word, bits)| *word |= bits);
                }
            }
        }
        result
    }

    /// Warshall's algorithm.
    fn plus_of_any(&self) -> Rel {
        let mut result = self.clone();
        for via in 0..self.size {
            let row: Vec<u64> = result.bits[via * self.words..(via + 1) * self.words].to_vec();
            for a in 0..self.size {
                if result.contains(EventId::from_index(a), EventId::from_index(via)) {
                    for (word, bits) in row.iter().enumerate() {
                        result.bits[a * self.words + word] |= bits;
                    }
                }
            }
        }
        result
    }

    /// The pairs whose members satisfy `keep`.
    #[must_use]
    pub fn filter(&self, keep: impl Fn(EventId, EventId) -> bool) -> Rel {
        let mut result = Rel::empty(self.size);
        for (a, b) in self.pairs().filter(|&(a, b)| keep(a, b)) {
            result.insert(a, b);
        }
        result
    }

    /// The relation between classes of elements, each standing for its class: pairs within a class
    /// are left out.
    #[must_use]
    pub fn contracted(&self, class: impl Fn(EventId) -> EventId) -> Rel {
        let mut result = Rel::empty(self.size);
        for (a, b) in self.pairs().map(|(a, b)| (class(a), class(b))).filter(|(a, b)| a != b) {
            result.insert(a, b);
        }
        result
    }

    /// No element is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.size).map(EventId::from_index).all(|a| !self.contains(a, a))
    }

    /// R⁺ is irreflexive.
    pub fn is_acyclic(&self) -> bool {
        // Depth first; an element is open while its successors are being visited.
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.size];
        for root in (0..self.size).map(EventId::from_index) {
            if marks[root.index()] != Mark::New {
                continue;
            }
            marks[root.index()] = Mark::Open;
            let mut path = vec![(root, self.successors(root))];
            while let Some((a, successors)) = path.last_mut() {
                match successors.next() {
                    None => {
                        marks[a.index()] = Mark::Done;
                        path.pop();
                    }
                    Some(b) => match marks[b.index()] {
                        Mark::Open => return false,
                        Mark::Done => {}
                        Mark::New => {
                            marks[b.index()] = Mark::Open;
                            path.push((b, self.successors(b)));
                        }
                    },
                }
            }
        }
        true
    }

    /// R ; S is irreflexive: no pair of R is turned around in S.
    pub fn then_is_irreflexive(&self, other: &Rel) -> bool {
        self.pairs().all(|(a, b)| !other.contains(b, a))
    }

    /// Is `a` in the domain of `R ; [S]`?
    pub fn reaches(&self, a: EventId, in_set: impl Fn(EventId) -> bool) -> bool {
        self.successors(a).any(in_set)
    }

    fn zip(&self, other: &Rel, combine: impl Fn(u64, u64) -> u64) -> Rel {
        assert_eq!(self.size, other.size, "relations on different carriers");
        let bits = self.bits.iter().zip(&other.bits).map(|(&a, &b)| combine(a, b)).collect();
        Rel { size: self.size, words: self.words, bits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rel(size: usize, pairs: &[(u32, u32)]) -> Rel {
        let mut result = Rel::empty(size);
        for &(a, b) in pairs {
            result.insert(EventId(a), EventId(b));
        }
        result
    }

    #[test]
    fn combinators_mean_what_they_say() {
        let r = rel(70, &[(0, 1), (1, 69)]);
        assert_eq!(r.plus(), rel(70, &[(0, 1), (1, 69), (0, 69)]));
        assert_eq!(r.then(&r), rel(70, &[(0, 69)]));
        assert_eq!(r.inverse(), rel(70, &[(1, 0), (69, 1)]));
        assert!(r.plus().is_irreflexive());
        assert!(!r.union(&rel(70, &[(69, 0)])).plus().is_irreflexive());
        assert_eq!(r.minus(&rel(70, &[(0, 1)])), rel(70, &[(1, 69)]));
        assert!(r.optional().contains(EventId(7), EventId(7)));
        assert!(r.reaches(EventId(1), |e| e == EventId(69)));
    }

    #[test]
    fn shortcuts_agree_with_their_definitions() {
        // Every relation on three elements, in a carrier of more than one word.
        for bits in 0u32..1 << 9 {
            let mut r = Rel::empty(66);
            for pair in (0..9).filter(|pair| bits >> pair & 1 == 1) {
                r.insert(EventId(63 + pair / 3), EventId(63 + pair % 3));
            }
            assert_eq!(r.plus(), r.plus_of_any());
            assert_eq!(r.is_acyclic(), r.plus_of_any().is_irreflexive());
            let turned = r.filter(|a, b| a >= b).inverse().union(&rel(66, &[(64, 63)]));
            assert_eq!(r.then_is_irreflexive(&turned), r.then(&turned).is_irreflexive());
        }
    }
}
