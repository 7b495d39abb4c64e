//! Programs with threads of any number of copies: robust, and without failures, for every number?
//!
//! `fencepost_crowd` decides whether there is a number of copies for which something is wrong. What
//! is wrong is then found, and replayed on the axioms, in a program with that many copies, by the
//! engines for ordinary programs. More copies never take a behaviour away, so what is wrong with few
//! of them is wrong with more.
//!
//! Two questions are asked. The first one is about violations. Failures are asked about under SC,
//! without a monitor, if there are no violations.
//!
//! Against store buffers the first question is about attacks (`fencepost_attack`). The attacker is
//! one copy. It is set apart from the others, which are helpers, and the instrumented program has any
//! number of them.
//!
//! Sound and complete for finite-state programs, as the engines are.

use std::ops::RangeInclusive;

use fencepost_crowd::{Answer, Cost, Wanted};
use fencepost_ir::{Copies, Program};
use fencepost_model::{Model, Robustness, models};
use fencepost_verdict::{
    Argument, Budget, CopiesArgument, ForCopies, Outcome, Property, Reason, Stats, Verdict, Verification, Verified,
    WithCopies,
};

use crate::question::unexplored;
use crate::{InternalError, Question};

/// Is the program of `question`, which has threads of any number of copies, robust for every number of
/// copies? `least` is the least number there may be.
pub(crate) fn robustness(question: &Question<'_>, least: u32, budget: &Budget<'_>) -> Result<Outcome, InternalError> {
    if question.options().observational {
        let reason = Reason::Unsupported("observational robustness for any number of copies is not decided".into());
        return Ok(unexplored(Property::ObservationalRobustness, question.model(), reason));
    }
    let mut asking = Asking { question, budget, spent: Stats::default() };
    let outcome = asking.robustness(least)?;
    Ok(Outcome { stats: asking.spent, ..outcome })
}

/// Does the program of `question` do under the model what it says of itself, for every number of copies?
/// Under SC that is decided. Under another model it is known if the program is robust against it, or if
/// something goes wrong with few copies.
pub(crate) fn safety(question: &Question<'_>, least: u32, budget: &Budget<'_>) -> Result<Verification, InternalError> {
    let mut asking = Asking { question, budget, spent: Stats::default() };
    let verification = asking.safety(least)?;
    Ok(Verification { stats: asking.spent, ..verification })
}

/// A question about any number of copies that is being answered.
struct Asking<'a> {
    question: &'a Question<'a>,
    budget: &'a Budget<'a>,
    spent: Stats,
}

