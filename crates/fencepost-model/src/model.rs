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
    fn acquires(&self, _mode: Mode) -> bool {
        true
    }

    /// Does a write of this order release all that its thread is aware of?
    fn releases(&self, _mode: Mode) -> bool {
        true
    }

    /// The axioms: is the graph consistent?
    fn permits(&self, graph: &Graph) -> bool;

    /// The earlier event that `event`, last of its thread and added last, is in a data race with (and so has undefined
    /// behaviour); one of the two is a plain access. A race is a notion of the language's happens-before; models that order every
    /// access, or that are those of machines, have none.
    fn race(&self, _graph: &Graph, _event: EventId) -> Option<EventId> {
        None
    }

    /// A monitor that decides robustness against this model, its state reserved in `layout`; none for SC itself, and
    /// for models that are decided in another way.
    fn monitor(&self, _shape: &Shape, _layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        None
    }

    /// What a light fence is in this model.
    fn light_fences(&self) -> LightFences {
        LightFences::Ignored
    }

    /// The store buffers of a thread, if the model is that of a machine with store buffers. Plain accesses are then
    /// like all others: nothing races.
    fn buffers(&self) -> Option<Buffers> {
        None
    }
}

/// What light fences do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LightFences {
    /// Nothing.
    Ignored,
    /// They order earlier writes to any location, whatever their list says.
    All,
    /// They order earlier writes to the locations of their list.
    Listed,
}

/// Between a thread that stores and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// One queue: stores reach memory in program order.
    Total,
    /// One queue per location, which feed one for all: stores to different locations may change places.
    PerLocation,
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
    /// A light fence on all locations.
    Light,
}
