//! A search that leaves its states on a disk, or goes on from where another process was, says what a
//! search in memory says; or that something is wrong with the disk.

use fencepost_base::files::Files as _;
use fencepost_explore::{End, Exploration, Onward, Options, Reductions, consequences, explore, find_failure};
use fencepost_ir::Program;
use fencepost_lower::{Language, load};
use fencepost_model::{Model, models};
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::ram::{Fault, Ram};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{corpus, in_parallel, repetitions};
use fencepost_verdict::{Budget, Disk, Reason, Stats};

/// Programs with more states are not compared.
const MOST_STATES: u64 = 20_000;
/// Bytes of memory: so few that all goes to the disk at once, and more, so that it goes there later.
const FEW_BYTES: [u64; 3] = [1 << 15, 1 << 18, 1 << 20];

/// A question to the explorer.
#[derive(Clone, Copy)]
struct Question<'a> {
    program: &'a Program,
    model: &'static dyn Model,
    options: Options,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Robustness,
    Failure,
    Consequences,
}

/// All that a search says but for the memory that it took; and why it gave up, if it did.
fn told(question: Question<'_>, budget: &Budget<'_>) -> (String, Option<Reason>) {
    let Question { program, model, options, what } = question;
    let exploration = match what {
        What::Robustness => explore(program, model, options, budget),
        What::Failure => find_failure(program, options, budget),
        What::Consequences => {
            let Onward { found, cut, bound, stats } = consequences(program, model, options, budget);
            return (format!("{found:?} {bound:?} {:?}", Stats { peak_bytes: 0, ..stats }), cut);
        }
    };
    let Exploration { end, sc_failure, bound, speculative, stats } = exploration;
    let gave_up = match &end {
        End::GaveUp(reason) => Some(reason.clone()),
        _ => None,
    };
    let stats = Stats { peak_bytes: 0, ..stats };
    (format!("{end:?} {sc_failure:?} {bound:?} {speculative:?} {stats:?}"), gave_up)
}

fn in_memory(question: Question<'_>) -> Option<String> {
    let (told, gave_up) = told(question, &Budget { max_states: MOST_STATES, ..Budget::unlimited() });
    gave_up.is_none().then_some(told)
}

/// With so much memory, and files.
fn on_disk(question: Question<'_>, max_bytes: u64, ram: &Ram) -> (String, Option<Reason>) {
    let disk = Some(Disk { files: ram, spill: true, checkpoint: None });
    told(question, &Budget { max_bytes, disk, max_states: MOST_STATES, ..Budget::unlimited() })
}

/// How the answers differ, if they do.
fn difference(question: Question<'_>, sizes: &[u64]) -> Option<String> {
    let expected = in_memory(question)?;
    for &max_bytes in sizes {
        let ram = Ram::default();
        let (found, _) = on_disk(question, max_bytes, &ram);
        if found != expected {
            return Some(format!("on a disk, with {max_bytes} bytes: {found}\nin memory: {expected}"));
        }
        let left = ram.names().expect("names");
        if !left.is_empty() {
            return Some(format!("files are left behind: {left:?}"));
        }
    }
    None
}

fn options(seed: u64) -> Generate {
    let (threads, accesses) = if seed.is_multiple_of(4) { (3..=4, 2..=3) } else { (2..=3, 2..=5) };
    Generate {
        threads,
        accesses,
        total_accesses: 12,
        loops: seed.is_multiple_of(2),
        copies: seed.is_multiple_of(3),
        ..Generate::default()
    }
}

const ASKED: [What; 3] = [What::Robustness, What::Failure, What::Consequences];

#[test]
fn a_disk_makes_no_difference() {
    let compared: Vec<u64> = in_parallel(0..repetitions(400), |seed| {
        let program = generate::program(seed + (40 << 32), &options(seed));
        let jobs = 1 + seed as usize % 3;
        let por = seed % 5 != 0;
        let options = Options { reductions: Reductions { por, ..Reductions::ALL }, jobs, ..Options::default() };
        let what = ASKED[seed as usize % 3];
        let mut compared = 0;
        for model in models::monitored() {
            let differs = |program: &Program| difference(Question { program, model, options, what }, &FEW_BYTES);
            if let Some(difference) = differs(&program) {
                let small = shrink(&program, |smaller| differs(smaller).is_some());
                let small = fencepost_lower::print(&small);
                panic!("seed {seed}, {}, {what:?}: {difference}; smaller:\n{small}", model.name());
            }
            compared += u64::from(in_memory(Question { program: &program, model, options, what }).is_some());
        }
        compared
    });
    let compared: u64 = compared.into_iter().sum();
    assert!(compared > repetitions(400), "only {compared} were compared");
}

