//! The store-buffer machine and the axioms of TSO, PSO and PGAS describe the same computations, and
//! know what is known.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_base::order::Mode;
use fencepost_ir::{Op, Program};
use fencepost_lower::Language;
use fencepost_model::Model;
use fencepost_model::models::sc::Sc;
use fencepost_model::models::{pgas::Pgas, pso::Pso, ra::Ra, tso::Tso};
use fencepost_oracle::buffers::bounded::{self, Bound};
use fencepost_oracle::enumerate::{self, Answer};
use fencepost_oracle::system::{Configuration, Memory, System};
use fencepost_oracle::{buffers, replay};
use fencepost_testkit::generate::{self, Options, Palette};
use fencepost_testkit::litmus::{cas, fadd, fence, load, plain_load, plain_store, program, store, wait};
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, litmus, repetitions};
use fencepost_verdict::{BufferStep, Candidate, Computation, Delay, RunStep, Site};

const MODELS: [&dyn Model; 3] = [&Tso, &Pso, &Pgas];
const LIMIT: usize = 40_000;
/// No thread of a generated program makes more stores.
const WIDE: Bound = Bound { stores: 7, states: LIMIT };

/// The ends of all computations, according to machine and axioms; none if there are too many.
fn computations(program: &Program, model: &dyn Model) -> Option<[HashSet<Configuration>; 2]> {
    let machine = buffers::computations(program, model, LIMIT)?;
    let axioms = System::new(program, model).reachable(Memory::Consistent(model), LIMIT).ok()?;
    Some([machine, axioms])
}

fn disagree(program: &Program, model: &dyn Model) -> bool {
    computations(program, model).is_some_and(|[machine, axioms]| machine != axioms)
}

/// A small program: one in three may have atomic sections, one in four plain accesses, one in five
/// threads with the same code; most are of two threads.
fn small_program(seed: u64, total_accesses: usize) -> Program {
    let options = Options {
        threads: if seed.is_multiple_of(4) { 2..=4 } else { 2..=2 },
        accesses: 2..=4,
        total_accesses,
        light: true,
        sections: seed.is_multiple_of(3),
        plain: seed % 4 == 1,
        copies: seed.is_multiple_of(5),
        palette: seed.is_multiple_of(2).then_some(Palette::RELAXED),
        ..Options::default()
    };
    generate::program(seed, &options)
}

#[test]
fn machine_and_axioms_have_the_same_computations() {
    let compared = in_parallel(0..repetitions(2_500), |seed| {
        let mut compared = 0u64;
        let program = small_program(seed, if seed.is_multiple_of(16) { 6 } else { 4 });
        for model in MODELS {
            let Some([machine, axioms]) = computations(&program, model) else { continue };
            compared += 1;
            if machine != axioms {
                let small = shrink(&program, |smaller| disagree(smaller, model));
                let [machine, axioms] = computations(&small, model).expect("small enough");
                panic!(
                    "seed {seed}, {}: only the machine {:#?}, only the axioms {:#?} on\n{}",
                    model.name(),
                    machine.difference(&axioms).next(),
                    axioms.difference(&machine).next(),
                    fencepost_lower::print(&small)
                );
            }
        }
        compared
    });
    let (compared, programs) = (compared.iter().sum::<u64>(), compared.len() as u64);
    assert!(compared * 100 > 3 * 99 * programs, "{compared} comparisons of {programs} programs");
}

/// The verdicts of machine and axioms, and the computation that the machine has found.
fn verdicts(program: &Program, model: &dyn Model) -> Option<([bool; 2], Option<Computation>)> {
    let machine = buffers::violation(program, model, LIMIT).ok()?;
    let axioms = enumerate::robust(program, model, LIMIT);
    (axioms != Answer::TooLarge).then(|| ([machine.is_none(), !axioms.is_violation()], machine))
}

/// Why the computation, said to leave SC, is not replayed.
fn replay_error(program: &Program, model: &dyn Model, computation: Computation) -> Option<String> {
    let candidate = candidate(computation);
    match replay(program, model, &candidate) {
        Ok(violation) => {
            let is_violation = model.permits(&violation.graph) && !Sc.permits(&violation.graph);
            (!is_violation || violation.cycle.is_none() || violation.delay.is_none()).then(|| format!("{violation:#?}"))
        }
        Err(error) => Some(format!("{error}\n{candidate:#?}")),
    }
}

