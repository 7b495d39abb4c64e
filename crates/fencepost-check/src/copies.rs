//! Programs with threads of any number of copies: robust, and without failures, for every number?
//!
//! `fencepost_crowd` decides whether there is a number of copies for which something is wrong. What
//! is wrong is then found, and replayed on the axioms, in a program with that many copies, by the
//! engines for ordinary programs: the smallest number that shows it. More copies never take a
//! behaviour away, so what is wrong with few of them is wrong with more.
//!
//! Against store buffers the question is about attacks (`fencepost_attack`). The attacker is one
//! copy. It is set apart from the others, which are helpers, and the instrumented program has any
//! number of them.
//!
//! Sound and complete for finite-state programs, as the engines are.

use fencepost_crowd::{Answer, Cost, Effort, Failures, Wanted};
use fencepost_ir::{Copies, Program};
use fencepost_model::{Model, Robustness, models};
use fencepost_verdict::{
    Argument, Budget, CopiesArgument, ForCopies, Outcome, Property, Reason, Stats, Verdict, Verification, Verified,
    WithCopies,
};

use crate::question::unexplored;
use crate::{InternalError, Options, Question};

/// So many copies more than the least are tried before the engine is asked that takes long.
const FEW: u32 = 3;
/// States that each of these tries may take.
const CHEAP: u64 = 500_000;

/// Is `program`, which has threads of any number of copies, robust against the model of `question` for
/// every number of copies? `least` is the least number there may be.
pub(crate) fn robustness(question: &Question<'_>, least: u32, budget: &Budget<'_>) -> Result<Outcome, InternalError> {
    let (program, model) = (question.program(), question.model());
    if question.options().observational {
        return Ok(refused(model, "observational robustness for any number of copies is not decided"));
    }
    // Most of what is wrong is wrong with few copies, and the run that shows it is what people want.
    let mut found = with_copies(question, least, budget)?;
    let mut spent = found.stats;
    // Whatever is wrong that is not known is not so with up to so many copies.
    let mut most = least;
    let mut effort = Effort::Forward;
    loop {
        if found.verdict.is_violated() || found.verdict.is_unknown() {
            return Ok(Outcome { stats: spent, ..found });
        }
        let failures = if found.sc_failure.is_none() { Failures::Everything } else { Failures::Nothing };
        let wanted = Wanted { violations: true, failures };
        let (answer, cost) = decide(program, model, wanted, effort, question.options(), budget);
        add(&mut spent, cost);
        let verdict = match answer {
            // A violation by few copies is found sooner by them than by going back from all that is wrong.
            Answer::Perhaps => {
                effort = Effort::Full;
                let cheap = Budget { max_states: budget.max_states.min(CHEAP), ..*budget };
                for copies in most + 1..=least + FEW {
                    let tried = with_copies(question, copies, &cheap)?;
                    add_stats(&mut spent, tried.stats);
                    if tried.verdict.is_violated() || (tried.sc_failure.is_some() && found.sc_failure.is_none()) {
                        found = tried;
                        break;
                    }
                    if tried.verdict.is_unknown() {
                        break;
                    }
                    most = copies;
                }
                continue;
            }
            Answer::With(copies) if copies > most => {
                found = first_wrong(question, most + 1..=copies, found, &mut spent, budget)?;
                most = copies;
                continue;
            }
            Answer::With(copies) => {
                let message = format!("something is wrong with {copies} copies, which nothing confirms");
                return Err(InternalError { message });
            }
            Answer::Never(argument) => {
                let every = Some(argument_of(argument));
                // A failure is one of a number of copies; that it is robust is true of all.
                let with = found.copies.and_then(|copies| copies.with).filter(|_| found.sc_failure.is_some());
                let copies = Some(Box::new(ForCopies { every, with }));
                return Ok(Outcome { verdict: Verdict::Holds, stats: spent, copies, ..found });
            }
            Answer::Bounded => Verdict::Unknown(bounded()),
            Answer::GaveUp(reason) => Verdict::Unknown(reason),
        };
        return Ok(Outcome { verdict, stats: spent, ..found });
    }
}

