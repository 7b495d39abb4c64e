//! Strong release/acquire (SRA), decided by backward coverability, and what that says of other
//! models.
//!
//! Paper: Lahav and Boker, "Decidable Verification under a Causally Consistent Shared Memory",
//! PLDI 2020.
//!
//! - **What goes wrong under SRA** goes wrong in a model whose axioms permit the execution: under
//!   release/acquire always, elsewhere by chance.
//! - **TSO** permits less than SRA, so what is safe under SRA is safe under TSO. There
//!   `po ∪ rf ∪ mo` is acyclic: all of it but a store before a later load is global, and a cycle
//!   cannot leave a load except through program order. A load never misses what its thread knows
//!   of. Full fences, and failed compare-and-swaps, empty buffers, which does more than they do
//!   under SRA.
//! - **Release/acquire** reaches the same states when no two writes race under SRA (Thm 3.14).
//! - **RC20** permits less than release/acquire in programs whose accesses all are at least release
//!   or acquire: then every reads-from synchronises, and coherence is that of release/acquire.
//!   Accesses of non-atomic locations may be plain if they do not race under SRA. For graphs grow
//!   event by event. As long as there is no race, happens-before is the same whether plain accesses
//!   synchronise or not. So the next access races under SRA, or sees what it would see there.
//!   `fence(sc)` is an update of its hidden location in both models, and synchronises in both.
//!   Other fences order nothing that such accesses do not. A relaxed access counts as a stronger
//!   one if that makes no difference (`fencepost_analysis::promotion`).
//! - **C++20** likewise. There SC fences are no updates, but with such accesses they might as well
//!   be. Happens-before is po ∪ rf, and S agrees with it. Let the fences update one location in the
//!   order S, and synchronise. Happens-before then gains paths through fences, f before g in S. One
//!   that closes a cycle with coherence order would lead from g by hb ; eco ; hb to f, which is an
//!   edge of S from g to f. SC accesses that count as release/acquire only add behaviours.
//!   Nor is a data race lost because fences synchronise under SRA. Take a graph of C++20 with as few
//!   events as possible in which b races with a, and of the accesses that race with b let a be the
//!   latest. Leaving out an event that is neither of the two, and that no other depends on, would
//!   leave the race. So every event is one on which a or b depends (po ∪ rf). If b depended on a,
//!   then by release and acquire accesses, which order them, or by plain accesses that are ordered,
//!   there being no other race, or by a write that b reads, which races with b and is later than a.
//!   So nothing depends on a or b. In particular no fence comes after one of them, and what is
//!   before them is a graph without races, which SRA has: there, too, both can come next.
//!
//! Plain accesses count as release/acquire here. That is right for machines, which do not tell them
//! from others. Where races are undefined behaviour, their absence is one more question of the same
//! kind (`fencepost_cover::data_race_free`). Its answer about SRA is also one about the models
//! above, whose graphs are then the same.
//!
//! Not modelled: locations that are accessed both plainly and by atomic operations. This engine
//! does not answer about programs that have them.

use fencepost_analysis::promotion::Promotion;
use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_cover::{Answer, CoverOutcome, FinalStates, Options};
use fencepost_ir::{Observable, Op, Program};
use fencepost_model::models::sra::write_write_race;
use fencepost_model::{Model, SafeIf, models};
use fencepost_oracle::{replay_graph, replay_graph_failure};
use fencepost_verdict::{Argument, Budget, Reason, Stats, Verified};

use super::endings::{Asked, Collected, collect};
use super::{Inquiry, Step, can_race, evidence, has_bounds, unsafe_by};
use crate::InternalError;
use crate::buffers::can_fail;

/// Can this engine deal with the program?
pub(super) fn applies(program: &Program) -> Result<(), Reason> {
    match program.has_sections() || has_bounds(program) {
        true => Err(Reason::Unsupported("atomic sections and bounds have no meaning under sra".into())),
        false => Ok(()),
    }
}

/// What SRA's "nothing goes wrong" means in a model.
enum Word {
    /// The same there.
    Enough,
    /// The same there, if no two writes race.
    IfRaceFree,
    /// Nothing.
    Nothing,
}

fn word(program: &Program, model: &dyn Model) -> Word {
    match model.declaration().causal.safe {
        SafeIf::Always => Word::Enough,
        SafeIf::WritesDoNotRace => Word::IfRaceFree,
        SafeIf::SynchronisedAndWritesDoNotRace if synchronises(program) => Word::IfRaceFree,
        SafeIf::SynchronisedAndWritesDoNotRace | SafeIf::Never => Word::Nothing,
    }
}

