//! Every report on every sample equals the file in `tests/golden`;
//! `FENCEPOST_BLESS=1 cargo test -p fencepost-report` rewrites them.

use std::path::Path;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::Span;
use fencepost_finding::Severity;
use fencepost_model::models;
use fencepost_report::diagram::Extra;
use fencepost_report::graph::Drawing;
use fencepost_report::sarif::{self, Notice, Origin};
use fencepost_report::terminal::{self, Look, Skipped, Tallied, Tally};
use fencepost_report::{finding, json};
use fencepost_verdict::{Outcome, Reason, ScFailureKind, Verdict};

use crate::support::{self, observed, samples};

pub(crate) fn check(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("FENCEPOST_BLESS").is_some() {
        std::fs::write(&path, text).expect("the golden file can be written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} differs (FENCEPOST_BLESS=1 rewrites it); now it is:\n{text}");
}

#[test]
fn violations_in_every_format() {
    for (name, sample, outcome) in samples::violations() {
        let subject = sample.subject();
        check(&format!("{name}.txt"), &terminal::outcome(&subject, &outcome, &Look::default()));
        check(&format!("{name}.json"), &json::outcome(&subject, &outcome, None));
        let drawing = Drawing::of_outcome(&subject, &outcome, Extra::default()).expect("a violation");
        check(&format!("{name}.svg"), &drawing.svg());
        check(&format!("{name}.dot"), &drawing.dot());
    }
}

#[test]
fn long_runs_are_shown_whole_on_request() {
    let (_, sample, outcome) = samples::violations().pop().expect("the lock is last");
    let run = sample.run(&samples::lock_schedule());
    let full = Look { full_trace: true, ..Look::default() };
    let text = terminal::outcome(&run.subject(), &outcome, &full);
    assert!(!text.contains("left out"));
    assert_eq!(text.matches("turn.load").count(), 35);
}

#[test]
fn failures_under_sc() {
    let sample = samples::assertion().run(&[0, 1]);
    let outcome = sample.fails(1, ScFailureKind::Assertion);
    check("assertion.txt", &terminal::outcome(&sample.subject(), &outcome, &Look::default()));
    check("assertion.json", &json::outcome(&sample.subject(), &outcome, None));
    let index = sample.fails(1, ScFailureKind::IndexOutOfRange { index: -1, length: 2 });
    check("index.txt", &terminal::outcome(&sample.subject(), &index, &Look::default()));
}

#[test]
fn executions_of_weak_models() {
    let sample = samples::message();
    let verification = sample.fails_weakly(&[(0, 0), (0, 1), (0, 0), (1, 1), (1, 1)], 1);
    let subject = sample.subject();
    check("message.txt", &terminal::verification(&subject, &verification, &Look::default()));
    check("message.json", &json::verification(&subject, &verification));
    let draw = |extra| Drawing::of_verification(&subject, &verification, extra).expect("there is an execution");
    let drawing = draw(Extra::default());
    check("message.svg", &drawing.svg());
    check("message.dot", &drawing.dot());
    // Derived relations share the lines of others; paths and program order imply the rest.
    let relations = ["hb", "sw", "mo", "fr", "rf"].map(String::from);
    check("message-hb.dot", &draw(Extra { relations: &relations, model: models::by_name("ra") }).dot());
}

#[test]
fn paths_through_recorded_runs() {
    for (file, finding) in [
        ("relayed.svg", observed::relayed()),
        ("synchronised.svg", observed::synchronised()),
        ("in-the-past.svg", observed::in_the_past()),
        ("passed-on.svg", observed::passed_on()),
    ] {
        check(file, &Drawing::of(&finding).expect("there are accesses").svg());
    }
}

#[test]
fn races_with_what_would_order_them() {
    for (name, finding) in [("passed-on", observed::passed_on()), ("unguarded", observed::unguarded())] {
        check(&format!("{name}.txt"), &terminal::finding(&finding, None, &Look::default()));
        check(&format!("{name}.json"), &json::finding(&finding));
    }
}

#[test]
fn files_that_are_left_out_are_counted() {
    let file = |file: &str, kind| Skipped { file: file.into(), kind, what: format!("a {kind} test") };
    let files = [file("a.litmus", "PPC"), file("b.litmus", "X86"), file("c.litmus", "X86")];
    assert_eq!(terminal::skipped(&files, false), "3 files skipped: 2 X86, 1 PPC\n");
    assert_eq!(terminal::skipped(&files[..1], true), "skipped: a.litmus: a PPC test\n1 file skipped: 1 PPC\n");
    assert_eq!(terminal::skipped(&[], true), "");
}

#[test]
fn findings_for_code_scanning() {
    let mut findings = Vec::new();
    for (name, sample, outcome) in samples::violations() {
        if name != "lock" {
            findings.extend(finding::of_outcome(&sample.subject(), &outcome));
        }
    }
    let sample = samples::assertion().run(&[0, 1]);
    let failing = finding::of_outcome(&sample.subject(), &sample.fails(1, ScFailureKind::Assertion));
    // Every model meets it; it is told once.
    findings.extend([failing.clone(), failing].concat());
    let sample = samples::message();
    let verification = sample.fails_weakly(&[(0, 0), (0, 1), (0, 0), (1, 1), (1, 1)], 1);
    findings.extend(finding::of_verification(&sample.subject(), &verification));
    let notices = [(Severity::Error, "no such file"), (Severity::Warning, "robustness against ra is not decided")]
        .map(|(severity, text)| Notice { severity, file: "/src/a b.fp".into(), text: text.into() });
    let origin = Origin { version: "0.0.0", folder: Some(Path::new("/src")) };
    let text = sarif::log(&findings, &notices, &origin);
    check("findings.sarif", &text);
    let log: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let run = &log["runs"][0];
    let levels: Vec<&str> =
        run["results"].as_array().expect("results").iter().filter_map(|result| result["level"].as_str()).collect();
    assert_eq!(levels, ["warning", "warning", "warning", "error", "error", "error"]);
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
}

#[test]
fn headlines_figures_and_colours() {
    let sample = samples::sb();
    let subject = sample.subject();
    let robust = support::outcome(Verdict::Holds, None);
    let unknown = support::outcome(Verdict::Unknown(Reason::States(1000)), None);
    let mut text = String::new();
    for look in [Look::default(), Look { color: true, ..Look::default() }] {
        text += &terminal::headline(&subject, &robust, &look);
        text += &terminal::headline(&subject, &unknown, &look);
        text += &terminal::stats(&robust.stats, &look);
        let outcomes = ["rc20", "tso", "pso"].map(|model| Outcome { model, ..robust.clone() });
        let outcomes = [&outcomes[..], std::slice::from_ref(&unknown)].concat();
        text += &terminal::verdict(&subject, &outcomes, "as expected", &look);
        let mut tally = Tally::default();
        tally.add("a.fp", Tallied::AsExpected, &outcomes);
        text += &tally.render(&look);
        tally.add("b.fp", Tallied::NotAsExpected, &outcomes[1..3]);
        tally.add("c.fp", Tallied::NotRobust, &outcomes[..1]);
        tally.add("d.fp", Tallied::Error, &[]);
        text += &tally.render(&look);
    }
    check("headlines.txt", &text);
    let met = json::ExpectationReport { met: Some(true), difference: None };
    check("headlines.json", &(json::outcome(&subject, &robust, Some(met)) + &json::outcome(&subject, &unknown, None)));
}

#[test]
fn diagnostics_with_labels_and_help() {
    let sample = samples::sb();
    let source = sample.source();
    let span = |word: &str| {
        let start = source.text().find(word).expect("the word is in the text");
        Span::new(start..start + word.len())
    };
    let end = source.text().len();
    let diagnostics = [
        Diagnostic::error(span("y.store"), "unknown location `z`")
            .label("not declared")
            .also(span("global x, y;"), "locations are declared here")
            .help("did you mean `y`?"),
        Diagnostic::warning(span("local b;"), "register `b` is never read"),
        Diagnostic::error(Span::new(end..end + 7), "the file ends too early"),
    ];
    check("diagnostics.txt", &terminal::diagnostics(source, &diagnostics, &Look::default()));
    check("diagnostics.json", &json::errors(source.name(), json::diagnostics(source, &diagnostics)));
}

#[test]
fn errors_without_a_source() {
    let look = Look::default();
    let missing = terminal::plain_error("cannot read `nowhere.fp`: no such file", Some("check the path"), &look);
    let invalid = terminal::invalid_utf8("bad.fp", b"global x;\nthread \xff {}\n", &look);
    check("errors.txt", &(missing + &invalid));
}

#[test]
fn diagnostics_survive_spans_that_are_not_in_the_text() {
    let source = fencepost_base::source::SourceFile::new("é.fp", "é\n");
    for (start, end) in [(0, 1), (1, 2), (1, 1), (5, 3), (3, 3), (0, 99)] {
        let diagnostic = Diagnostic::error(Span { start, end }, "somewhere").label("here");
        assert!(terminal::diagnostics(&source, &[diagnostic], &Look::default()).contains("somewhere"));
    }
}
