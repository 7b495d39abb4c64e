//! Any number of copies: the two engines agree with each other, and with programs of 1, 2, 3, …
//! copies.

use fencepost_check::{Engines, Question};
use fencepost_crowd::{Answer, Wanted};
use fencepost_explore::Options as Exploring;
use fencepost_ir::Program;
use fencepost_lower::Language;
use fencepost_model::{Model, Robustness, models};
use fencepost_testkit::corpus::{self, Content};
use fencepost_testkit::expect::{Judgement, judge};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_verdict::{Budget, CopiesArgument, Outcome, Reason, Verdict};

/// States that a program may have before it is too large for a test.
const SMALL: u64 = 200_000;
/// The same for programs that were written to be large.
const LARGE: u64 = 300_000;
/// Copies that programs are tried with, one number after the other.
const TRIED: u32 = 5;
/// The engines, each alone and both together.
const ENGINES: [Engines; 3] = [Engines::Forward, Engines::Backward, Engines::Both];

fn small() -> Budget<'static> {
    Budget { max_states: SMALL, ..Budget::unlimited() }
}

/// `program` with any number of copies of some of its threads: those whose bit is set.
fn any_number(program: &Program, which: u64) -> Program {
    let mut text = fencepost_lower::print(program);
    for (index, thread) in program.threads().iter().enumerate().filter(|(index, _)| which >> index & 1 == 1) {
        let (one, any) = (format!("thread {} {{", thread.name), format!("thread {}[*] {{", thread.name));
        assert!(text.contains(&one), "thread {index} is printed");
        text = text.replace(&one, &any);
    }
    fencepost_lower::load(Language::Fp, &text).program.expect("what is printed can be read")
}

/// What programs with so many copies do: the least number with a violation, and with a failure.
struct Tried {
    violation: Option<u32>,
    failure: Option<u32>,
}

/// By the engines for ordinary programs; none if one of the programs has too many states.
fn tried(program: &Program, model: &'static dyn Model, max_states: u64) -> Option<Tried> {
    let mut tried = Tried { violation: None, failure: None };
    for copies in program.least_copies().unwrap_or(1)..=TRIED {
        let instance = program.with_copies(copies);
        let budget = Budget { max_states, ..Budget::unlimited() };
        let outcome = Question::new(&instance, model).robustness(&budget).expect("no internal error");
        match outcome.verdict {
            Verdict::Unknown(_) => return None,
            Verdict::Violated(_) => tried.violation = tried.violation.or(Some(copies)),
            Verdict::Holds => assert_eq!(tried.violation, None, "more copies take nothing away"),
        }
        if outcome.sc_failure.is_some() {
            tried.failure = tried.failure.or(Some(copies));
        } else if outcome.verdict.is_holding() {
            assert_eq!(tried.failure, None, "more copies take nothing away");
        }
    }
    Some(tried)
}

/// Did each of the engines come to more than so many?
fn are_many(numbers: [usize; ENGINES.len()], least: usize) -> bool {
    numbers.into_iter().all(|number| number > least)
}

/// Does what these engines say agree with what was found with few copies? None if they are at a limit.
fn agrees(
    program: &Program,
    model: &'static dyn Model,
    found: Option<u32>,
    (wanted, engines): (Wanted, Engines),
) -> Option<Result<(), String>> {
    let question =
        fencepost_crowd::Question { program, model, wanted, known: 0, engines, options: Exploring::default() };
    let (answer, _) = question.decide(&small());
    let agrees = match (&answer, found) {
        (Answer::GaveUp(_) | Answer::Bounded, _) => return None,
        (Answer::Never(_), found) => found.is_none(),
        // The forward engine looks at every number; the other one finds one that is enough.
        (Answer::With(numbers), found) => found.map_or(*numbers.end() > TRIED, |found| match engines {
            Engines::Forward => *numbers == (found..=found),
            Engines::Backward | Engines::Both => numbers.contains(&found),
        }),
    };
    Some(agrees.then_some(()).ok_or_else(|| format!("{wanted:?}: found with {found:?}, {engines:?}: {answer:?}")))
}

#[test]
fn engines_agree_with_programs_of_few_copies() {
    let (mut judged, mut wrong, mut late) = ([0; ENGINES.len()], [0; ENGINES.len()], 0);
    for seed in 0..repetitions(300) {
        let options = Options {
            threads: 1..=2,
            accesses: 1..=4,
            total_accesses: 5,
            domain: 2..=3,
            loops: seed % 3 == 0,
            dense: Some(false),
            ..Options::default()
        };
        let original = generate::program(seed, &options);
        let program = any_number(&original, if seed % 4 == 1 { 3 } else { 1 + seed % 2 });
        if program.least_copies().is_none() {
            continue;
        }
        for model in models::checkable() {
            if !matches!(model.declaration().robustness, Robustness::Monitor) || program.has_sections() {
                continue;
            }
            let Some(tried) = tried(&program, model, SMALL) else { continue };
            let context = || format!("seed {seed}, {}:\n{}", model.name(), fencepost_lower::print(&program));
            for (wanted, found) in [(Wanted::Violations, tried.violation), (Wanted::Failures, tried.failure)] {
                for (index, engines) in ENGINES.into_iter().enumerate() {
                    let Some(agrees) = agrees(&program, model, found, (wanted, engines)) else { continue };
                    agrees.unwrap_or_else(|difference| panic!("{difference}: {}", context()));
                    judged[index] += 1;
                    wrong[index] += usize::from(found.is_some());
                    late += usize::from(found > Some(1));
                }
            }
        }
    }
    let counts = format!("{judged:?} judged, {wrong:?} wrong, {late} of them with two copies or more");
    assert!(are_many(judged, 1000) && are_many(wrong, 100) && late > 200, "{counts}");
}

