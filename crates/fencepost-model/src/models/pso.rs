//! Partial store order (PSO): TSO in which stores to different locations may change places.
//!
//! Paper: Derevenetc, Meyer and Schweizer, 2015, §4; a fence between the queues
//! is SPARC's `stbar`. The axioms are in `buffers`.

use crate::graph::Graph;
use crate::model::{
    Buffers, ByDefault, Causal, Declaration, Fences, Kind, LightFences, Model, Repairs, Robustness, SafeIf,
};
use crate::models::buffers;

/// Partial store order: a store buffer per location.
pub struct Pso;

static DECLARATION: Declaration = Declaration {
    name: "pso",
    title: "partial store order: a store buffer per location",
    essay: "\
What it is: each thread has one buffer per location, through which its stores reach memory; its loads look there \
first. So also a store can be visible before an earlier store to another location. SPARC's PSO is like this.

What is modelled: orders of accesses make no difference. Read-modify-writes, a compare-and-swap that fails among them, \
`fence(sc)` and atomic sections wait until the buffers of their thread are empty. `lwfence`, whatever its list says, \
`fence(rel)` and `fence(acqrel)` keep earlier stores before later ones (SPARC's stbar), not stores before loads; `fence(acq)` \
does nothing. `wait` is a load that blocks. Plain accesses are ordinary loads and stores: nothing is a race.

What is not: a release store that would keep earlier stores before it (put a fence there), the size of buffers, liveness; what a \
compiler does to the program, for which all accesses are taken to be instructions of the machine as they stand.

Source: Derevenetc, Meyer and Schweizer, Locality and Singularity for Store-Atomic Memory Models, 2015; The SPARC \
Architecture Manual, version 8.
",
    kind: Kind::Machine(Buffers::PerLocation),
    races: false,
    sections: true,
    fences: Fences { light: LightFences::All, ..buffers::FENCES_BETWEEN_QUEUES },
    robustness: Robustness::Attacks,
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::Never },
    views: None,
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: false },
    default: ByDefault::Never,
    promela: None,
};

impl Model for Pso {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        buffers::permits(graph, Buffers::PerLocation)
    }
}