/// What is wrong with this program: verdicts that contradict each other, or a violation that is not
/// replayed.
fn complaint(program: &Program, model: &dyn Model) -> Option<String> {
    match verdicts(program, model)? {
        ([machine, axioms], found) if machine != axioms => Some(format!("machine {found:?}, axioms {axioms}")),
        (_, found) => replay_error(program, model, found?),
    }
}

/// The same computation; stores that reach memory right after they were issued are not delayed.
fn without_idle_delays(computation: Computation) -> Computation {
    let mut steps: Vec<BufferStep> = Vec::new();
    for step in computation.steps {
        match (&step, steps.last_mut()) {
            (BufferStep::Commit { thread, loc: of }, Some(BufferStep::Execute { step: last, delayed }))
                if last.site.thread == *thread
                    && matches!(last.label, Some(Label::Write { loc, .. }) if loc == *of) =>
            {
                *delayed = false;
            }
            _ => steps.push(step),
        }
    }
    Computation { steps }
}

/// A computation, with a store in it that something passes.
fn candidate(computation: Computation) -> Candidate {
    let computation = without_idle_delays(computation);
    let mut waiting: Vec<(LocId, Site)> = Vec::new();
    for step in &computation.steps {
        match step {
            BufferStep::Execute { step, delayed } => {
                if let Some((_, store)) = waiting.iter().find(|(_, store)| store.thread == step.site.thread) {
                    return Candidate::Delayed(Delay { store: *store, passed: step.site, computation });
                }
                if let (Some(Label::Write { loc, .. }), true) = (step.label, delayed) {
                    waiting.push((loc, step.site));
                }
            }
            BufferStep::Commit { thread, loc } => {
                let oldest = waiting.iter().position(|(of, store)| of == loc && store.thread == *thread);
                oldest.into_iter().for_each(|oldest| _ = waiting.remove(oldest));
            }
        }
    }
    panic!("nothing is delayed, yet there is a cycle: {computation:?}");
}

#[test]
fn verdicts_agree_and_violations_are_replayed() {
    let (robust, violated, undecided) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let count = |number: &AtomicU64| _ = number.fetch_add(1, Ordering::Relaxed);
    in_parallel(0..repetitions(600), |seed| {
        let program = small_program(seed, 7);
        for model in MODELS {
            match verdicts(&program, model) {
                Some(([true, true], _)) => count(&robust),
                Some(([false, false], Some(found))) if replay_error(&program, model, found.clone()).is_none() => {
                    count(&violated);
                }
                Some(_) => {
                    let small = shrink(&program, |smaller| complaint(smaller, model).is_some());
                    let complaint = complaint(&small, model).expect("still");
                    panic!("seed {seed}, {}: {complaint} on\n{}", model.name(), fencepost_lower::print(&small));
                }
                None => count(&undecided),
            }
        }
    });
    let [robust, violated, undecided] = [robust, violated, undecided].map(AtomicU64::into_inner);
    let total = robust + violated + undecided;
    assert!(50 * undecided < total, "{undecided} of {total} were too large");
    assert!(14 * violated > total, "{violated} of {total} violated: too few to say much");
}

/// Do whole traces and what the bounded machine keeps of them give different verdicts? None if
/// there are too many states.
fn summaries_differ(program: &Program, model: &dyn Model) -> Option<bool> {
    let whole = match buffers::robust(program, model, LIMIT) {
        Answer::TooLarge => return None,
        answer => answer == Answer::Robust,
    };
    match bounded::robust(program, model, WIDE).answer {
        bounded::Answer::Robust => Some(!whole),
        bounded::Answer::Violation => Some(whole),
        bounded::Answer::NoViolation | bounded::Answer::TooLarge => Some(true),
    }
}

