//! Memory models: what each declares about itself, and what it permits.
//!
//! A model has a [`Declaration`], plain data that says what kind of model it is and how its
//! questions can be settled. Engines, repairs, exports and commands read the declaration. None of
//! them asks for a model by its name, and none tries out what a model can do. What the declaration
//! says is tested against the axioms (`tests/declarations.rs`).

use fencepost_base::order::{FenceOrder, Mode};

use crate::graph::{EventId, Graph};
use crate::monitor::{Monitor, Shape};
use crate::packed::Layout;
use crate::rel::Rel;

/// A memory model: what it says of itself, its axioms, and its monitor if it has one.
pub trait Model: Sync {
    /// What it says of itself.
    fn declaration(&self) -> &'static Declaration;

    /// The axioms: is the graph consistent?
    fn permits(&self, graph: &Graph) -> bool;

    /// The same, not counting what the reads that are `doubted` have read: they could have read
    /// something older. If a model does not say more, it is as if these reads were not there, which
    /// permits no less.
    fn permits_doubting(&self, graph: &Graph, doubted: &dyn Fn(EventId) -> bool) -> bool {
        self.permits(&graph.without_reads(doubted))
    }

    /// The earlier event that `event`, last of its thread and added last, is in a data race with
    /// (and so has undefined behaviour); one of the two is a plain access. Asked only of models
    /// that declare [`races`](Declaration::races).
    fn race(&self, _graph: &Graph, _event: EventId) -> Option<EventId> {
        None
    }

    /// The derived relations that the axioms are written in, for people who look at a graph:
    /// happens-before (`hb`), for example.
    fn relations(&self, _graph: &Graph) -> Vec<(&'static str, Rel)> {
        Vec::new()
    }

    /// The monitor, its state reserved in `layout`, of a model that declares
    /// [`Robustness::Monitor`].
    fn monitor(&self, _shape: &Shape, _layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        None
    }

    /// The value of `--model`.
    fn name(&self) -> &'static str {
        self.declaration().name
    }

    /// One line for people.
    fn title(&self) -> &'static str {
        self.declaration().title
    }

    /// The page of the manual.
    fn essay(&self) -> &'static str {
        self.declaration().essay
    }

    /// What a fence is in this model.
    fn fence(&self, order: FenceOrder) -> FenceMeaning {
        self.declaration().fences.meaning(order)
    }

    /// What a light fence is in this model.
    fn light_fences(&self) -> LightFences {
        self.declaration().fences.light
    }

    /// Does a read of this order, or a read-modify-write's, acquire what the write it reads
    /// releases?
    fn acquires(&self, mode: Mode) -> bool {
        !self.declaration().repairs.orders || mode.acquires()
    }

    /// Does a write of this order release all that its thread is aware of?
    fn releases(&self, mode: Mode) -> bool {
        !self.declaration().repairs.orders || mode.releases()
    }

    /// The store buffers of a thread, if the model is that of a machine with store buffers.
    fn buffers(&self) -> Option<Buffers> {
        match self.declaration().kind {
            Kind::Machine(buffers) => Some(buffers),
            Kind::Reference | Kind::Language => None,
        }
    }
}

/// What a model says of itself.
#[derive(Clone, Copy)]
pub struct Declaration {
    /// The value of `--model`.
    pub name: &'static str,
    /// One line for people.
    pub title: &'static str,
    /// The page of the manual: what is modelled, from which paper, what is not.
    pub essay: &'static str,
    /// What kind of model it is.
    pub kind: Kind,
    /// Are there data races, which are undefined behaviour? Then [`Model::race`] finds them. A race
    /// is a notion of a language; machines know none, and SC has no happens-before of its own.
    pub races: bool,
    /// Are atomic sections part of the model?
    pub sections: bool,
    /// What fences are.
    pub fences: Fences,
    /// How robustness is decided.
    pub robustness: Robustness,
    /// What strong release/acquire says about the model.
    pub causal: Causal,
    /// The machine of messages and views that permits all that the model permits, if there is one.
    pub views: Option<Views>,
    /// What can be written in a program that makes a difference.
    pub repairs: Repairs,
    /// The programs that are put to the model if nobody says which model is meant.
    pub default: ByDefault,
    /// The encoding of the model's monitor for a second opinion by SPIN.
    pub promela: Option<PromelaMonitor>,
}