/// What `check` says of every number of copies is what it says of each, up to the number that it names,
/// whoever answers.
#[test]
fn answers_agree_with_programs_of_few_copies() {
    let (mut holding, mut violated, mut late) = ([0; ENGINES.len()], [0; ENGINES.len()], 0);
    for seed in 0..repetitions(150) {
        let options = Options {
            threads: 1..=2,
            accesses: 2..=4,
            total_accesses: 6,
            domain: 2..=3,
            loops: seed % 4 == 0,
            ..Options::default()
        };
        let original = generate::program(seed.wrapping_mul(7919), &options);
        let program = any_number(&original, if seed % 3 == 1 { 3 } else { 1 });
        if program.least_copies().is_none() {
            continue;
        }
        for model in models::checkable() {
            let Some(tried) = tried(&program, model, SMALL) else { continue };
            for (index, engines) in ENGINES.into_iter().enumerate() {
                let context =
                    format!("seed {seed}, {}, {engines:?}:\n{}", model.name(), fencepost_lower::print(&program));
                let outcome = Question::new(&program, model).by_engines(engines).robustness(&small());
                let outcome = outcome.unwrap_or_else(|error| panic!("{error} {context}"));
                match &outcome.verdict {
                    Verdict::Unknown(_) => continue,
                    Verdict::Holds => holding[index] += 1,
                    Verdict::Violated(_) => violated[index] += 1,
                }
                late += usize::from(tried.violation > Some(1) || tried.failure > Some(1));
                compare(&outcome, &tried, &context);
            }
        }
    }
    let counts = format!("{holding:?} robust, {violated:?} not, {late} of them wrong with two copies or more");
    assert!(are_many(holding, 500) && are_many(violated, 150) && late > 150, "{counts}");
}

/// Is an answer about every number of copies what was found with each of the first few?
fn compare(outcome: &Outcome, tried: &Tried, context: &str) {
    let copies = outcome.copies.as_ref().expect("it is about copies");
    let number = copies.with.as_ref().map(|with| with.number);
    // Nothing is known of what needs more copies than were tried.
    let is_first = |found: Option<u32>| match number.expect("a number") {
        number if number <= TRIED => assert_eq!(found, Some(number), "{context}"),
        _ => assert_eq!(found, None, "{context}"),
    };
    if outcome.verdict.is_violated() {
        return is_first(tried.violation);
    }
    assert_eq!(tried.violation, None, "{context}");
    assert!(copies.every.is_some(), "{context}");
    match &outcome.sc_failure {
        Some(_) => is_first(tried.failure),
        None => assert_eq!(tried.failure, None, "{context}"),
    }
}

/// Of every file, each engine alone says what is expected, and so do the programs of 1 to 5 copies. So
/// nothing is expected only because an engine has said so. Those that need more states than a test may
/// take are listed.
#[test]
fn the_corpus() {
    let files = corpus::any_number();
    assert!(files.len() > 25);
    let mut gave_up = Vec::new();
    for file in files {
        let Content { program, expected, .. } = file.read().unwrap_or_else(|error| panic!("{}: {error}", file.name));
        assert!(program.least_copies().is_some(), "{}", file.name);
        for model in models::checkable() {
            let tried = tried(&program, model, LARGE).unwrap_or_else(|| panic!("{}: too large", file.name));
            for engines in ENGINES {
                let context = format!("{}, {}, {engines:?}", file.name, model.name());
                let budget = Budget { max_states: LARGE, ..Budget::unlimited() };
                let outcome = Question::new(&program, model).by_engines(engines).robustness(&budget);
                let outcome = outcome.unwrap_or_else(|error| panic!("{error} {context}"));
                if outcome.verdict.is_unknown() {
                    gave_up.push(context);
                    continue;
                }
                assert_eq!(judge(&expected, &program, &outcome), Some(Judgement::AsExpected), "{context}");
                compare(&outcome, &tried, &context);
            }
        }
    }
    // Seven readers at a time: eight copies at a time would have to be looked at.
    assert_eq!(gave_up, ["any-number/grace-period.fp, rc20, Forward", "any-number/grace-period.fp, cpp20, Forward"]);
}

