//! What travels along happens-before: whose epochs are known, and what is known of the order S.

use crate::clock::Clock;
use crate::covers::{Covers, Mark};

/// A clock and the sets that come with it. Whoever has an epoch of a slot in `hb` has in `covers` all
/// that was there in the end of that epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) hb: Clock,
    pub(crate) covers: Covers,
}

impl View {
    /// Joins both parts. `mark` is for the sets that have changed. Did anything change?
    #[inline]
    pub(crate) fn join(&mut self, other: &View, mark: Mark) -> bool {
        let learnt = !other.covers.is_empty() && self.covers.acquire(&self.hb, &other.covers, mark);
        self.hb.join(&other.hb) | learnt
    }

    /// Becomes equal to `other`.
    #[inline]
    pub(crate) fn assign(&mut self, other: &View) {
        self.hb.assign(&other.hb);
        if !self.covers.is_empty() || !other.covers.is_empty() {
            self.covers.assign(&other.covers);
        }
    }
}
