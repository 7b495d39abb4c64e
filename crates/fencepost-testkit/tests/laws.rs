//! Laws of RC20 and C++20, on generated programs: where they coincide with release/acquire and with
//! each other, when nothing can go wrong, and what a stronger order or a fence can do.

use fencepost_base::order::{FenceOrder, ReadOrder, WriteOrder};
use fencepost_check::Question;
use fencepost_ir::{Expr, Instr, LocationKind, Op, Origin, Place, Program, ProgramBuilder, Register};
use fencepost_model::Model;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::ra::Ra;
use fencepost_model::models::rc20::Rc20;
use fencepost_oracle::enumerate::{Answer, robust};
use fencepost_testkit::edit::{fenced, strengthened};
use fencepost_testkit::generate::{self, Options, Palette};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Verdict};

const LIMIT: usize = 2_000;

/// The models with orders, which take turns.
fn model(seed: u64) -> &'static dyn Model {
    if seed.is_multiple_of(2) { &Cpp20 } else { &Rc20 }
}

/// What the engine says.
fn holds(program: &Program, model: &'static dyn Model) -> bool {
    match Question::new(program, model).robustness(&Budget::unlimited()).expect("every violation replays").verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("unknown: {reason}"),
    }
}

fn with(palette: Palette, plain: bool) -> Options {
    Options { palette: Some(palette), plain, ..Options::default() }
}

/// Asserts that no program `breaks` the law, and shows a small one that does.
fn assert_law(seed: u64, program: &Program, breaks: impl Fn(&Program) -> bool) {
    if breaks(program) {
        let small = shrink(program, &breaks);
        panic!("seed {seed}:\n{}", fencepost_lower::print(&small));
    }
}

#[test]
fn with_release_acquire_accesses_only_rc20_is_release_acquire() {
    let mut counts = [0u64; 2];
    for seed in 0..repetitions(2_000) {
        let loops = seed % 5 == 0;
        let options =
            Options { loops, total_accesses: if loops { 7 } else { 8 }, ..with(Palette::RELEASE_ACQUIRE, true) };
        let program = generate::program(seed, &options);
        assert_law(seed, &program, |program| holds(program, &Ra) != holds(program, &Rc20));
        counts[usize::from(holds(&program, &Ra))] += 1;
        if !loops && seed % 2 == 0 {
            let differ = |program: &Program| match (robust(program, &Ra, LIMIT), robust(program, &Rc20, LIMIT)) {
                (Answer::TooLarge, _) | (_, Answer::TooLarge) => false,
                (ra, rc20) => ra.is_violation() != rc20.is_violation(),
            };
            assert_law(seed, &program, differ);
        }
    }
    assert!(counts.iter().all(|&count| 10 * count > repetitions(2_000)), "{counts:?}");
}

#[test]
fn with_sc_accesses_only_nothing_goes_wrong() {
    for seed in 0..repetitions(3_000) {
        let loops = seed % 5 == 0;
        let program = generate::program(seed, &Options { loops, ..with(Palette::SC, false) });
        assert_law(seed, &program, |program| !holds(program, model(seed)));
    }
}

/// Without SC accesses, whose orders release/acquire does not look at.
#[test]
fn without_sc_accesses_rc20_is_weaker_than_release_acquire() {
    for seed in 0..repetitions(1_500) {
        for palette in [Palette::FENCED, Palette::WITHOUT_SC] {
            let program = generate::program(seed, &with(palette, true));
            assert_law(seed, &program, |program| holds(program, &Rc20) && !holds(program, &Ra));
        }
    }
}

/// Neither model has anything to say about S where there is none.
#[test]
fn without_sc_accesses_and_sc_fences_both_are_the_same() {
    let mut robust = 0;
    for seed in 0..repetitions(2_000) {
        let options = Options { loops: seed % 5 == 0, ..with(Palette::WITHOUT_S, true) };
        let program = generate::program(seed, &options);
        assert_law(seed, &program, |program| holds(program, &Rc20) != holds(program, &Cpp20));
        robust += u64::from(holds(&program, &Cpp20));
    }
    assert!(10 * robust > repetitions(2_000), "only {robust} are robust");
}

/// The engine says what the definitions say where SC accesses and SC fences are many.
#[test]
fn programs_with_many_sc_accesses_and_fences() {
    let mut counts = [0u64; 2];
    let differs = |program: &Program| match robust(program, &Cpp20, LIMIT) {
        Answer::TooLarge => false,
        answer => answer.is_violation() == holds(program, &Cpp20),
    };
    let answers = in_parallel(0..repetitions(2_000), |seed| {
        let program = generate::program(seed, &with(Palette::MOSTLY_S, true));
        assert_law(seed, &program, differs);
        holds(&program, &Cpp20)
    });
    answers.into_iter().for_each(|robust| counts[usize::from(robust)] += 1);
    assert!(counts.iter().all(|&count| 10 * count > repetitions(2_000)), "{counts:?}");
}

