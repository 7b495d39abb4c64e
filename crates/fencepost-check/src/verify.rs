//! Does a program do in a model what it says of itself?
//!
//! Are its assertions true, is its condition on final states met, is there no data race? There are
//! several arguments, one file each. [`plan`] says which are tried for a program and a model, the
//! cheap ones first:
//!
//! - `enumeration`: without loops, all graphs that the axioms permit;
//! - `exploration`: all SC runs; what goes wrong there goes wrong in every model;
//! - `robustness`: if the model permits nothing that SC does not, SC says it all;
//! - `views`: all states of a machine of messages and views, if it has few;
//! - `searching`: look at executions of the model itself, as far as the budget goes;
//! - `coverability`: SRA decided, and with it what SRA says of other models.
//!
//! It is not known in advance which argument will do, and each may take for ever. So they take
//! turns ([`turns`]). Each round allows an argument several times the states of the last round, and
//! an equal share of the time that is left. In its next turn it goes on from where it stopped, and
//! the last one left gets the whole rest. An answer always says which argument it rests on, and
//! what was tried before.
//!
//! Arguments that wait keep what they have found, and the limit on memory is one for all of them
//! together. One for which there is no room waits until others have come to their end. If all of
//! them wait for room, the one that holds most is given up.
//!
//! Neither a failure nor a data race is reported without an execution that the oracle has replayed
//! on the axioms of the model. SC runs that are too long for that were replayed under SC when they
//! were found.

mod coverability;
mod endings;
mod enumeration;
pub(crate) mod evidence;
mod exploration;
mod robustness;
mod searching;
mod turns;
mod views;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

use fencepost_explore::Options;
use fencepost_ir::{Condition, Instr, LocationKind, Op, Program};
use fencepost_model::{Kind, Model};
use fencepost_verdict::{
    Argument, Attempt, Budget, Ending, Extent, Failing, Race, Reason, States, Stats, Verification, Verified,
};

use crate::InternalError;
use crate::buffers::can_fail;
use exploration::UnderSc;
use searching::Over;
use turns::{Share, Turn, Work};

/// Ways to find out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Enumerate the execution graphs that the axioms permit.
    Oracle,
    /// Explore SC runs.
    Exploration,
    /// Robustness, plain and observational, and SC runs.
    Robustness,
    /// Search executions of the model.
    Search,
    /// Search states of a machine of messages and views.
    Views,
    /// Coverability under SRA.
    Coverability,
}

/// An argument, or several that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Enumeration,
    Exploration,
    Robustness,
    Observational,
    Views,
    Search,
    Coverability,
}

impl Stage {
    fn engine(self) -> Engine {
        match self {
            Stage::Enumeration => Engine::Oracle,
            Stage::Exploration => Engine::Exploration,
            Stage::Robustness | Stage::Observational => Engine::Robustness,
            Stage::Views => Engine::Views,
            Stage::Search => Engine::Search,
            Stage::Coverability => Engine::Coverability,
        }
    }

    /// States of the first round: about as much work for each. Under the reference model, states
    /// say as much as graphs do, and are fewer.
    fn first_slice(self, is_about_sc: bool) -> u64 {
        match self {
            Stage::Enumeration if is_about_sc => 4_000,
            Stage::Exploration | Stage::Robustness | Stage::Observational => 200_000,
            Stage::Enumeration => 100_000,
            Stage::Coverability => 20_000,
            Stage::Search => 10_000,
            // Where readers fall behind, states grow, and there is no end to them.
            Stage::Views => 8_000,
        }
    }
}

/// How many times more states a round allows than the one before, as a power of two.
const GROWTH: u32 = 3;

/// Tables double before anybody is told. So as much memory stays free as others keep, up to this
/// part of it, as a power of two.
const RESERVE: u32 = 2;

/// How an argument ended.
enum Step {
    /// With an answer.
    Settled(Box<Verified>),
    /// Without.
    Unsettled(Attempt),
}

impl Step {
    fn unsettled(argument: Argument, reason: Reason) -> Step {
        Step::Unsettled(Attempt { argument, reason })
    }
}

/// An argument, among others.
struct Contender<'scope> {
    stage: Stage,
    state: State<'scope>,
}

enum State<'scope> {
    /// It has had no turn.
    Fresh,
    /// It was put aside when it had used up its share of something.
    Aside(Work<'scope, Result<Step, InternalError>>, Reason),
    Done,
}

impl Contender<'_> {
    /// Bytes that it keeps.
    fn bytes(&self) -> u64 {
        match &self.state {
            State::Aside(work, _) => work.bytes(),
            State::Fresh | State::Done => 0,
        }
    }
}