/// Is every access of the program at least a release or acquire access, or both, or plain? An order
/// that makes no difference counts as stronger ([`Promotion`]).
fn synchronises(program: &Program) -> bool {
    let promotion = Promotion::of(program);
    let instrs = || program.thread_ids().flat_map(|t| program.thread(t).code.iter().map(move |instr| (t, &instr.op)));
    let is_strong = |op: &Op| match op {
        Op::Load { order, .. } | Op::Wait { order, .. } => Mode::from(*order).acquires(),
        Op::Store { order, .. } => Mode::from(*order).releases(),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } => both((*order).into()),
        Op::Cas { success, failure, .. } => both((*success).into()) && Mode::from(*failure).acquires(),
        _ => true,
    };
    instrs().all(|(thread, op)| is_strong(&promotion.promoted(thread, op)))
}

fn both(mode: Mode) -> bool {
    mode.acquires() && mode.releases()
}

fn cost(outcome: &CoverOutcome) -> Stats {
    let saturation = outcome.stats.saturation;
    Stats {
        states: saturation.added,
        transitions: saturation.predecessors,
        peak_bytes: saturation.bytes,
        ..Stats::default()
    }
}

impl Inquiry<'_> {
    pub(super) fn coverability(&self, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let argument = Argument::Coverability;
        if let Err(reason) = applies(self.program) {
            return Ok(Step::unsettled(argument, reason));
        }
        if (self.program.condition().is_none() || can_fail(self.program))
            && let Some(step) = self.safety_under_sra(slice)?
        {
            return Ok(step);
        }
        let word = word(self.program, self.model);
        if can_race(self.program, self.model)
            && let Some(step) = self.data_races(slice)?
        {
            return Ok(step);
        }
        if matches!(word, Word::Nothing) {
            let what = format!("nothing goes wrong under sra, which does not speak for {}", self.model.name());
            return Ok(Step::unsettled(argument, Reason::Inconclusive(what)));
        }
        if matches!(word, Word::IfRaceFree)
            && let Some(step) = self.race_freedom(slice)?
        {
            return Ok(step);
        }
        let argument = match word {
            Word::IfRaceFree => Argument::WriteWriteRaceFree,
            Word::Enough | Word::Nothing => argument,
        };
        if self.program.condition().is_none() {
            return Ok(self.safe(argument));
        }
        self.final_states_under_sra(argument, slice)
    }

    fn cover_options(&self) -> Options {
        Options { jobs: self.options.jobs, ..Options::default() }
    }

    /// Can something go wrong under SRA? If so, or if it is not known, what follows.
    fn safety_under_sra(&self, slice: &Budget<'_>) -> Result<Option<Step>, InternalError> {
        let argument = Argument::Coverability;
        let outcome = fencepost_cover::safe(self.program, self.cover_options(), slice);
        self.pay(&cost(&outcome));
        let (run, failure) = match outcome.answer {
            Answer::Unreachable => return Ok(None),
            Answer::GaveUp(reason) => return Ok(Some(Step::unsettled(argument, reason))),
            Answer::Reachable(witness) => (witness.run, witness.failure),
        };
        let Some((site, kind)) = failure else {
            return Err(InternalError::new("a witness under SRA in which nothing fails"));
        };
        replay_graph_failure(self.program, models::causal(), &run, site, &kind)
            .map_err(|error| InternalError::new(format!("a failure under SRA: {error}")))?;
        match evidence::failing(self.program, self.model, run, site, &kind) {
            Ok((failing, race)) => Ok(Some(unsafe_by(Some(failing), race))),
            Err(error) if self.model.declaration().causal.permits_it => {
                let name = self.model.name();
                Err(InternalError::new(format!("an execution of SRA does not replay under {name}: {error}")))
            }
            Err(_) => {
                let what = format!(
                    "something goes wrong under sra, in an execution that {} does not permit",
                    self.model.name()
                );
                Ok(Some(Step::unsettled(argument, Reason::Inconclusive(what))))
            }
        }
    }

    /// Is there no data race under SRA? If there is, or if it is not known, what follows.
    fn data_races(&self, slice: &Budget<'_>) -> Result<Option<Step>, InternalError> {
        let argument = Argument::Coverability;
        let outcome = fencepost_cover::data_race_free(self.program, self.cover_options(), slice);
        self.pay(&cost(&outcome));
        let run = match outcome.answer {
            Answer::Unreachable => return Ok(None),
            Answer::GaveUp(reason) => return Ok(Some(Step::unsettled(argument, reason))),
            Answer::Reachable(witness) => witness.run,
        };
        let race = |model: &dyn Model| evidence::race(self.program, model, run.clone());
        match race(models::causal()) {
            Ok(Some(_)) => {}
            Ok(None) => return Err(InternalError::new("a data race under SRA that is none")),
            Err(error) => return Err(InternalError::new(format!("a data race under SRA: {error}"))),
        }
        let name = self.model.name();
        match race(self.model) {
            Ok(Some(race)) => Ok(Some(unsafe_by(None, Some(race)))),
            _ if self.model.declaration().causal.permits_it => {
                Err(InternalError::new(format!("a data race under SRA is none under {name}")))
            }
            _ => {
                let what = format!(
                    "plain accesses race under sra, in an execution that {name} does not permit or call a race"
                );
                Ok(Some(Step::unsettled(argument, Reason::Inconclusive(what))))
            }
        }
    }

    /// Is there no write/write race under SRA? If there is, or if it is not known, what follows.
    fn race_freedom(&self, slice: &Budget<'_>) -> Result<Option<Step>, InternalError> {
        let argument = Argument::WriteWriteRaceFree;
        let outcome = fencepost_cover::write_write_race_free(self.program, self.cover_options(), slice);
        self.pay(&cost(&outcome));
        match outcome.answer {
            Answer::Unreachable => Ok(None),
            Answer::GaveUp(reason) => Ok(Some(Step::unsettled(argument, reason))),
            Answer::Reachable(witness) => {
                let replayed = replay_graph(self.program, models::causal(), &witness.run)
                    .map_err(|error| InternalError::new(format!("a write/write race under SRA: {error}")))?;
                if write_write_race(&replayed.graph).is_none() {
                    return Err(InternalError::new("a write/write race under SRA that is none"));
                }
                let what = "nothing goes wrong under sra, but two writes race, so release/acquire may do more";
                Ok(Some(Step::unsettled(argument, Reason::Inconclusive(what.into()))))
            }
        }
    }

    /// The final states under SRA, which are those of the model.
    fn final_states_under_sra(&self, argument: Argument, slice: &Budget<'_>) -> Result<Step, InternalError> {
        let Some(condition) = self.program.condition() else { return Ok(self.safe(argument)) };
        // Less is enough for safety; final states have to be the same.
        if !self.model.declaration().causal.permits_it {
            let what = format!("sra has final states that {} need not have", self.model.name());
            return Ok(Step::unsettled(argument, Reason::Inconclusive(what)));
        }
        let observed = condition.observed();
        let mut registers: Vec<(ThreadId, RegId)> = Vec::new();
        let mut locations: Vec<LocId> = Vec::new();
        for what in &observed {
            match *what {
                Observable::Register(thread, register) => registers.push((thread, register)),
                Observable::Location(loc) => locations.push(loc),
            }
        }
        let options = self.cover_options();
        let collected = collect(condition, |holds| {
            let holds = |of_registers: &[Value], of_locations: &[Value]| {
                holds(&|what| {
                    let place = observed.binary_search(&what).expect("what a condition mentions is observed");
                    // Registers come before locations.
                    let mut all = of_registers.iter().chain(of_locations);
                    *all.nth(place).expect("a value for everything observed")
                })
            };
            let states = FinalStates { registers: &registers, locations: &locations, holds: &holds };
            let outcome = fencepost_cover::can_end(self.program, &states, options, slice);
            self.pay(&cost(&outcome));
            match outcome.answer {
                Answer::Unreachable => Ok(Asked::Nothing),
                Answer::GaveUp(reason) => Ok(Asked::GaveUp(reason)),
                Answer::Reachable(witness) => {
                    let ending = evidence::ending(self.program, self.model, witness.run, &observed);
                    let ended =
                        ending.map_err(|error| InternalError::new(format!("a final state under SRA: {error}")))?;
                    Ok(Asked::State(ended.values, ended.execution))
                }
            }
        })?;
        match collected {
            Collected::Endings(list, extent) => {
                let states = self.judge(list, extent);
                Ok(Step::Settled(Box::new(Verified { argument, states, race: None, failing: None })))
            }
            Collected::GaveUp(reason, list) => {
                self.remember(condition, list)?;
                Ok(Step::unsettled(argument, reason))
            }
            Collected::Race(_) => Err(InternalError::new("a data race that nobody asked for")),
        }
    }
}
