//! Partitioned global address spaces (PGAS): PSO with light fences on some locations.
//!
//! Paper: Derevenetc, Meyer and Schweizer, 2015, §4. The axioms are in `buffers`.

use crate::graph::Graph;
use crate::model::{
    Buffers, ByDefault, Causal, Declaration, Fences, Kind, LightFences, Model, Repairs, Robustness, SafeIf,
};
use crate::models::buffers;

/// Partitioned global address spaces: PSO with light fences on some locations.
pub struct Pgas;

static DECLARATION: Declaration = Declaration {
    name: "pgas",
    title: "partitioned global address spaces: PSO with light fences on some locations",
    essay: "\
What it is: a cluster whose nodes access the memory of others: a write travels through a queue, and queues of \
different locations do not wait for each other, unless the program asks them to.

What is modelled: the buffers per location of PSO. `lwfence(x, y)` lets earlier stores to x and y go before all later \
stores, `lwfence` without a list those to any location; `fence(rel)` and `fence(acqrel)` are the latter, `fence(acq)` does nothing. \
Read-modify-writes, a compare-and-swap that fails among them, `fence(sc)` and atomic sections wait until all buffers of \
their thread are empty. Orders of accesses make no difference. `wait` is a load that blocks. Plain accesses are ordinary \
loads and stores: nothing is a race.

What is not: reads that are under way while the program goes on, queues shared by several locations, failures of nodes, liveness.

Source: Derevenetc, Meyer and Schweizer, Locality and Singularity for Store-Atomic Memory Models, 2015.
",
    kind: Kind::Machine(Buffers::PerLocation),
    races: false,
    sections: true,
    fences: Fences { light: LightFences::Listed, ..buffers::FENCES_BETWEEN_QUEUES },
    robustness: Robustness::Attacks,
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::Never },
    views: None,
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: false },
    default: ByDefault::Never,
    promela: None,
};

impl Model for Pgas {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        buffers::permits(graph, Buffers::PerLocation)
    }
}
