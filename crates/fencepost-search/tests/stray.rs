//! Executions with a few stale steps: what goes wrong in them is what the oracle finds with one,
//! and what happens at all with as many as there are accesses.

use std::collections::BTreeSet;

use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::ra::Ra;
use fencepost_model::models::rc20::Rc20;
use fencepost_oracle::enumerate::fails_under;
use fencepost_oracle::stray::{name, strays};
use fencepost_search::{Search, What};
use fencepost_testkit::edit::{asserting_ends, partly_plain};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Site};

const MODELS: [&'static dyn Model; 3] = [&Ra, &Rc20, &Cpp20];

/// States that are enough for most programs.
const LIMIT: usize = 2_000;

/// How the search differs from the oracle; how often something follows is counted.
fn difference(program: &Program, model: &dyn Model, follows: &mut u64) -> Option<String> {
    let all = strays(program, model, LIMIT).ok()?;
    let one = Search::new(program, model).straying(1, &Budget::unlimited());
    if let Some(reason) = one.cut {
        return Some(reason.to_string());
    }
    let mut failing: [BTreeSet<(Site, &str)>; 2] = Default::default();
    let mut is_racy = [false; 2];
    for astray in &one.found {
        let strayed = usize::from(astray.stale > 0);
        match &astray.what {
            What::Failure { site, kind } => _ = failing[strayed].insert((*site, name(kind))),
            What::Race { .. } | What::End => is_racy[strayed] = true,
        }
    }
    let [sc, strayed] = all.failing;
    *follows += u64::from(!failing[1].is_empty());
    let expected = [sc.clone(), strayed.difference(&sc).copied().collect()];
    if failing != expected {
        return Some(format!("one stale step: {failing:?}, expected {expected:?}"));
    }
    let races = all.racing.map(|sites| !sites.is_empty());
    if !program.has_mixed_accesses() && (is_racy[0] != races[0] || !races[0] && is_racy[1] != races[1]) {
        return Some(format!("races: {is_racy:?}, expected {races:?}"));
    }
    // As many as there are accesses: whatever the model permits, if the order of steps makes up for
    // what reads see.
    let many = Search::new(program, model).straying(64, &Budget { max_states: 40_000, ..Budget::unlimited() });
    let fails = many.found.iter().any(|astray| matches!(astray.what, What::Failure { .. }));
    match fails_under(program, model, LIMIT) {
        Some(expected) if many.cut.is_none() && expected != fails => {
            Some(format!("any number of stale steps: {fails}, expected {expected}"))
        }
        _ => None,
    }
}

/// Both threads have to read a stale value.
#[test]
fn as_many_stale_steps_as_are_asked_for() {
    let text = "domain 3; global x, y, a, b, n;
        thread left { local r, s; x.store(1, rlx); r = y.load(rlx); a.store(1, rlx); s = b.load(rlx);
            if (r + s == 0) { n.store(1, rlx); } }
        thread right { local r, s; y.store(1, rlx); r = x.load(rlx); b.store(1, rlx); s = a.load(rlx);
            if (r + s == 0) { r = n.load(rlx); assert(r == 0); } }";
    let program = fencepost_lower::load(fencepost_lower::Language::Fp, text).program.expect("a program");
    let stale = |most: u32| {
        let found = Search::new(&program, &Cpp20).straying(most, &Budget::unlimited()).found;
        found.iter().map(|astray| astray.stale).collect::<Vec<u32>>()
    };
    assert_eq!([stale(0), stale(1), stale(2)], [vec![], vec![], vec![2]]);
}

#[test]
fn what_is_found_is_what_the_oracle_finds() {
    let follows = in_parallel(0..repetitions(250), |seed| {
        let options = Options { total_accesses: 6, ..Options::default() };
        let program = asserting_ends(&generate::program(seed + (111 << 32), &options), &mut Random::new(seed));
        let program = if seed % 4 == 0 { partly_plain(&program, &mut Random::new(seed)) } else { program };
        let mut follows = 0;
        for model in MODELS {
            if let Some(how) = difference(&program, model, &mut follows) {
                let small = shrink(&program, |smaller| difference(smaller, model, &mut 0).is_some());
                let how_small = difference(&small, model, &mut 0).unwrap_or_default();
                let text = fencepost_lower::print(&small);
                panic!("seed {seed}, {}: {how}; smaller: {how_small} about\n{text}", model.name());
            }
        }
        follows
    });
    assert!(follows.iter().sum::<u64>() > 0, "something follows in no program");
}
