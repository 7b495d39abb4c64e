//! The corpus: every file of `litmus/` against every model that can be checked.
//!
//! A file says what it expects (`//: ra violation shape=SB states=7`). It must
//! say something about every model; the engine must agree, in every way of
//! exploring; so must the definitional oracle, where the program is small
//! enough for it. `FENCEPOST_BLESS=1` pins the numbers of states anew, never a verdict.

use fencepost_check::Question;
use fencepost_explore::{Options, Reductions};
use fencepost_ir::Program;
use fencepost_model::{Model, models};
use fencepost_oracle::enumerate::{self, Answer};
use fencepost_testkit::corpus::{self, Content, Entry};
use fencepost_testkit::expect::{
    Expectation, Expected, Judgement, States, Subject, judge, judge_consequences, judge_runs,
};
use fencepost_verdict::{Budget, Outcome, Verdict};
use libtest_mimic::{Arguments, Failed, Trial};

/// Configurations the oracle may visit before the file is too large for it.
const ORACLE_LIMIT: usize = 20_000;

fn main() {
    let arguments = Arguments::from_args();
    let trial = |entry: Entry| Trial::test(entry.name.clone(), move || judge_file(&entry).map_err(Failed::from));
    libtest_mimic::run(&arguments, corpus::files().into_iter().map(trial).collect()).exit();
}

/// The states in the files are those of a search without reductions but the plainest.
const PLAIN: Options =
    Options { reductions: Reductions { dead_registers: true, ..Reductions::NONE }, observational: false, jobs: 1 };