#[test]
fn summaries_of_traces_are_enough() {
    let compared = AtomicU64::new(0);
    in_parallel(0..repetitions(400), |seed| {
        let program = small_program(seed, if seed.is_multiple_of(4) { 7 } else { 5 });
        for model in MODELS {
            let Some(differ) = summaries_differ(&program, model) else { continue };
            compared.fetch_add(1, Ordering::Relaxed);
            if differ {
                let small = shrink(&program, |smaller| summaries_differ(smaller, model) == Some(true));
                let whole = buffers::robust(&small, model, LIMIT);
                let summary = bounded::robust(&small, model, WIDE);
                let name = model.name();
                panic!("seed {seed}, {name}: {whole:?}, but {summary:?} about\n{}", fencepost_lower::print(&small));
            }
        }
    });
    let compared = compared.into_inner();
    assert!(compared > 3 * repetitions(400) * 9 / 10, "only {compared} comparisons");
}

/// What is rare among generated programs: what a thread has read decides whether there is a cycle;
/// which of two threads with the same code knows of the delayed store, when both have read what
/// tells them of it, does too.
#[test]
fn summaries_of_rare_programs() {
    let programs = [
        (
            [true, false, false],
            "domain 2; global x, y, z;
            thread writer { x.store(1); y.store(1); }
            thread reader { local r, s; r = y.load(); s = z.load(); if (r) { s = x.load(); } }",
        ),
        (
            [true, true, true],
            "domain 2; global x, y, z;
            thread writer { x.store(1); y.store(1); }
            thread reader { local r, s; r = y.load(); s = z.load(); if (!r) { s = x.load(); } }",
        ),
        // Whoever of `a` comes first is the one to read x in the end. It is in a cycle if it has
        // read y after the write of y and the other before; the other way round is shorter, and
        // nothing but who knows of the store is different. Until then their numbers keep them
        // apart.
        (
            [false, false, false],
            "domain 4; const N = 2; global x, y, z, met, turn;
            thread delays { local r; x.store(1); r = y.load(); }
            thread tells {
                local before, r;
                before = met.load();
                assume(before != 0);
                if (before == 2) { r = z.load(); }
                r = y.xchg(0);
            }
            thread a[N] {
                local number = me, mine, r;
                mine = turn.fadd(1);
                r = y.load();
                r = met.fadd(mine + 1);
                assume(number < N);
                if (mine == 0) { r = x.load(); }
                wait(z == 1);
            }",
        ),
    ];
    for (expected, text) in programs {
        let program = fencepost_lower::load(Language::Fp, text).program.expect("a program");
        for (model, robust) in MODELS.into_iter().zip(expected) {
            assert_eq!(buffers::robust(&program, model, LIMIT) == Answer::Robust, robust, "{}: {text}", model.name());
            assert_eq!(summaries_differ(&program, model), Some(false), "{}: {text}", model.name());
        }
    }
}

