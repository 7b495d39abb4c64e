//! Tests: repairs of small generated programs compared with what trying out every selection of
//! edits finds.

use std::fmt::Write as _;

use fencepost_lower::{Language, load};
use fencepost_model::{ByDefault, Model, models};
use fencepost_testkit::random::Random;
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::{Budget, Repaired, Rest};

use crate::bench::{Answer, Bench, Selection};
use crate::plan::{Purpose, plan};
use crate::repair::Search;
use crate::spots::Direction;
use crate::{Costs, Options, Task};

/// Most selections that are tried for one program.
const MANY: usize = 300;

/// Two to four threads with a few accesses each, mostly of one location and then of another: too
/// little to be robust, often.
///
/// For harm to be done, each thread counts whether it has read 0 last, and fails if all have.
fn program(random: &mut Random, purpose: Purpose) -> String {
    let mut text = String::from("domain 5;\nglobal x, y, z, n;\n");
    let (locations, threads) = (2 + random.below(2), 2 + random.below(3));
    for thread in 0..threads {
        let _ = write!(text, "thread t{thread} {{\n  local r;\n");
        let (first, step) = (random.below(locations), 1 + random.below(locations - 1));
        let length = if random.chance(80) { 2 } else { 1 + random.below(3) };
        for number in 0..length {
            let loc = ["x", "y", "z"][(first + number * step) % locations];
            let value = 1 + random.below(2);
            let store = random.below(20) < if number == 0 { 13 } else { 5 };
            let _ = match random.below(12) {
                0 => writeln!(text, "  r = {loc}.xchg({value}, {});", random.pick(&["rlx", "rel", "acqrel"])),
                1 => writeln!(text, "  r = {loc}.cas(0, {value}, {});", random.pick(&["rlx", "acq", "acqrel"])),
                _ if store => writeln!(text, "  {loc}.store({value}, {});", random.pick(&["rlx", "rel", "rel", "sc"])),
                _ => writeln!(text, "  r = {loc}.load({});", random.pick(&["rlx", "acq", "acq", "sc"])),
            };
            if random.chance(20) {
                let _ = writeln!(text, "  fence({});", random.pick(&["acq", "rel", "acqrel", "sc", "sc", "sc"]));
            }
        }
        if purpose == Purpose::NoHarm {
            let _ = writeln!(text, "  if (r == 0) {{ r = n.fadd(1, acqrel); assert(r < {}); }}", threads - 1);
        }
        text.push_str("}\n");
    }
    text
}

/// A table with small random numbers, so that each program is asked about other costs.
fn costs(random: &mut Random) -> Costs {
    let mut more = |than: usize| than + random.below(4);
    let mut text = String::new();
    let (acq, rel) = (more(1), more(1));
    let acqrel = more(acq.max(rel));
    let sc = more(acqrel);
    let _ = writeln!(text, "[fence]\nacq = {acq}\nrel = {rel}\nacqrel = {acqrel}\nsc = {sc}\nlight = {}", acq.min(sc));
    let acq = more(0);
    let _ = writeln!(text, "[load]\nrlx = 0\nacq = {acq}\nsc = {}", more(acq));
    let rel = more(0);
    let store_sc = more(rel);
    let _ = writeln!(text, "[store]\nrlx = 0\nrel = {rel}\nsc = {store_sc}");
    let (acq, rel) = (more(1), more(1));
    let acqrel = more(acq.max(rel).max(3));
    let sc = more(acqrel.max(store_sc));
    let _ = writeln!(text, "[rmw]\nrlx = 1\nacq = {acq}\nrel = {rel}\nacqrel = {acqrel}\nsc = {sc}");
    Costs::parse(&text).expect("a table without mistakes")
}

/// Some of the spots, so few that all selections can be tried.
fn thin_out(bench: &mut Bench<'_>, random: &mut Random) {
    let selections = |bench: &Bench<'_>| {
        let choices = bench.spots.iter().map(|spot| 1 + spot.choices.len());
        choices.fold(1, usize::saturating_mul)
    };
    while selections(bench) > MANY {
        let spot = random.below(bench.spots.len());
        bench.spots.remove(spot);
    }
}

