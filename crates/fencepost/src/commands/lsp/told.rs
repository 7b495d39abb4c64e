//! What is told in the words of the protocol: places, diagnostics, verdicts, symbols.

use fencepost_base::diag::{Diagnostic, Severity};
use fencepost_base::source::Span;
use fencepost_finding::{self as finding, Access, Evidence, Finding, Fix, Statement};
use fencepost_ide::{Completion, Kind, Suggested, Symbol, Utf16};
use serde_json::{Value, json};

use super::check::Answer;
use super::document::{Document, State, Text};

/// Severities of the protocol.
const ERROR: u8 = 1;
const WARNING: u8 = 2;
const INFORMATION: u8 = 3;

pub(super) fn position(position: Utf16) -> Value {
    json!({ "line": position.line, "character": position.column })
}

pub(super) fn range(text: &Text, span: Span) -> Value {
    let (start, end) = text.positions.range(text.source.text(), span);
    json!({ "start": position(start), "end": position(end) })
}

fn location(uri: &str, text: &Text, span: Span) -> Value {
    json!({ "uri": uri, "range": range(text, span) })
}

fn related(uri: &str, text: &Text, span: Span, message: &str) -> Value {
    json!({ "location": location(uri, text, span), "message": message })
}

/// Everything that is wrong with a document, as far as is known.
pub(super) fn diagnostics(uri: &str, document: &Document) -> Vec<Value> {
    let text = &document.text;
    let mut told: Vec<Value> = text.diagnostics.iter().map(|problem| mistake(uri, text, problem)).collect();
    if let State::Checked(answers) = &document.state {
        told.extend(found(uri, text, answers));
    }
    told
}

/// A mistake in the text.
fn mistake(uri: &str, text: &Text, problem: &Diagnostic) -> Value {
    let label = Some(problem.primary.text.as_str()).filter(|label| !label.is_empty());
    let lines: Vec<&str> =
        [problem.message.as_str()].into_iter().chain(label).chain(problem.help.iter().map(String::as_str)).collect();
    let others: Vec<Value> =
        problem.secondary.iter().map(|other| related(uri, text, other.span, &other.text)).collect();
    json!({
        "range": range(text, problem.primary.span),
        "severity": if problem.severity == Severity::Error { ERROR } else { WARNING },
        "source": "fencepost",
        "message": lines.join("\n"),
        "relatedInformation": others,
    })
}

/// What was found out about robustness. What is the same under several models is told once.
fn found(uri: &str, text: &Text, answers: &[Answer]) -> Vec<Value> {
    let mut merged: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for answer in answers {
        for finding in &answer.findings {
            let same = |other: &&mut (&Finding, Vec<&str>)| {
                other.0.kind == finding.kind && place(other.0) == place(finding) && other.0.message == finding.message
            };
            match merged.iter_mut().find(same) {
                Some((_, models)) if models.contains(&finding.model) => {}
                Some((_, models)) => models.push(finding.model),
                None => merged.push((finding, vec![finding.model])),
            }
        }
    }
    let findings = merged.iter().map(|(finding, models)| self::finding(uri, text, finding, models));
    let remark = |line: usize, severity: u8, message: String| {
        let start = text.line(line) as u32;
        json!({
            "range": range(text, Span { start, end: text.line(line + 1).max(start as usize) as u32 }),
            "severity": severity,
            "source": "fencepost",
            "message": message,
        })
    };
    let unknown = answers.iter().filter_map(|answer| {
        let message = format!("robustness against {} is not decided: {}", answer.model, answer.reason.as_ref()?);
        Some(remark(first_thread(text), INFORMATION, message))
    });
    let unexpected = answers.iter().flat_map(|answer| {
        answer.unexpected.iter().map(|(line, how)| remark(*line, WARNING, format!("not as expected: {how}")))
    });
    findings.chain(unknown).chain(unexpected).collect()
}

/// The first line of the first thread, from 1.
fn first_thread(text: &Text) -> usize {
    let threads = text.names.definitions().iter().filter(|it| it.kind == Kind::Thread);
    threads.map(|it| text.source.start_of(it.whole).line).min().unwrap_or(1)
}

fn statement(access: Option<&Access>) -> Option<&Statement> {
    match access? {
        Access::Statement(statement) => Some(statement),
        Access::Operation(_) => None,
    }
}

fn place(finding: &Finding) -> Option<Span> {
    statement(finding.access.as_ref()).map(|statement| statement.span)
}

