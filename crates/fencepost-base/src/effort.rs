//! What reading a text may cost. Loops whose length depends on the text count their steps here, and
//! whoever has a clock says when time is up.

use std::cell::Cell;
use std::fmt;

/// Steps between two questions whether time is up: well below a millisecond.
const PATIENCE: u32 = 1024;

/// How much work is allowed, and how much has been done.
pub struct Effort<'a> {
    max_bytes: u64,
    expired: &'a dyn Fn() -> bool,
    bytes: Cell<u64>,
    steps: Cell<u32>,
    exhausted: Cell<Option<Exhausted>>,
}

/// What there was not enough of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhausted {
    /// Time.
    Time,
    /// Memory, of which there was so much, in bytes.
    Memory(u64),
}

impl Effort<'static> {
    /// Whatever it takes.
    pub fn unlimited() -> Self {
        Effort::new(u64::MAX, &|| false)
    }
}

impl<'a> Effort<'a> {
    /// At most so many bytes, and only until `expired`.
    pub fn new(max_bytes: u64, expired: &'a dyn Fn() -> bool) -> Self {
        Effort { max_bytes, expired, bytes: Cell::new(0), steps: Cell::new(0), exhausted: Cell::new(None) }
    }

    /// Takes a step that needs so many bytes more. Is that still allowed? After the first `false`,
    /// nothing is: whoever hears it comes to an end, and what there is by then is of no use.
    pub fn step(&self, bytes: usize) -> bool {
        if self.exhausted.get().is_some() {
            return false;
        }
        let (steps, bytes) = (self.steps.get(), self.bytes.get().saturating_add(bytes as u64));
        self.steps.set(steps.wrapping_add(1));
        self.bytes.set(bytes);
        if bytes > self.max_bytes {
            self.exhausted.set(Some(Exhausted::Memory(self.max_bytes)));
        } else if steps.is_multiple_of(PATIENCE) && (self.expired)() {
            self.exhausted.set(Some(Exhausted::Time));
        }
        self.exhausted.get().is_none()
    }

    /// What there was not enough of.
    pub fn exhausted(&self) -> Option<Exhausted> {
        self.exhausted.get()
    }
}

impl fmt::Debug for Effort<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Effort { max_bytes, bytes, steps, exhausted, .. } = self;
        let mut fields = f.debug_struct("Effort");
        fields.field("max_bytes", max_bytes).field("bytes", bytes).field("steps", steps).field("exhausted", exhausted);
        fields.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_stays_so() {
        let effort = Effort::new(10, &|| false);
        assert!(effort.step(6) && effort.step(4));
        assert!(!effort.step(1) && !effort.step(0));
        assert_eq!(effort.exhausted(), Some(Exhausted::Memory(10)));
    }

    #[test]
    fn time_is_asked_for_at_once_and_now_and_then() {
        let asked = Cell::new(0);
        let expired = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let effort = Effort::new(u64::MAX, &expired);
        let steps = (1..).find(|_| !effort.step(0));
        assert_eq!(steps, Some(2 * PATIENCE + 1));
        assert_eq!(effort.exhausted(), Some(Exhausted::Time));
    }
}
