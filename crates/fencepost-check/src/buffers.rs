//! Robustness against store buffers: attacks, searched for under SC.
//!
//! Paper: Derevenetc, Meyer and Schweizer, "Locality and Singularity for Store-Atomic Memory
//! Models".
//!
//! `fencepost_attack::attacks` lists the attacks that the control flow does not rule out. They
//! become one program that fails an assertion iff one of them is feasible, or one program for each
//! attack. The SC explorer does the rest. Where there are no attacks, there is nothing to explore.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use fencepost_attack::{Attack, Delays, Instrumented, enough_delays};
use fencepost_base::ids::ArrayId;
use fencepost_explore::{End, Exploration, Options, Reductions};
use fencepost_ir::{Expr, Op, Place, Program};
use fencepost_model::{Model, models};
use fencepost_verdict::{Budget, Candidate, Outcome, Property, Reason, Stats, Verdict};

use crate::InternalError;
use crate::confirm::{beyond, cheap_budget, confirm, replay_sc_failure};
use crate::question::unexplored;

/// How to look for attacks; the verdict is the same in every way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attacking {
    /// Which stores an attacker delays, if more than the fewest that are enough.
    pub delays: Option<Delays>,
    /// One question for each attack, instead of one for all.
    pub one_by_one: bool,
}

/// A question to the explorer, with its answer.
struct Asked {
    instrumented: Instrumented,
    exploration: Exploration,
}

/// Is `program` robust against the store buffers of `model`?
pub(crate) fn check(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    attacking: Attacking,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    let attacks = match fencepost_attack::attacks_within(program, model, budget) {
        Ok(attacks) => attacks,
        Err(reason) => return Ok(unexplored(Property::Robustness, model, reason)),
    };
    let enough = enough_delays(program, model);
    // With fewer delays than enough, finding nothing would prove nothing.
    let delays = attacking.delays.map_or(enough, |asked| asked.max(enough));
    let ask = |attacks: &[Attack], options: Options, budget: &Budget<'_>| {
        let instrumented = fencepost_attack::instrument(program, model, attacks, delays);
        let exploration = fencepost_explore::find_failing_assertion(instrumented.program(), options, budget);
        Asked { instrumented, exploration }
    };
    let questions: Vec<&[Attack]> = match attacking.one_by_one {
        true => attacks.chunks(1).collect(),
        false => attacks.chunks(attacks.len().max(1)).collect(),
    };
    let at_a_time = questions.len().clamp(1, options.jobs.max(1));
    let (jobs, max_bytes) = (options.jobs / at_a_time, budget.max_bytes / at_a_time as u64);
    let (share, shared) = (Options { jobs, ..options }, Budget { max_bytes, ..*budget });
    let asked = ask_all(&questions, options.jobs, &|attacks| ask(attacks, share, &shared));
    let stats = sum(&asked);
    let feasible = asked.iter().find(|(_, asked)| matches!(asked.exploration.end, End::Failed));
    let verdict = match feasible {
        Some((index, asked)) => {
            let verdict = confirm_attack(program, model, options, asked)?;
            // A search that leaves out interleavings finds a run that is shortest among those it
            // looks at.
            let unreduced = Options { reductions: Reductions::NONE, jobs: 1, ..options };
            let shortest = ask(questions[*index], unreduced, &cheap_budget(stats.states, budget));
            match shortest.exploration.end {
                End::Failed => confirm_attack(program, model, options, &shortest)?,
                _ => verdict,
            }
        }
        None => match asked.iter().find_map(|(_, asked)| undecided(program, asked)) {
            // Each question had its share of the memory.
            Some(Reason::Memory(_)) => Verdict::Unknown(Reason::Memory(budget.max_bytes)),
            Some(reason) => Verdict::Unknown(reason),
            None => Verdict::Holds,
        },
    };
    let failing = can_fail(program).then(|| fencepost_explore::find_failure(program, options, budget));
    // "Robust" also says that nothing fails under SC, which a search that was cut short does not
    // know.
    let verdict = match (verdict, failing.as_ref().map(|search| (&search.end, search.bound))) {
        (Verdict::Holds, Some((End::GaveUp(reason), _))) => Verdict::Unknown(reason.clone()),
        (Verdict::Holds, Some((End::Exhausted, Some(site)))) => Verdict::Unknown(beyond(program, site)),
        (verdict, _) => verdict,
    };
    let sc_failure = failing.and_then(|search| search.sc_failure);
    replay_sc_failure(program, models::reference(), sc_failure.as_ref())?;
    Ok(Outcome {
        property: Property::Robustness,
        model: model.name(),
        verdict,
        sc_failure: sc_failure.map(Box::new),
        speculative: Vec::new(),
        consequences: None,
        copies: None,
        stats,
    })
}

