//! Replay confirms exactly the candidates that are violations, and no run that is not one of the
//! program.

use crate::common::Walk;
use fencepost_base::event::Label;
use fencepost_base::ids::{Pc, ThreadId};
use fencepost_model::models::ra::{Ra, hb};
use fencepost_model::models::sc::Sc;
use fencepost_model::{Graph, Model};
use fencepost_oracle::interpreter::Rest;
use fencepost_oracle::theorem::{Conditions, racy};
use fencepost_oracle::{replay, replay_failure};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::{litmus, repetitions};
use fencepost_verdict::{Candidate, Run, RunStep, ScFailure, Site, ViolationKind};

#[test]
fn candidates_are_confirmed_iff_they_leave_sc() {
    let (mut confirmed, mut refused, mut races) = (0u64, 0u64, 0u64);
    for seed in 0..repetitions(1_500) {
        let program =
            generate::program(seed, &Options { total_accesses: 12, loops: seed % 4 == 0, ..Options::default() });
        let mut random = Random::new(!seed);
        let mut walk = Walk::new(&program, &Ra, hb);
        for _ in 0..15 {
            if let Some((first, second, location)) = racy(&walk.system, &walk.configuration) {
                let (first, second) = (walk.site(first), walk.site(second));
                let candidate = Candidate::Race { run: walk.run.clone(), first: second, second: first };
                let violation = replay(&program, &Ra, &candidate).expect("a racy state");
                assert_eq!((violation.kind, violation.location), (ViolationKind::DataRace, location));
                assert!(violation.graph.label(violation.culprit).is_nonatomic());
                races += 1;
                break;
            }
            let conditions = Conditions::new(&walk.configuration.graph);
            for thread in program.thread_ids() {
                let Some(access) = walk.system.next_access(&walk.configuration, thread) else { continue };
                let steps = walk.system.free_steps(&walk.configuration, thread);
                let leaves_sc = |graph: &Graph| Ra.permits(graph) && !Sc.permits(graph);
                let witnesses: Vec<_> = steps.iter().filter(|step| leaves_sc(&step.after.graph)).collect();
                assert!(
                    steps
                        .iter()
                        .all(|step| access.is_plain() || !conditions.is_witness(step) || leaves_sc(&step.after.graph))
                );
                let candidate = Candidate::Stale { run: walk.run.clone(), site: walk.site(thread) };
                match replay(&program, &Ra, &candidate) {
                    Ok(violation) => {
                        assert!(!witnesses.is_empty(), "seed {seed}: {violation:#?}");
                        assert_eq!((violation.access, violation.location), (walk.site(thread), access.loc));
                        assert!(Ra.permits(&violation.graph) && !Sc.permits(&violation.graph));
                        assert!(violation.cycle.is_some());
                        let is_alike = |label: &Label| match violation.kind {
                            ViolationKind::StaleRead => matches!(label, Label::Read { .. }),
                            ViolationKind::StaleWrite => matches!(label, Label::Write { .. }),
                            _ => label.is_rmw(),
                        };
                        let graph = &walk.configuration.graph;
                        let mut values: Vec<_> = witnesses
                            .iter()
                            .filter(|step| is_alike(&step.label))
                            .map(|step| graph.label(step.predecessor).value_written().expect("a write"))
                            .collect();
                        values.sort_unstable();
                        values.dedup();
                        assert_eq!(violation.stale_values, values, "seed {seed}");
                        confirmed += 1;
                    }
                    Err(error) => {
                        assert!(witnesses.is_empty() || access.is_plain(), "seed {seed}: {error}");
                        refused += 1;
                    }
                }
            }
            if walk.step(&mut random).is_none() || walk.has_race() {
                break;
            }
        }
    }
    assert!(confirmed > 100 && refused > 100 && races > 20, "{confirmed} confirmed, {refused} refused, {races} races");
}

#[test]
fn failures_are_confirmed_iff_they_happen() {
    let (mut failures, mut harmless) = (0u64, 0u64);
    for seed in 0..repetitions(1_500) {
        let program = generate::program(seed, &Options::default());
        let mut random = Random::new(!seed);
        let mut walk = Walk::new(&program, &Ra, hb);
        let mut last = None;
        loop {
            for thread in program.thread_ids() {
                let state = &walk.configuration.threads[thread.index()];
                if let Rest::Failed(kind) = walk.system.interpreter().rest(thread, state) {
                    let failure = ScFailure { kind, site: walk.site(thread), run: walk.run.clone() };
                    assert_eq!(replay_failure(&program, &Ra, &failure), Ok(()), "seed {seed}");
                    last = Some(failure);
                    failures += 1;
                }
            }
            if walk.step(&mut random).is_none() {
                break;
            }
        }
        if let Some(failure) = last {
            let elsewhere = ScFailure { site: Site { pc: Pc(failure.site.pc.0 + 1), ..failure.site }, ..failure };
            assert!(replay_failure(&program, &Ra, &elsewhere).is_err());
            harmless += 1;
        }
    }
    assert!(failures > 50 && harmless > 50, "{failures} failures");
}

