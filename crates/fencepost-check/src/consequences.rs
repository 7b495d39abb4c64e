//! What goes wrong because a program is not robust.
//!
//! Models with a monitor: executions with at most one stale step are searched
//! (`fencepost_explore::consequences`, whose file has the argument). Exact if the search comes to its
//! end: then what is listed is all that goes wrong in such executions, statement by statement. If
//! that is cheap, the search leaves out no interleavings, so that the runs are the shortest there
//! are.
//!
//! Models with store buffers have no such search: they are put to `verify`, whose answer is about
//! every execution, and which stops at the first thing that goes wrong.
//!
//! Nothing is listed before the oracle has replayed it on the axioms of the model. Which older write
//! the stale step takes is found there: searches do not say.

use std::mem::discriminant;

use fencepost_explore::{Failure, Onward, Options, Reductions, Wrong};
use fencepost_ir::Program;
use fencepost_model::{Model, Robustness};
use fencepost_oracle::ReplayError;
use fencepost_verdict::{
    Budget, Candidate, Consequence, Consequences, GraphRun, Race, Rank, Reason, Run, RunStep, ScFailure, Scope, Site,
    Stats, Verdict, Violation,
};

use crate::buffers::can_fail;
use crate::confirm::{beyond, confirm, replay_sc_failure};
use crate::verify::{self, can_race, evidence};
use crate::{InternalError, monitored};

/// States of a search that leaves out no interleavings.
const PLAIN_STATES: u64 = 50_000;

/// States that are worth the question, if the user does not say.
const MOST_STATES: u64 = 1 << 20;

/// States that are worth a second question, when the first one is answered.
const QUICK_STATES: u64 = 4_000;

/// What goes wrong in executions with at most `stale` stale steps.
pub(crate) fn of(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    stale: u32,
    budget: &Budget<'_>,
) -> Result<Consequences, InternalError> {
    let mut found = Consequences {
        list: Vec::new(),
        scope: match model.declaration().robustness {
            Robustness::Monitor => Scope::Stale(stale),
            Robustness::Attacks | Robustness::Always | Robustness::Implied(_) => Scope::Everything,
        },
        can_go_wrong: can_fail(program) || can_race(program, model),
        argument: None,
        is_unobserved: false,
        cut: None,
        stats: Stats::default(),
    };
    if !found.can_go_wrong {
        return Ok(found);
    }
    let budget = &limited(budget);
    match model.declaration().robustness {
        Robustness::Monitor => {
            let onward = search(program, model, options, budget);
            found.stats = onward.stats;
            found.cut = onward.cut.or_else(|| onward.bound.map(|site| beyond(program, site)));
            let mut list = Vec::new();
            for wrong in &onward.found {
                match replay(program, model, wrong)? {
                    Ok(consequence) => list.push((wrong.stale.is_some(), consequence)),
                    Err(reason) => found.cut = Some(reason),
                }
            }
            found.list = ranked(program, list);
            if found.rank() == Rank::Harmless {
                look_further(program, model, options, budget, &mut found)?;
            }
        }
        Robustness::Attacks | Robustness::Always | Robustness::Implied(_) => {
            let verification = verify::verify(program, model, options, None, budget)?;
            found.stats = verification.stats;
            match verification.result {
                Ok(verified) => found.add(verified),
                Err(reason) => found.cut = Some(reason),
            }
        }
    }
    Ok(found)
}

/// The access to blame for the worst that goes wrong with one stale step; `violation` in models of
/// which only that is known.
pub(crate) fn harm(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    violation: Violation,
    budget: &Budget<'_>,
) -> Result<Verdict, InternalError> {
    if !can_fail(program) && !can_race(program, model) {
        return Ok(Verdict::Holds);
    }
    if !matches!(model.declaration().robustness, Robustness::Monitor) {
        let found = of(program, model, options, 1, budget)?;
        let does_harm = |consequence: &Consequence| match consequence {
            Consequence::Race(_) => true,
            Consequence::Fails(failing) => failing.run.is_none(),
        };
        return Ok(match found.cut {
            _ if found.list.iter().any(does_harm) => Verdict::Violated(Box::new(violation)),
            // That stops at the first failure.
            None if !found.list.is_empty() => {
                Verdict::Unknown(Reason::Inconclusive("something fails under SC, and hides the rest".into()))
            }
            None => Verdict::Holds,
            Some(reason) => Verdict::Unknown(reason),
        });
    }
    let onward = search(program, model, options, &limited(budget));
    let is_failure = |wrong: &Wrong| matches!(wrong.what, Failure::Fails(..));
    let mut does_harm: Vec<&Wrong> =
        onward.found.iter().filter(|wrong| wrong.stale.is_some() || !is_failure(wrong)).collect();
    does_harm.sort_by_key(|wrong| (is_failure(wrong), wrong.stale.is_some()));
    let Some(worst) = does_harm.first() else {
        let cut = onward.cut.or_else(|| onward.bound.map(|site| beyond(program, site)));
        return Ok(cut.map_or(Verdict::Holds, Verdict::Unknown));
    };
    let run = |steps: &[RunStep]| Run { steps: steps.to_vec() };
    let steps = &worst.run.steps;
    let candidate = match (worst.stale, &worst.what) {
        (Some(step), _) => Candidate::Stale { run: run(&steps[..step]), site: steps[step].site },
        (None, Failure::Race(first, second)) => Candidate::Race { run: run(steps), first: *first, second: *second },
        (None, Failure::LateRace(site) | Failure::Fails(site, _)) => {
            Candidate::LateRace { run: run(steps), site: *site }
        }
    };
    confirm(program, model, Options { observational: false, ..options }, &candidate)
}

