//! Repairs and relaxations of the programs of `litmus/`, for every model that can be checked.

use fencepost_check::check;
use fencepost_ir::{Language, Program, load};
use fencepost_model::{Model, models};
use fencepost_repair::{Costs, Need, Options, Plan, Relaxed, Repaired, Rest, Task, relax, repair};
use fencepost_testkit::corpus;
use fencepost_verdict::{Budget, Verdict};

/// Plain accesses that nothing guards: no order helps.
const RACES: [&str; 4] = ["classic/mp+na.fp", "classic/na-rw.fp", "classic/na-ww.fp", "classic/no-lock.fp"];

fn with_task<T>(text: &str, model: &'static dyn Model, work: impl FnOnce(&Task<'_>) -> T) -> T {
    let program = load(Language::Fp, text).program.expect("a program");
    let (costs, budget) = (Costs::default(), Budget::unlimited());
    let language = Language::Fp;
    work(&Task {
        language,
        text,
        program: &program,
        model,
        costs: &costs,
        options: Options::default(),
        budget: &budget,
    })
}

fn repairs(text: &str, model: &'static dyn Model, limit: usize) -> Repaired {
    with_task(text, model, |task| repair(task, limit)).expect("no internal error").0
}

fn is_robust(program: &Program, model: &'static dyn Model) -> bool {
    match check(program, model, &Budget::unlimited()).expect("no internal error").verdict {
        Verdict::Holds => true,
        Verdict::Violated(_) => false,
        Verdict::Unknown(reason) => panic!("{reason}"),
    }
}

/// What an edit is needed for is a violation, says the checker too.
fn assert_needed(name: &str, need: Option<&Need>, model: &'static dyn Model) {
    match need {
        Some(Need::Because(because)) => assert!(!is_robust(&because.program, model), "{name}, {}", model.name()),
        other => panic!("{name}, {}: no reason: {other:?}", model.name()),
    }
}

/// The programs that can be edited.
fn editable() -> impl Iterator<Item = corpus::Entry> {
    corpus::files().into_iter().filter(|file| Language::from_path(&file.path) != Some(Language::Litmus))
}

#[test]
fn repairs_hold_and_are_needed() {
    for file in editable() {
        let content = file.read().expect("a program");
        let name = &file.name;
        for model in models::checkable() {
            let context = format!("{name}, {}", model.name());
            match repairs(&content.text, model, 1) {
                Repaired::Nothing => assert!(is_robust(&content.program, model), "{context}"),
                Repaired::Impossible(_) => assert!(RACES.contains(&name.as_str()), "{context}: no repair"),
                Repaired::Unknown(reason) => panic!("{context}: {reason}"),
                Repaired::Plans { plans, .. } => {
                    assert!(!RACES.contains(&name.as_str()), "{context} is repaired");
                    let plan = &plans[0];
                    let repaired = load(Language::Fp, &plan.text).program.expect("a program");
                    assert!(is_robust(&repaired, model), "{context}:\n{}", plan.text);
                    plan.edits.iter().for_each(|edit| assert_needed(name, edit.need.as_ref(), model));
                    let again = repairs(&plan.text, model, 1);
                    assert!(matches!(again, Repaired::Nothing), "{context}: repairing twice changes something");
                }
            }
        }
    }
}

#[test]
fn relaxed_programs_hold_and_cannot_be_weakened() {
    let mut relaxed_programs = 0;
    for file in editable().filter(|file| !file.name.starts_with("algorithms/")) {
        let content = file.read().expect("a program");
        for model in models::checkable() {
            let context = format!("{}, {}", file.name, model.name());
            let relaxed = |text: &str| with_task(text, model, relax).expect("no internal error").0;
            match relaxed(&content.text) {
                Relaxed::NotRobust(_) => assert!(!is_robust(&content.program, model), "{context}"),
                Relaxed::Unknown(reason) => panic!("{context}: {reason}"),
                Relaxed::Plan { plan, kept } => {
                    let program = load(Language::Fp, &plan.text).program.expect("a program");
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
    }
    assert!(relaxed_programs > 20, "{relaxed_programs} programs could be relaxed");
}

fn plans(path: &str, model: &str) -> Vec<Plan> {
    let file = corpus::files().into_iter().find(|file| file.name == path).expect("a file of the corpus");
    let text = file.read().expect("a program").text;
    match repairs(&text, models::by_name(model).expect("a model"), usize::MAX) {
        Repaired::Plans { plans, rest: Rest::Nothing } => plans,
        other => panic!("{path}: {other:?}"),
    }
}

/// Lines and texts of the edits.
fn summary(plan: &Plan, path: &str) -> Vec<(usize, String)> {
    let file = corpus::files().into_iter().find(|file| file.name == path).expect("a file of the corpus");
    let source = fencepost_base::source::SourceFile::new(path, file.read().expect("a program").text);
    plan.edits.iter().map(|edit| (source.start_of(edit.span).line, edit.text.clone())).collect()
}

/// The fences of `peterson-ra` and the exchange of `peterson-ra-dmitriy` (both in Lahav and Margalit 2019).
#[test]
fn published_repairs_of_petersons_algorithm_are_found() {
    let path = "algorithms/peterson-sc.fp";
    let found: Vec<_> = plans(path, "ra").iter().map(|plan| summary(plan, path)).collect();
    let exchange = vec![(15, "turn.xchg(1 - me, acqrel);".to_string())];
    let fences = vec![(15, "fence(sc);".to_string()), (16, "fence(sc);".to_string())];
    assert_eq!(found[0], exchange);
    assert!(found.contains(&fences), "{found:?}");
}

/// Both repairs of Vyukov's version that Margalit and Lahav (2021, section 7) give.
#[test]
fn published_repairs_of_vyukovs_version_are_found() {
    let path = "algorithms/peterson-rlx.fp";
    let found: Vec<_> = plans(path, "rc20").iter().map(|plan| summary(plan, path)).collect();
    assert_eq!(found[0], [(26, "t = turn.load(acq);".to_string())]);
    assert!(found.contains(&vec![(28, "fence(acq);".to_string())]), "{found:?}");
}
