//! Robustness against a model with a monitor: all SC runs are explored, and the monitor with them.

use fencepost_explore::{End, Exploration};
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_verdict::{Budget, Candidate, Outcome, Verdict};

use crate::confirm::{beyond, cheap_budget, confirm, replay_sc_failure};
use crate::question::property;
use crate::{InternalError, Options, Reductions};

/// Is `program` robust against `model`, plainly or observationally?
pub(crate) fn check(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    let exploration = match robust_anyway(program, model, options, budget) {
        Some(exhausted) => exhausted,
        None => fencepost_explore::explore(program, model, options, budget),
    };
    let verdict = match exploration.end {
        End::Exhausted => match exploration.bound {
            None => Verdict::Holds,
            Some(site) => Verdict::Unknown(beyond(program, site)),
        },
        End::GaveUp(reason) => Verdict::Unknown(reason),
        End::Failed => unreachable!("failures under SC do not end this search"),
        End::Found(candidate) => {
            let found = confirm(program, model, options, &candidate)?;
            match shorter(program, model, options, exploration.stats.states, budget)? {
                Some(candidate) => confirm(program, model, options, &candidate)?,
                None => found,
            }
        }
    };
    replay_sc_failure(program, model, exploration.sc_failure.as_ref())?;
    Ok(Outcome {
        property: property(options),
        model: model.name(),
        verdict,
        sc_failure: exploration.sc_failure.map(Box::new),
        speculative: exploration.speculative,
        consequences: None,
        copies: None,
        stats: exploration.stats,
    })
}

/// A program that no read can be stale in is observationally robust too, and that is cheaper to
/// find out: only a search that lets reads be stale needs the whole monitor.
fn robust_anyway(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Option<Exploration> {
    if !options.observational || options.reductions == Reductions::NONE {
        return None;
    }
    let plain = Options { observational: false, ..options };
    let exploration = fencepost_explore::explore(program, model, plain, budget);
    matches!(exploration.end, End::Exhausted).then_some(exploration)
}

/// A shortest run that leaves SC, if it is cheap to find. A search that leaves out interleavings
/// finds a run that is shortest among those it looks at; this one looks at all.
fn shorter(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    states: u64,
    budget: &Budget<'_>,
) -> Result<Option<Candidate>, InternalError> {
    if options.reductions == Reductions::NONE {
        return Ok(None);
    }
    // On one thread: where the limit cuts a layer, several would each time have found something
    // else.
    let options = Options { reductions: Reductions::NONE, jobs: 1, ..options };
    match fencepost_explore::explore(program, model, options, &cheap_budget(states, budget)).end {
        End::Found(candidate) => Ok(Some(candidate)),
        End::GaveUp(_) | End::Failed => Ok(None),
        End::Exhausted => Err(InternalError { message: "only a reduced search finds a violation".into() }),
    }
}
