//! Repairs and relaxations of the programs of `litmus/`, for every model that can be checked.

use fencepost_check::Question;
use fencepost_ir::Program;
use fencepost_lower::{Language, load};
use fencepost_model::{Model, models};
use fencepost_repair::{Costs, Options, Purpose, Task, relax, repair};
use fencepost_testkit::{corpus, in_parallel, is_long};
use fencepost_verdict::{Budget, Need, Plan, Reason, Relaxed, Repaired, Rest, Verdict};

/// Plain accesses that nothing guards: no order helps, where there are races.
const RACES: [&str; 4] = ["classic/mp+na.fp", "classic/na-rw.fp", "classic/na-ww.fp", "classic/no-lock.fp"];

fn with_task<T>(language: Language, text: &str, model: &'static dyn Model, work: impl FnOnce(&Task<'_>) -> T) -> T {
    let program = load(language, text).program.expect("a program");
    let (costs, budget) = (Costs::default(), Budget::unlimited());
    work(&Task {
        language,
        text,
        program: &program,
        copies: None,
        purpose: Purpose::Robustness,
        models: &[model],
        costs: &costs,
        options: Options::default(),
        budget: &budget,
    })
}

fn repairs(language: Language, text: &str, model: &'static dyn Model, limit: usize) -> Repaired {
    with_task(language, text, model, |task| repair(task, limit)).expect("no internal error").0
}

fn is_robust(program: &Program, model: &'static dyn Model) -> bool {
    match Question::new(program, model).robustness(&Budget::unlimited()).expect("no internal error").verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("{reason}"),
    }
}

/// Some programs are modelled up to a bound only, or grow without one; some models say nothing
/// about atomic sections.
fn is_honest(reason: &Reason) -> bool {
    matches!(reason, Reason::Bound { .. } | Reason::Unbounded(_) | Reason::Unsupported(_))
}

/// What an edit is needed for is a violation, says the checker too.
fn assert_needed(name: &str, need: Option<&Need>, model: &'static dyn Model) {
    match need {
        Some(Need::Because(because)) => assert!(!is_robust(&because.program, model), "{name}, {}", model.name()),
        other => panic!("{name}, {}: no reason: {other:?}", model.name()),
    }
}

/// The programs that can be edited; those for verification are variations of others.
fn editable() -> impl Iterator<Item = corpus::Entry> {
    let is_editable = |file: &corpus::Entry| Language::from_path(&file.path) != Some(Language::Litmus);
    corpus::files().into_iter().filter(move |file| is_editable(file) && !file.name.starts_with("verify/"))
}

/// The models that the `index`th program is asked about: some, and each model about some programs.
fn some_models(index: usize) -> impl Iterator<Item = &'static dyn Model> {
    let stride = if is_long() { 1 } else { 5 };
    models::checkable().skip(index % stride).step_by(stride)
}

#[test]
fn repairs_hold_and_are_needed() {
    in_parallel(editable().enumerate(), |(index, file)| {
        let content = file.read().expect("a program");
        let language = Language::from_path(&file.path).expect("a language");
        let name = &file.name;
        for model in some_models(index) {
            let context = format!("{name}, {}", model.name());
            match repairs(language, &content.text, model, 1) {
                Repaired::Nothing => assert!(is_robust(&content.program, model), "{context}"),
                Repaired::Impossible(_) => assert!(RACES.contains(&name.as_str()), "{context}: no repair"),
                Repaired::Unknown(reason) => assert!(is_honest(&reason), "{context}: {reason}"),
                Repaired::Plans { plans, .. } => {
                    assert!(model.buffers().is_some() || !RACES.contains(&name.as_str()), "{context} is repaired");
                    let plan = &plans[0];
                    let repaired = load(language, &plan.text).program.expect("a program");
                    assert!(is_robust(&repaired, model), "{context}:\n{}", plan.text);
                    plan.edits.iter().for_each(|edit| assert_needed(name, edit.need.as_ref(), model));
                    let again = repairs(language, &plan.text, model, 1);
                    assert!(matches!(again, Repaired::Nothing), "{context}: repairing twice changes something");
                }
            }
        }
    });
}

