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
        let all = || (0..self.size).map(EventId::from_index);
        all().flat_map(move |a| all().filter(move |&b| self.contains(a, b)).map(move |b| (a, b)))
    }

    /// The successors of `a`, in order.
    pub fn successors(&self, a: EventId) -> impl Iterator<Item = EventId> + '_ {
        (0..self.size).map(EventId::from_index).filter(move |&b| self.contains(a, b))
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
        for a in 0..self.size {
            for b in (0..self.size).map(EventId::from_index) {
                if self.contains(EventId::from_index(a), b) {
                    for word in 0..self.words {
                        result.bits[a * self.words + word] |= other.bits[b.index() * self.words + word];
                    }
                }
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

    /// No element is related to itself.
    pub fn is_irreflexive(&self) -> bool {
        (0..self.size).map(EventId::from_index).all(|a| !self.contains(a, a))
    }

    /// Is `a` in the domain of R ; [S]?
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
}
