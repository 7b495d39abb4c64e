//! Pages: well-formed, safe whatever programs say, the same in every run.

use std::collections::BTreeSet;

use fencepost_finding::{Access, Evidence, Finding, Kind, Severity};
use fencepost_report::diagram::Extra;
use fencepost_report::finding;
use fencepost_report::html::{self, Answer, Origin, Part};
use fencepost_report::sarif::Notice;
use fencepost_verdict::{Outcome, ScFailureKind};
use serde_json::Value;

use crate::golden::check;
use crate::support::{Sample, observed, samples};

const ORIGIN: Origin<'static> = Origin { version: "1.2.3", command: "fencepost check sb.fp --format html" };
/// What nobody would want to see as markup.
const HOSTILE: &str =
    "</script></style></title>--><script>alert(1)</script><img src=x onerror='alert(\"2\")'>&lt;\u{1b}";

/// What `check` makes of a program.
pub(crate) fn part_of(sample: &Sample, outcome: &Outcome) -> Part {
    let mut part = Part::default();
    part.answers.push(Answer::of_outcome(&sample.subject(), outcome, None));
    for finding in finding::of_outcome_drawn(&sample.subject(), outcome, Extra::default()) {
        part.finding(&finding);
    }
    part.source(sample.source().name(), sample.source().text());
    part
}

fn violation(name: &str) -> (Sample, Outcome) {
    let (_, sample, outcome) = samples::violations().into_iter().find(|(found, ..)| *found == name).expect("a sample");
    (sample, outcome)
}

/// All kinds of evidence on one page.
pub(crate) fn everything() -> Vec<Part> {
    let mut parts: Vec<Part> =
        samples::violations().iter().map(|(_, sample, outcome)| part_of(sample, outcome)).collect();
    let failing = samples::assertion().run(&[0, 1]);
    parts.push(part_of(&failing, &failing.fails(1, ScFailureKind::Assertion)));
    let message = samples::message();
    let verification = message.fails_weakly(&[(0, 0), (0, 1), (0, 0), (1, 1), (1, 1)], 1);
    let mut weak = Part::default();
    weak.answers.push(Answer::of_verification(&message.subject(), &verification));
    for finding in finding::of_verification_drawn(&message.subject(), &verification, Extra::default()) {
        weak.finding(&finding);
    }
    weak.source(message.source().name(), message.source().text());
    parts.push(weak);
    let mut watched = Part::default();
    let observed = [
        observed::relayed(),
        observed::synchronised(),
        observed::in_the_past(),
        observed::passed_on(),
        observed::unguarded(),
    ];
    for (number, finding) in observed.into_iter().enumerate() {
        watched.finding(&Finding { identity: number.to_string(), ..finding });
    }
    watched.figures.push("5 reports in 3 runs".into());
    watched.notice(&Notice { severity: Severity::Warning, file: "x.fp".into(), text: "not decided".into() });
    parts.push(watched);
    parts
}

/// The page without scripts, styles and their hashes, which have files of their own.
fn without_assets(page: &str) -> String {
    let mut rest = page;
    let mut text = String::new();
    for (start, end) in [("script-src ", ";"), ("style-src ", ";"), ("<style>", "</style>"), ("<style>", "</style>")] {
        let (before, after) = rest.split_once(start).expect("it is there");
        let (_, after) = after.split_once(end).expect("it ends");
        text += &[before, start, "…", end].concat();
        rest = after;
    }
    let (before, _) = rest.split_once("<script>").expect("the scripts come last");
    text + before
}

#[test]
fn what_is_there_without_a_script() {
    let (sample, outcome) = violation("sb");
    check("sb.html", &without_assets(&html::page(&[part_of(&sample, &outcome)], &ORIGIN)));
}

#[test]
fn what_the_script_is_given() {
    let pretty = |finding: &Finding| {
        let view: Value = serde_json::from_str(&html::view(finding)).expect("well-formed");
        serde_json::to_string_pretty(&view).expect("it was read") + "\n"
    };
    let (sample, outcome) = violation("sb");
    let drawn = finding::of_outcome_drawn(&sample.subject(), &outcome, Extra::default());
    check("sb.view.json", &pretty(&drawn[0]));
    check("passed-on.view.json", &pretty(&observed::passed_on()));
    check("in-the-past.view.json", &pretty(&observed::in_the_past()));
}

/// The stale read says where its value comes from, and what has overwritten it.
#[test]
fn the_last_step_is_explained() {
    let (sample, outcome) = violation("sb");
    let found = finding::of_outcome(&sample.subject(), &outcome);
    let Evidence::Replayed(replayed) = &found[0].evidence else { panic!("it was replayed") };
    let run = replayed.run.as_ref().expect("there is a run");
    let last = run.last.as_ref().expect("it goes wrong");
    assert_eq!((last.reads_from, last.overtaken_by), (Some(0), Some(1)));
    assert_eq!(run.initially, [("x".into(), "0".into()), ("y".into(), "0".into())]);
}