/// A bound of the program is no proof, and copies that are not there do nothing.
#[test]
fn bounds_and_least_numbers() {
    let load = |text| fencepost_lower::load(Language::Fp, text).program.expect("a program");
    let robustness = |text: &'static str| {
        let model = models::by_name("cpp20").expect("a model");
        Question::new(&load(text), model).robustness(&Budget::unlimited()).expect("no internal error")
    };
    let bounded = robustness("domain 4; global x; thread t[*] { local r; r = x.fadd(1, rlx); bound(r < 2); }");
    assert!(bounded.verdict.is_unknown(), "{:?}", bounded.verdict);
    let three = robustness("domain 2; global x; thread t[3..*] { local r; r = x.xchg(1, acqrel); assert(r == 0); }");
    assert!(three.verdict.is_holding() && three.sc_failure.is_some());
    assert_eq!(three.copies.and_then(|copies| copies.with).map(|with| with.number), Some(3));
    // Under SC a race is none, for two threads as for any number.
    let racing = load("domain 2; nonatomic d; thread t[*] { d = 1; }");
    let safety = Question::new(&racing, models::reference()).safety(&Budget::unlimited()).expect("no internal error");
    assert!(safety.result.is_ok_and(|verified| verified.holds(None)));
}

/// An answer tells the greater of the numbers that were needed: the lock leaves nothing for an attack, but
/// only with two copies at a time it is seen that its assertion holds.
#[test]
fn what_answers_rest_on() {
    let text = "domain 2; global lock, d; thread t[*] { local r; lock.bcas(0, 1, acq); d.store(1, rlx); \
                r = d.load(rlx); assert(r == 1); d.store(0, rlx); lock.store(0, rel); }";
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    let every = |engines| {
        let question = Question::new(&program, models::by_name("tso").expect("a model")).by_engines(engines);
        let outcome = question.robustness(&Budget::unlimited()).expect("no internal error");
        outcome.copies.and_then(|copies| copies.every)
    };
    assert_eq!(every(Engines::Both), Some(CopiesArgument::Forward(2)));
    assert_eq!(every(Engines::Backward), Some(CopiesArgument::Backward));
}

/// Where a program lets in only so many copies at a time, one more is what has to be looked at: two readers
/// at a time, three, and six references.
#[test]
fn cutoffs_are_what_programs_let_in_and_one_more() {
    let files = corpus::any_number();
    let cutoffs = [
        ("grace-period-two", "cpp20", 3),
        ("readers-writer", "cpp20", 3),
        ("readers-writer-lost", "ra", 4),
        ("reference-count", "cpp20", 7),
    ];
    for (name, model, cutoff) in cutoffs {
        let file = files.iter().find(|file| file.name == format!("any-number/{name}.fp")).expect("it is there");
        let Content { program, .. } = file.read().expect("a program");
        let question = Question::new(&program, models::by_name(model).expect("a model")).by_engines(Engines::Forward);
        let outcome = question.robustness(&Budget::unlimited()).expect("no internal error");
        let every = outcome.copies.and_then(|copies| copies.every);
        assert_eq!(every, Some(CopiesArgument::Forward(cutoff)), "{name}");
    }
}

/// A limit ends the search, however the engines share what there is.
#[test]
fn limits_are_told() {
    let files = corpus::any_number();
    let file = files.iter().find(|file| file.name.ends_with("grace-period.fp")).expect("it is there");
    let Content { program, .. } = file.read().expect("a program");
    let question = Question::new(&program, models::by_name("cpp20").expect("a model"));
    for engines in ENGINES {
        let ends = |budget| question.by_engines(engines).robustness(&budget).expect("no internal error").verdict;
        let few_states = Budget { max_states: 40_000, ..Budget::unlimited() };
        assert!(matches!(ends(few_states), Verdict::Unknown(Reason::States(40_000))), "{engines:?}");
        let few_bytes = Budget { max_bytes: 2_000_000, ..Budget::unlimited() };
        assert!(matches!(ends(few_bytes), Verdict::Unknown(Reason::Memory(2_000_000))), "{engines:?}");
        let no_time = Budget { expired: &|| true, ..Budget::unlimited() };
        assert!(matches!(ends(no_time), Verdict::Unknown(Reason::Time)), "{engines:?}");
    }
}

/// Only the engines that are made for it take a program that stands for many.
#[test]
fn engines_refuse_what_stands_for_many_programs() {
    let text = "domain 2; global x; thread t[*] { local r; r = x.load(rlx); }";
    let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
    let model = models::by_name("cpp20").expect("a model");
    let explored = fencepost_explore::explore(&program, model, fencepost_explore::Options::default(), &small());
    assert!(matches!(explored.end, fencepost_explore::End::GaveUp(Reason::Unsupported(_))));
    let question = Question::new(&program, model);
    assert!(question.executions(1, &small()).expect("no internal error").is_err());
    assert!(question.consequences(1, &small()).expect("no internal error").cut.is_some());
    assert!(question.harm(&small()).expect("no internal error").is_unknown());
}
