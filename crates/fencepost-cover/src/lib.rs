//! Safety under SRA, decided by backward coverability.
//!
//! Paper: Lahav and Boker, "Decidable Verification under a Causally Consistent Shared Memory", PLDI
//! 2020. SRA is *strong release/acquire*. It has an equivalent lossy semantics, loSRA, that is a
//!       *well-structured transition system*: larger configurations can do whatever smaller ones
//!       can, and in every infinite sequence of configurations one is at least as large as an
//!       earlier one. So one can start from the bad states and add all configurations that lead to
//!       them, and this comes to an end. It decides whether a bad state of a finite-state program
//!       can be reached, loops included.
//!
//! Questions:
//!
//! - [`safe`]: can no assertion fail, and no run-time error happen?
//! - [`can_end`]: can all threads end with such registers and last values in memory?
//! - [`write_write_race_free`]: if so, release/acquire and SRA reach the same states (Thm 3.14).
//! - [`data_race_free`]: are there no data races on non-atomic locations?
//!
//! Every access counts as release/acquire, plain ones too. That is right as long as they do not
//! race.
//!
//! Sound and complete, as long as no limit is reached: then the answer is [`Answer::GaveUp`]. A
//! [`Witness`] is a run, to be replayed on the axioms of SRA by other code
//! (`fencepost_oracle::replay_graph`).

mod ahead;
mod automaton;
mod bits;
mod facts;
mod local;
mod losra;
mod options;
mod question;
pub mod saturate;
mod shared;
mod symmetry;
mod witness;

use fencepost_analysis::interpreter::Rest;
use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_ir::{Instr, Op, Program};
use fencepost_verdict::{Budget, GraphRun, Reason, ScFailureKind, Site};

use ahead::LookAhead;
use automaton::Automaton;
use local::{Local, Locals, StateId};
use losra::{LoSra, RaceQuestion};
use question::{Classes, Question};
use saturate::{End, SaturationStats, saturate};

/// How to search; it changes the cost only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Combinations of control states that are explored forwards before the search, to know what is
    /// hopeless. With more of them, or when they take half of the memory allowed, nothing is known
    /// in advance.
    pub look_ahead: usize,
    /// Is one configuration enough of those that symmetries of the program turn into each other?
    pub symmetry: bool,
    /// Threads to search with.
    pub jobs: usize,
}

impl Default for Options {
    /// Enough for three threads of an algorithm.
    fn default() -> Self {
        Options { look_ahead: 1 << 17, symmetry: true, jobs: 1 }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The state asked for cannot be reached: the search was exhausted.
    Unreachable,
    /// It can, by this run.
    Reachable(Box<Witness>),
    /// Not decided.
    GaveUp(Reason),
}

/// A run of opSRA to the state asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The run.
    pub run: GraphRun,
    /// The failure that it ends in, if that was the question.
    pub failure: Option<(Site, ScFailureKind)>,
}

/// What it cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoverStats {
    /// Local states of all threads.
    pub local_states: u64,
    /// Nodes of all automata, after identifying what makes no difference.
    pub nodes: u64,
    /// The search.
    pub saturation: SaturationStats,
}

/// The answer and its cost.
#[derive(Clone, Debug)]
pub struct CoverOutcome {
    /// The answer.
    pub answer: Answer,
    /// The cost.
    pub stats: CoverStats,
}

/// A set of final states: all threads have halted, and these registers and locations have such
/// values.
pub struct FinalStates<'a> {
    /// The registers that matter.
    pub registers: &'a [(ThreadId, RegId)],
    /// The locations that matter.
    pub locations: &'a [LocId],
    /// Does a state with these values of registers and locations belong to the set?
    pub holds: &'a dyn Fn(&[Value], &[Value]) -> bool,
}

/// Can no assertion fail, and no run-time error happen, under SRA? [`Answer::Reachable`] is one
/// that can.
pub fn safe(program: &Program, options: Options, budget: &Budget<'_>) -> CoverOutcome {
    ask(&Question::Failure, program, options, budget)
}

/// Can a run under SRA end in one of these states?
pub fn can_end(program: &Program, states: &FinalStates<'_>, options: Options, budget: &Budget<'_>) -> CoverOutcome {
    ask(&Question::End(states), program, options, budget)
}