/// With many threads and little memory, states are collapsed first, and go to the disk when even that
/// does not help.
#[test]
fn nor_does_what_comes_before() {
    let text = "domain 64; global a, b, c;
        thread left  { local i; while (i < 25) { a.store(i); i = i + 1; } }
        thread right { local i; while (i < 25) { b.store(i); i = i + 1; } }
        thread third { local i; while (i < 20) { c.store(i); i = i + 1; } assert(i != 20); }";
    let program = load(Language::Fp, text).program.expect("a program");
    let [model, ..] = models::monitored().collect::<Vec<_>>()[..] else { panic!("there are some") };
    for jobs in [1, 2, 3] {
        let options = Options { reductions: Reductions::NONE, jobs, ..Options::default() };
        let question = Question { program: &program, model, options, what: What::Robustness };
        let expected = in_memory(question).expect("it is small");
        for max_bytes in (300..1_800).step_by(100).map(|kibibytes| kibibytes << 10) {
            let (found, _) = on_disk(question, max_bytes, &Ram::default());
            assert_eq!(found, expected, "{max_bytes} bytes, {jobs} threads");
        }
    }
}

/// The files of the corpus, with and without the partial-order reduction.
#[test]
fn nor_for_the_corpus() {
    let compared: Vec<u64> = in_parallel(corpus::files(), |file| {
        let program = file.read().expect("a program").program;
        let mut compared = 0;
        for (model, por) in models::monitored().flat_map(|model| [(model, true), (model, false)]) {
            let options = Options { reductions: Reductions { por, ..Reductions::ALL }, ..Options::default() };
            for what in ASKED {
                let question = Question { program: &program, model, options, what };
                assert_eq!(difference(question, &FEW_BYTES[..1]), None, "{}, {}, {what:?}", file.name, model.name());
                compared += u64::from(in_memory(question).is_some());
            }
        }
        compared
    });
    let compared: u64 = compared.into_iter().sum();
    assert!(compared > 500, "only {compared} were compared");
}

/// Small programs, with answers of all kinds.
fn small() -> Vec<(Program, What)> {
    let program = |seed: u64| generate::program(seed + (41 << 32), &options(seed));
    (0..repetitions(12)).map(|seed| (program(seed), ASKED[seed as usize % 3])).collect()
}

/// How a search is on a disk.
#[derive(Clone, Copy, Debug)]
struct How {
    max_bytes: u64,
    spill: bool,
    checkpoint: bool,
}

const HOW: [How; 3] = [
    How { max_bytes: 1 << 15, spill: true, checkpoint: false },
    How { max_bytes: 1 << 15, spill: true, checkpoint: true },
    How { max_bytes: u64::MAX, spill: false, checkpoint: true },
];

fn with(question: Question<'_>, how: How, ram: &Ram) -> (String, Option<Reason>) {
    let How { max_bytes, spill, checkpoint } = how;
    let due: &(dyn Fn() -> bool + Sync) = &|| true;
    let disk = Some(Disk { files: ram, spill, checkpoint: checkpoint.then_some(due) });
    told(question, &Budget { max_bytes, disk, max_states: MOST_STATES, ..Budget::unlimited() })
}

/// Some operations of the first so many: all, if they are few.
fn some(operations: u64, seed: usize) -> impl Iterator<Item = u64> {
    let step = if operations <= 150 { 1 } else { operations / 60 };
    (0..operations).skip(seed % step as usize).step_by(step as usize)
}