/// By `engine`, or by whatever argument settles the question first.
pub(crate) fn verify(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    engine: Option<Engine>,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    let inquiry = Inquiry::new(program, model, options, budget);
    let result = match (supported(program, model), engine) {
        (Err(reason), _) => Err(reason),
        (Ok(()), None) => inquiry.take_turns(plan(program, model))?,
        (Ok(()), Some(engine)) => inquiry.insist(engine)?,
    };
    Ok(inquiry.end(result))
}

/// The stages that can settle a question about this program and model.
fn plan(program: &Program, model: &'static dyn Model) -> Vec<Stage> {
    let has_condition = program.condition().is_some();
    let mut stages = Vec::new();
    let is_reference = model.declaration().kind == Kind::Reference;
    if is_reference && !has_condition {
        // There are no final states to be found, and SC knows no races: exploration says all there
        // is to say.
        return vec![Stage::Exploration];
    }
    if enumeration::applies(program).is_ok() {
        stages.push(Stage::Enumeration);
    }
    stages.push(Stage::Exploration);
    if !is_reference {
        stages.push(Stage::Robustness);
        // A stale read that nothing depends on is seen by a condition on its register.
        if robustness::knows_observation(model) && !has_condition {
            stages.push(Stage::Observational);
        }
        if views::applies(program, model).is_ok() {
            stages.push(Stage::Views);
        }
        stages.push(Stage::Search);
        if coverability::applies(program).is_ok() {
            stages.push(Stage::Coverability);
        }
    }
    stages
}

/// Does the model say anything about such programs?
fn supported(program: &Program, model: &dyn Model) -> Result<(), Reason> {
    match program.has_sections() && !model.declaration().sections {
        true => Err(Reason::Unsupported(format!("the model `{}` says nothing about atomic sections", model.name()))),
        false => Ok(()),
    }
}

fn has_bounds(program: &Program) -> bool {
    let is_bound = |instr: &Instr| matches!(instr.op, Op::Bound { .. });
    program.threads().iter().any(|thread| thread.code.iter().any(is_bound))
}

/// Are there accesses that can race in the model?
pub(crate) fn can_race(program: &Program, model: &dyn Model) -> bool {
    let has_plain = program.locations().iter().any(|location| location.kind == LocationKind::NonAtomic);
    (has_plain || program.has_mixed_accesses()) && model.declaration().races
}

/// A question, and what is known on the way to its answer.
struct Inquiry<'a> {
    program: &'a Program,
    model: &'static dyn Model,
    options: Options,
    budget: &'a Budget<'a>,
    known: Mutex<Known>,
}

/// What arguments tell each other, and what is told of them.
#[derive(Default)]
struct Known {
    /// What SC runs say.
    sc: UnderSc,
    /// An answer that leaves something open: how often a formula is true.
    partial: Option<Box<Verified>>,
    tried: Vec<Attempt>,
    stats: Stats,
    /// Bytes that arguments keep that were put aside.
    kept: u64,
}

impl<'a> Inquiry<'a> {
    fn new(program: &'a Program, model: &'static dyn Model, options: Options, budget: &'a Budget<'a>) -> Self {
        let options = Options { observational: false, ..options };
        Inquiry { program, model, options, budget, known: Mutex::default() }
    }

    /// For a moment: it is never locked while an engine runs.
    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(self, result: Result<Verified, Reason>) -> Verification {
        let Known { tried, stats, .. } = self.known.into_inner().unwrap_or_else(PoisonError::into_inner);
        Verification { model: self.model.name(), result, tried, copies: None, stats }
    }

    /// Round after round, until something settles it or nothing is left.
    fn take_turns(&self, stages: Vec<Stage>) -> Result<Result<Verified, Reason>, InternalError> {
        let settled = std::thread::scope(|scope| {
            let fresh = |stage| Contender { stage, state: State::Fresh };
            let mut left: Vec<Contender<'_>> = stages.into_iter().map(fresh).collect();
            let mut growth = 0;
            let mut settled = None;
            while settled.is_none() && !left.is_empty() && !(self.budget.expired)() {
                settled = self.round(scope, &mut left, growth)?;
                growth = (growth + GROWTH).min(u64::BITS - 1);
            }
            for contender in left {
                settled = settled.or(self.dismiss(contender)?);
            }
            Ok(settled)
        })?;
        Ok(settled.map_or_else(|| self.unsettled(), |verified| Ok(*verified)))
    }

