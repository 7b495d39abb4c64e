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
//! turns. Each round allows an argument several times the states of the last round, and an equal
//! share of the time that is left. An argument that comes to an end without an answer is not asked
//! again. The last one left gets the whole rest. An answer always says which argument it rests on,
//! and what was tried before.
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
mod views;

use fencepost_explore::Options;
use fencepost_ir::{Condition, Instr, LocationKind, Op, Program};
use fencepost_model::{Kind, Model};
use fencepost_verdict::{
    Argument, Attempt, Budget, Ending, Extent, Failing, Race, Reason, States, Stats, Verification, Verified,
};

use crate::InternalError;
use crate::buffers::can_fail;
use coverability::UnderSra;
use exploration::UnderSc;
use searching::Over;

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
            Stage::Views => 4_000,
        }
    }
}

/// How many times more states a round allows than the one before, as a power of two.
const GROWTH: u32 = 3;

/// How an attempt ended.
enum Step {
    /// With an answer.
    Settled(Box<Verified>),
    /// Without; and more time would not help.
    Closed,
    /// Where this round's share of the budget ended.
    Cut,
}

/// By `engine`, or by whatever argument settles the question first.
pub(crate) fn verify(
    program: &Program,
    model: &'static dyn Model,
    options: Options,
    engine: Option<Engine>,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    let mut inquiry = Inquiry::new(program, model, options, budget);
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
fn can_race(program: &Program, model: &dyn Model) -> bool {
    let has_plain = program.locations().iter().any(|location| location.kind == LocationKind::NonAtomic);
    (has_plain || program.has_mixed_accesses()) && model.declaration().races
}

/// A question, and what is known on the way to its answer.
struct Inquiry<'a> {
    program: &'a Program,
    model: &'static dyn Model,
    options: Options,
    budget: &'a Budget<'a>,
    /// What SC runs say.
    sc: UnderSc,
    /// What SRA says, once that is decided.
    sra: Option<UnderSra>,
    /// An answer that leaves something open: how often a formula is true.
    partial: Option<Box<Verified>>,
    tried: Vec<Attempt>,
    stats: Stats,
}

impl<'a> Inquiry<'a> {
    fn new(program: &'a Program, model: &'static dyn Model, options: Options, budget: &'a Budget<'a>) -> Self {
        let options = Options { observational: false, ..options };
        let (tried, stats) = (Vec::new(), Stats::default());
        Inquiry { program, model, options, budget, sc: UnderSc::Unknown, sra: None, partial: None, tried, stats }
    }

    fn end(self, result: Result<Verified, Reason>) -> Verification {
        Verification { model: self.model.name(), result, tried: self.tried, stats: self.stats }
    }

    /// Round after round, until something settles it or nothing is left.
    fn take_turns(&mut self, mut stages: Vec<Stage>) -> Result<Result<Verified, Reason>, InternalError> {
        let mut growth = 0;
        while !stages.is_empty() {
            let mut left = Vec::new();
            let count = stages.len();
            for (place, stage) in stages.into_iter().enumerate() {
                if (self.budget.expired)() {
                    return Ok(self.unsettled());
                }
                // The last one left has nobody to give way to, and need not begin again.
                let states = match count {
                    1 => u64::MAX,
                    _ => stage.first_slice(self.is_about_sc()).checked_shl(growth).unwrap_or(u64::MAX),
                };
                match self.attempt(stage, states, count - place)? {
                    Step::Settled(verified) => return Ok(Ok(*verified)),
                    Step::Closed => {}
                    Step::Cut => left.push(stage),
                }
            }
            stages = left;
            growth = (growth + GROWTH).min(u64::BITS - 1);
        }
        Ok(self.unsettled())
    }