/// Is every graph of the program under SRA free of write/write races (Def. 3.13)? Then the states
/// that release/acquire reaches are those that SRA reaches (Thm 3.14). [`Answer::Reachable`] is a
/// race: its run ends with a write that is not ordered with an earlier one.
pub fn write_write_race_free(program: &Program, options: Options, budget: &Budget<'_>) -> CoverOutcome {
    ask(&Question::WriteRace, program, options, budget)
}

/// Is every graph of the program under SRA free of data races on non-atomic locations?
/// [`Answer::Reachable`] is a run with one, its last access at the latest. Says nothing of programs
/// that access a location both plainly and by atomic operations.
pub fn data_race_free(program: &Program, options: Options, budget: &Budget<'_>) -> CoverOutcome {
    if program.has_mixed_accesses() {
        let reason =
            Reason::Unsupported("data races on locations that are accessed in both ways are not looked for".into());
        return CoverOutcome { answer: Answer::GaveUp(reason), stats: CoverStats::default() };
    }
    ask(&Question::DataRace, program, options, budget)
}

fn ask(question: &Question<'_>, program: &Program, options: Options, budget: &Budget<'_>) -> CoverOutcome {
    let mut stats = CoverStats::default();
    let answer = answer(question, program, options, budget, &mut stats).unwrap_or_else(Answer::GaveUp);
    CoverOutcome { answer, stats }
}

fn answer(
    question: &Question<'_>,
    program: &Program,
    options: Options,
    budget: &Budget<'_>,
    stats: &mut CoverStats,
) -> Result<Answer, Reason> {
    let is_bound = |instr: &Instr| matches!(instr.op, Op::Bound { .. });
    if program.has_sections() || program.threads().iter().any(|thread| thread.code.iter().any(is_bound)) {
        return Err(Reason::Unsupported("atomic sections and bounds have no meaning under sra".into()));
    }
    let locals = Locals::of(program, budget)?;
    let classes = question.classes(&locals);
    let init: Vec<Value> = program.locations().iter().map(|location| location.init).collect();
    let automaton =
        |(local, classes): (&Local, &Classes)| Automaton::of(local, &init, &|state| classes.of[state], budget);
    let threads = locals.threads.iter().zip(&classes).map(automaton).collect::<Result<Vec<Automaton>, Reason>>()?;
    stats.local_states = locals.threads.iter().map(|local| local.states.len() as u64).sum();
    stats.nodes = threads.iter().map(|automaton| automaton.len() as u64).sum();

    let races = question.races(program, &threads);
    let targets = question.targets(&locals, &classes, &threads, &races, budget)?;
    // The search itself needs room, too.
    let look_ahead = LookAhead { jobs: options.jobs, places: options.look_ahead, bytes: budget.max_bytes / 2 };
    let system = LoSra::new(threads, &init, races.clone(), options.symmetry, &look_ahead, budget)?;
    let mut configurations = Vec::new();
    // For every configuration, its target and the reads that come last.
    let mut endings = Vec::new();
    for target in &targets {
        for (configuration, reads) in system.targets(target)? {
            configurations.push(configuration);
            endings.push((target, reads));
        }
    }
    let (end, saturation) = saturate(&system, configurations, options.jobs, budget);
    stats.saturation = saturation;
    match end {
        End::Uncovered => Ok(Answer::Unreachable),
        End::GaveUp(reason) => Err(reason),
        End::Covered { target, steps: mut blocks } => {
            let (target, reads) = &endings[target];
            blocks.extend(reads.iter().cloned());
            let mut racing = None;
            if let Some(RaceQuestion { loc, thread }) = target.race.map(|race| races[race]) {
                let node = target.nodes[thread].expect("the racing thread is somewhere");
                let access = question.racing_access(&system.threads[thread], node, loc);
                racing = access.map(|access| (thread, access));
            }
            let may_end = |thread: usize, state: StateId| {
                let node = target.nodes[thread].filter(|_| target.race.is_none());
                node.is_none_or(|node| classes[thread].of[state] == system.threads[thread].class[node as usize])
            };
            let (run, last) = witness::run(program, &locals, &system.alphabet, &blocks, racing, &may_end);
            let failure = last.iter().zip(&locals.threads).enumerate().find_map(|(thread, (&state, local))| {
                let site = Site { thread: ThreadId::from_index(thread), pc: local.states[state].pc };
                match &local.rests[state] {
                    Rest::Failed(kind) => Some((site, kind.clone())),
                    _ => None,
                }
            });
            Ok(Answer::Reachable(Box::new(Witness { run, failure })))
        }
    }
}
