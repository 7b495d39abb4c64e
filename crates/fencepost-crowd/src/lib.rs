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
//! - [`forward`] computes what any `k` copies can be seen to do beside any number of others. It is an
//!   over-approximation that becomes exact for some `k`. Mutual exclusion and the like need 2.
//!   Papers: Flanagan and Qadeer, "Thread-modular model checking", SPIN 2003; Hoenicke, Majumdar and
//!   Podelski, "Thread modularity at many levels: a pearl of compositional verification", POPL 2017.
//! - [`backward`] starts from what is wrong and adds predecessors, by the saturation of
//!   `fencepost_cover`. It always ends, and is exact. It says how many copies are enough. Paper:
//!   Abdulla, Čerāns, Jonsson and Tsay, "General decidability theorems for infinite-state systems",
//!   LICS 1996. It needs the local states that can come about under each control state; it takes
//!   them from the forward engine with `k` = 1.
//!
//! That there is no number of copies for which something is wrong is sound and complete for
//! finite-state programs, as long as no limit is reached. That there is one is only claimed by whoever
//! explores the program with that many copies, and replays what is found.

pub mod backward;
pub mod forward;
mod numbered;

use fencepost_explore::{Crowd, Fails, Options};
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_verdict::{Budget, Reason};

use numbered::Numbered;

/// What is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Leaving SC, and data races?
    pub violations: bool,
    /// What fails?
    pub failures: Failures,
}

/// Which failures are asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// None.
    Nothing,
    /// Failing assertions.
    Assertions,
    /// These, and run-time errors.
    Everything,
}

impl Wanted {
    /// Is this one of the failures that are asked about?
    fn is_failure(self, fails: Option<Fails>) -> bool {
        match (fails, self.failures) {
            (None, _) | (_, Failures::Nothing) | (Some(Fails::Otherwise), Failures::Assertions) => false,
            (Some(Fails::Assertion), _) | (_, Failures::Everything) => true,
        }
    }
}

/// How something is known of every number of copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// It happens with so many copies of each kind of thread.
    With(u32),
    /// It may happen: not everything was done to find out.
    Perhaps,
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
    /// Steps of one thread under one control.
    pub transitions: u64,
    /// Bytes used, estimated.
    pub bytes: u64,
    /// Bits of a control.
    pub bits: u64,
}

/// Copies that the forward engine looks at at a time, before the other one is asked.
const AT_A_TIME: u32 = 2;

/// How much is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Only what is fast: if that is not enough, the answer is [`Answer::Perhaps`].
    Forward,
    /// Everything.
    Full,
}

/// Is there a number of copies for which what is `wanted` happens in `program` under SC, with the
/// monitor of `model`? First the engine that is fast and often enough, then the one that always ends.
pub fn decide(
    program: &Program,
    model: &dyn Model,
    wanted: Wanted,
    effort: Effort,
    options: Options,
    budget: &Budget<'_>,
) -> (Answer, Cost) {
    let mut numbered = match Crowd::new(program, model, options, budget) {
        Ok(crowd) => Numbered::new(crowd),
        Err(reason) => return (Answer::GaveUp(reason), Cost::default()),
    };
    let seen = forward::see(&mut numbered, AT_A_TIME, wanted, budget);
    let answer = match seen {
        Err(reason) => Answer::GaveUp(reason),
        Ok(seen) if !seen.wrong => match seen.is_bound {
            true => Answer::Bounded,
            false => Answer::Never(Argument::Forward(AT_A_TIME)),
        },
        Ok(_) if effort == Effort::Forward => Answer::Perhaps,
        Ok(_) => match backward::decide(&mut numbered, wanted, options.jobs, budget) {
            Err(reason) => Answer::GaveUp(reason),
            Ok(backward::Decided::Never { is_bound: true }) => Answer::Bounded,
            Ok(backward::Decided::Never { is_bound: false }) => Answer::Never(Argument::Backward),
            Ok(backward::Decided::With(copies)) => Answer::With(copies),
        },
    };
    (answer, numbered.cost())
}

/// The same by the forward engine alone, which looks at up to `most` copies at a time; none if that is
/// not enough.
pub fn decide_forward(
    program: &Program,
    model: &dyn Model,
    wanted: Wanted,
    most: u32,
    budget: &Budget<'_>,
) -> Result<Option<u32>, Reason> {
    let mut numbered = Numbered::new(Crowd::new(program, model, Options::default(), budget)?);
    for at_a_time in AT_A_TIME..=most {
        if !forward::see(&mut numbered, at_a_time, wanted, budget)?.wrong {
            return Ok(Some(at_a_time));
        }
    }
    Ok(None)
}

/// The same by the backward engine alone.
pub fn decide_backward(
    program: &Program,
    model: &dyn Model,
    wanted: Wanted,
    budget: &Budget<'_>,
) -> Result<backward::Decided, Reason> {
    let mut numbered = Numbered::new(Crowd::new(program, model, Options::default(), budget)?);
    backward::decide(&mut numbered, wanted, 1, budget)
}