fn all_selections(bench: &Bench<'_>) -> Vec<Selection> {
    let mut all = vec![bench.nothing()];
    for spot in 0..bench.spots.len() {
        let choices = 0..bench.spots[spot].choices.len();
        let more: Vec<Selection> =
            choices.flat_map(|choice| all.iter().map(move |selection| selection.with(spot, Some(choice)))).collect();
        all.extend(more);
    }
    all
}

/// Is `one` nowhere stronger than `other`, and somewhere weaker?
fn is_weaker(bench: &Bench<'_>, one: &Selection, other: &Selection) -> bool {
    let at_most = |spot: usize| match (one.choice(spot), other.choice(spot)) {
        (None, _) => true,
        (Some(_), None) => false,
        (one, other) => bench.form(spot, one).at_most(bench.form(spot, other)),
    };
    one != other && (0..bench.spots.len()).all(at_most)
}

/// Compares the two for one program; was there something to repair?
fn compare(seed: u64, purpose: Purpose, models: &[&'static dyn Model]) -> bool {
    let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
    let mut random = Random::new(seed);
    let (text, costs) = (program(&mut random, purpose), costs(&mut random));
    let program = load(Language::Fp, &text).program.expect("a well-formed program");
    let (language, options, budget) = (Language::Fp, Options::default(), Budget::unlimited());
    let task = Task {
        language,
        text: &text,
        program: &program,
        copies: None,
        purpose,
        models,
        costs: &costs,
        options,
        budget: &budget,
    };
    let bench = || {
        let mut bench = Bench::new(&task, Direction::Stronger);
        thin_out(&mut bench, &mut Random::new(seed));
        bench
    };
    let repaired = Search::new(bench(), &task).run(usize::MAX).expect("no internal error");
    let mut bench = bench();
    if let Repaired::Nothing = repaired {
        let nothing = bench.nothing();
        let answer = bench.check(&nothing).expect("no internal error");
        assert!(matches!(answer, Answer::Robust), "seed {seed}, {names:?}");
        return false;
    }
    let mut robust = Vec::new();
    for selection in all_selections(&bench) {
        match bench.check(&selection).expect("no internal error") {
            Answer::Robust => robust.push(selection),
            Answer::Violated(..) => {}
            Answer::Unknown(reason) => panic!("seed {seed}: {reason}"),
        }
    }
    let minimal = robust.iter().filter(|one| !robust.iter().any(|other| is_weaker(&bench, other, one)));
    let mut expected: Vec<(i64, String)> = minimal
        .map(|selection| plan(&bench, &costs, selection))
        .map(|plan| (plan.edits.iter().map(|edit| edit.cost.max(0)).sum(), plan.text))
        .collect();
    let plans = match repaired {
        Repaired::Nothing | Repaired::Impossible(_) => Vec::new(),
        Repaired::Plans { plans, rest } => {
            assert_eq!(rest, Rest::Nothing);
            plans
        }
        Repaired::Unknown(reason) => panic!("seed {seed}: {reason}"),
    };
    let mut found: Vec<(i64, String)> =
        plans.into_iter().map(|plan| (plan.edits.iter().map(|edit| edit.cost.max(0)).sum(), plan.text)).collect();
    assert!(found.is_sorted_by_key(|(cost, _)| *cost), "seed {seed}, {names:?}: by cost");
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "seed {seed}, {names:?}, about\n{text}");
    true
}

/// All ways to repair a program are listed, the cheapest first: those of which no part, and nothing
/// weaker, is a repair.
#[test]
fn repairs_are_those_that_trying_everything_finds() {
    let alone = models::checkable().map(|model| (20, vec![model]));
    let together = [models::by_default(ByDefault::Programs).collect::<Vec<_>>(), models::checkable().collect()]
        .map(|models| (12, models));
    for (count, models) in alone.chain(together) {
        let was_compared = in_parallel(0..repetitions(count), |seed| compare(seed, Purpose::Robustness, &models));
        let compared = was_compared.into_iter().filter(|&compared| compared).count();
        let names: Vec<&str> = models.iter().map(|model| model.name()).collect();
        assert!(compared > 5, "{names:?}: {compared} programs were not robust");
    }
}

