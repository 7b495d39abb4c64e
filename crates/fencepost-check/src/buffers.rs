//! Robustness against store buffers: attacks, searched for under SC.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory Models". What the control
//! flow does not rule out (`fencepost_attack::attacks`) becomes one program that fails an assertion iff
//! there is a feasible attack, or one for each attack; the SC explorer does the rest. Zero attacks: zero states.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fencepost_attack::{Attack, Delays, Instrumented};
use fencepost_base::order::FenceOrder;
use fencepost_explore::{End, Exploration, Options, Reductions};
use fencepost_ir::export::Unsupported;
use fencepost_ir::{Op, Place, Program};
use fencepost_model::{Buffers, FenceMeaning, LightFences, Model};
use fencepost_verdict::{Budget, Candidate, Outcome, Property, Stats, Verdict};

use crate::{InternalError, cheap_budget, confirm};

/// How to look for attacks; the verdict is the same in every way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attacking {
    /// How many stores an attacker delays; by default one where that is enough.
    pub delays: Option<Delays>,
    /// One question for each attack, instead of one for all.
    pub one_by_one: bool,
}

/// Are stores of `program` ever ordered by light fences?
fn has_light_fences(program: &Program, model: &dyn Model) -> bool {
    let light = |op: &Op| match op {
        Op::Fence { order } => *order != FenceOrder::Sc && model.fence(*order) == FenceMeaning::Light,
        Op::LightFence { .. } => model.light_fences() != LightFences::Ignored,
        _ => false,
    };
    program.threads().iter().flat_map(|thread| &thread.code).any(|instr| light(&instr.op))
}

/// The number of delayed stores that makes a search for attacks complete: one, if stores can overtake each other and no
/// light fence makes them follow each other.
pub fn enough_delays(program: &Program, model: &dyn Model) -> Delays {
    match model.buffers() {
        Some(Buffers::PerLocation) if !has_light_fences(program, model) => Delays::One,
        _ => Delays::Many,
    }
}

/// The program that [`crate::check`] explores for a model with store buffers, as text.
///
/// # Errors
/// If the model has none.
pub fn export_attacks(program: &Program, model: &dyn Model) -> Result<String, Unsupported> {
    if model.buffers().is_none() {
        return Err(Unsupported::new(format!("{} has no store buffers", model.name())));
    }
    let attacks = fencepost_attack::attacks(program, model);
    let instrumented = fencepost_attack::instrument(program, model, &attacks, enough_delays(program, model));
    Ok(fencepost_ir::print(instrumented.program()))
}

/// Is `program` robust against the store buffers of `model`?
pub(crate) fn check(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    attacking: Attacking,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    let attacks = fencepost_attack::attacks(program, model);
    let enough = enough_delays(program, model);
    // One is never too few to find something, only to prove that there is nothing.
    let delays = attacking.delays.filter(|_| enough == Delays::One).unwrap_or(enough);
    let query = |attacks: &[Attack], options: Options, budget: &Budget<'_>| {
        let instrumented = fencepost_attack::instrument(program, model, attacks, delays);
        let exploration = fencepost_explore::find_failing_assertion(instrumented.program(), options, budget);
        (instrumented, exploration)
    };
    let (found, stats) = if attacks.is_empty() {
        (None, Stats::default())
    } else if attacking.one_by_one {
        let each: Vec<&[Attack]> = attacks.chunks(1).collect();
        let (index, stats) = first_feasible(&each, options.jobs, &|attack| {
            query(attack, Options { jobs: 1, ..options }, budget).1
        });
        (index.map(|(index, end)| (each[index], end)), stats)
    } else {
        let exploration = query(&attacks, options, budget).1;
        let decided = matches!(exploration.end, End::Exhausted);
        ((!decided).then_some((&attacks[..], exploration.end)), exploration.stats)
    };
    let verdict = match found {
        None => Verdict::Holds,
        Some((_, End::GaveUp(reason))) => Verdict::Unknown(reason),
        Some((attacks, _)) => {
            let (instrumented, exploration) = query(attacks, options, budget);
            let verdict = confirm_attack(program, model, options, &instrumented, &exploration)?;
            // A search that leaves out interleavings finds a run that is shortest among those it looks at.
            let unreduced = Options { reductions: Reductions::NONE, jobs: 1, ..options };
            let (instrumented, exploration) = query(attacks, unreduced, &cheap_budget(stats.states, budget));
            match exploration.end {
                End::Failed => confirm_attack(program, model, options, &instrumented, &exploration)?,
                _ => verdict,
            }
        }
    };
    let sc_failure = match can_fail(program) {
        true => fencepost_explore::find_failure(program, options, budget).sc_failure,
        false => None,
    };
    Ok(Outcome {
        property: Property::Robustness,
        model: model.name(),
        verdict,
        sc_failure: sc_failure.map(Box::new),
        speculative: Vec::new(),
        stats,
    })
}

/// Can something go wrong under SC?
fn can_fail(program: &Program) -> bool {
    let domain = program.domain();
    let fails = |op: &Op| {
        let mut fails = matches!(op, Op::Assert { .. });
        op.for_each_expr(&mut |expr| fails |= expr.can_fail(domain));
        fails || matches!(op.place(), Some(Place::Element { .. }))
    };
    program.threads().iter().flat_map(|thread| &thread.code).any(|instr| fails(&instr.op))
}

/// Lifts and replays what a search found.
fn confirm_attack(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    instrumented: &Instrumented,
    exploration: &Exploration,
) -> Result<Verdict, InternalError> {
    let failure = exploration.sc_failure.as_ref();
    let delay = failure.and_then(|failure| instrumented.lift(program, &failure.run));
    match delay {
        Some(delay) => confirm(program, model, options, &Candidate::Delayed(delay)),
        None => Err(InternalError { message: "an attack succeeds in which nothing is delayed".into() }),
    }
}

/// Asks `query` about the items, on `jobs` threads: the first of those with an answer other than "exhausted", a feasible
/// attack before an undecided one. What is counted is what it takes to know.
fn first_feasible<T: Sync>(
    items: &[T],
    jobs: usize,
    query: &(dyn Fn(&T) -> Exploration + Sync),
) -> (Option<(usize, End)>, Stats) {
    let next = AtomicUsize::new(0);
    let feasible = AtomicUsize::new(usize::MAX);
    let answers: Mutex<Vec<(usize, Exploration)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= items.len() || index > feasible.load(Ordering::Relaxed) {
                        break;
                    }
                    let exploration = query(&items[index]);
                    if matches!(exploration.end, End::Failed) {
                        feasible.fetch_min(index, Ordering::Relaxed);
                    }
                    answers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, exploration));
                }
            });
        }
    });
    let first = feasible.into_inner();
    let mut answers = answers.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    answers.retain(|(index, _)| *index <= first);
    answers.sort_by_key(|(index, _)| *index);
    let mut stats = Stats::default();
    for (_, exploration) in &answers {
        stats.states += exploration.stats.states;
        stats.transitions += exploration.stats.transitions;
        stats.depth = stats.depth.max(exploration.stats.depth);
        stats.state_bits = stats.state_bits.max(exploration.stats.state_bits);
        stats.peak_bytes = stats.peak_bytes.max(exploration.stats.peak_bytes);
    }
    let undecided = answers.iter().position(|(_, exploration)| matches!(exploration.end, End::GaveUp(_)));
    let failed = answers.iter().position(|(_, exploration)| matches!(exploration.end, End::Failed));
    let found = failed.or(undecided).map(|position| answers.swap_remove(position));
    (found.map(|(index, exploration)| (index, exploration.end)), stats)
}
