//! What looking at execution graphs costs.

use fencepost_model::Graph;
use fencepost_verdict::{Budget, Reason};

/// Pairs of events between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 16;

/// Counts looks at graphs: relations between events take time and space quadratic in the graph.
pub(crate) struct Meter<'a> {
    budget: &'a Budget<'a>,
    pairs: u64,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(budget: &'a Budget<'a>) -> Self {
        Meter { budget, pairs: 0 }
    }

    /// A look at this graph.
    ///
    /// # Errors
    /// When the time is up, or its relations do not fit into memory.
    pub(crate) fn look_at(&mut self, graph: &Graph) -> Result<(), Reason> {
        let pairs = (graph.len() as u64).pow(2);
        if pairs > self.budget.max_bytes {
            return Err(Reason::Memory(self.budget.max_bytes));
        }
        self.pairs += pairs;
        if self.pairs > BETWEEN_LOOKS {
            self.pairs = 0;
            if (self.budget.expired)() {
                return Err(Reason::Time);
            }
        }
        Ok(())
    }
}
