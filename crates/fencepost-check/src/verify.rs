//! Does a program do in a model what it says of itself: are its assertions
//! true, is its condition on final states met, is there no data race?
//!
//! Whoever knows another way to find out becomes an [`Engine`], or a case of
//! [`choose`]; an answer always says which argument it rests on. Without loops
//! and atomic sections the definitions are evaluated literally, which is exact
//! for every model as long as it is cheap; assertions under SC are looked for by
//! exploration, with loops and all. For everything else there is no engine yet.

use fencepost_explore::{End, Options};
use fencepost_ir::{Op, Program};
use fencepost_model::Model;
use fencepost_model::models::sc::Sc;
use fencepost_oracle::finals;
use fencepost_verdict::{Argument, Budget, Extent, Failing, Race, Reason, States, Stats, Verification, Verified};

use crate::{InternalError, beyond, replay_sc_failure};

/// Most states ⟨q, G⟩ that are enumerated when nobody says how many.
const MOST_CONFIGURATIONS: u64 = 2_000_000;

/// Ways to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Enumerate the execution graphs that the axioms permit.
    Oracle,
    /// Explore SC runs, for a failing assertion.
    Exploration,
}

/// As [`verify_with`], by the engine that fits best.
pub fn verify(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    match choose(program, model) {
        Ok(engine) => verify_with(engine, program, model, options, budget),
        Err(reason) => Ok(unknown(model, reason)),
    }
}

/// The engine that fits best, or what is missing.
fn choose(program: &Program, model: &dyn Model) -> Result<Engine, Reason> {
    // There are no final states to be found, and SC knows no races: exploration says all there is to say.
    if program.condition().is_none() && model.name() == Sc.name() {
        return Ok(Engine::Exploration);
    }
    can_enumerate(program).map(|()| Engine::Oracle)
}

/// Can the definitions be evaluated on this program?
fn can_enumerate(program: &Program) -> Result<(), Reason> {
    let unsupported = |what: &str| {
        let rest = "its executions cannot be enumerated, and there is no other way to decide this yet";
        Err(Reason::Unsupported(format!("the program has {what}: {rest}")))
    };
    let has_bound = program.threads().iter().flat_map(|thread| &thread.code).any(|i| matches!(i.op, Op::Bound { .. }));
    if !program.is_loop_free() {
        unsupported("loops")
    } else if program.has_sections() {
        unsupported("atomic sections")
    } else if has_bound {
        unsupported("bounds")
    } else {
        Ok(())
    }
}

/// Finds out in a given way.
pub fn verify_with(
    engine: Engine,
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    match engine {
        Engine::Oracle => Ok(match can_enumerate(program) {
            Ok(()) => enumerate(program, model, budget),
            Err(reason) => unknown(model, reason),
        }),
        Engine::Exploration => explore(program, model, options, budget),
    }
}

fn unknown(model: &'static dyn Model, reason: Reason) -> Verification {
    Verification { model: model.name(), result: Err(reason), tried: Vec::new(), stats: Stats::default() }
}

fn enumerate(program: &Program, model: &'static dyn Model, budget: &Budget<'_>) -> Verification {
    let observed = program.condition().map_or_else(Vec::new, |condition| condition.observed());
    let limit = budget.max_states.min(MOST_CONFIGURATIONS);
    let Ok(found) = finals(program, model, &observed, limit, budget.expired) else {
        let reason = match (budget.expired)() {
            true => Reason::Time,
            false if limit == budget.max_states => Reason::States(limit),
            false => Reason::TooLarge(format!("there are more than {limit} partial executions to enumerate")),
        };
        return unknown(model, reason);
    };
    let list = found.executions.into_iter().map(|(values, executions)| (values, Some(executions), None)).collect();
    let verified = Verified {
        argument: Argument::Enumeration,
        states: program.condition().map(|condition| States::judge(condition, observed, list, Extent::All)),
        race: found.race.map(|(thread, location)| Race { thread, location }),
        failing: found.failure.map(|(site, kind)| Failing { site, kind, run: None, execution: None }),
    };
    let stats = Stats { states: found.configurations, ..Stats::default() };
    Verification { model: model.name(), result: Ok(verified), tried: Vec::new(), stats }
}

fn explore(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    if program.condition().is_some() || model.name() != Sc.name() {
        let what = "exploration finds failing assertions under sc, nothing else";
        return Ok(unknown(model, Reason::Unsupported(what.into())));
    }
    let exploration = fencepost_explore::find_failure(program, options, budget);
    replay_sc_failure(program, &Sc, exploration.sc_failure.as_ref())?;
    let verified = |failing| Verified { argument: Argument::Exploration, states: None, race: None, failing };
    let result = match (exploration.end, exploration.sc_failure, exploration.bound) {
        (_, Some(failure), _) => {
            let (site, kind) = (failure.site, failure.kind.clone());
            Ok(verified(Some(Failing { site, kind, run: Some(Box::new(failure)), execution: None })))
        }
        (End::GaveUp(reason), ..) => Err(reason),
        (_, None, Some(site)) => Err(beyond(program, site)),
        (_, None, None) => Ok(verified(None)),
    };
    Ok(Verification { model: model.name(), result, tried: Vec::new(), stats: exploration.stats })
}
