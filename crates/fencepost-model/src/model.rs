//! Memory models.

use fencepost_base::order::{FenceOrder, Mode};

use crate::graph::{EventId, Graph};
use crate::monitor::{Monitor, Shape};
use crate::packed::Layout;

/// A memory model: what it is called, what it permits, and how an engine may decide it.
pub trait Model: Sync {
    /// The value of `--model`.
    fn name(&self) -> &'static str;

    /// One line for people.
    fn title(&self) -> &'static str;

    /// The page of the manual: what is modelled, from which paper, what is not.
    fn essay(&self) -> &'static str;

    /// What a fence is in this model.
    fn fence(&self, order: FenceOrder) -> FenceMeaning;

    /// Does a read of this order, or a read-modify-write's, acquire what the write it reads releases?
    fn acquires(&self, mode: Mode) -> bool;

    /// Does a write of this order release all that its thread is aware of?
    fn releases(&self, mode: Mode) -> bool;

    /// The axioms: is the graph consistent?
    fn permits(&self, graph: &Graph) -> bool;

    /// The earlier event that the plain access `event`, last of its thread and added last, is in a data race with
    /// (and so has undefined behaviour).
    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId>;

    /// A monitor that decides robustness against this model, its state reserved in `layout`; none for SC itself.
    fn monitor(&self, shape: &Shape, layout: &mut Layout) -> Option<Box<dyn Monitor>>;
}

/// What a fence does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceMeaning {
    /// Nothing.
    Nothing,
    /// A read-modify-write of one hidden location that adds 0.
    HiddenRmw,
    /// An event of its own, which touches no location.
    Event,
}