/// Why a search that found nothing proves nothing, if so.
fn undecided(program: &Program, asked: &Asked) -> Option<Reason> {
    match (&asked.exploration.end, asked.exploration.bound) {
        (End::GaveUp(reason), _) => Some(reason.clone()),
        (_, Some(site)) => {
            let site = asked.instrumented.original(site).expect("bounds are the program's own");
            Some(beyond(program, site))
        }
        (_, None) => None,
    }
}

/// What all searches took.
fn sum(asked: &[(usize, Asked)]) -> Stats {
    let mut sum = Stats::default();
    for Stats { states, transitions, depth, state_bits, peak_bytes, on_device, .. } in
        asked.iter().map(|(_, asked)| asked.exploration.stats)
    {
        sum.states += states;
        sum.transitions += transitions;
        sum.depth = sum.depth.max(depth);
        sum.state_bits = sum.state_bits.max(state_bits);
        sum.peak_bytes = sum.peak_bytes.max(peak_bytes);
        sum.on_device += on_device;
    }
    sum
}

/// Can something go wrong under SC?
pub(crate) fn can_fail(program: &Program) -> bool {
    let domain = program.domain();
    let fails = |op: &Op| {
        let mut fails = matches!(op, Op::Assert { .. });
        op.for_each_expr(&mut |expr| fails |= expr.can_fail(domain));
        fails || matches!(op.place(), Some(Place::Element { array, index }) if !is_within(program, *array, index))
    };
    program.threads().iter().flat_map(|thread| &thread.code).any(|instr| fails(&instr.op))
}

/// Is an index within its array, whatever registers hold?
fn is_within(program: &Program, array: ArrayId, index: &Expr) -> bool {
    let any_value = |_| Some((0, program.domain() as i64 - 1));
    let length = i64::from(program.array(array).len);
    index.interval(&any_value).is_some_and(|(low, high)| low >= 0 && high < length)
}

/// Lifts and replays what a search found.
fn confirm_attack(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    Asked { instrumented, exploration }: &Asked,
) -> Result<Verdict, InternalError> {
    let failure = exploration.sc_failure.as_ref();
    match failure.and_then(|failure| instrumented.lift(program, &failure.run)) {
        Some(delay) => confirm(program, model, options, &Candidate::Delayed(delay)),
        None => Err(InternalError { message: "an attack succeeds in which nothing is delayed".into() }),
    }
}

/// Asks all questions, on `jobs` threads, up to the first one that is about a feasible attack: what
/// is asked after it is not answered, so that the answers do not depend on who is faster.
fn ask_all(questions: &[&[Attack]], jobs: usize, ask: &(dyn Fn(&[Attack]) -> Asked + Sync)) -> Vec<(usize, Asked)> {
    let next = AtomicUsize::new(0);
    let feasible = AtomicUsize::new(usize::MAX);
    let answers: Mutex<Vec<(usize, Asked)>> = Mutex::new(Vec::new());
    let work = || loop {
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index >= questions.len() || index > feasible.load(Ordering::Relaxed) {
            break;
        }
        let asked = ask(questions[index]);
        if matches!(asked.exploration.end, End::Failed) {
            feasible.fetch_min(index, Ordering::Relaxed);
        }
        answers.lock().unwrap_or_else(PoisonError::into_inner).push((index, asked));
    };
    match jobs.min(questions.len()) {
        0 | 1 => work(),
        threads => std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        }),
    }
    let first = feasible.into_inner();
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.retain(|(index, _)| *index <= first);
    answers.sort_by_key(|(index, _)| *index);
    answers
}
