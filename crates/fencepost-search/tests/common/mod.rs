//! What is found is not believed.

use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_oracle::{Replayed, replay_computation, replay_graph, replay_graph_end, replay_graph_failure};
use fencepost_search::{Evidence, Finding, What};
use fencepost_verdict::GraphRun;

/// Replays a finding: a computation on the machine first, then in any case a run on the axioms.
pub(crate) fn confirm(program: &Program, model: &dyn Model, finding: &Finding) -> Result<Replayed, String> {
    let run: GraphRun = match &finding.evidence {
        Evidence::Graph(run) => run.clone(),
        Evidence::Machine(computation) => {
            replay_computation(program, model, computation).map_err(|error| format!("on the machine: {error}"))?
        }
    };
    let replayed = match &finding.what {
        What::Failure { site, kind } => replay_graph_failure(program, model, &run, *site, kind),
        What::Race { .. } => replay_graph(program, model, &run),
        What::End => replay_graph_end(program, model, &run),
    };
    let replayed = replayed.map_err(|error| format!("on the axioms: {error}"))?;
    match finding.what {
        What::Race { thread, location }
            if replayed.race.map(|pair| (pair.access.thread, pair.location)) != Some((thread, location)) =>
        {
            Err(format!("not this race: {:?}", replayed.race))
        }
        _ => Ok(replayed),
    }
}