fn store_buffering() -> (fencepost_ir::Program, Run) {
    let program = litmus::all().swap_remove(0).0;
    assert_eq!(program.name(), Some("SB"));
    // One thread runs, then the other stores: its load may be stale now. By chance, with many seeds
    // to try.
    let run = (0..)
        .find_map(|seed| {
            let (mut walk, mut random) = (Walk::new(&program, &Ra, hb), Random::new(seed));
            (0..3).for_each(|_| assert!(walk.step(&mut random).is_some()));
            let threads: Vec<u32> = walk.run.steps.iter().map(|step| step.site.thread.0).collect();
            (threads == [0, 0, 1]).then_some(walk.run)
        })
        .expect("found at last");
    (program, run)
}

#[test]
fn store_buffering_is_told_as_people_know_it() {
    let (program, run) = store_buffering();
    let candidate = Candidate::Stale { run, site: Site { thread: ThreadId(1), pc: Pc(1) } };
    let violation = replay(&program, &Ra, &candidate).expect("a violation");
    assert_eq!(violation.kind, ViolationKind::StaleRead);
    assert_eq!(violation.shape.as_deref(), Some("SB"));
    assert_eq!(violation.stale_values, [0]);
    assert_eq!(violation.conflicting, Site { thread: ThreadId(0), pc: Pc(0) });
}

#[test]
fn runs_that_are_none_of_the_program_are_refused() {
    let (program, run) = store_buffering();
    let site = Site { thread: ThreadId(1), pc: Pc(1) };
    let refuse = |edit: &dyn Fn(&mut Vec<RunStep>), part: &str| {
        let mut run = run.clone();
        edit(&mut run.steps);
        let error = replay(&program, &Ra, &Candidate::Stale { run, site }).expect_err(part);
        assert!(error.to_string().contains(part), "{error}");
    };
    refuse(&|steps| steps[0].site.pc = Pc(1), "rests at pc0, not at pc1");
    refuse(&|steps| steps[0].site.thread = ThreadId(7), "no thread t7");
    refuse(&|steps| steps[0].choice = Some(0), "both an access and a choice");
    refuse(
        &|steps| {
            steps[0].choice = Some(0);
            steps[0].label = None;
        },
        "choice 0 cannot be made",
    );
    refuse(&|steps| steps[1].label = steps[0].label, "not enabled");
    refuse(&|steps| steps.clear(), "rests at pc0, not at pc1");
    let idle = RunStep { site, label: None, choice: None };
    let mut with_bookkeeping = run.clone();
    with_bookkeeping.steps.insert(1, idle);
    assert!(replay(&program, &Ra, &Candidate::Stale { run: with_bookkeeping, site }).is_ok());
}

/// A run of 600 events before the stale load: witnesses of real programs are shorter, but they may
/// be long.
#[test]
fn long_runs_are_replayed_in_time() {
    let (x, y) = (0, 1);
    let work = |loc| (0..300).map(|i| litmus::store(loc, i % 3)).collect::<Vec<_>>();
    let first = [work(x), vec![litmus::load(0, y)]].concat();
    let second = [work(y), vec![litmus::load(0, x)]].concat();
    let program = litmus::program("long SB", 3, 2, 0, vec![first, second]);
    let mut walk = Walk::new(&program, &Ra, hb);
    let mut run = Run::default();
    for thread in [ThreadId(0), ThreadId(1)] {
        for _ in 0..if thread == ThreadId(0) { 301 } else { 300 } {
            let site = walk.site(thread);
            let access = walk.system.next_access(&walk.configuration, thread).expect("an access");
            let graph = &walk.configuration.graph;
            let last = graph.last_write(access.loc);
            let old = graph.label(last).value_written().expect("a write");
            let state = &walk.configuration.threads[thread.index()];
            let (label, after) = walk.system.interpreter().labels(thread, state, &access, old).swap_remove(0);
            walk.configuration.graph.add(thread, label, Some(last), None);
            walk.configuration.threads[thread.index()] = after;
            run.steps.push(RunStep { site, label: Some(label), choice: None });
        }
    }
    let site = walk.site(ThreadId(1));
    let violation = replay(&program, &Ra, &Candidate::Stale { run, site }).expect("a violation");
    assert_eq!(violation.shape.as_deref(), Some("SB"));
    assert_eq!(violation.stale_values, [0, 1, 2]);
}
