//! Pictures of whatever engines find in small generated programs: of violations, of executions in
//! which something fails, of races, and of programs in which next to nothing happens.

use fencepost_base::source::SourceFile;
use fencepost_check::Question;
use fencepost_lower::{Language, load};
use fencepost_model::{Model, models};
use fencepost_report::Subject;
use fencepost_report::diagram::Extra;
use fencepost_report::graph::Drawing;
use fencepost_testkit::generate::{self, program};
use fencepost_testkit::{in_parallel, repetitions};
use fencepost_verdict::Budget;

/// States of a search; few are needed to find something.
const SOME_STATES: u64 = 300;

/// Everything there is to draw about a program; how many pictures that is.
fn draw(text: &str) -> usize {
    let loaded = load(Language::Fp, text);
    let program = loaded.program.unwrap_or_else(|| panic!("a program: {text}\n{:?}", loaded.diagnostics));
    let source = SourceFile::new("generated.fp", text);
    let subject = Subject { source: &source, program: &program };
    let of_models = |models: &[&'static dyn Model], draw: fn(&Subject<'_>, &'static dyn Model) -> Option<Drawing>| {
        let drawings = models.iter().filter_map(|&model| draw(&subject, model));
        drawings.map(|drawing| inspect(&drawing, text)).count()
    };
    of_models(&models::checkable().collect::<Vec<_>>(), violation) + of_models(models::MODELS, execution)
}

fn violation(subject: &Subject<'_>, model: &'static dyn Model) -> Option<Drawing> {
    let budget = Budget { max_states: SOME_STATES, ..Budget::unlimited() };
    let outcome = Question::new(subject.program, model).robustness(&budget).expect("no internal error");
    Drawing::of_outcome(subject, &outcome, Extra::default())
}

fn execution(subject: &Subject<'_>, model: &'static dyn Model) -> Option<Drawing> {
    let budget = Budget { max_states: SOME_STATES, ..Budget::unlimited() };
    let verification = Question::new(subject.program, model).safety(&budget).expect("no internal error");
    Drawing::of_verification(subject, &verification, Extra::default())
}

fn inspect(drawing: &Drawing, program: &str) {
    let (svg, dot) = (drawing.svg(), drawing.dot());
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{program}");
    assert!(dot.starts_with("digraph ") && dot.ends_with("}\n"), "{program}");
    for wrong in ["NaN", "inf"] {
        assert!(!svg.contains(wrong) && !dot.contains(wrong), "{wrong} in the picture of {program}");
    }
}

#[test]
fn what_fails_at_once_is_drawn() {
    let pictures = |text: &str| draw(&format!("domain 4; global x; nonatomic d, a[2];\n{text}"));
    assert_eq!(pictures("thread t { assert(0); }"), models::MODELS.len());
    for text in [
        "thread t { assert(0); } thread u { assert(0); }",
        "thread t { local r; r = 1 / r; }",
        "thread t { local r = 3; a[r] = 1; }",
        "thread t { fence(sc); assert(0); }",
        "thread t { x.store(1); } thread u { assert(0); }",
        "thread t { lwfence; fence(acq); assert(0); }",
        "thread t { local r; r = nondet(0, 1); assert(r); }",
        "thread t { d = 1; } thread u { d = 2; }",
        "thread t[9] { assert(me != 8); }",
    ] {
        assert!(pictures(text) > 0, "{text}");
    }
    assert_eq!(pictures("thread t { skip; }"), 0);
}

#[test]
fn whatever_is_found_in_generated_programs_is_drawn() {
    let small = generate::Options { accesses: 0..=3, threads: 1..=3, ..generate::Options::default() };
    let buffers = generate::Options { light: true, sections: true, bounds: true, ..generate::Options::default() };
    let looping = generate::Options { loops: true, copies: true, private: true, ..generate::Options::default() };
    let many =
        generate::Options { threads: 5..=9, accesses: 0..=2, total_accesses: 12, ..generate::Options::default() };
    let long =
        generate::Options { threads: 2..=2, accesses: 8..=18, total_accesses: 30, ..generate::Options::default() };
    for (count, options) in [(150, small), (400, buffers), (60, looping), (25, many), (25, long)] {
        let drawn = in_parallel(0..repetitions(count), |seed| draw(&fencepost_lower::print(&program(seed, &options))));
        let drawn: usize = drawn.into_iter().sum();
        assert!(drawn > 20, "{drawn} pictures: {options:?}");
    }
}