fn argument_of(argument: fencepost_crowd::Argument) -> CopiesArgument {
    match argument {
        fencepost_crowd::Argument::Forward(copies) => CopiesArgument::Forward(copies),
        fencepost_crowd::Argument::Backward => CopiesArgument::Backward,
    }
}

/// The answer for the first of these numbers of copies for which something is wrong that was not known
/// before; for the last one, if nothing is.
fn first_wrong(
    question: &Question<'_>,
    numbers: std::ops::RangeInclusive<u32>,
    known: Outcome,
    spent: &mut Stats,
    budget: &Budget<'_>,
) -> Result<Outcome, InternalError> {
    let failed_before = known.sc_failure.is_some();
    let mut last = known;
    for copies in numbers {
        let found = with_copies(question, copies, budget)?;
        add_stats(spent, found.stats);
        let is_new = !found.verdict.is_holding() || (found.sc_failure.is_some() && !failed_before);
        // The failure that is known is one with fewer copies.
        last = if failed_before && found.verdict.is_holding() { last } else { found };
        if is_new {
            break;
        }
    }
    Ok(last)
}

/// The question about the program with so many copies.
fn with_copies(question: &Question<'_>, copies: u32, budget: &Budget<'_>) -> Result<Outcome, InternalError> {
    let instance = question.program().with_copies(copies);
    let outcome = question.about(&instance).robustness(budget)?;
    let with = Some(WithCopies { number: copies, program: instance });
    Ok(Outcome { copies: Some(Box::new(ForCopies { every: None, with })), ..outcome })
}

/// Does `program` do under the model what it says of itself, for every number of copies? Under SC that
/// is decided. Under another model it is known if the program is robust against it, or if something
/// goes wrong with few copies.
pub(crate) fn safety(question: &Question<'_>, least: u32, budget: &Budget<'_>) -> Result<Verification, InternalError> {
    let (program, model) = (question.program(), question.model());
    let is_reference = model.name() == models::reference().name();
    let mut stats = Stats::default();
    let (result, copies) = if is_reference {
        // Under SC plain accesses that race are accesses like others.
        let wanted = Wanted { violations: false, failures: Failures::Everything };
        let (answer, cost) = fencepost_crowd::decide(program, model, wanted, Effort::Full, question.options(), budget);
        add(&mut stats, cost);
        match answer {
            Answer::Perhaps => unreachable!("everything was done to find out"),
            Answer::Never(argument) => (Ok(Argument::Exploration), Some(argument_of(argument))),
            Answer::With(copies) => return going_wrong(question, least, copies.max(least), stats, budget),
            Answer::Bounded => (Err(bounded()), None),
            Answer::GaveUp(reason) => (Err(reason), None),
        }
    } else {
        let outcome = robustness(question, least, budget)?;
        stats = outcome.stats;
        let every = outcome.copies.as_ref().and_then(|copies| copies.every);
        let most = outcome.copies.and_then(|copies| copies.with).map_or(least, |with| with.number);
        match (outcome.verdict, outcome.sc_failure) {
            (Verdict::Holds, None) => (Ok(Argument::Robustness { observational: false }), every),
            (Verdict::Unknown(reason), _) => (Err(reason), None),
            _ => return going_wrong(question, least, most, stats, budget),
        }
    };
    let verified = |argument| Verified { argument, states: None, race: None, failing: None };
    let copies = Some(Box::new(ForCopies { every: copies, with: None }));
    Ok(Verification { model: model.name(), result: result.map(verified), tried: Vec::new(), copies, stats })
}

/// The answer for the first number of copies with which something goes wrong. If nothing does, more is
/// not known.
fn going_wrong(
    question: &Question<'_>,
    least: u32,
    most: u32,
    mut stats: Stats,
    budget: &Budget<'_>,
) -> Result<Verification, InternalError> {
    for number in least..=most {
        let instance = question.program().with_copies(number);
        let verification = question.about(&instance).safety(budget)?;
        add_stats(&mut stats, verification.stats);
        let holds = verification.result.as_ref().is_ok_and(|verified| verified.holds(None));
        if !holds {
            let with = Some(WithCopies { number, program: instance });
            let copies = Some(Box::new(ForCopies { every: None, with }));
            return Ok(Verification { copies, stats, ..verification });
        }
    }
    let why = format!("nothing goes wrong with up to {most} copies, but the program is not robust");
    let result = Err(Reason::Inconclusive(why));
    Ok(Verification { model: question.model().name(), result, tried: Vec::new(), copies: None, stats })
}

