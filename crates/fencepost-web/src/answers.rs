//! What is answered.

use fencepost::{Diagnostic, InternalError, Model, Severity, Source, SourceFile, Span, model, models};
use fencepost_finding::Finding;
use fencepost_report::diagram::Extra;
use fencepost_report::html::{self, Answer};
use fencepost_report::{Subject, finding, shapes};
use fencepost_syntax::format::format;
use serde_json::{Value, json};

use crate::Host;
use crate::requests::{Program, Request};

/// Why there is no answer, for people.
type Failure = Value;

pub(crate) fn of(request: &Request, host: &Host<'_>) -> Value {
    let answered = match request {
        Request::Models => Ok(every_model()),
        Request::Read(program) => read(program),
        Request::Format(program) => formatted(program),
        Request::Explain { shape } => explained(shape),
        Request::Check { program, model, limits } => source(program).and_then(|source| {
            let answer = source.check(known(model)?, &limits.limits(host)).map_err(bug)?;
            let subject = Subject { source: source.file(), program: source.program() };
            let found = finding::of_outcome_drawn(&subject, answer.outcome(), Extra::default());
            let conclusion = Answer::of_outcome(&subject, answer.outcome(), None);
            Ok(told(conclusion, &found, &answer.to_json(), answer.to_text()))
        }),
        Request::Verify { program, model, limits } => source(program).and_then(|source| {
            let answer = source.verify(known(model)?, &limits.limits(host)).map_err(bug)?;
            let subject = Subject { source: source.file(), program: source.program() };
            let found = finding::of_verification_drawn(&subject, answer.verification(), Extra::default());
            let conclusion = Answer::of_verification(&subject, answer.verification());
            Ok(told(conclusion, &found, &answer.to_json(), answer.to_text()))
        }),
        Request::Repair { program, models, limits } => source(program).and_then(|source| {
            let models: Result<Vec<_>, Failure> = models.iter().map(|name| known(name)).collect();
            let repair = source.repair(&models?, &limits.limits(host)).map_err(bug)?;
            Ok(json!({ "report": report(&repair.to_json()), "text": repair.to_text(), "repaired": repair.text() }))
        }),
    };
    answered.unwrap_or_else(|failure| failure)
}

/// There is no answer, and why.
pub(crate) fn failed(message: String) -> Failure {
    json!({ "error": message })
}

fn bug(error: InternalError) -> Failure {
    failed(format!("two parts of fencepost disagree, which is a bug: {error}"))
}

fn known(name: &str) -> Result<&'static dyn Model, Failure> {
    model(name).ok_or_else(|| failed(format!("there is no memory model `{name}`")))
}

/// JSON that this project has made.
fn report(line: &str) -> Value {
    serde_json::from_str(line).expect("reports are JSON")
}

/// The answer to a question about a program: in a word, what was found as the script of the HTML
/// reports shows it, as `--format json` has it, and as text.
fn told(conclusion: Answer, found: &[Finding], line: &str, text: String) -> Value {
    let views: Value = found.iter().map(|finding| report(&html::view(finding))).collect();
    json!({ "conclusion": conclusion, "findings": views, "report": report(line), "text": text })
}

fn source(program: &Program) -> Result<Source, Failure> {
    let language = program.language().map_err(failed)?;
    Source::parse(language, &program.name, &program.text)
        .map_err(|error| json!({ "diagnostics": diagnostics(error.file(), error.diagnostics()) }))
}

fn every_model() -> Value {
    let about = |model: &&'static dyn Model| {
        let declaration = model.declaration();
        json!({
            "name": model.name(),
            "title": model.title(),
            "essay": model.essay(),
            "robustness": declaration.robustness.is_decided(),
        })
    };
    json!({ "models": models().iter().map(about).collect::<Value>() })
}

fn read(program: &Program) -> Result<Value, Failure> {
    let source = source(program)?;
    Ok(json!({ "program": source.program().name(), "diagnostics": diagnostics(source.file(), source.warnings()) }))
}

fn formatted(program: &Program) -> Result<Value, Failure> {
    let language = program.language().map_err(failed)?;
    match format(language, &program.text) {
        Ok(text) => Ok(json!({ "formatted": text })),
        Err(messages) => {
            let file = SourceFile::new(&program.name, &program.text);
            Ok(json!({ "diagnostics": diagnostics(&file, &messages) }))
        }
    }
}

fn explained(shape: &str) -> Result<Value, Failure> {
    let info = shapes::explain(shape).ok_or_else(|| failed(format!("there is no shape `{shape}`")))?;
    Ok(json!({ "shape": shape, "title": info.title, "story": info.story, "picture": shapes::picture(shape) }))
}

/// Each with its places in UTF-16 units, which is how a page counts.
fn diagnostics(file: &SourceFile, diagnostics: &[Diagnostic]) -> Value {
    let units = |offset: u32| {
        let text = file.text();
        text.get(..offset as usize).unwrap_or(text).encode_utf16().count()
    };
    let place = |span: Span, text: &str| {
        let position = file.start_of(span);
        let (from, to) = (units(span.start), units(span.end));
        json!({ "from": from, "to": to, "line": position.line, "column": position.column, "text": text })
    };
    let one = |diagnostic: &Diagnostic| {
        json!({
            "severity": match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            "message": diagnostic.message,
            "at": place(diagnostic.primary.span, &diagnostic.primary.text),
            "also": diagnostic.secondary.iter().map(|also| place(also.span, &also.text)).collect::<Value>(),
            "help": diagnostic.help,
        })
    };
    diagnostics.iter().map(one).collect()
}