fn judge_file(file: &Entry) -> Result<(), String> {
    let Content { text, program, expected } = file.read()?;
    let is_about = |expectation: &Expectation, subject| expectation.answer.subject() == subject;
    let mut pinned = text.clone();
    for model in models::checkable() {
        let expectation = expected
            .iter()
            .filter(|expectation| is_about(expectation, Subject::Robustness) && !expectation.observational)
            .find(|expectation| expectation.model == model.name())
            .ok_or_else(|| format!("nothing is expected of {}", model.name()))?;
        let outcome = explore(&program, model, expectation, PLAIN)?;
        if let Some(line) = pin(&text, expectation, outcome.stats.states) {
            compare(&program, &Expectation { states: None, ..expectation.clone() }, &outcome)?;
            pinned = pinned.replace(text.lines().nth(expectation.line - 1).unwrap_or(""), &line);
        } else {
            compare(&program, expectation, &outcome)?;
        }
        decided(judge_runs(&expected, &outcome))?;
        for options in [Options::default(), Options { jobs: 2, ..Options::default() }] {
            let reduced = Question::new(&program, model)
                .with(options)
                .robustness(&Budget::unlimited())
                .map_err(|error| error.to_string())?;
            decided(judge(&expected, &program, &reduced).unwrap_or(Judgement::Undecided))
                .map_err(|how| format!("with reductions: {how}"))?;
        }
        let oracle =
            if program.is_loop_free() { enumerate::robust(&program, model, ORACLE_LIMIT) } else { Answer::TooLarge };
        match oracle {
            Answer::TooLarge => {}
            _ if expectation.answer == Expected::Unsupported => {}
            Answer::Robust if matches!(expectation.answer, Expected::Robust | Expected::Unbounded) => {}
            Answer::Violation(_) if expectation.answer == Expected::Violation => {}
            other => return Err(format!("the oracle says {other:?}")),
        }
    }
    for expectation in expected.iter().filter(|expectation| expectation.observational) {
        let model = models::by_name(expectation.model).ok_or("a model of the list")?;
        let options = Options { observational: true, ..Options::default() };
        compare(&program, expectation, &explore(&program, model, expectation, options)?)?;
    }
    for expectation in expected.iter().filter(|expectation| is_about(expectation, Subject::Consequences)) {
        let model = models::by_name(expectation.model).ok_or("a model of the list")?;
        let question = Question::new(&program, model);
        let unlimited = Budget::unlimited();
        let mut outcome = question.robustness(&unlimited).map_err(|error| error.to_string())?;
        outcome.consequences = Some(question.consequences(1, &unlimited).map_err(|error| error.to_string())?);
        decided(judge_consequences(&expected, &outcome))?;
    }
    judge_verifications(&program, &expected)?;
    if pinned != text {
        std::fs::write(&file.path, pinned).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// States that are enough to say that nothing settles a question.
const UNSETTLED: u64 = 10_000;

/// A program with a condition says of every model how often it is true. So does a program without
/// one of what goes wrong, if it says anything of another model than SC.
fn judge_verifications(program: &Program, expected: &[Expectation]) -> Result<(), String> {
    let expected = || expected.iter().filter(|expectation| expectation.answer.subject() == Subject::Verification);
    let has_condition = program.condition().is_some();
    let is_matrix = has_condition || expected().any(|expectation| expectation.model != "sc");
    for model in models::MODELS {
        match expected().find(|expectation| expectation.model == model.name()) {
            Some(expectation) => judge_verification(program, *model, expectation)?,
            None if is_matrix => return Err(format!("nothing is expected of `verify` under {}", model.name())),
            None => {}
        }
    }
    Ok(())
}

fn judge_verification(program: &Program, model: &'static dyn Model, wanted: &Expectation) -> Result<(), String> {
    let has_condition = program.condition().is_some();
    let fits = match wanted.answer {
        Expected::Never | Expected::Sometimes | Expected::Always => has_condition,
        Expected::Racy | Expected::Unsettled => true,
        _ => !has_condition,
    };
    if !fits {
        let condition = if has_condition { "a" } else { "no" };
        return Err(format!("line {}: there is {condition} condition", wanted.line));
    }
    let max_states = if wanted.answer == Expected::Unsettled { UNSETTLED } else { u64::MAX };
    let budget = Budget { max_states, ..Budget::unlimited() };
    let verification = Question::new(program, model).safety(&budget).map_err(|error| error.to_string())?;
    let Some(found) = fencepost_testkit::expect::verified(&verification) else {
        return Err(format!("{}: it is not known how often", model.name()));
    };
    if wanted.answer != found {
        let how: Vec<String> = verification
            .tried
            .iter()
            .map(|attempt| format!("{}: {}", attempt.argument.as_str(), attempt.reason))
            .collect();
        let (model, wanted, found) = (model.name(), wanted.answer.as_str(), found.as_str());
        return Err(format!("verify under {model}: expected {wanted}, found {found} (tried {how:?})"));
    }
    let argument = verification.result.ok().map(|verified| verified.argument.as_str());
    match (&wanted.argument, argument) {
        (Some(wanted), Some(found)) if wanted != found => {
            Err(format!("verify under {}: expected argument {wanted}, found {found}", model.name()))
        }
        _ => Ok(()),
    }
}

/// Explores; a file that says it is too large is explored as far as it says.
fn explore(
    program: &Program,
    model: &'static dyn Model,
    expectation: &Expectation,
    options: Options,
) -> Result<Outcome, String> {
    let max_states = match expectation.states {
        Some(States::AtLeast(least)) => least,
        _ => u64::MAX,
    };
    let budget = Budget { max_states, ..Budget::unlimited() };
    Question::new(program, model).with(options).robustness(&budget).map_err(|error| error.to_string())
}

/// The outcome is as expected, and so is the number of states; a file that says it is too large has
/// no answer yet.
fn compare(program: &Program, expectation: &Expectation, outcome: &Outcome) -> Result<(), String> {
    decided(expectation.judge(program, outcome))?;
    let model = expectation.model;
    if let Some(States::AtLeast(_)) = expectation.states
        && !matches!(outcome.verdict, Verdict::Unknown(_))
    {
        return Err(format!("{model}: this can be decided with fewer states"));
    }
    match expectation.states.filter(|states| !states.allows(outcome.stats.states)) {
        Some(states) => Err(format!("{model}: expected {states:?} states, found {}", outcome.stats.states)),
        None => Ok(()),
    }
}

fn decided(judgement: Judgement) -> Result<(), String> {
    match judgement {
        Judgement::AsExpected => Ok(()),
        Judgement::Undecided => Err("a limit ended the search".into()),
        Judgement::Differs(how) => Err(how.join("; ")),
    }
}

/// When blessing: the expectation's line with the number of states found.
fn pin(text: &str, expectation: &Expectation, states: u64) -> Option<String> {
    let bless = std::env::var_os("FENCEPOST_BLESS").is_some();
    let loose = matches!(expectation.states, Some(States::AtLeast(_) | States::AtMost(_)));
    if !bless || loose || expectation.answer == Expected::Unsupported {
        return None;
    }
    let line = text.lines().nth(expectation.line - 1)?;
    let (open, close) = line.trim_end().strip_suffix("*)").map_or((line, ""), |open| (open, " *)"));
    let others: Vec<&str> = open.split_whitespace().filter(|word| !word.starts_with("states=")).collect();
    Some(format!("{} states={states}{close}", others.join(" ")))
}