fn bounded() -> Reason {
    Reason::Inconclusive("runs that reach a bound of the program were not followed".into())
}

/// Is something wrong for some number of copies?
fn decide(
    program: &Program,
    model: &'static dyn Model,
    wanted: Wanted,
    effort: Effort,
    options: Options,
    budget: &Budget<'_>,
) -> (Answer, Cost) {
    match model.declaration().robustness {
        Robustness::Monitor => fencepost_crowd::decide(program, model, wanted, effort, options, budget),
        Robustness::Attacks => attacks(program, model, wanted, effort, options, budget),
        Robustness::Always | Robustness::Implied(_) => {
            let reason = Reason::Unsupported(format!("robustness against {} is not decided", model.name()));
            (Answer::GaveUp(reason), Cost::default())
        }
    }
}

/// The same about attacks; failures are those of the program itself.
fn attacks(
    program: &Program,
    model: &'static dyn Model,
    wanted: Wanted,
    effort: Effort,
    options: Options,
    budget: &Budget<'_>,
) -> (Answer, Cost) {
    let failures = Wanted { violations: false, failures: Failures::Everything };
    let (mut answer, mut cost) = (Answer::Never(fencepost_crowd::Argument::Forward(1)), Cost::default());
    if wanted.failures != Failures::Nothing && crate::buffers::can_fail(program) {
        (answer, cost) = fencepost_crowd::decide(program, models::reference(), failures, effort, options, budget);
    }
    if program.has_sections() {
        let what = "attacks on atomic sections by any number of copies are not decided";
        return (Answer::GaveUp(Reason::Unsupported(what.into())), cost);
    }
    let apart = program.with_one_apart();
    let attacks = match fencepost_attack::attacks_within(&apart, model, budget) {
        Ok(attacks) => attacks,
        Err(reason) => return (Answer::GaveUp(reason), cost),
    };
    // A copy that is set apart comes before the others, so it is the one that attacks are listed of.
    let is_single = |thread| apart.thread(thread).copies == Copies::One;
    if !attacks.iter().all(|attack| is_single(attack.thread)) {
        let what = "an attack by one of any number of copies";
        return (Answer::GaveUp(Reason::Unsupported(what.into())), cost);
    }
    if attacks.is_empty() || !matches!(answer, Answer::Never(_)) {
        return (answer, cost);
    }
    // The assertion of the instrumented program; what else fails in it is the original's.
    let feasible = Wanted { violations: false, failures: Failures::Assertions };
    let delays = fencepost_attack::enough_delays(&apart, model);
    let instrumented = fencepost_attack::instrument(&apart, model, &attacks, delays);
    let (attacked, more) =
        fencepost_crowd::decide(instrumented.program(), models::reference(), feasible, effort, options, budget);
    let cost = Cost {
        states: cost.states + more.states,
        transitions: cost.transitions + more.transitions,
        bytes: cost.bytes.max(more.bytes),
        bits: cost.bits.max(more.bits),
    };
    let answer = match attacked {
        // And the one that is set apart.
        Answer::With(copies) => Answer::With(copies + 1),
        Answer::Never(argument) => Answer::Never(argument),
        other => other,
    };
    (answer, cost)
}

fn refused(model: &'static dyn Model, why: &str) -> Outcome {
    unexplored(Property::ObservationalRobustness, model, Reason::Unsupported(why.into()))
}

fn add(stats: &mut Stats, cost: Cost) {
    stats.states += cost.states;
    stats.transitions += cost.transitions;
    stats.peak_bytes = stats.peak_bytes.max(cost.bytes);
    stats.state_bits = stats.state_bits.max(cost.bits);
}

fn add_stats(stats: &mut Stats, more: Stats) {
    stats.states += more.states;
    stats.transitions += more.transitions;
    stats.depth = stats.depth.max(more.depth);
    stats.peak_bytes = stats.peak_bytes.max(more.peak_bytes);
    stats.state_bits = stats.state_bits.max(more.state_bits);
}
