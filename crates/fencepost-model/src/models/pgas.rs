//! Partitioned global address spaces (PGAS): PSO with light fences on some locations.
//!
//! Paper: Derevenetc, Meyer and Schweizer, 2015, §4. The axioms are in `buffers`.

use fencepost_base::order::FenceOrder;

use crate::graph::Graph;
use crate::model::{Buffers, FenceMeaning, LightFences, Model};
use crate::models::buffers;

/// Partitioned global address spaces: PSO with light fences on some locations.
pub struct Pgas;

impl Model for Pgas {
    fn name(&self) -> &'static str {
        "pgas"
    }

    fn title(&self) -> &'static str {
        "partitioned global address spaces: PSO with light fences on some locations"
    }

    fn essay(&self) -> &'static str {
        "\
What it is: a cluster whose nodes access the memory of others: a write travels through a queue, and queues of \
different locations do not wait for each other, unless the program asks them to.

What is modelled: the buffers per location of PSO. `lwfence(x, y)` lets earlier stores to x and y go before all later \
stores, `lwfence` without a list those to any location; `fence(rel)` and `fence(acqrel)` are the latter, `fence(acq)` does nothing. \
Read-modify-writes, a compare-and-swap that fails among them, `fence(sc)` and atomic sections wait until all buffers of \
their thread are empty. Orders of accesses make no difference. `wait` is a load that blocks. Plain accesses are ordinary \
loads and stores: nothing is a race.

What is not: reads that are under way while the program goes on, queues shared by several locations, failures of nodes, liveness.

Source: Derevenetc, Meyer and Schweizer, Locality and Singularity for Store-Atomic Memory Models, 2015.
"
    }

    fn fence(&self, order: FenceOrder) -> FenceMeaning {
        buffers::fence_between_queues(order)
    }

    fn permits(&self, graph: &Graph) -> bool {
        buffers::permits(graph, Buffers::PerLocation)
    }

    fn light_fences(&self) -> LightFences {
        LightFences::Listed
    }

    fn buffers(&self) -> Option<Buffers> {
        Some(Buffers::PerLocation)
    }
}