/// Kinds of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sequential consistency, which all others are compared with.
    Reference,
    /// The model of a language: orders and races as in the source.
    Language,
    /// The model of a machine, between whose threads and memory there are store buffers. Plain
    /// accesses are like all others.
    Machine(Buffers),
}

/// How robustness against a model is decided.
#[derive(Clone, Copy)]
pub enum Robustness {
    /// All programs are robust: the model is SC.
    Always,
    /// By a monitor of SC runs; observational robustness too.
    Monitor,
    /// By looking for attacks: stores that are delayed past later accesses.
    Attacks,
    /// Only by that against another model, which permits more.
    Implied(&'static dyn Model),
}

impl Robustness {
    /// Is there an engine that decides it?
    pub fn is_decided(self) -> bool {
        matches!(self, Robustness::Monitor | Robustness::Attacks)
    }
}

/// What strong release/acquire (SRA) says about a model. Safety under SRA is decided by
/// coverability, loops included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Causal {
    /// Is it SRA itself?
    pub is_it: bool,
    /// Does the model permit every execution of SRA? Then what goes wrong there goes wrong here.
    pub permits_it: bool,
    /// When is a program that is safe under SRA safe here?
    pub safe: SafeIf,
}

/// When a program that is safe under SRA is safe in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SafeIf {
    /// Always: the model permits nothing that SRA does not.
    Always,
    /// If no two writes to a location race under SRA.
    WritesDoNotRace,
    /// If, besides, every access is at least a release or acquire access.
    SynchronisedAndWritesDoNotRace,
    /// Not known.
    Never,
}

/// A machine of messages and views, for searches over its states: where a write goes among those to
/// its location. Which accesses pass on what they know is what [`Model::acquires`] and
/// [`Model::releases`] say, and fences are what the model says they are.
///
/// The machine has no order of SC accesses, nor of SC fences that are events. A model without them,
/// or a program, permits exactly what the machine does; otherwise the model permits less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Views {
    /// Anywhere after the writes that its thread is aware of.
    Anywhere,
    /// After all others.
    Last,
}

/// The fences of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fences {
    /// `fence(acq)`
    pub acq: FenceMeaning,
    /// `fence(rel)`
    pub rel: FenceMeaning,
    /// `fence(acqrel)`
    pub acqrel: FenceMeaning,
    /// `fence(sc)`
    pub sc: FenceMeaning,
    /// `lwfence`
    pub light: LightFences,
}

impl Fences {
    /// No fence does anything, but `fence(sc)` updates a hidden location.
    pub const HIDDEN_RMW_ONLY: Fences = Fences {
        acq: FenceMeaning::Nothing,
        rel: FenceMeaning::Nothing,
        acqrel: FenceMeaning::Nothing,
        sc: FenceMeaning::HiddenRmw,
        light: LightFences::Ignored,
    };

    /// What a fence of this order does.
    pub fn meaning(&self, order: FenceOrder) -> FenceMeaning {
        match order {
            FenceOrder::Acq => self.acq,
            FenceOrder::Rel => self.rel,
            FenceOrder::AcqRel => self.acqrel,
            FenceOrder::Sc => self.sc,
        }
    }
}

/// What can be written in a program that makes a difference in a model, fences aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repairs {
    /// Does a relaxed access do less than an acquire or release one?
    pub orders: bool,
    /// Does an SC access do more?
    pub sc_accesses: bool,
    /// Does a read-modify-write order things through its location only? Then one in place of a
    /// store is a repair of its own. Elsewhere it is one more way to write a fence.
    pub exchanges: bool,
}

/// The programs that a model is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByDefault {
    /// None: the model must be asked for by name.
    Never,
    /// Programs with orders: `.fp`, TPL, litmus tests in C.
    Programs,
    /// Automata over a machine's memory: Trencher's.
    Automata,
}

/// The encodings of monitors in Promela; each is written apart from the monitor it gives a second
/// opinion on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromelaMonitor {
    /// None: SC runs.
    Nothing,
    /// Of release/acquire.
    ReleaseAcquire,
    /// Of accesses with orders, and fences; SC accesses have an order of their own.
    Orders,
    /// The same with SC accesses and SC fences in one order.
    OrdersAndS,
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
    /// One queue per location, which feed one for all: stores to different locations may change
    /// places.
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
