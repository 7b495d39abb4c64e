//! Any number of copies of a thread: what no number of them can do, and how many are enough.
//!
//! A program with threads of any number of copies stands for infinitely many programs. Robustness
//! and failures under SC are still decidable for it. Copies are finite-state and all alike, and a
//! step changes memory, what a monitor knows of locations, and the local state of one thread
//! (`fencepost_explore::Crowd`). So a configuration is a control state and a multiset of local
//! states, a step replaces one local state by another, and what is asked is whether some control
//! state can be reached together with one or two bad local states: coverability in a vector addition
//! system. More copies never take a behaviour away, because a copy may take no step.
//!
//! Two engines answer, and judge each other:
//!
//! - `forward` takes `k` = 1, 2, 3, … copies. It computes what any `k` copies can be seen to do
//!   beside any number of others, which is an over-approximation; and what exactly `k` copies do,
//!   which is none of more copies. If nothing wrong is seen in the first, there is nothing wrong, and
//!   `k` is a *cutoff*. If something wrong is there in the second, `k` copies are enough for it. For
//!   some `k` one or the other is so.
//!   Papers: Abdulla, Haziza and Holík, "All for the price of few (parameterized verification through
//!   view abstraction)", VMCAI 2013; Kaiser, Kroening and Wahl, "Dynamic cutoff detection in
//!   parameterized concurrent programs", CAV 2010.
//! - `backward` starts from what is wrong and adds predecessors, by the saturation of
//!   `fencepost_cover`. It always ends, and is exact. It says how many copies are enough. Paper:
//!   Abdulla, Čerāns, Jonsson and Tsay, "General decidability theorems for infinite-state systems",
//!   LICS 1996. It needs the local states that can come about under each control state; it takes
//!   them from the forward engine.
//!
//! They take turns, in rounds that permit more and more states to each. So what one of them can answer
//! cheaply is never much more expensive than that.
//!
//! That there is no number of copies for which something is wrong is sound and complete for
//! finite-state programs, as long as no limit is reached. That there is one is only claimed by whoever
//! explores the program with that many copies, and replays what is found.

mod backward;
mod forward;
mod numbered;

use std::ops::RangeInclusive;

use fencepost_explore::{Crowd, Fails, Options};
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_verdict::{Budget, Reason};

use numbered::Numbered;

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Leaving SC, and data races.
    Violations,
    /// Failing assertions.
    Assertions,
    /// These, and run-time errors.
    Failures,
}

impl Wanted {
    /// Is this one of the failures that are asked about?
    fn is_failure(self, fails: Option<Fails>) -> bool {
        match (self, fails) {
            (Wanted::Violations, _) | (_, None) | (Wanted::Assertions, Some(Fails::Otherwise)) => false,
            (Wanted::Assertions, Some(Fails::Assertion)) | (Wanted::Failures, Some(_)) => true,
        }
    }
}

/// Who answers. Whoever it is, the answer is the same; only whether there is one, and what it costs,
/// depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engines {
    /// Both, by turns.
    #[default]
    Both,
    /// Only the one that looks at more and more copies at a time.
    Forward,
    /// Only the one that starts from what is wrong.
    Backward,
}

/// Is there a number of copies for which what is wanted happens in a program under SC, with the
/// monitor of a model?
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The program.
    pub program: &'a Program,
    /// The model whose monitor looks on.
    pub model: &'a dyn Model,
    /// What is asked about.
    pub wanted: Wanted,
    /// With up to so many copies of each kind nothing of it is known to happen.
    pub known: u32,
    /// Who answers.
    pub engines: Engines,
    /// How the steps are explored.
    pub options: Options,
}

/// How something is known of every number of copies; the more it took, the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Argument {
    /// By what so many copies can be seen to do beside any number of others.
    Forward(u32),
    /// By saturation from what is wrong.
    Backward,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What was asked about happens for no number of copies.
    Never(Argument),
    /// The smallest number of copies of each kind with which it happens is one of these.
    With(RangeInclusive<u32>),
    /// Nothing of it happens, but runs that reach a bound of the program were not followed.
    Bounded,
    /// A limit was reached.
    GaveUp(Reason),
}

/// The cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Controls with their copies.
    pub states: u64,
    /// Steps of one thread under one control, forwards or backwards.
    pub transitions: u64,
    /// Bytes used, estimated.
    pub bytes: u64,
    /// Bits of a control.
    pub bits: u64,
}

/// States that each search may take in the first round.
const FIRST: u64 = 1 << 16;
/// So many times more in each round.
const MORE: u64 = 4;

impl Question<'_> {
    /// Answers it.
    pub fn decide(&self, budget: &Budget<'_>) -> (Answer, Cost) {
        let mut numbered = match Crowd::new(self.program, self.model, self.options, budget) {
            Ok(crowd) => Numbered::new(crowd),
            Err(reason) => return (Answer::GaveUp(reason), Cost::default()),
        };
        let answer = self.by_turns(&mut numbered, budget).unwrap_or_else(Answer::GaveUp);
        (answer, numbered.cost())
    }

    /// In each round the forward engine goes on to one more copy, and the backward engine tries
    /// again. If one of them needs more memory than there is, the other one goes on alone.
    fn by_turns(&self, numbered: &mut Numbered, budget: &Budget<'_>) -> Result<Answer, Reason> {
        let mut forward = (self.engines != Engines::Backward).then(|| forward::Growing::new(self.wanted, self.known));
        let mut backward =
            (self.engines != Engines::Forward).then(|| backward::Turns::new(self.wanted, self.options.jobs));
        let mut turn = Turn { states: FIRST, budget };
        let mut known = self.known;
        loop {
            if let Some(engine) = &mut forward {
                match engine.grow(numbered, &turn) {
                    Ok(Some(answer)) => return Ok(answer),
                    Ok(None) => known = engine.known(),
                    Err(Reason::Memory(_)) if backward.is_some() => forward = None,
                    Err(reason) => return Err(reason),
                }
            }
            if let Some(engine) = &mut backward {
                match engine.go(numbered, &turn) {
                    Ok(Some(backward::Decided::Never { is_bound: true })) => return Ok(Answer::Bounded),
                    Ok(Some(backward::Decided::Never { .. })) => return Ok(Answer::Never(Argument::Backward)),
                    Ok(Some(backward::Decided::With(copies))) => return Ok(Answer::With(known + 1..=copies)),
                    Ok(None) => {}
                    Err(Reason::Memory(_)) if forward.is_some() => backward = None,
                    Err(reason) => return Err(reason),
                }
            }
            turn.states = turn.states.saturating_mul(MORE);
        }
    }
}

/// What may be spent in a turn.
struct Turn<'a> {
    /// States that each search may take.
    states: u64,
    /// What may be spent in all.
    budget: &'a Budget<'a>,
}

impl Turn<'_> {
    /// What `search` finds with the states of one turn; nothing, if they are not enough.
    fn search<T>(
        &self,
        numbered: &mut Numbered,
        search: impl FnOnce(&mut Numbered, &Budget<'_>) -> Result<T, Reason>,
    ) -> Result<Option<T>, Reason> {
        let all = self.budget.max_states;
        let max_states = all.min(numbered.states().saturating_add(self.states));
        match search(numbered, &Budget { max_states, ..*self.budget }) {
            Ok(found) => Ok(Some(found)),
            Err(Reason::States(_)) if max_states < all => Ok(None),
            Err(reason) => Err(reason),
        }
    }
}