#[test]
fn known_shapes_have_their_verdicts() {
    let (x, y, z, u) = (0, 1, 2, 3);
    let all = || Op::LightFence { locations: None };
    let only = |loc: u32| Op::LightFence { locations: Some(vec![LocId(loc)]) };
    let section = |one: Op, other: Op| vec![Op::Enter, one, other, Op::Leave];
    type Robust = [bool; 3];
    const ALL: Robust = [true; 3];
    const NONE: Robust = [false; 3];
    const TSO: Robust = [true, false, false];
    const TSO_PSO: Robust = [true, true, false];
    let tests: Vec<(&str, Robust, Vec<Vec<Op>>)> = vec![
        ("SB", NONE, vec![vec![store(x, 1), load(0, y)], vec![store(y, 1), load(0, x)]]),
        ("SB+fences", ALL, vec![vec![store(x, 1), fence(), load(0, y)], vec![store(y, 1), fence(), load(0, x)]]),
        ("SB+fence", NONE, vec![vec![store(x, 1), fence(), load(0, y)], vec![store(y, 1), load(0, x)]]),
        ("SB+lwfences", NONE, vec![vec![store(x, 1), all(), load(0, y)], vec![store(y, 1), all(), load(0, x)]]),
        ("SB+RMWs", ALL, vec![vec![store(x, 1), fadd(z, 0), load(0, y)], vec![store(y, 1), fadd(u, 0), load(0, x)]]),
        ("SB+failed CASes", ALL, vec![vec![store(x, 1), cas(0, y, 1, 1)], vec![store(y, 1), cas(0, x, 1, 1)]]),
        ("SB+waits", ALL, vec![vec![store(x, 1), wait(y, 1)], vec![store(y, 1), wait(x, 1)]]),
        ("SB+own", NONE, vec![vec![store(x, 1), load(0, x), load(1, y)], vec![store(y, 1), load(0, y), load(1, x)]]),
        ("MP", TSO, vec![vec![store(x, 1), store(y, 1)], vec![load(0, y), load(1, x)]]),
        ("MP+lwfence", ALL, vec![vec![store(x, 1), all(), store(y, 1)], vec![load(0, y), load(1, x)]]),
        ("MP+lwfence(x)", ALL, vec![vec![store(x, 1), only(x), store(y, 1)], vec![load(0, y), load(1, x)]]),
        ("MP+lwfence(y)", TSO_PSO, vec![vec![store(x, 1), only(y), store(y, 1)], vec![load(0, y), load(1, x)]]),
        ("MP+wait", TSO, vec![vec![store(x, 1), store(y, 1)], vec![wait(y, 1), load(1, x)]]),
        ("2+2W", TSO, vec![vec![store(x, 1), store(y, 2)], vec![store(y, 1), store(x, 2)]]),
        ("2+2W+lwfences", ALL, vec![vec![store(x, 1), all(), store(y, 2)], vec![store(y, 1), all(), store(x, 2)]]),
        ("LB", ALL, vec![vec![load(0, x), store(y, 1)], vec![load(0, y), store(x, 1)]]),
        (
            "IRIW",
            ALL,
            vec![vec![store(x, 1)], vec![load(0, x), load(1, y)], vec![load(0, y), load(1, x)], vec![store(y, 1)]],
        ),
        ("WRC", ALL, vec![vec![store(x, 1)], vec![load(0, x), store(y, 1)], vec![load(0, y), load(1, x)]]),
        ("R", NONE, vec![vec![store(x, 1), store(y, 1)], vec![store(y, 2), load(0, x)]]),
        ("R+fence", TSO, vec![vec![store(x, 1), store(y, 1)], vec![store(y, 2), fence(), load(0, x)]]),
        ("S", TSO, vec![vec![store(x, 2), store(y, 1)], vec![load(0, y), store(x, 1)]]),
        ("SB+sections", ALL, vec![section(store(x, 1), load(0, y)), section(store(y, 1), load(0, x))]),
        (
            "SB+sections between",
            ALL,
            vec![
                vec![store(x, 1), Op::Enter, Op::Leave, load(0, y)],
                [vec![store(y, 1)], section(load(0, x), load(1, z))].concat(),
            ],
        ),
        ("SB+section", NONE, vec![vec![store(x, 1), load(0, y)], section(store(y, 1), load(0, x))]),
        ("MP+sections", ALL, vec![section(store(x, 1), store(y, 1)), section(load(0, y), load(1, x))]),
        ("MP+writing section", ALL, vec![section(store(x, 1), store(y, 1)), vec![load(0, x), load(1, y)]]),
        ("MP+reading section", TSO, vec![vec![store(x, 1), store(y, 1)], section(load(0, y), load(1, x))]),
        ("MP+reading section, reversed", TSO, vec![vec![store(x, 1), store(y, 1)], section(load(1, x), load(0, y))]),
        ("CoRR", ALL, vec![vec![store(x, 1)], vec![load(0, x), load(1, x)]]),
    ];
    for (name, expected, threads) in tests {
        let program = program(name, 3, 4, 0, threads);
        for (model, robust) in MODELS.into_iter().zip(expected) {
            for answer in [buffers::robust(&program, model, LIMIT), enumerate::robust(&program, model, LIMIT)] {
                assert_ne!(answer, Answer::TooLarge, "{name}, {}", model.name());
                assert_eq!(answer == Answer::Robust, robust, "{name}, {}: {answer:?}", model.name());
            }
            assert_eq!(complaint(&program, model), None, "{name}, {}", model.name());
            assert_eq!(summaries_differ(&program, model), Some(false), "{name}, {}", model.name());
        }
    }
}