fn finding(uri: &str, text: &Text, finding: &Finding, models: &[&str]) -> Value {
    let access = statement(finding.access.as_ref());
    let conflicting = statement(finding.conflicting.as_ref());
    let other = conflicting.map(|other| {
        // In a terminal, numbers join remarks and accesses.
        let remark = other.remark.trim_start_matches("(1) ").trim_start_matches("(2) ");
        let remark = match remark {
            "" => format!("the other access, by thread `{}`", other.thread),
            remark => remark.to_string(),
        };
        related(uri, text, other.span, &remark)
    });
    let call = |statement: Option<&Statement>, what: &str| {
        let call = statement.and_then(|statement| statement.called_from);
        call.map(|call| related(uri, text, call, &format!("{what} is in this call")))
    };
    let others = [other, call(conflicting, "the other access"), call(access, "the access")];
    let others: Vec<Value> = others.into_iter().flatten().collect();
    let shape = match &finding.shape {
        Some(shape) => format!("\nIts shape is {shape}: `fencepost explain {shape}` draws it."),
        None => String::new(),
    };
    let harmless = match &finding.evidence {
        Evidence::Replayed(replayed) if replayed.is_harmless => {
            "\nNothing goes wrong because of it with one stale step."
        }
        _ => "",
    };
    let expected = finding.expected.map(|line| format!("\nLine {line} expects it.")).unwrap_or_default();
    let severity = match finding.severity() {
        _ if finding.expected.is_some() => INFORMATION,
        finding::Severity::Error => ERROR,
        finding::Severity::Warning => WARNING,
        finding::Severity::Note => INFORMATION,
    };
    json!({
        "range": range(text, access.map_or(Span::default(), |access| access.span)),
        "severity": severity,
        "source": "fencepost",
        "code": finding.kind.as_str(),
        "message": format!("{} (under {}){harmless}{shape}{expected}", finding.message, models.join(", ")),
        "relatedInformation": others,
    })
}

/// One line above the first thread: the verdicts.
pub(super) fn lens(document: &Document) -> Vec<Value> {
    let text = &document.text;
    let title = match &document.state {
        State::Unasked => return Vec::new(),
        State::Checking => "checking robustness …".to_string(),
        State::Checked(answers) => {
            let mut verdicts: Vec<(&str, Vec<&str>)> = Vec::new();
            for answer in answers {
                match verdicts.iter_mut().find(|(verdict, _)| *verdict == answer.verdict) {
                    Some((_, models)) => models.push(answer.model),
                    None => verdicts.push((answer.verdict, vec![answer.model])),
                }
            }
            let told = verdicts.iter().map(|(verdict, models)| format!("{verdict} against {}", models.join(", ")));
            told.collect::<Vec<_>>().join(" · ")
        }
    };
    if title.is_empty() {
        return Vec::new();
    }
    let start = text.line(first_thread(text)) as u32;
    vec![json!({ "range": range(text, Span { start, end: start }), "command": { "title": title, "command": "" } })]
}

/// The change that a fix makes.
pub(super) fn edit(text: &Text, fix: &Fix) -> Value {
    let span = Span::new(text.line(fix.first)..text.line(fix.end));
    json!({ "range": range(text, span), "newText": fix.text })
}

pub(super) fn symbol(text: &Text, symbol: &Symbol) -> Value {
    let children: Vec<Value> = symbol.children.iter().map(|child| self::symbol(text, child)).collect();
    json!({
        "name": symbol.name,
        "detail": match symbol.kind {
            Kind::Constant => "constant",
            Kind::Location { atomic: true } | Kind::Field { atomic: true } => "atomic location",
            Kind::Location { atomic: false } | Kind::Field { atomic: false } => "non-atomic location",
            Kind::Struct => "struct",
            Kind::Procedure => "procedure",
            Kind::Thread => "thread",
            Kind::Label => "label",
            Kind::Parameter | Kind::Register => "",
        },
        "kind": symbol_kind(symbol.kind),
        "range": range(text, symbol.whole.to(symbol.span)),
        "selectionRange": range(text, symbol.span),
        "children": children,
    })
}

/// The numbers of the protocol for kinds of symbols.
fn symbol_kind(kind: Kind) -> u8 {
    match kind {
        Kind::Constant => 14,
        Kind::Location { .. } | Kind::Parameter | Kind::Register => 13,
        Kind::Struct => 23,
        Kind::Field { .. } => 8,
        Kind::Procedure => 12,
        // There is none for threads: an event comes closest.
        Kind::Thread => 24,
        Kind::Label => 20,
    }
}

/// A completion; the numbers are the protocol's, for kinds of completions.
pub(super) fn completion(completion: &Completion) -> Value {
    let kind = match completion.kind {
        Suggested::Keyword => 14,
        Suggested::Operation => 2,
        Suggested::Order => 20,
        Suggested::Name(Kind::Constant) => 21,
        Suggested::Name(Kind::Struct) => 22,
        Suggested::Name(Kind::Field { .. }) => 5,
        Suggested::Name(Kind::Procedure) => 3,
        Suggested::Name(Kind::Label) => 18,
        Suggested::Name(Kind::Location { .. } | Kind::Register | Kind::Parameter | Kind::Thread) => 6,
    };
    json!({ "label": completion.word, "kind": kind })
}