    /// A turn for each of those that are left.
    fn round<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        left: &mut Vec<Contender<'scope>>,
        growth: u32,
    ) -> Result<Option<Box<Verified>>, InternalError> {
        let mut is_stuck = true;
        for place in 0..left.len() {
            let stage = left[place].stage;
            if stage.engine() == Engine::Robustness && matches!(self.known().sc, UnderSc::Unknown) {
                continue;
            }
            let share = self.share(left, place, growth);
            let work = match std::mem::replace(&mut left[place].state, State::Done) {
                State::Fresh => Work::new(scope, self.budget, move |slice| self.attempt(stage, slice)),
                State::Aside(work, _) => work,
                State::Done => continue,
            };
            match work.go_on(share) {
                Turn::Over(work, reason) => {
                    is_stuck &= matches!(reason, Reason::Memory(_));
                    left[place].state = State::Aside(work, reason);
                }
                Turn::Done(step) => {
                    is_stuck = false;
                    if let Some(verified) = self.note(step?) {
                        return Ok(Some(verified));
                    }
                }
            }
            if (self.budget.expired)() {
                return Ok(None);
            }
        }
        left.retain(|contender| !matches!(contender.state, State::Done));
        match is_stuck {
            true => self.make_room(left),
            false => Ok(None),
        }
    }

    /// What one of those that are left may use until the end of its turn.
    fn share(&self, left: &[Contender<'_>], place: usize, growth: u32) -> Share {
        let others = left.iter().enumerate().filter(|(other, _)| *other != place);
        let kept = others.map(|(_, contender)| contender.bytes()).sum();
        self.known().kept = kept;
        if left.len() == 1 {
            return Share::ALL;
        }
        let Budget { max_bytes, spent, .. } = *self.budget;
        let spent = spent().min(1.0);
        let reserve = kept.min(max_bytes >> RESERVE);
        Share {
            states: left[place].stage.first_slice(self.is_about_sc()).saturating_mul(1 << growth),
            // Alone with its memory, an argument knows the limit itself.
            bytes: if kept == 0 { u64::MAX } else { max_bytes.saturating_sub(kept + reserve) },
            // Equal for all that have not had theirs in this round.
            time: spent + (1.0 - spent) / (left.len() - place) as f64,
        }
    }

    /// All wait for room: gives up the one that holds most.
    fn make_room(&self, left: &mut Vec<Contender<'_>>) -> Result<Option<Box<Verified>>, InternalError> {
        let Some(most) = (0..left.len()).rev().max_by_key(|&place| left[place].bytes()) else { return Ok(None) };
        let mut contender = left.remove(most);
        if let State::Aside(_, reason) = &mut contender.state {
            *reason = Reason::Memory(self.budget.max_bytes);
        }
        self.dismiss(contender)
    }

    /// Lets an argument that was put aside come to its end. It may have an answer already.
    fn dismiss(&self, contender: Contender<'_>) -> Result<Option<Box<Verified>>, InternalError> {
        let State::Aside(work, why) = contender.state else { return Ok(None) };
        self.known().kept = 0;
        Ok(self.note(match work.stop()? {
            // It was not time that it was short of.
            Step::Unsettled(Attempt { argument, reason: Reason::Time }) => Step::unsettled(argument, why),
            step => step,
        }))
    }

    /// One engine alone, with all of the budget.
    fn insist(&self, engine: Engine) -> Result<Result<Verified, Reason>, InternalError> {
        let mut stages = match engine {
            Engine::Oracle => vec![Stage::Enumeration],
            _ => plan(self.program, self.model),
        };
        if !stages.iter().any(|stage| stage.engine() == engine) {
            let what = format!("this engine has nothing to say about {} and this program", self.model.name());
            return Ok(Err(Reason::Unsupported(what)));
        }
        // Robustness is half of an argument, and what SC runs say is the other half.
        let is_half = |stage: Stage| engine == Engine::Robustness && stage == Stage::Exploration;
        stages.retain(|&stage| stage.engine() == engine || is_half(stage));
        for stage in stages {
            if let Some(verified) = self.note(self.attempt(stage, self.budget)?) {
                return Ok(Ok(*verified));
            }
        }
        Ok(self.unsettled())
    }

    fn attempt(&self, stage: Stage, slice: &Budget<'_>) -> Result<Step, InternalError> {
        match stage {
            Stage::Enumeration => self.enumerate(slice),
            Stage::Exploration => self.explore(slice),
            Stage::Robustness => self.robustness(slice, false),
            Stage::Observational => self.robustness(slice, true),
            Stage::Views => self.search(Over::Views, slice),
            Stage::Search => self.search(Over::Executions, slice),
            Stage::Coverability => self.coverability(slice),
        }
    }

    /// Nothing settles it: why.
    fn unsettled(&self) -> Result<Verified, Reason> {
        let Known { partial, tried, .. } = &mut *self.known();
        if let Some(partial) = partial.take() {
            return Ok(*partial);
        }
        if (self.budget.expired)() {
            return Err(Reason::Time);
        }
        // A limit is something that can be changed, so it is named first.
        let rank = |reason: &Reason| match reason {
            Reason::Time => 0,
            Reason::States(_) | Reason::Memory(_) => 1,
            Reason::Bound { .. } => 2,
            _ => 3,
        };
        let first = tried.iter().map(|attempt| &attempt.reason).min_by_key(|reason| rank(reason));
        Err(match (first, tried.len()) {
            (Some(reason), _) if rank(reason) < 3 => reason.clone(),
            (Some(reason), 1) => reason.clone(),
            _ => Reason::Inconclusive("nothing that was tried settles it".into()),
        })
    }

    /// The answer, or a note of an argument that has none.
    fn note(&self, step: Step) -> Option<Box<Verified>> {
        match step {
            Step::Settled(verified) => Some(verified),
            Step::Unsettled(attempt) => {
                self.known().tried.push(attempt);
                None
            }
        }
    }

    /// Adds what an engine cost.
    fn pay(&self, cost: &Stats) {
        let Stats { states, transitions, depth, state_bits, peak_bytes, on_device, time: _ } = cost;
        let Known { stats, kept, .. } = &mut *self.known();
        stats.states += states;
        stats.transitions += transitions;
        stats.depth = stats.depth.max(*depth);
        stats.state_bits = stats.state_bits.max(*state_bits);
        stats.peak_bytes = stats.peak_bytes.max(*kept + peak_bytes);
        stats.on_device += on_device;
    }

    fn is_about_sc(&self) -> bool {
        self.model.declaration().kind == Kind::Reference
    }

    /// Final states found in a smaller model, with their executions in this one.
    fn replayed(&self, endings: Vec<Ending>) -> Result<Vec<Ending>, InternalError> {
        let Some(condition) = self.program.condition() else { return Ok(endings) };
        let observed = condition.observed();
        let replay = |(values, executions, example): Ending| {
            let Some(example) = example else { return Ok((values, executions, None)) };
            let ended = evidence::ending(self.program, self.model, example.run, &observed)
                .map_err(|error| InternalError::new(format!("a final state does not replay: {error}")))?;
            match ended.values == values {
                true => Ok((values, executions, Some(ended.execution))),
                false => Err(InternalError::new("a replayed execution ends in another state")),
            }
        };
        endings.into_iter().map(replay).collect()
    }

    /// These are final states in this model, among others: if they settle whether the condition is
    /// met, that is an answer.
    fn remember(&self, condition: &Condition, endings: Vec<Ending>) -> Result<(), InternalError> {
        let endings = self.replayed(endings)?;
        let states = States::judge(condition, condition.observed(), endings, Extent::Examples);
        // That the condition is met is not all: nothing may go wrong besides.
        let may_go_wrong = can_fail(self.program) || can_race(self.program, self.model);
        if states.meet(condition.quantifier).is_some_and(|is_met| !is_met || !may_go_wrong) {
            let argument = Argument::Witness;
            self.known().partial =
                Some(Box::new(Verified { argument, states: Some(states), race: None, failing: None }));
        }
        Ok(())
    }

    /// Nothing goes wrong, of a program without a condition.
    fn safe(&self, argument: Argument) -> Step {
        Step::Settled(Box::new(Verified { argument, states: None, race: None, failing: None }))
    }
}