#[test]
fn relaxed_programs_hold_and_cannot_be_weakened() {
    let small = editable().filter(|file| !file.name.starts_with("algorithms/"));
    let relaxed_programs = in_parallel(small.enumerate(), |(index, file)| {
        let mut relaxed_programs = 0;
        let content = file.read().expect("a program");
        let language = Language::from_path(&file.path).expect("a language");
        for model in some_models(index) {
            let context = format!("{}, {}", file.name, model.name());
            let relaxed = |text: &str| with_task(language, text, model, relax).expect("no internal error").0;
            match relaxed(&content.text) {
                Relaxed::NotRobust(_) => assert!(!is_robust(&content.program, model), "{context}"),
                Relaxed::Unknown(reason) => assert!(is_honest(&reason), "{context}: {reason}"),
                Relaxed::Plan { plan, kept } => {
                    let program = load(language, &plan.text).program.expect("a program");
                    assert!(is_robust(&program, model), "{context}:\n{}", plan.text);
                    assert_eq!(plan.edits.is_empty(), plan.text == content.text, "{context}");
                    assert!(plan.edits.is_empty() || plan.cost < 0, "{context} saves something");
                    kept.iter().for_each(|kept| assert_needed(&file.name, Some(&kept.need), model));
                    relaxed_programs += usize::from(!plan.edits.is_empty());
                    match relaxed(&plan.text) {
                        Relaxed::Plan { plan, .. } => assert!(plan.edits.is_empty(), "{context}: twice"),
                        other => panic!("{context}: {other:?}"),
                    }
                }
            }
        }
        relaxed_programs
    });
    let relaxed_programs: usize = relaxed_programs.into_iter().sum();
    assert!(relaxed_programs > 20, "{relaxed_programs} programs could be relaxed");
}

fn plans(path: &str, model: &str) -> Vec<Plan> {
    let file = corpus::files().into_iter().find(|file| file.name == path).expect("a file of the corpus");
    let text = file.read().expect("a program").text;
    match repairs(Language::Fp, &text, models::by_name(model).expect("a model"), usize::MAX) {
        Repaired::Plans { plans, rest: Rest::Nothing } => plans,
        other => panic!("{path}: {other:?}"),
    }
}

/// For each edit, the statement it is at or before, and what is written.
fn summary(plan: &Plan, path: &str) -> Vec<(String, String)> {
    let file = corpus::files().into_iter().find(|file| file.name == path).expect("a file of the corpus");
    let text = file.read().expect("a program").text;
    let line = |at: u32| text[at as usize..].lines().next().unwrap_or_default().to_string();
    plan.edits.iter().map(|edit| (line(edit.span.start), edit.text.clone())).collect()
}

fn edits(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|&(place, text)| (place.to_string(), text.to_string())).collect()
}

/// One fence per thread, each edit being one for both threads but in `sb.fp`. Dekker's algorithm
/// needs a second one where a thread that had to give way raises its flag again: Trencher finds
/// four, too.
#[test]
fn fences_for_store_buffers_are_the_known_ones() {
    for (path, expected) in [("algorithms/dekker-sc.fp", 2), ("algorithms/peterson-sc.fp", 1), ("classic/sb.fp", 2)] {
        let best = &plans(path, "tso")[0];
        assert!(best.edits.iter().all(|edit| edit.text == "fence(sc);"), "{path}: {:?}", best.edits);
        assert_eq!(best.edits.len(), expected, "{path}");
    }
}

/// The fences of `peterson-ra` and the exchange of `peterson-ra-dmitriy` (both in Lahav and
/// Margalit 2019).
#[test]
fn published_repairs_of_petersons_algorithm_are_found() {
    let path = "algorithms/peterson-sc.fp";
    let found: Vec<_> = plans(path, "ra").iter().map(|plan| summary(plan, path)).collect();
    assert_eq!(found[0], edits(&[("turn.store(1 - me, rel);", "turn.xchg(1 - me, acqrel);")]));
    let fences = edits(&[("turn.store(1 - me, rel);", "fence(sc);"), ("do {", "fence(sc);")]);
    assert!(found.contains(&fences), "{found:?}");
}

/// Both repairs of Vyukov's version that Margalit and Lahav (2021, section 7) give.
#[test]
fn published_repairs_of_vyukovs_version_are_found() {
    let path = "algorithms/peterson-rlx.fp";
    let found: Vec<_> = plans(path, "rc20").iter().map(|plan| summary(plan, path)).collect();
    assert_eq!(found[0], edits(&[("t = turn.load(rlx);", "t = turn.load(acq);")]));
    assert!(found.contains(&edits(&[("owner = me;", "fence(acq);")])), "{found:?}");
}
