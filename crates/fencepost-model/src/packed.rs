//! Packed states: a row of 64-bit words in which every component has a slot.
//!
//! Program and monitor reserve slots in one [`Layout`]; states are then plain
//! word slices that are copied, compared and hashed without being decoded.

/// A field of at most 64 bits within one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    word: u32,
    shift: u8,
    mask: u64,
}

impl Slot {
    /// The content of this field.
    #[inline]
    pub fn get(self, state: &[u64]) -> u64 {
        (state[self.word as usize] >> self.shift) & self.mask
    }

    /// Overwrites this field; bits of `value` beyond its width are dropped.
    #[inline]
    pub fn set(self, state: &mut [u64], value: u64) {
        let word = &mut state[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | ((value & self.mask) << self.shift);
    }
}

impl Slot {
    /// Number of bits.
    pub fn width(self) -> u32 {
        self.mask.count_ones()
    }

    /// The word it lies in, its lowest bit there, and its bits as if it began at the lowest.
    pub fn place(self) -> (usize, u32, u64) {
        (self.word as usize, u32::from(self.shift), self.mask)
    }

    /// This field and `next` as one, if `next` starts where this one ends.
    pub fn join(self, next: Slot) -> Option<Slot> {
        let width = self.width();
        let adjacent = self.word == next.word && u32::from(self.shift) + width == u32::from(next.shift);
        (adjacent && width > 0 && width < 64).then(|| Slot { mask: self.mask | next.mask << width, ..self })
    }
}

/// Some bits of a state.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Region {
    /// Words and the bits of them.
    parts: Vec<(u32, u64)>,
}

impl Region {
    /// The bits of some fields.
    pub fn of(slots: impl IntoIterator<Item = Slot>) -> Self {
        let mut region = Region::default();
        for slot in slots.into_iter().filter(|slot| slot.mask != 0) {
            let bits = slot.mask << slot.shift;
            match region.parts.iter_mut().find(|(word, _)| *word == slot.word) {
                Some((_, mask)) => *mask |= bits,
                None => region.parts.push((slot.word, bits)),
            }
        }
        region
    }

    /// Words, and the bits of them.
    pub fn parts(&self) -> &[(u32, u64)] {
        &self.parts
    }

    /// Sets all of them to 0.
    #[inline]
    pub fn clear(&self, state: &mut [u64]) {
        for &(word, mask) in &self.parts {
            state[word as usize] &= !mask;
        }
    }
}

/// A field of any number of bits, in chunks of at most 64.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Row {
    chunks: Vec<Slot>,
}

impl Row {
    /// The chunks, as fields of their own.
    pub fn slots(&self) -> &[Slot] {
        &self.chunks
    }

    /// Number of chunks.
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// One chunk.
    #[inline]
    pub fn get(&self, state: &[u64], chunk: usize) -> u64 {
        self.chunks[chunk].get(state)
    }

    /// Overwrites one chunk.
    #[inline]
    pub fn set(&self, state: &mut [u64], chunk: usize, value: u64) {
        self.chunks[chunk].set(state, value);
    }

    /// Is the bit set?
    #[inline]
    pub fn test(&self, state: &[u64], bit: usize) -> bool {
        self.get(state, bit / 64) >> (bit % 64) & 1 == 1
    }

    /// Sets the bit.
    #[inline]
    pub fn insert(&self, state: &mut [u64], bit: usize) {
        let chunk = self.get(state, bit / 64);
        self.set(state, bit / 64, chunk | 1 << (bit % 64));
    }

    /// Clears the bit.
    #[inline]
    pub fn remove(&self, state: &mut [u64], bit: usize) {
        let chunk = self.get(state, bit / 64);
        self.set(state, bit / 64, chunk & !(1 << (bit % 64)));
    }
}

/// Hands out slots; wide fields first pack best, but any order works.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Bits used in each word.
    used: Vec<u8>,
    /// Most words.
    limit: usize,
    overflowed: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Layout { used: Vec::new(), limit: usize::MAX, overflowed: false }
    }
}

impl Layout {
    /// No slots yet.
    pub fn new() -> Self {
        Layout::default()
    }

    /// No slots yet, and room for `limit` words. What does not fit gets slots that nobody may use:
    /// ask [`Layout::overflowed`] when all is reserved.
    pub fn with_limit(limit: usize) -> Self {
        Layout { limit, ..Layout::default() }
    }

    /// Was more reserved than there is room for?
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    /// Reserves `width` bits (at most 64) in the first word with room.
    ///
    /// # Panics
    /// When `width` exceeds 64.
    pub fn slot(&mut self, width: u32) -> Slot {
        assert!(width <= 64, "a slot lies within one word");
        // Only the last few words are tried: states may have thousands of words.
        let first = self.used.len().saturating_sub(16);
        let room = (first..self.used.len()).find(|&word| u32::from(self.used[word]) + width <= 64);
        if room.is_none() && self.used.len() >= self.limit {
            self.overflowed = true;
            return Slot { word: 0, shift: 0, mask: 0 };
        }
        let word = room.unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        // A field of no bits may be asked for in a full word; any shift below 64 reads it as 0.
        let shift = self.used[word].min(63);
        self.used[word] += width as u8;
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        Slot { word: word as u32, shift, mask }
    }