#[test]
fn pages_are_well_formed() {
    let page = html::page(&everything(), &ORIGIN);
    let tags = tags(&page);
    let ids: Vec<&str> = tags.iter().filter_map(|tag| tag.attribute("id")).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    for name in ["title", "h1", "main", "noscript", "footer"] {
        assert_eq!(tags.iter().filter(|tag| tag.name == name).count(), 1, "{name}");
    }
    for tag in &tags {
        // What a table heads, where a link leads, what a region is called.
        assert!(tag.name != "th" || tag.attribute("scope").is_some());
        assert!(tag.attribute("src").is_none() && tag.attribute("style").is_none());
        assert!(tag.attribute("href").is_none_or(|target| ids.contains(&target.trim_start_matches('#'))));
        assert!(tag.attribute("role") != Some("region") || !tag.label().is_empty());
    }
}

#[test]
fn the_same_findings_give_the_same_bytes() {
    assert_eq!(html::page(&everything(), &ORIGIN), html::page(&everything(), &ORIGIN));
    let written = serde_json::to_string(&everything()).expect("parts can be written down");
    let read: Vec<Part> = serde_json::from_str(&written).expect("and read");
    assert_eq!(html::page(&read, &ORIGIN), html::page(&everything(), &ORIGIN));
}

#[test]
fn the_worst_comes_first_and_everything_once() {
    let parts = everything();
    let page = html::page(&[parts.clone(), parts].concat(), &ORIGIN);
    let categories: Vec<String> = tags(&page)
        .iter()
        .filter(|tag| tag.name == "details")
        .filter_map(|tag| tag.attribute("data-category"))
        .map(String::from)
        .collect();
    let order = ["race", "failure", "condition", "not-robust", "passed-on", "harmless"];
    let position = |name: &String| order.iter().position(|other| other == name).expect("a category");
    assert!(categories.is_sorted_by_key(position), "{categories:?}");
    // Five shapes and a race, two failures, five reports of runs.
    assert_eq!(categories.len(), samples::violations().len() + 2 + 5);
    assert!(page.contains("at worst: data race"), "{}", &page[..200]);
}

#[test]
fn a_page_says_when_not_everything_is_decided() {
    let (sample, _) = violation("sb");
    let page = |outcome: &Outcome| html::page(&[part_of(&sample, outcome)], &ORIGIN);
    let title = |page: &str| {
        page.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).expect("a title").0.to_string()
    };
    let mut outcome = violation("sb").1;
    outcome.verdict = fencepost_verdict::Verdict::Holds;
    assert_eq!(title(&page(&outcome)), "fencepost: Nothing was found");
    outcome.verdict = fencepost_verdict::Verdict::Unknown(fencepost_verdict::Reason::Interrupted);
    assert_eq!(title(&page(&outcome)), "fencepost: Nothing was found, but not everything is decided");
    let mut unread = Part::default();
    unread.notice(&Notice { severity: Severity::Error, file: "x.fp".into(), text: "there is no such file".into() });
    let page = html::page(&[unread], &ORIGIN);
    assert_eq!(title(&page), "fencepost: Nothing was found, but not everything could be looked at");
}

/// Text never becomes markup, wherever it comes from.
#[test]
fn hostile_programs_change_nothing() {
    let page_of = |text: &str| {
        let (sample, outcome) = violation("sb");
        let mut part = Part::default();
        for found in finding::of_outcome_drawn(&sample.subject(), &outcome, Extra::default()) {
            part.finding(&renamed(found, text));
        }
        part.finding(&renamed(observed::passed_on(), text));
        part.source(text, &format!("{text}\n{text}"));
        part.notice(&Notice { severity: Severity::Error, file: text.into(), text: text.into() });
        part.figures.push(text.into());
        html::page(&[part], &Origin { version: text, command: text })
    };
    let (harmless, hostile) = (page_of("harmless"), page_of(HOSTILE));
    let outline = |page: &str| tags(page).iter().map(|tag| tag.name.clone()).collect::<Vec<_>>();
    assert_eq!(outline(&harmless), outline(&hostile));
    assert!(!hostile.contains("<img") && !hostile.contains("<script>alert") && !hostile.contains('\u{1b}'));
    // The data says it as it is.
    let (_, data) = hostile.split_once("id=\"data\">").expect("there is data");
    let (data, _) = data.split_once("</script>").expect("it ends");
    let data: Value = serde_json::from_str(data).expect("well-formed");
    assert_eq!(data["findings"][1]["message"], HOSTILE);
    assert!(data["sources"][HOSTILE].as_str().is_some_and(|text| text.starts_with(HOSTILE)));
}