impl Asking<'_> {
    fn robustness(&mut self, least: u32) -> Result<Outcome, InternalError> {
        // Most of what is wrong is wrong with few copies.
        let found = self.with_copies(least)?;
        if !found.verdict.is_holding() {
            return Ok(found);
        }
        let unknown = |reason| Outcome { verdict: Verdict::Unknown(reason), ..found.clone() };
        let robust = match self.violations(least) {
            Answer::Never(argument) => argument,
            Answer::With(numbers) => return self.first(numbers, |outcome| !outcome.verdict.is_holding()),
            Answer::Bounded => return Ok(unknown(bounded())),
            Answer::GaveUp(reason) => return Ok(unknown(reason)),
        };
        // A failure is one of a number of copies; that the program is robust is true of all.
        let holds = |with, every| Some(Box::new(ForCopies { every: Some(argument_of(every)), with }));
        if found.sc_failure.is_some() {
            let with = found.copies.and_then(|copies| copies.with);
            return Ok(Outcome { copies: holds(with, robust), ..found });
        }
        if !crate::buffers::can_fail(self.question.program()) {
            return Ok(Outcome { copies: holds(None, robust), ..found });
        }
        match self.failures(least) {
            Answer::Never(safe) => Ok(Outcome { copies: holds(None, robust.max(safe)), ..found }),
            Answer::With(numbers) => {
                let failing =
                    self.first(numbers, |outcome| !outcome.verdict.is_holding() || outcome.sc_failure.is_some())?;
                let with = failing.copies.and_then(|copies| copies.with);
                Ok(Outcome { copies: holds(with, robust), ..failing })
            }
            Answer::Bounded => Ok(unknown(bounded())),
            Answer::GaveUp(reason) => Ok(unknown(reason)),
        }
    }

    fn safety(&mut self, least: u32) -> Result<Verification, InternalError> {
        let (result, copies) = if self.question.model().name() == models::reference().name() {
            match self.failures(0) {
                Answer::Never(argument) => (Ok(Argument::Exploration), Some(argument_of(argument))),
                Answer::With(numbers) => {
                    return self.going_wrong(least.max(*numbers.start())..=least.max(*numbers.end()));
                }
                Answer::Bounded => (Err(bounded()), None),
                Answer::GaveUp(reason) => (Err(reason), None),
            }
        } else {
            let outcome = self.robustness(least)?;
            let every = outcome.copies.as_ref().and_then(|copies| copies.every);
            let most = outcome.copies.and_then(|copies| copies.with).map_or(least, |with| with.number);
            match (outcome.verdict, outcome.sc_failure) {
                (Verdict::Holds, None) => (Ok(Argument::Robustness { observational: false }), every),
                (Verdict::Unknown(reason), _) => (Err(reason), None),
                _ => return self.going_wrong(least..=most),
            }
        };
        let verified = |argument| Verified { argument, states: None, race: None, failing: None };
        let copies = Some(Box::new(ForCopies { every: copies, with: None }));
        Ok(self.verification(result.map(verified), copies))
    }

    fn verification(&self, result: Result<Verified, Reason>, copies: Option<Box<ForCopies>>) -> Verification {
        Verification { model: self.question.model().name(), result, tried: Vec::new(), copies, stats: self.spent }
    }

    /// The answer about the first of these numbers of copies that is not as it should be, or not known.
    fn first(
        &mut self,
        numbers: RangeInclusive<u32>,
        is_wrong: impl Fn(&Outcome) -> bool,
    ) -> Result<Outcome, InternalError> {
        for number in numbers.clone() {
            let found = self.with_copies(number)?;
            if is_wrong(&found) {
                return Ok(found);
            }
        }
        let (from, to) = numbers.into_inner();
        Err(InternalError::new(format!("something is wrong with {from} to {to} copies, which nothing confirms")))
    }

    /// The question about the program with so many copies.
    fn with_copies(&mut self, number: u32) -> Result<Outcome, InternalError> {
        let program = self.question.program().with_copies(number);
        let outcome = self.question.about(&program).robustness(self.budget)?;
        add(&mut self.spent, outcome.stats);
        let with = Some(WithCopies { number, program });
        Ok(Outcome { copies: Some(Box::new(ForCopies { every: None, with })), ..outcome })
    }

    /// The answer for the first of these numbers of copies with which something goes wrong. If nothing
    /// does, more is not known.
    fn going_wrong(&mut self, numbers: RangeInclusive<u32>) -> Result<Verification, InternalError> {
        for number in numbers.clone() {
            let program = self.question.program().with_copies(number);
            let verification = self.question.about(&program).safety(self.budget)?;
            add(&mut self.spent, verification.stats);
            let holds = verification.result.as_ref().is_ok_and(|verified| verified.holds(None));
            if !holds {
                let with = Some(WithCopies { number, program });
                let copies = Some(Box::new(ForCopies { every: None, with }));
                return Ok(Verification { copies, ..verification });
            }
        }
        let few = match numbers.end() {
            1 => "a single copy".into(),
            most => format!("up to {most} copies"),
        };
        let why = format!("nothing goes wrong with {few}, but the program is not robust");
        Ok(self.verification(Err(Reason::Inconclusive(why)), None))
    }

    /// Is there a violation for some number of copies? With up to `known` of them there is none.
    fn violations(&mut self, known: u32) -> Answer {
        let (program, model) = (self.question.program(), self.question.model());
        match model.declaration().robustness {
            Robustness::Monitor => self.ask(program, model, Wanted::Violations, known),
            Robustness::Attacks => self.attacks(program, model, known),
            Robustness::Always | Robustness::Implied(_) => {
                let reason = Reason::Unsupported(format!("robustness against {} is not decided", model.name()));
                Answer::GaveUp(reason)
            }
        }
    }

    /// The same about attacks.
    fn attacks(&mut self, program: &Program, model: &'static dyn Model, known: u32) -> Answer {
        if program.has_sections() {
            let what = "attacks on atomic sections by any number of copies are not decided";
            return Answer::GaveUp(Reason::Unsupported(what.into()));
        }
        let apart = program.with_one_apart();
        let attacks = match fencepost_attack::attacks_within(&apart, model, self.budget) {
            Ok(attacks) => attacks,
            Err(reason) => return Answer::GaveUp(reason),
        };
        // A copy that is set apart comes before the others, so it is the one that attacks are listed of.
        let is_single = |thread| apart.thread(thread).copies == Copies::One;
        if !attacks.iter().all(|attack| is_single(attack.thread)) {
            let what = "an attack by one of any number of copies";
            return Answer::GaveUp(Reason::Unsupported(what.into()));
        }
        // The code of a copy alone rules all of them out.
        if attacks.is_empty() {
            return Answer::Never(fencepost_crowd::Argument::Forward(1));
        }
        let delays = fencepost_attack::enough_delays(&apart, model);
        let instrumented = fencepost_attack::instrument(&apart, model, &attacks, delays);
        // The assertion of the instrumented program; what else fails in it is the original's. One copy
        // is not among the helpers.
        match self.ask(instrumented.program(), models::reference(), Wanted::Assertions, known - 1) {
            Answer::With(helpers) => Answer::With(helpers.start() + 1..=helpers.end() + 1),
            other => other,
        }
    }

    /// Does something fail under SC for some number of copies? With up to `known` of them it does not.
    fn failures(&mut self, known: u32) -> Answer {
        self.ask(self.question.program(), models::reference(), Wanted::Failures, known)
    }

    fn ask(&mut self, program: &Program, model: &dyn Model, wanted: Wanted, known: u32) -> Answer {
        let (engines, options) = (self.question.engines(), self.question.options());
        let question = fencepost_crowd::Question { program, model, wanted, known, engines, options };
        let (answer, Cost { states, transitions, bytes, bits }) = question.decide(self.budget);
        let cost = Stats { states, transitions, peak_bytes: bytes, state_bits: bits, ..Stats::default() };
        add(&mut self.spent, cost);
        answer
    }
}

fn argument_of(argument: fencepost_crowd::Argument) -> CopiesArgument {
    match argument {
        fencepost_crowd::Argument::Forward(copies) => CopiesArgument::Forward(copies),
        fencepost_crowd::Argument::Backward => CopiesArgument::Backward,
    }
}

fn bounded() -> Reason {
    Reason::Inconclusive("runs that reach a bound of the program were not followed".into())
}

fn add(stats: &mut Stats, more: Stats) {
    stats.states += more.states;
    stats.transitions += more.transitions;
    stats.depth = stats.depth.max(more.depth);
    stats.peak_bytes = stats.peak_bytes.max(more.peak_bytes);
    stats.state_bits = stats.state_bits.max(more.state_bits);
}