    /// Reserves `width` bits in chunks of 64 and a rest.
    pub fn row(&mut self, width: usize) -> Row {
        let mut chunks = Vec::new();
        let mut rest = width;
        while rest > 0 && !self.overflowed {
            let bits = rest.min(64);
            chunks.push(self.slot(bits as u32));
            rest -= bits;
        }
        Row { chunks }
    }

    /// Reserves whatever `other` has reserved.
    pub fn cover(&mut self, other: &Layout) {
        self.used.resize(self.used.len().max(other.used.len()), 0);
        for (mine, theirs) in self.used.iter_mut().zip(&other.used) {
            *mine = (*mine).max(*theirs);
        }
        self.overflowed |= other.overflowed;
    }

    /// The bits reserved since this layout was like `before`.
    pub fn since(&self, before: &Layout) -> Region {
        let taken = |bits: u8| if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let old = before.used.iter().copied().chain(std::iter::repeat(0));
        let words = self.used.iter().zip(old).enumerate();
        let new = words.map(|(word, (&now, then))| (word as u32, taken(now) & !taken(then)));
        Region { parts: new.filter(|(_, bits)| *bits != 0).collect() }
    }

    /// Number of words of a state.
    pub fn words(&self) -> usize {
        self.used.len()
    }

    /// The bits of a word that are not in use: those from this one on.
    pub fn free_from(&self, word: usize) -> u32 {
        u32::from(self.used[word])
    }

    /// Number of bits in use.
    pub fn bits(&self) -> usize {
        self.used.iter().map(|&bits| usize::from(bits)).sum()
    }
}

/// Bits needed to tell `count` values apart.
pub fn bits_for(count: u64) -> u32 {
    64 - count.saturating_sub(1).leading_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_do_not_overlap() {
        let mut layout = Layout::new();
        let slots: Vec<(u32, Slot)> =
            [3, 64, 0, 61, 17, 40, 7, 1].into_iter().map(|width| (width, layout.slot(width))).collect();
        let mut state = vec![0u64; layout.words()];
        for (i, &(_, slot)) in slots.iter().enumerate() {
            slot.set(&mut state, u64::MAX);
            slot.set(&mut state, i as u64);
        }
        for (i, &(width, slot)) in slots.iter().enumerate() {
            let mask = if width == 64 { u64::MAX } else { (1u64 << width) - 1 };
            assert_eq!(slot.get(&state), i as u64 & mask);
        }
        assert_eq!(layout.bits(), 3 + 64 + 61 + 17 + 40 + 7 + 1);
    }

    #[test]
    fn rows_span_words() {
        let mut layout = Layout::new();
        layout.slot(5);
        let row = layout.row(130);
        let mut state = vec![0u64; layout.words()];
        for bit in [0, 63, 64, 129] {
            row.insert(&mut state, bit);
            assert!(row.test(&state, bit));
        }
        row.remove(&mut state, 63);
        assert!(!row.test(&state, 63) && row.test(&state, 64) && row.test(&state, 129));
        assert_eq!(row.chunks(), 3);
    }

    #[test]
    fn adjacent_slots_join() {
        let mut layout = Layout::new();
        let (a, b, c) = (layout.slot(5), layout.slot(7), layout.slot(60));
        let mut state = vec![0u64; layout.words()];
        let joined = a.join(b).unwrap();
        joined.set(&mut state, 3 | 65 << 5);
        assert_eq!((a.get(&state), b.get(&state), c.get(&state)), (3, 65, 0));
        assert_eq!((b.join(a), b.join(c)), (None, None));
    }

    #[test]
    fn regions_are_cleared_and_nothing_else() {
        let mut layout = Layout::new();
        let (a, b) = (layout.slot(60), layout.slot(30));
        let rows = [layout.row(3), layout.row(70), layout.row(40)];
        let mut state = vec![u64::MAX; layout.words()];
        Region::of(rows.iter().flat_map(|row| row.slots().to_vec())).clear(&mut state);
        assert_eq!((a.get(&state), b.get(&state)), ((1 << 60) - 1, (1 << 30) - 1));
        assert!(rows.iter().flat_map(|row| row.slots()).all(|slot| slot.get(&state) == 0));
    }

    #[test]
    fn layouts_cover_each_other() {
        let mut layout = Layout::new();
        layout.slot(60);
        let mut other = layout.clone();
        other.row(70);
        layout.cover(&other);
        assert_eq!((layout.words(), layout.bits()), (other.words(), other.bits()));
    }

    #[test]
    fn what_does_not_fit_is_noticed() {
        let mut layout = Layout::with_limit(2);
        layout.row(100);
        assert!(!layout.overflowed());
        layout.slot(20);
        layout.row(1 << 40);
        assert!(layout.overflowed() && layout.words() <= 2);
    }

    #[test]
    fn bits_for_counts() {
        assert_eq!([0, 1, 2, 3, 4, 5, 256, 257].map(bits_for), [0, 0, 1, 2, 2, 3, 8, 9]);
    }
}