#[test]
fn plain_accesses_are_accesses_like_others() {
    let unguarded =
        program("MP, plain", 2, 1, 1, vec![vec![plain_store(1, 1), store(0, 1)], vec![load(0, 0), plain_load(1, 1)]]);
    assert_eq!(enumerate::robust(&unguarded, &Tso, LIMIT), Answer::Robust);
    assert!(enumerate::robust(&unguarded, &Pso, LIMIT).is_violation());
}

#[test]
fn computations_that_are_none_are_refused() {
    let program = program("SB", 2, 2, 0, vec![vec![store(0, 1), load(0, 1)], vec![store(1, 1), load(0, 0)]]);
    let computation = buffers::violation(&program, &Tso, LIMIT).expect("few states").expect("a violation");
    let Candidate::Delayed(delay) = candidate(computation) else { panic!("a delay") };
    let refuse_by = |model: &dyn Model, edit: &dyn Fn(&mut Delay), part: &str| {
        let mut delay = delay.clone();
        edit(&mut delay);
        let error = replay(&program, model, &Candidate::Delayed(delay)).expect_err(part);
        assert!(error.to_string().contains(part), "{error}");
    };
    let refuse = |edit: &dyn Fn(&mut Delay), part: &str| refuse_by(&Tso, edit, part);
    let is_commit = |step: &BufferStep| matches!(step, BufferStep::Commit { .. });
    refuse_by(&Ra, &|_| {}, "ra has no store buffers");
    refuse(&|delay| delay.computation.steps.retain(|step| !is_commit(step)), "ends with stores in buffers");
    refuse(&|delay| delay.computation.steps.rotate_right(1), "has no store to");
    refuse(&|delay| std::mem::swap(&mut delay.store, &mut delay.passed), "is never delayed past");
    refuse(&|delay| delay.store.pc = Pc(7), "is never delayed past");
    refuse(&|delay| delay.computation.steps.truncate(0), "is never delayed past");
    let of_first = |edit: &dyn Fn(&mut RunStep, &mut bool), delay: &mut Delay| match &mut delay.computation.steps[0] {
        BufferStep::Execute { step, delayed } => edit(step, delayed),
        BufferStep::Commit { .. } => panic!("nothing to commit yet"),
    };
    refuse(&|delay| of_first(&|step, _| step.site.pc = Pc(1), delay), "rests at pc0, not at pc1");
    refuse(&|delay| of_first(&|step, _| step.site.thread = ThreadId(7), delay), "no thread t7");
    refuse(&|delay| of_first(&|step, _| step.choice = Some(0), delay), "no such step");
    let other = Label::Write { loc: LocId(0), value: 0, mode: Mode::Rel };
    refuse(&|delay| of_first(&|step, _| step.label = Some(other), delay), "is not enabled (buffers empty)");
    // The first store of each thread at once: then nothing is out of order.
    let at_once = |delay: &mut Delay| {
        delay.computation.steps.retain(|step| !is_commit(step));
        delay.computation.steps.sort_by_key(|step| match step {
            BufferStep::Execute { step, .. } => step.site.thread,
            BufferStep::Commit { thread, .. } => *thread,
        });
        for step in &mut delay.computation.steps {
            if let BufferStep::Execute { delayed, .. } = step {
                *delayed = false;
            }
        }
    };
    refuse(&at_once, "is not enabled");

    // What PSO does, TSO does not.
    let program = litmus::program("MP", 2, 2, 0, vec![vec![store(0, 1), store(1, 1)], vec![load(0, 1), load(1, 0)]]);
    let computation = buffers::violation(&program, &Pso, LIMIT).expect("few states").expect("a violation");
    let candidate = candidate(computation);
    assert_eq!(replay(&program, &Pso, &candidate).expect("a violation").shape.as_deref(), Some("MP"));
    let error = replay(&program, &Tso, &candidate).expect_err("not under TSO");
    assert!(error.to_string().contains("behind"), "{error}");
}
