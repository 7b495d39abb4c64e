//! The library as another program uses it: its examples run, and a memory model of one's own is
//! asked about like any other, without a line anywhere else.

use std::sync::atomic::{AtomicBool, Ordering};

use fencepost::{Language, Limits, Model, Rank, Source, model};
use fencepost_base::event::Label;
use fencepost_model::models::ra::Ra;
use fencepost_model::packed::Layout;
use fencepost_model::{
    ByDefault, Causal, Declaration, EventId, Fences, Graph, Kind, Monitor, Repairs, Robustness, SafeIf, Shape,
};

// A test has no arguments for its `main`.
#[allow(dead_code)]
#[path = "../examples/check.rs"]
mod check;
#[path = "../examples/repair.rs"]
mod repair;
#[path = "../examples/verify.rs"]
mod verify;

const SB: &str = "
global x, y;
thread left { local r; x.store(1); r = y.load(); assert(r <= 1); }
thread right { local r; y.store(1); r = x.load(); }
";

/// A toy: release/acquire under another name, in which no thread may see a value above 6.
struct Toy;

static DECLARATION: Declaration = Declaration {
    name: "toy",
    title: "a model of six numbers",
    essay: "What it is: a toy.\n\nWhat is modelled: little.\n\nWhat is not: the rest.\n\nSource: this test.\n",
    kind: Kind::Language,
    races: true,
    sections: false,
    fences: Fences::HIDDEN_RMW_ONLY,
    robustness: Robustness::Monitor,
    causal: Causal { is_it: false, permits_it: false, safe: SafeIf::Never },
    views: None,
    repairs: Repairs { orders: false, sc_accesses: false, exchanges: true },
    default: ByDefault::Never,
    promela: None,
};

impl Model for Toy {
    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    fn permits(&self, graph: &Graph) -> bool {
        let is_small = |event: EventId| !matches!(graph.label(event), Label::Read { value: 7.., .. });
        Ra.permits(graph) && graph.ids().all(is_small)
    }

    fn race(&self, graph: &Graph, event: EventId) -> Option<EventId> {
        Ra.race(graph, event)
    }

    fn monitor(&self, shape: &Shape, layout: &mut Layout) -> Option<Box<dyn Monitor>> {
        Ra.monitor(shape, layout)
    }
}

#[test]
fn a_model_is_what_it_declares() {
    let source = Source::parse(Language::Fp, "sb.fp", SB).expect("a program");
    let limits = Limits::none();

    let checked = source.check(&Toy, &limits).expect("no internal error");
    assert!(!checked.is_robust());
    assert!(checked.to_text().contains("NOT ROBUST against toy"), "{}", checked.to_text());
    assert!(checked.to_json().contains("\"model\":\"toy\""), "{}", checked.to_json());
    let picture = checked.to_svg().expect("a picture");
    assert!(picture.starts_with("<svg") && picture.contains("toy"), "{picture}");

    let consequences = checked.consequences().expect("it was asked what goes wrong");
    assert_eq!((consequences.rank(), consequences.list.len()), (Rank::Harmless, 0));
    assert!(checked.to_text().contains("nothing goes wrong"), "{}", checked.to_text());
    let unasked = source.check(&Toy, &limits.stale_steps(0)).expect("no internal error");
    assert!(!unasked.is_robust() && unasked.consequences().is_none());

    let observational = source.check_observational(&Toy, &limits).expect("no internal error");
    assert!(!observational.is_robust(), "an assertion depends on a stale read");

    let verified = source.verify(&Toy, &limits).expect("no internal error");
    assert_eq!(verified.is_safe(), Some(true), "{}", verified.to_text());

    let repair = source.repair(&[&Toy], &limits).expect("no internal error");
    let text = repair.text().expect("a repair");
    let repaired = Source::parse(Language::Fp, "sb.fp", text).expect("a program");
    assert!(repaired.check(&Toy, &limits).expect("no internal error").is_robust(), "{text}");
    assert!(repair.to_text().contains("toy"), "{}", repair.to_text());
}

#[test]
fn what_no_engine_decides_is_unknown() {
    let source = Source::parse(Language::Fp, "sb.fp", SB).expect("a program");
    for name in ["sc", "sra"] {
        let checked = source.check(model(name).expect("a model"), &Limits::none()).expect("no internal error");
        assert!(!checked.is_robust() && checked.violation().is_none(), "{}", checked.to_text());
        assert!(checked.to_text().contains("UNKNOWN"), "{}", checked.to_text());
    }
}

#[test]
fn mistakes_have_a_place() {
    let error = Source::parse(Language::Fp, "bad.fp", "global x;\nthread t { x.stor(1); }").expect_err("no program");
    assert!(error.to_string().contains("bad.fp:2:"), "{error}");
    assert!(error.diagnostics().iter().any(fencepost::Diagnostic::is_error));
}

#[test]
fn a_search_can_be_stopped_and_tells_how_far_it_is() {
    let text =
        "domain 64; global x, y; thread t[4] { local r; while (1) { r = x.load(); x.store(r + 1); y.store(r); } }";
    let source = Source::parse(Language::Fp, "long.fp", text).expect("a program");
    let stop = AtomicBool::new(false);
    let tell = |_, _| stop.store(true, Ordering::Relaxed);
    let limits = Limits::none().stop_when(&stop).on_progress(&tell);
    let verified = source.verify(model("sc").expect("a model"), &limits).expect("no internal error");
    assert_eq!(verified.is_safe(), None, "{}", verified.to_text());
}

#[test]
fn examples_run() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../litmus/classic/sb.fp");
    check::check(file).expect("the program is checked");
    repair::main().expect("there is a repair, and it is robust");
    verify::main().expect("the program is verified");
}