/// As much as the question is worth.
fn limited<'a>(budget: &Budget<'a>) -> Budget<'a> {
    let unlimited = budget.max_states == u64::MAX;
    Budget { max_states: if unlimited { MOST_STATES } else { budget.max_states }, ..*budget }
}

/// One stale step does no harm. If it is quick to know what any number of them does, that is the
/// better answer.
fn look_further(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
    found: &mut Consequences,
) -> Result<(), InternalError> {
    let quick = Budget { max_states: budget.max_states.min(QUICK_STATES), ..*budget };
    if let Ok(verified) = verify::verify(program, model, options, None, &quick)?.result {
        found.scope = Scope::Everything;
        found.add(verified);
    } else {
        let options = Options { observational: true, ..options };
        found.is_unobserved = monitored::check(program, model, options, &quick)?.verdict.is_holding();
    }
    Ok(())
}

/// With all interleavings, if that is cheap.
fn search(program: &Program, model: &'static dyn Model, options: Options, budget: &Budget<'_>) -> Onward {
    let options = Options { observational: false, ..options };
    let plain =
        Options { reductions: Reductions { por: false, symmetry: false, ..options.reductions }, jobs: 1, ..options };
    let cheap = Budget { max_states: budget.max_states.min(PLAIN_STATES), ..*budget };
    let found = fencepost_explore::consequences(program, model, plain, &cheap);
    match found.cut {
        Some(Reason::States(limit)) if limit < budget.max_states => {
            fencepost_explore::consequences(program, model, options, budget)
        }
        _ => found,
    }
}

/// What a search has found, as an execution of the model; or why it cannot be replayed.
fn replay(
    program: &Program,
    model: &'static dyn Model,
    wrong: &Wrong,
) -> Result<Result<Consequence, Reason>, InternalError> {
    let steps = wrong.run.steps.len();
    if let (None, Failure::Fails(site, kind)) = (wrong.stale, &wrong.what) {
        let failure = ScFailure { kind: kind.clone(), site: *site, run: wrong.run.clone() };
        replay_sc_failure(program, model, Some(&failure))?;
        let (failing, _) = evidence::under_sc(program, model, failure)?;
        return Ok(Ok(Consequence::Fails(failing)));
    }
    if steps > evidence::LONGEST_RUN {
        let what = format!("something seems to go wrong after {steps} steps, too many to be replayed");
        return Ok(Err(Reason::TooLarge(what)));
    }
    let runs: Vec<GraphRun> = match wrong.stale {
        None => vec![evidence::straying_run(program, &wrong.run, None)],
        Some(step) => {
            let writes = evidence::older_writes(program, &wrong.run, step).into_iter();
            writes.map(|write| evidence::straying_run(program, &wrong.run, Some((step, write)))).collect()
        }
    };
    let mut failed = String::from("there is no older write that it could use");
    for run in runs {
        match replay_run(program, model, run, &wrong.what) {
            Ok(consequence) => return Ok(Ok(consequence)),
            Err(error) => failed = error.to_string(),
        }
    }
    Err(InternalError::new(format!("what follows a stale step does not replay on the axioms: {failed}")))
}

fn replay_run(
    program: &Program,
    model: &'static dyn Model,
    run: GraphRun,
    what: &Failure,
) -> Result<Consequence, ReplayError> {
    let race = |accesses: &[Site]| evidence::racing(program, model, run.clone(), accesses).map(Consequence::Race);
    match what {
        Failure::Fails(site, kind) => {
            let (failing, _) = evidence::failing(program, model, run, *site, kind)?;
            Ok(Consequence::Fails(failing))
        }
        Failure::LateRace(site) => race(&[*site]),
        // The one that comes second must not have observed the first, which is a write.
        Failure::Race(first, second) => race(&[*first, *second]).or_else(|_| race(&[*second, *first])),
    }
}

/// Races first; of each pair of statements and each failing statement one, if possible of an SC run.
fn ranked(program: &Program, mut found: Vec<(bool, Consequence)>) -> Vec<Consequence> {
    let span = |site: Site| program.instr(site.thread, site.pc).origin.span;
    // Instructions without a text are all different.
    let same = |a: Site, b: Site| a == b || span(a) == span(b) && span(a).start < span(a).end;
    let is_again = |one: &Consequence, other: &Consequence| match (one, other) {
        (Consequence::Race(Race { pair: a, .. }), Consequence::Race(Race { pair: b, .. })) => {
            let straight = same(a.access, b.access) && same(a.other, b.other);
            straight || same(a.access, b.other) && same(a.other, b.access)
        }
        (Consequence::Fails(a), Consequence::Fails(b)) => {
            same(a.site, b.site) && discriminant(&a.kind) == discriminant(&b.kind)
        }
        _ => false,
    };
    found.sort_by_key(|(strayed, consequence)| (consequence.rank(), *strayed));
    let mut list: Vec<Consequence> = Vec::new();
    for (_, consequence) in found {
        if !list.iter().any(|other| is_again(other, &consequence)) {
            list.push(consequence);
        }
    }
    list
}