    /// One engine alone, with all of the budget.
    fn insist(&mut self, engine: Engine) -> Result<Result<Verified, Reason>, InternalError> {
        let mut stages = plan(self.program, self.model);
        if engine == Engine::Oracle {
            stages = vec![Stage::Enumeration];
        }
        stages.retain(|stage| stage.engine() == engine);
        if stages.is_empty() {
            let what = format!("this engine has nothing to say about {} and this program", self.model.name());
            return Ok(Err(Reason::Unsupported(what)));
        }
        for stage in stages {
            if let Step::Settled(verified) = self.attempt(stage, u64::MAX, 1)? {
                return Ok(Ok(*verified));
            }
        }
        Ok(self.unsettled())
    }

    /// With an equal share of the time left, `sharing` stages being those of this round that have
    /// not had theirs.
    fn attempt(&mut self, stage: Stage, states: u64, sharing: usize) -> Result<Step, InternalError> {
        let budget = self.budget;
        let spent = (budget.spent)().min(1.0);
        let until = spent + (1.0 - spent) / sharing as f64;
        let expired = || (budget.expired)() || (budget.spent)() >= until;
        let slice = Budget { max_states: states.min(budget.max_states), expired: &expired, ..*budget };
        match stage {
            Stage::Enumeration => self.enumerate(&slice),
            Stage::Exploration => self.explore(&slice),
            Stage::Robustness => self.robustness(&slice, false),
            Stage::Observational => self.robustness(&slice, true),
            Stage::Views => self.search(Over::Views, &slice),
            Stage::Search => self.search(Over::Executions, &slice),
            Stage::Coverability => self.coverability(&slice),
        }
    }

    /// Nothing settles it: why.
    fn unsettled(&mut self) -> Result<Verified, Reason> {
        if let Some(partial) = self.partial.take() {
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
        let first = self.tried.iter().map(|attempt| &attempt.reason).min_by_key(|reason| rank(reason));
        Err(match (first, self.tried.len()) {
            (Some(reason), _) if rank(reason) < 3 => reason.clone(),
            (Some(reason), 1) => reason.clone(),
            _ => Reason::Inconclusive("nothing that was tried settles it".into()),
        })
    }

    /// Takes note of an argument that does not settle it.
    fn note(&mut self, argument: Argument, reason: Reason) {
        self.tried.retain(|attempt| attempt.argument != argument);
        self.tried.push(Attempt { argument, reason });
    }

    /// An argument does not settle it, however long it goes on.
    fn closed(&mut self, argument: Argument, reason: Reason) -> Step {
        self.note(argument, reason);
        Step::Closed
    }

    /// An argument was given up: will it be taken up again?
    fn gave_up(&mut self, argument: Argument, reason: Reason) -> Step {
        let is_slice = match reason {
            Reason::States(limit) => limit < self.budget.max_states,
            Reason::Time => !(self.budget.expired)(),
            _ => false,
        };
        self.note(argument, reason);
        if is_slice { Step::Cut } else { Step::Closed }
    }

    /// Adds what an engine cost.
    fn pay(&mut self, cost: &Stats) {
        let Stats { states, transitions, depth, state_bits, peak_bytes, time: _ } = cost;
        self.stats.states += states;
        self.stats.transitions += transitions;
        self.stats.depth = self.stats.depth.max(*depth);
        self.stats.state_bits = self.stats.state_bits.max(*state_bits);
        self.stats.peak_bytes = self.stats.peak_bytes.max(*peak_bytes);
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
    fn remember(&mut self, condition: &Condition, endings: Vec<Ending>) -> Result<(), InternalError> {
        let endings = self.replayed(endings)?;
        let states = States::judge(condition, condition.observed(), endings, Extent::Examples);
        // That the condition is met is not all: nothing may go wrong besides.
        let may_go_wrong = can_fail(self.program) || can_race(self.program, self.model);
        if states.meet(condition.quantifier).is_some_and(|is_met| !is_met || !may_go_wrong) {
            let argument = Argument::Witness;
            self.partial = Some(Box::new(Verified { argument, states: Some(states), race: None, failing: None }));
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