/// The same where nothing is wanted but that no harm is done.
#[test]
fn what_keeps_from_harm_is_what_trying_everything_finds() {
    for model in models::checkable().filter(|model| model.buffers().is_none()) {
        let was_compared = in_parallel(0..repetitions(12), |seed| compare(seed, Purpose::NoHarm, &[model]));
        let compared = was_compared.into_iter().filter(|&compared| compared).count();
        assert!(compared > 1, "{}: harm is done by {compared} programs", model.name());
    }
}

/// Candidates are edits that can be made, one by one and all at once, in every program of the
/// corpus, and in these.
#[test]
fn edits_give_programs() {
    const TPL: &str = "max_value 2;\nglobal x, y, l;\nfn a { local r; x.store(1, rlx); if (r == 0) y.store(1); else { r = y.load() } \
        oneof({ skip; } { FADD(x, 1, acq, rel); }) while (r != 1) r = x.load(rlx); fence; r = CAS(x, 0, 1); wait(y, 1, 2); }\n\
        fn b {\n  lock(l);\n  y.store(2, seq_cst);\n  unlock(l); // released;\n}\n";
    const FP: &str = "global x, y;\nproc p(l) { l.store(1); if (1 == 1) if (1 == 1) l.store(0, rlx); else skip; }\nproc unused() { x.store(1); }\n\
        thread a { local r = 1, s; p(x); p(y); L: r = y.cas(0, 1, rlx, rlx); if (r == 1) goto L; choose { } or { x.load(); }\n  while (r != 0)\n    r = x.load(rlx);\n\
        do fence(acq); while (r != 0); }\nthread b {\n}\n";
    let (budget, no_costs) = (Budget::unlimited(), Costs::default());
    let corpus = fencepost_testkit::corpus::files().into_iter().map(|file| {
        let content = file.read().expect("a program");
        (file.name, Language::from_path(&file.path).expect("a language"), content.text)
    });
    let own = [("tpl", Language::Tpl, TPL), ("fp", Language::Fp, FP)];
    let own = own.into_iter().map(|(name, language, text)| (name.to_string(), language, text.to_string()));
    for (name, language, text) in own.chain(corpus) {
        let program = load(language, &text).program.unwrap_or_else(|| panic!("{name} is a program"));
        for (model, direction) in
            models::checkable().flat_map(|model| [(model, Direction::Stronger), (model, Direction::Weaker)])
        {
            let offered = crate::spots::spots(language, &text, &program, &crate::menu::Menu::of(&[model]), direction);
            let models = [model];
            let bench = Bench::new(
                &Task {
                    language,
                    text: &text,
                    program: &program,
                    copies: None,
                    purpose: Purpose::Robustness,
                    models: &models,
                    costs: &no_costs,
                    options: Options::default(),
                    budget: &budget,
                },
                direction,
            );
            for spot in &offered {
                for choice in &spot.choices {
                    let changes = choice.changes.iter().map(|change| (0, change));
                    let edited = crate::text::apply(&text, changes).text;
                    assert!(
                        load(language, &edited).program.is_some(),
                        "{name}, {}: no program:\n{edited}",
                        model.name()
                    );
                }
            }
            let count = |spots: &[crate::spots::Spot]| spots.iter().map(|spot| spot.choices.len()).sum::<usize>();
            assert_eq!(count(&offered), count(&bench.spots), "{name}: all candidates give programs");
            let all = (0..bench.spots.len()).fold(bench.nothing(), |all, spot| all.with(spot, Some(0)));
            let edited = bench.edit(&all).unwrap_or_else(|| panic!("{name}: all edits at once"));
            let accesses = |program: &fencepost_ir::Program| {
                let ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
                ops.filter(|op| op.place().is_some()).count()
            };
            assert_eq!(accesses(&edited.program), accesses(&program), "{name}");
        }
    }
}