/// Whether `changed` contains, at random, a program that is violated although `program` is robust.
fn assert_harmless(
    seed: u64,
    program: &Program,
    model: &'static dyn Model,
    changes: impl Fn(&Program) -> Vec<Program>,
    tried: &mut u64,
) {
    let changed = changes(program);
    if changed.is_empty() || !holds(program, model) {
        return;
    }
    let change = Random::new(!seed).pick(&changed);
    *tried += 1;
    if !holds(&change, model) {
        let is_worse = |changed: &Program| !holds(changed, model);
        let small = shrink(program, |program| holds(program, model) && changes(program).iter().any(is_worse));
        let worse = changes(&small).into_iter().find(is_worse).expect("it breaks the law");
        panic!(
            "seed {seed}, {}:\n{}is robust, and\n{}is not",
            model.name(),
            fencepost_lower::print(&small),
            fencepost_lower::print(&worse)
        );
    }
}

#[test]
fn a_stronger_order_does_no_harm() {
    let mut tried = 0;
    for seed in 0..repetitions(4_000) {
        let program = generate::program(seed, &Options { loops: seed % 7 == 0, ..Options::default() });
        assert_harmless(seed, &program, model(seed), strengthened, &mut tried);
    }
    assert!(4 * tried > repetitions(4_000), "only {tried} were robust");
}

#[test]
fn a_fence_that_acquires_or_releases_does_no_harm_in_rc20() {
    let mut tried = 0;
    for seed in 0..repetitions(4_000) {
        let program = generate::program(seed, &Options { loops: seed % 7 == 0, ..Options::default() });
        let order = [FenceOrder::Acq, FenceOrder::Rel, FenceOrder::AcqRel][seed as usize % 3];
        assert_harmless(seed, &program, &Rc20, |program| fenced(program, order), &mut tried);
    }
    assert!(4 * tried > repetitions(4_000), "only {tried} were robust");
}

/// The only SC fence of a loop-free program orders nothing beyond what an acquire-release fence
/// does.
#[test]
fn the_first_sc_fence_does_no_harm_in_rc20() {
    let mut tried = 0;
    for seed in 0..repetitions(3_000) {
        let program = generate::program(seed, &Options::default());
        if program.fence_location().is_none() {
            assert_harmless(seed, &program, &Rc20, |program| fenced(program, FenceOrder::Sc), &mut tried);
        }
    }
    assert!(4 * tried > repetitions(3_000), "only {tried} were robust");
}

#[test]
fn no_fence_does_harm_in_cpp20() {
    let mut tried = 0;
    for seed in 0..repetitions(4_000) {
        let palette = if seed % 3 == 0 { Some(Palette::MOSTLY_S) } else { None };
        let program = generate::program(seed, &Options { loops: seed % 7 == 0, palette, ..Options::default() });
        let order = Random::new(seed).pick(FenceOrder::ALL);
        assert_harmless(seed, &program, &Cpp20, |program| fenced(program, order), &mut tried);
    }
    assert!(4 * tried > repetitions(4_000), "only {tried} were robust");
}

/// In RC20 further SC fences can do harm: SC orders them by the hidden location, and so the accesses around
/// them, which had nothing to do with each other before. Here two threads that make one access each
/// become the readers of message passing.
#[test]
fn a_second_sc_fence_can_do_harm() {
    let observers = |fences: usize| {
        let mut builder = ProgramBuilder::new(None, 2);
        let (x, y) = (builder.location("x", 0, LocationKind::Atomic), builder.location("y", 0, LocationKind::Atomic));
        let load = |loc| Op::Load {
            dst: Some(fencepost_base::ids::RegId(0)),
            place: Place::Fixed(loc),
            order: ReadOrder::Rlx,
        };
        let store = |loc| Op::Store { place: Place::Fixed(loc), value: Expr::Const(1), order: WriteOrder::Rlx };
        let fence = Op::Fence { order: FenceOrder::Sc };
        let mut first = vec![load(y), fence.clone(), Op::Halt];
        if fences < 2 {
            first.remove(1);
        }
        let code = |ops: Vec<Op>| ops.into_iter().map(|op| Instr { op, origin: Origin::default() }).collect::<Vec<_>>();
        let register = || vec![Register { name: "r".into(), init: 0 }];
        builder.thread("writer", Vec::new(), code(vec![store(x), store(y), Op::Halt]));
        builder.thread("first", register(), code(first));
        builder.thread("second", register(), code(vec![fence, load(x), Op::Halt]));
        builder.build().expect("a program")
    };
    assert!(holds(&observers(1), &Rc20));
    assert_eq!(robust(&observers(1), &Rc20, LIMIT), Answer::Robust);
    assert!(!holds(&observers(2), &Rc20));
    assert!(robust(&observers(2), &Rc20, LIMIT).is_violation());
    assert!(holds(&observers(2), &Cpp20));
    assert_eq!(robust(&observers(2), &Cpp20, LIMIT), Answer::Robust);
}