/// Whatever goes wrong with files, wherever: the answer is right, or there is none and it says why.
#[test]
fn what_goes_wrong_with_files_is_told() {
    let faults = [Fault::Refused, Fault::Dead, Fault::Torn, Fault::Flipped, Fault::Truncated, Fault::Short];
    let given_up: Vec<[u64; 6]> = in_parallel(small().into_iter().enumerate(), |(seed, (program, what))| {
        let mut given_up = [0; 6];
        for model in models::monitored() {
            let question = Question { program: &program, model, options: Options::default(), what };
            let Some(expected) = in_memory(question) else { continue };
            for how in HOW {
                let fine = Ram::default();
                assert_eq!(with(question, how, &fine).0, expected, "{how:?}");
                for at in some(fine.operations(), seed) {
                    for (fault, given_up) in faults.into_iter().zip(&mut given_up) {
                        let (found, reason) = with(question, how, &Ram::with_fault(at, fault));
                        match reason {
                            Some(Reason::Disk(_)) => *given_up += 1,
                            other => assert_eq!((&found, other), (&expected, None), "{fault:?} at {at}, {how:?}"),
                        }
                        assert!(fault != Fault::Short || found == expected, "short reads and writes are no faults");
                    }
                }
            }
        }
        given_up
    });
    for (place, fault) in faults.iter().enumerate().take(5) {
        let times: u64 = given_up.iter().map(|given_up| given_up[place]).sum();
        assert!(times > repetitions(50), "{fault:?} made a difference only {times} times");
    }
}

/// A process dies at any operation on files, and another one goes on: with what was written, and with
/// what survives if the machine loses power.
#[test]
fn a_search_goes_on_after_its_process_died() {
    let died: Vec<[u64; 2]> = in_parallel(small().into_iter().enumerate(), |(seed, (program, what))| {
        let mut died = [0; 2];
        for model in models::monitored() {
            let question = Question { program: &program, model, options: Options::default(), what };
            let Some(expected) = in_memory(question) else { continue };
            for how in HOW.into_iter().filter(|how| how.checkpoint) {
                let fine = Ram::default();
                assert_eq!(with(question, how, &fine).0, expected, "{how:?}");
                for at in some(fine.operations(), seed) {
                    let dying = Ram::with_fault(at, Fault::Dead);
                    with(question, how, &dying);
                    for left in [dying.after_kill(), dying.after_power_failure()] {
                        let had_notes = left.names().expect("names").iter().any(|name| name.ends_with("-notes"));
                        died[usize::from(had_notes)] += 1;
                        assert_eq!(with(question, how, &left), (expected.clone(), None), "died at {at}, {how:?}");
                        // What both of them left is enough for a third one.
                        assert_eq!(with(question, how, &left), (expected.clone(), None), "died at {at}, {how:?}");
                    }
                }
            }
        }
        died
    });
    let [early, late] = died.into_iter().fold([0, 0], |sum, died| [sum[0] + died[0], sum[1] + died[1]]);
    assert!(early > repetitions(50) && late > repetitions(500), "{early} before the first notes, {late} after");
}

/// Notes are for one question only, and a changed file is no answer.
#[test]
fn only_the_same_search_goes_on() {
    let how = HOW[2];
    let programs: Vec<Program> = small().into_iter().map(|(program, _)| program).collect();
    let [model, other, ..] = models::monitored().collect::<Vec<_>>()[..] else { panic!("there are several") };
    let mut damaged = 0;
    for program in &programs {
        let question = Question { program, model, options: Options::default(), what: What::Robustness };
        let Some(expected) = in_memory(question) else { continue };
        let ram = Ram::default();
        assert_eq!(with(question, how, &ram), (expected.clone(), None));
        let without_por = Options { reductions: Reductions { por: false, ..Reductions::ALL }, ..Options::default() };
        for different in [Question { model: other, ..question }, Question { options: without_por, ..question }] {
            let expected = in_memory(different);
            let (found, _) = with(different, how, &ram);
            assert!(expected.is_none_or(|expected| expected == found));
        }
        // All of this is in the same folder.
        for name in ram.names().expect("names") {
            let left = ram.after_kill();
            left.change(&name, |bytes| {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            });
            let (found, reason) = with(question, how, &left);
            match reason {
                Some(Reason::Disk(why)) => {
                    assert!(why.contains("is damaged") || why.contains("is shorter"), "{why}");
                    damaged += 1;
                }
                other => assert_eq!((&found, other), (&expected, None)),
            }
        }
    }
    assert!(damaged > programs.len(), "only {damaged} damaged files were read");
}
