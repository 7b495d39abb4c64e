//! The store-buffer machine and the axioms of TSO, PSO and PGAS describe the same computations, and know what is known.

use std::collections::HashSet;

use fencepost_base::event::Label;
use fencepost_base::ids::LocId;
use fencepost_ir::{Op, Program};
use fencepost_model::Model;
use fencepost_model::models::sc::Sc;
use fencepost_model::models::{pgas::Pgas, pso::Pso, tso::Tso};
use fencepost_oracle::enumerate::{self, Answer};
use fencepost_oracle::system::{Configuration, Memory, System};
use fencepost_oracle::{buffers, replay};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::litmus::{cas, fadd, fence, load, plain_load, plain_store, program, store, wait};
use fencepost_testkit::repetitions;
use fencepost_testkit::shrink::shrink;
use fencepost_verdict::{BufferStep, Candidate, Computation, Delay, Site};

const MODELS: [&dyn Model; 3] = [&Tso, &Pso, &Pgas];
const LIMIT: usize = 40_000;

/// The ends of all computations, according to machine and axioms; none if there are too many.
fn computations(program: &Program, model: &dyn Model) -> Option<[HashSet<Configuration>; 2]> {
    let machine = buffers::computations(program, model, LIMIT)?;
    let axioms = System::new(program, model).reachable(Memory::Consistent(model), LIMIT).ok()?;
    Some([machine, axioms])
}

fn disagree(program: &Program, model: &dyn Model) -> bool {
    computations(program, model).is_some_and(|[machine, axioms]| machine != axioms)
}

fn small_programs(total_accesses: usize) -> Options {
    Options { total_accesses, light: true, ..Options::default() }
}

#[test]
fn machine_and_axioms_have_the_same_computations() {
    let (mut compared, mut programs) = (0u64, 0);
    for seed in 0..repetitions(2_000) {
        let program = generate::program(seed, &small_programs(4 + (seed % 8 == 0) as usize));
        programs += 1;
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
                    fencepost_ir::print(&small)
                );
            }
        }
    }
    assert!(compared * 100 > 3 * 95 * programs, "{compared} comparisons of {programs} programs");
}

/// The answers of machine and axioms, where they contradict each other.
fn contradiction(program: &Program, model: &dyn Model) -> Option<[Answer; 2]> {
    let answers = [buffers::robust(program, model, LIMIT), enumerate::robust(program, model, LIMIT)];
    let [one, other] = answers.map(|answer| (answer != Answer::TooLarge).then(|| answer.is_violation()));
    (one.is_some() && other.is_some() && one != other).then_some(answers)
}

/// A computation, with a store in it that something passes.
fn candidate(computation: Computation) -> Candidate {
    let mut waiting: Vec<(LocId, Site)> = Vec::new();
    for step in &computation.steps {
        match step {
            BufferStep::Execute { step, .. } => {
                if let Some((_, store)) = waiting.iter().find(|(_, store)| store.thread == step.site.thread) {
                    return Candidate::Delayed(Delay { store: *store, passed: step.site, computation });
                }
                if let Some(Label::Write { loc, .. }) = step.label {
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
    let (mut robust, mut violated) = (0, 0);
    for seed in 0..repetitions(2_000) {
        let program = generate::program(seed, &small_programs(7));
        for model in MODELS {
            if contradiction(&program, model).is_some() {
                let small = shrink(&program, |smaller| contradiction(smaller, model).is_some());
                panic!(
                    "seed {seed}, {}: {:?} on\n{}",
                    model.name(),
                    contradiction(&small, model),
                    fencepost_ir::print(&small)
                );
            }
            match buffers::violation(&program, model, LIMIT) {
                Ok(None) => robust += 1,
                Ok(Some(computation)) => {
                    violated += 1;
                    let candidate = candidate(computation);
                    match replay(&program, model, &candidate) {
                        Ok(violation) => {
                            assert!(violation.delay.is_some() && violation.cycle.is_some());
                            assert!(model.permits(&violation.graph) && !Sc.permits(&violation.graph));
                        }
                        Err(error) => panic!(
                            "seed {seed}, {}: {error}\n{candidate:#?}\n{}",
                            model.name(),
                            fencepost_ir::print(&program)
                        ),
                    }
                }
                Err(_) => {}
            }
        }
    }
    eprintln!("{robust} {violated}");
}

#[test]
fn known_shapes_have_their_verdicts() {
    let (x, y, z, u) = (0, 1, 2, 3);
    let all = || Op::LightFence { locations: None };
    let only = |loc: u32| Op::LightFence { locations: Some(vec![LocId(loc)]) };
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
        ("CoRR", ALL, vec![vec![store(x, 1)], vec![load(0, x), load(1, x)]]),
    ];
    for (name, expected, threads) in tests {
        let program = program(name, 3, 4, 0, threads);
        for (model, robust) in MODELS.into_iter().zip(expected) {
            for answer in [buffers::robust(&program, model, LIMIT), enumerate::robust(&program, model, LIMIT)] {
                assert_ne!(answer, Answer::TooLarge, "{name}, {}", model.name());
                assert_eq!(answer == Answer::Robust, robust, "{name}, {}: {answer:?}", model.name());
            }
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
