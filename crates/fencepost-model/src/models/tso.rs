//! Total store order (TSO): a store buffer between each thread and memory.
//!
//! Paper: Derevenetc, Meyer and Schweizer, 2015, §4: the machine of which only
//! the queue for all locations is used. The axioms are in `buffers`.

use crate::graph::Graph;
use crate::model::{
    Buffers, ByDefault, Causal, Declaration, FenceMeaning, Fences, Kind, LightFences, Model, Repairs, Robustness,
    SafeIf,
};
use crate::models::buffers;

/// Total store order, the model of x86.
pub struct Tso;

static DECLARATION: Declaration = Declaration {
    name: "tso",
    title: "total store order, the model of x86",
    essay: "\
What it is: each thread has one buffer, first in, first out, through which its stores reach memory; its loads look \
there first. So a load can be done before an earlier store to another location is visible. x86 and SPARC's TSO are like this.

What is modelled: orders of accesses make no difference. Read-modify-writes, a compare-and-swap that fails among them, \
`fence(sc)` and atomic sections wait until the buffer of their thread is empty; other fences, light ones too, do nothing. \
`wait` is a load that blocks. Plain accesses are ordinary loads and stores: nothing is a race.

What is not: the size of buffers, store buffers shared by threads of one core, self-modifying code, liveness; what a \
compiler does to the program, for which all accesses are taken to be instructions of the machine as they stand.

Source: Derevenetc, Meyer and Schweizer, Locality and Singularity for Store-Atomic Memory Models, 2015; Owens, Sarkar \
and Sewell, x86-TSO, TPHOLs 2009.
",
    kind: Kind::Machine(Buffers::Total),
    races: false,
    sections: true,
    fences: Fences {
        acq: FenceMeaning::Nothing,
        rel: FenceMeaning::Nothing,
        acqrel: FenceMeaning::Nothing,
        sc: FenceMeaning::Event,
        light: LightFences::Ignored,
    },
    robustness: Robustness::Attacks,
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::Always },
    views: None,
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: false },
    default: ByDefault::Automata,
    promela: None,
};

impl Model for Tso {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        buffers::permits(graph, Buffers::Total)
    }
}
