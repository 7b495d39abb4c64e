//! What travels along happens-before: whose epochs are known, and what is known of the order S.

use crate::clock::Clock;
use crate::covers::{Covers, Mark, UNMARKED};

/// A clock and the sets that come with it. Whoever has an epoch of a slot in `hb` has in `covers` all
/// that was there in the end of that epoch.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) hb: Clock,
    pub(crate) covers: Covers,
}

impl View {
    /// Joins both parts of what was released. `mark` is for the sets that have changed. Did anything
    /// change?
    #[inline]
    pub(crate) fn acquire(&mut self, hb: &Clock, covers: &Covers, mark: Mark) -> bool {
        join(&mut self.hb, &mut self.covers, (hb, covers), mark)
    }

    /// Joins both parts.
    #[inline]
    pub(crate) fn join(&mut self, other: &View) -> bool {
        self.acquire(&other.hb, &other.covers, UNMARKED)
    }

    /// Becomes equal to `other`.
    #[inline]
    pub(crate) fn assign(&mut self, other: &View) {
        assign(&mut self.hb, &mut self.covers, other);
    }
}

/// Joins the one view into the other, part by part.
#[inline]
pub(crate) fn join(hb: &mut Clock, covers: &mut Covers, (other, theirs): (&Clock, &Covers), mark: Mark) -> bool {
    let learnt = covers.acquire(hb, theirs, mark);
    hb.join(other) | learnt
}

/// The one view becomes equal to the other, part by part.
#[inline]
pub(crate) fn assign(hb: &mut Clock, covers: &mut Covers, other: &View) {
    hb.assign(&other.hb);
    covers.assign(&other.covers);
}
