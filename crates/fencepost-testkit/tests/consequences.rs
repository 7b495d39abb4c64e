//! What goes wrong with one stale step is what an enumeration of such executions on the axioms finds,
//! and however it is searched for.

use std::collections::BTreeSet;

use fencepost_base::ids::ThreadId;
use fencepost_check::Question;
use fencepost_explore::{Failure, Onward, Options, Reductions, Wrong, consequences};
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::ra::Ra;
use fencepost_model::models::rc20::Rc20;
use fencepost_model::models::reference;
use fencepost_oracle::finals;
use fencepost_oracle::stray::{self, Strays, strays};
use fencepost_testkit::edit::{beside, probing, racing};
use fencepost_testkit::forbid::{forbidding, waiting};
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Consequence, Rank, Scope, Site};

const MODELS: [&'static dyn Model; 3] = [&Ra, &Rc20, &Cpp20];

/// States ⟨q, G⟩ that are enough for most programs.
const LIMIT: usize = 3_000;

/// Instructions that fail, under SC and after a stale step.
type Failing = [BTreeSet<(Site, &'static str)>; 2];
/// Plain accesses that race with an earlier one, under SC and after a stale step.
type Racing = [BTreeSet<Site>; 2];

/// The same site for all threads with the same code.
fn place(program: &Program, site: Site) -> Site {
    let code = |t: ThreadId| (program.thread(t).registers.len(), program.thread(t).code.iter().map(|instr| &instr.op));
    let equal = |a: ThreadId, b: ThreadId| {
        let (a, b) = (code(a), code(b));
        a.0 == b.0 && a.1.eq(b.1)
    };
    let thread = program.thread_ids().find(|&t| equal(t, site.thread)).expect("it is equal to itself");
    Site { thread, ..site }
}

/// What a search has found: instructions that fail; the sides of each race that may be the later
/// one. Of each, under SC and after a stale step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Found {
    failing: Failing,
    racing: [BTreeSet<BTreeSet<Site>>; 2],
}

impl Found {
    fn of(program: &Program, all: &[Wrong]) -> Self {
        let mut found = Found::default();
        for wrong in all {
            let strayed = usize::from(wrong.stale.is_some());
            match &wrong.what {
                Failure::Fails(site, kind) => {
                    found.failing[strayed].insert((place(program, *site), stray::name(kind)));
                }
                Failure::Race(first, second) => {
                    found.racing[strayed].insert([first, second].map(|&site| place(program, site)).into());
                }
                Failure::LateRace(site) => _ = found.racing[strayed].insert([place(program, *site)].into()),
            }
        }
        found
    }
}

/// What is new with a stale step, or goes wrong under SC.
fn expected(program: &Program, all: &Strays) -> (Failing, [Racing; 2]) {
    let failing = all.failing.clone().map(|set| set.iter().map(|&(site, kind)| (place(program, site), kind)).collect());
    let [sc, strayed]: [BTreeSet<_>; 2] = failing;
    let places = |sets: &Racing| {
        let [sc, strayed] = sets.clone().map(|set| set.iter().map(|&site| place(program, site)).collect());
        [sc, strayed]
    };
    let new = strayed.difference(&sc).copied().collect();
    ([sc, new], [places(&all.racing_first), places(&all.racing)])
}

#[derive(Clone, Copy, Debug, Default)]
struct Count {
    failing: u64,
    racing: u64,
    harmless: u64,
    compared: u64,
}

fn search(program: &Program, model: &dyn Model, reductions: Reductions, jobs: usize) -> Onward {
    let options = Options { reductions, observational: false, jobs };
    consequences(program, model, options, &Budget { max_states: 400_000, ..Budget::unlimited() })
}

/// How what is found differs from what there is; nothing if it does not, or the program is too
/// large.
fn difference(program: &Program, model: &'static dyn Model, count: &mut Count) -> Option<String> {
    let Ok(all) = strays(program, model, LIMIT) else { return None };
    if all.refused {
        return Some("the model forbids a step that is as under SC".into());
    }
    let (failing, [first, racing_late]) = expected(program, &all);
    for reductions in [Reductions::ALL, Reductions::NONE] {
        let onward = search(program, model, reductions, 1);
        if let Some(reason) = onward.cut {
            return Some(format!("{reason}"));
        }
        let found = Found::of(program, &onward.found);
        if found.failing != failing {
            return Some(format!("failing: {:?}, expected {failing:?}, with {reductions:?}", found.failing));
        }
        let [sc, strayed] = &found.racing;
        if sc.is_empty() != racing_late[0].is_empty() {
            return Some(format!("races under SC: {sc:?}, expected {:?}, with {reductions:?}", racing_late[0]));
        }
        if !sc.is_empty() {
            continue;
        }
        // Sides that may be the later one: of the pairs of both sides, one is.
        let missing = first[1].iter().find(|site| !strayed.iter().any(|pair| pair.contains(site)));
        let wrong = strayed.iter().find(|pair| pair.is_disjoint(&racing_late[1]));
        if missing.is_some() || wrong.is_some() {
            return Some(format!("races: {strayed:?}, expected {:?}, with {reductions:?}", racing_late[1]));
        }
        count.racing += u64::from(!strayed.is_empty());
    }
    if let Some(how) = told(program, model, &failing, &found_races(&racing_late, &first)) {
        return Some(how);
    }
    count.compared += 1;
    count.failing += u64::from(!failing[1].is_empty());
    count.harmless += u64::from(failing[1].is_empty() && racing_late.iter().all(BTreeSet::is_empty));
    None
}

/// Is there a race in an execution with at most one stale step, and was it to be found?
fn found_races(all: &Racing, first: &Racing) -> Option<bool> {
    let is_one = first.iter().any(|set| !set.is_empty());
    (is_one == all.iter().any(|set| !set.is_empty())).then_some(is_one)
}

/// How what is told differs from what was found: all of it must replay on the axioms.
fn told(program: &Program, model: &'static dyn Model, failing: &Failing, races: &Option<bool>) -> Option<String> {
    let told = match Question::new(program, model).consequences(1, &Budget::unlimited()) {
        Ok(told) => told,
        Err(error) => return Some(error.to_string()),
    };
    if told.scope == Scope::Everything {
        // More stale steps may do more harm.
        return None;
    }
    let ranks: BTreeSet<Rank> = told.list.iter().map(Consequence::rank).collect();
    let expected = (races.unwrap_or_default(), failing.iter().any(|set| !set.is_empty()));
    let found = (ranks.contains(&Rank::Race), ranks.contains(&Rank::Failure));
    (found != expected).then(|| format!("told of races, of failures: {found:?}, expected {expected:?}"))
}

fn compare(seed: u64, program: &Program) -> Count {
    let mut count = Count::default();
    for model in MODELS {
        if let Some(how) = difference(program, model, &mut count) {
            let small = shrink(program, |smaller| difference(smaller, model, &mut Count::default()).is_some());
            let how_small = difference(&small, model, &mut Count::default()).unwrap_or_default();
            let text = fencepost_lower::print(&small);
            panic!("seed {seed}, {}: {how}; smaller: {how_small} about\n{text}", model.name());
        }
    }
    count
}

fn sum(counts: &[Count], of: fn(&Count) -> u64) -> u64 {
    counts.iter().map(of).sum()
}

/// Of so many comparisons in a thousand, so many find a failure, a race, and nothing.
fn assert_enough(counts: &[Count], least: [u64; 3]) {
    let found =
        [sum(counts, |count| count.failing), sum(counts, |count| count.racing), sum(counts, |count| count.harmless)];
    let compared = sum(counts, |count| count.compared);
    let enough = found.iter().zip(least).all(|(&found, least)| found * 1000 >= least * compared);
    assert!(enough, "failing, racing, harmless: {found:?} of {compared}");
}

fn forbidden(seed: u64, options: &Generate) -> Program {
    let program = generate::program(seed, options);
    forbidding(&program, &mut Random::new(seed), |program, observed| {
        let ended = finals(program, reference(), observed, LIMIT as u64, &|| false).ok()?;
        Some(ended.executions.into_keys().collect())
    })
}

fn dense() -> Generate {
    Generate { dense: Some(true), total_accesses: 5, plain: false, ..Generate::default() }
}

/// Assertions that hold under SC.
#[test]
fn what_sc_forbids() {
    let counts = in_parallel(0..repetitions(1_000), |seed| compare(seed, &forbidden(seed + (102 << 32), &dense())));
    assert_enough(&counts, [100, 0, 100]);
}

/// Plain accesses that no SC run makes at the same time.
#[test]
fn races_that_sc_forbids() {
    let counts = in_parallel(0..repetitions(1_000), |seed| {
        compare(seed, &racing(&forbidden(seed + (103 << 32), &dense()), &mut Random::new(seed)))
    });
    assert_enough(&counts, [0, 50, 100]);
}

/// The same, behind instructions that block until there is the value in question.
#[test]
fn what_sc_never_waits_for() {
    let counts = in_parallel(0..repetitions(600), |seed| {
        let program = waiting(&forbidden(seed + (105 << 32), &dense()));
        let racy = racing(&program, &mut Random::new(seed));
        compare(seed, if seed % 2 == 0 { &program } else { &racy })
    });
    assert_enough(&counts, [20, 20, 100]);
}

/// Failures at random places.
#[test]
fn programs_of_all_sorts() {
    let counts = in_parallel(0..repetitions(1_200), |seed| {
        let (copies, private) = (seed % 4 == 1, seed % 8 == 2);
        let options = Generate { copies, private, total_accesses: 7, ..Generate::default() };
        let program = generate::program(seed + (101 << 32), &options);
        compare(seed, &probing(&program, &mut Random::new(seed)))
    });
    assert_enough(&counts, [0, 0, 500]);
}

/// Loops have too many graphs to be enumerated. However they are searched, the same is found.
#[test]
fn reductions_find_the_same() {
    let counts = in_parallel(0..repetitions(150), |seed| {
        let program = forbidden(seed + (104 << 32), &dense());
        let program = if seed % 4 == 1 { waiting(&program) } else { program };
        let program = if seed % 4 == 2 { racing(&program, &mut Random::new(seed)) } else { program };
        let domain = program.domain() as usize;
        let small = Generate { threads: 2..=2, accesses: 1..=2, total_accesses: 3, ..Generate::default() };
        let options = Generate { loops: true, copies: seed % 3 == 1, domain: domain..=domain, ..small };
        let loops = probing(&generate::program(seed, &options), &mut Random::new(seed));
        let program = if seed % 2 == 0 { beside(&loops, &program) } else { beside(&program, &loops) };
        let mut found = 0;
        for model in MODELS {
            let plain = search(&program, model, Reductions::NONE, 1);
            if plain.cut.is_some() {
                continue;
            }
            let expected = Found::of(&program, &plain.found);
            found += u64::from(!expected.failing[1].is_empty() || !expected.racing[1].is_empty());
            for (reductions, jobs) in reduced() {
                let onward = search(&program, model, reductions, jobs);
                let found = Found::of(&program, &onward.found);
                let text = || fencepost_lower::print(&program);
                assert_eq!(onward.cut, None, "seed {seed}, {}, {reductions:?}", model.name());
                assert_eq!(found.failing, expected.failing, "seed {seed}, {}\n{}", model.name(), text());
                let is_racy = |found: &Found| found.racing.clone().map(|set| !set.is_empty());
                assert_eq!(is_racy(&found), is_racy(&expected), "seed {seed}, {}\n{}", model.name(), text());
            }
        }
        found
    });
    let found = counts.iter().sum::<u64>();
    assert!(found * 10 > counts.len() as u64, "something follows in {found} of {} programs", counts.len());
}

/// All reductions, on one thread and on two; each of those that this search knows left out.
fn reduced() -> Vec<(Reductions, usize)> {
    let all = Reductions::ALL;
    let without = [
        Reductions { por: false, ..all },
        Reductions { symmetry: false, ..all },
        Reductions { dead_bits: false, ..all },
        Reductions { private_locations: false, ..all },
    ];
    std::iter::once((all, 2)).chain([(all, 1)]).chain(without.map(|reductions| (reductions, 1))).collect()
}