/// Everything in it that is text says something else.
fn renamed(finding: Finding, text: &str) -> Finding {
    let name = || text.to_string();
    let mut found = Finding {
        file: finding.file.map(|_| name()),
        title: name(),
        message: name(),
        notes: vec![name()],
        identity: format!("{} {text}", finding.identity),
        ..finding
    };
    for access in [&mut found.access, &mut found.conflicting].into_iter().flatten() {
        match access {
            Access::Statement(statement) => {
                (statement.thread, statement.text, statement.remark) = (name(), name(), name());
            }
            Access::Operation(operation) => {
                operation.stack[0].file = Some(name());
                operation.stack[0].function = Some(name());
            }
        }
    }
    match &mut found.evidence {
        Evidence::Replayed(replayed) => {
            replayed.consequences = vec![name()];
            for step in replayed.run.iter_mut().flat_map(|run| &mut run.steps) {
                (step.statement.thread, step.statement.text) = (name(), name());
            }
            if let Some(diagram) = &mut replayed.diagram {
                diagram.title = name();
                diagram.threads.iter_mut().for_each(|thread| *thread = name());
                diagram.events.iter_mut().for_each(|event| event.text = name());
            }
        }
        Evidence::Observed(observed) => {
            observed.reproduce.command = name();
            observed.test = Some(name());
        }
    }
    found
}

#[test]
fn the_policy_forbids_everything_else() {
    let page = html::page(&everything(), &ORIGIN);
    let all = tags(&page);
    let policy = all.iter().find(|tag| tag.attribute("http-equiv").is_some()).and_then(|tag| tag.attribute("content"));
    let policy = policy.expect("there is a policy");
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    // It comes before everything that it is about.
    let position = |name: &str| all.iter().position(|tag| tag.name == name).expect("a tag");
    assert!(position("meta") < position("style") && position("style") < position("script"));
    assert_eq!(policy.matches("sha256-").count(), all.iter().filter(|tag| tag.is_code()).count());
}

#[test]
fn what_is_the_same_under_several_models_is_told_once() {
    let (sample, outcome) = violation("sb");
    let parts = ["ra", "rc20"].map(|model| part_of(&sample, &Outcome { model, ..outcome.clone() }));
    let page = html::page(&parts, &ORIGIN);
    assert_eq!(page.matches("<details class=\"finding\"").count(), 1);
    assert!(page.contains("under ra, rc20</span>"));
    let other = part_of(&sample, &Outcome { model: "tso", ..outcome });
    assert!(finding_kinds(&[other]).contains(&Kind::StaleRead.as_str().to_string()));
}

fn finding_kinds(parts: &[Part]) -> Vec<String> {
    let page = html::page(parts, &ORIGIN);
    let (_, data) = page.split_once("id=\"data\">").expect("there is data");
    let data: Value = serde_json::from_str(data.split_once("</script>").expect("it ends").0).expect("well-formed");
    let findings = data["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().map(|finding| finding["kind"].as_str().unwrap_or_default().to_string()).collect()
}

/// A start tag.
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

impl Tag {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    fn label(&self) -> &str {
        self.attribute("aria-label").or(self.attribute("aria-labelledby")).unwrap_or_default()
    }

    /// Is it a style, or a script that runs?
    fn is_code(&self) -> bool {
        self.name == "style" || (self.name == "script" && self.attribute("type").is_none())
    }
}

/// The start tags of a page, which must be as strict as we write them: lower case, attributes in
/// quotation marks, everything closed that can be.
fn tags(page: &str) -> Vec<Tag> {
    const VOID: [&str; 2] = ["meta", "input"];
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").expect("a document type");
    let (mut tags, mut open): (Vec<Tag>, Vec<String>) = (Vec::new(), Vec::new());
    while let Some((text, after)) = rest.split_once('<') {
        assert!(!text.contains('>'), "a bare `>` in `{text}`");
        let (inside, after) = after.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "after {:?}", tags.last().map(|tag| &tag.name));
            continue;
        }
        let (name, mut list) = inside.split_once(' ').unwrap_or((inside, ""));
        assert!(!name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "`{name}`");
        let mut attributes = Vec::new();
        while !list.is_empty() {
            let end = list.find(['=', ' ']).unwrap_or(list.len());
            let name = list[..end].to_string();
            list = &list[end..];
            let value = match list.strip_prefix("=\"") {
                Some(value) => {
                    let (value, after) = value.split_once('"').expect("a value ends");
                    list = after;
                    value.to_string()
                }
                None => String::new(),
            };
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "`{name}` in `{inside}`");
            attributes.push((name, value));
            list = list.strip_prefix(' ').unwrap_or(list);
        }
        tags.push(Tag { name: name.into(), attributes });
        if name == "script" || name == "style" {
            let (_, after) = rest.split_once(&format!("</{name}>")).expect("it ends");
            rest = after;
        } else if !VOID.contains(&name) {
            open.push(name.into());
        }
    }
    assert!(open.is_empty(), "not closed: {open:?}");
    tags
}