/// Something goes wrong, or races, or both.
fn unsafe_by(failing: Option<Failing>, race: Option<Race>) -> Step {
    Step::Settled(Box::new(Verified { argument: Argument::Witness, states: None, race, failing }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fencepost_lower::{Language, load};
    use fencepost_model::models;

    use super::*;

    fn program(path: &str) -> Program {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../litmus/verify").join(path);
        let text = std::fs::read_to_string(path).expect("a program");
        load(Language::Fp, &text).program.expect("a program")
    }

    /// Whoever settles it, the same answer and the same work each time, on any number of threads.
    #[test]
    fn turns_are_the_same_in_every_run() {
        for path in ["plain/spsc-ring.fp", "algorithms/bakery-fenced.fp"] {
            let program = program(path);
            for model in models::checkable() {
                let mut seen = None;
                for jobs in [1, 3] {
                    let options = Options { jobs, ..Options::default() };
                    let found =
                        verify(&program, model, options, None, &Budget::unlimited()).expect("no internal error");
                    let tried: Vec<_> = found.tried.iter().map(|each| format!("{each:?}")).collect();
                    let told = (found.result.map(|verified| verified.argument), tried, found.stats.states);
                    assert_eq!(*seen.get_or_insert_with(|| told.clone()), told, "{path} under {}", model.name());
                }
            }
        }
    }
}
