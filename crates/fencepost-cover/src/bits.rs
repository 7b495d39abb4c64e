//! Sets of small numbers.

/// A set of numbers below a bound given when it is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bits {
    words: Box<[u64]>,
}

impl Bits {
    /// The empty set of numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Bits { words: vec![0; bound.div_ceil(64)].into() }
    }

    /// Adds a number; true if it is new.
    pub(crate) fn insert(&mut self, number: usize) -> bool {
        let word = &mut self.words[number / 64];
        let before = *word;
        *word |= 1 << (number % 64);
        *word != before
    }

    /// The set with these words.
    pub(crate) fn of_words(words: &[u64]) -> Self {
        Bits { words: words.into() }
    }

    /// The words: sets of the same bound can be kept in rows of a table.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, number: usize) {
        remove(&mut self.words, number);
    }

    /// Is the number in the set?
    pub(crate) fn contains(&self, number: usize) -> bool {
        contains(&self.words, number)
    }

    /// Adds a set; true if it grew.
    pub(crate) fn union(&mut self, other: &Bits) -> bool {
        self.union_words(&other.words)
    }

    /// Adds a set given by its words; true if it grew.
    pub(crate) fn union_words(&mut self, other: &[u64]) -> bool {
        let mut grew = false;
        for (mine, theirs) in self.words.iter_mut().zip(other) {
            grew |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// Keeps only what is in the other set too; true if it shrank.
    pub(crate) fn intersect(&mut self, other: &Bits) -> bool {
        intersect(&mut self.words, &other.words)
    }

    /// Is every number of this set in the other?
    pub(crate) fn is_subset(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).all(|(mine, theirs)| mine & !theirs == 0)
    }

    /// Is every number of this set that is also in `relevant` in the other?
    pub(crate) fn is_subset_within(&self, relevant: &Bits, other: &Bits) -> bool {
        let words = self.words.iter().zip(&relevant.words).zip(&other.words);
        words.into_iter().all(|((mine, relevant), theirs)| mine & relevant & !theirs == 0)
    }

    /// The numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        iter(&self.words)
    }
}

/// The numbers in the set with these words, ascending.
pub(crate) fn iter(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let bit = left.trailing_zeros() as usize;
                left &= left - 1;
                index * 64 + bit
            })
        })
    })
}

/// Adds a number to the set with these words.
pub(crate) fn insert(words: &mut [u64], number: usize) {
    words[number / 64] |= 1 << (number % 64);
}

/// Removes a number from the set with these words.
pub(crate) fn remove(words: &mut [u64], number: usize) {
    words[number / 64] &= !(1 << (number % 64));
}

/// Is the number in the set with these words?
pub(crate) fn contains(words: &[u64], number: usize) -> bool {
    words[number / 64] >> (number % 64) & 1 == 1
}

/// Keeps in one set only what is in the other too; true if it shrank.
pub(crate) fn intersect(words: &mut [u64], others: &[u64]) -> bool {
    let mut shrank = false;
    for (mine, theirs) in words.iter_mut().zip(others) {
        shrank |= *mine & !theirs != 0;
        *mine &= theirs;
    }
    shrank
}
