//! One report over all programs that runners have watched.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::patch;
use crate::args::{CargoOptions, ReportFormat};
use crate::exit::Exit;
use crate::files;
use crate::log;
use crate::output::{self, Output};

/// What a runner has left.
struct Part {
    /// How its program has ended, and what was found, in numbers.
    end: Value,
    /// Findings.
    findings: Vec<Value>,
    /// What it has written for a file or for standard output.
    text: String,
}

impl Part {
    fn name(&self) -> &str {
        self.end["program"].as_str().unwrap_or("a program")
    }

    /// The test, if it was explored alone.
    fn test(&self) -> Option<&str> {
        self.end["test"].as_str()
    }

    /// What was found out by exploring.
    fn verdict(&self) -> Option<&str> {
        self.end["verdict"].as_str()
    }

    /// What is wrong, or why that is not known.
    fn why(&self) -> String {
        let reasons: Vec<&str> = self.end["why"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        reasons.join("; ")
    }

    fn is(&self, what: &str) -> bool {
        self.end[what].as_bool() == Some(true)
    }

    fn number(&self, what: &str) -> u64 {
        self.end[what].as_u64().unwrap_or(0)
    }

    /// What came of it, in words.
    fn outcome(&self) -> String {
        if self.is("unobserved") {
            return "was not watched".into();
        }
        if let Some(verdict) = self.verdict() {
            let executions = counted(self.number("executions"), "execution");
            return match self.why() {
                why if why.is_empty() => format!("{}, {executions}", verdict.to_uppercase()),
                why => format!("{}, {executions}: {why}", verdict.to_uppercase()),
            };
        }
        let runs = counted(self.number("runs"), "run");
        match self.number("reports") {
            0 => format!("no reports in {runs}"),
            reports => format!("{} in {runs}", counted(reports, "report")),
        }
    }
}

fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// Tells what all runners have found. How the command ends, if that is not for cargo to say.
pub(super) fn tell(options: &CargoOptions, folder: &Path, output: &mut Output) -> io::Result<Option<Exit>> {
    let parts = read(folder)?;
    if parts.is_empty() {
        return Ok(None);
    }
    let text = match options.run.told.format {
        ReportFormat::Human => parts.iter().map(|part| part.text.as_str()).collect(),
        ReportFormat::Json => json(&parts),
        ReportFormat::Sarif => sarif(&parts),
        ReportFormat::Html => html(&parts),
    };
    match &options.run.told.output {
        Some(path) => write(path, &text)?,
        None => output.out(&text)?,
    }
    if let Some(path) = &options.junit {
        write(path, &junit(&parts))?;
    }
    if let Some(path) = &options.patch {
        let all = parts.iter().flat_map(|part| &part.findings);
        let patch::Patch { text, notes } = patch::patch(all);
        write(path, &text)?;
        notes.iter().for_each(|note| output::note(&format!("fencepost: not in the patch: {note}\n")));
    }
    let programs: BTreeSet<&str> = parts.iter().map(Part::name).collect();
    output::note(&format!("fencepost: {} watched\n", counted(programs.len() as u64, "program")));
    for part in &parts {
        let test = part.test().map_or(String::new(), |test| format!(": {test}"));
        output::note(&format!("  {}{test}: {}\n", part.name(), part.outcome()));
    }
    let own: u64 = parts.iter().map(|part| part.number("own")).sum();
    if own > 0 && !options.run.all {
        let findings = counted(own, "finding");
        output::note(&format!(
            "fencepost: {findings} about the standard library's own atomics left out (--all lists them)\n"
        ));
    }
    Ok(match () {
        () if parts.iter().any(|part| part.is("found")) => Some(Exit::Other(options.run.told.exitcode)),
        () if parts.iter().any(|part| part.is("unobserved")) => Some(Exit::Error),
        () if parts.iter().any(|part| part.is("undecided")) => Some(Exit::Unknown),
        () => None,
    })
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    files::write(path, text).map_err(|error| io::Error::new(error.kind(), format!("`{}`: {error}", path.display())))
}

/// What is in the folder, in the order in which programs were started. A runner that was killed has
/// left no end.
fn read(folder: &Path) -> io::Result<Vec<Part>> {
    let mut ends: Vec<PathBuf> = fs::read_dir(folder)?.flatten().map(|entry| entry.path()).collect();
    ends.retain(|path| path.extension().is_some_and(|ending| ending == "end"));
    ends.sort();
    let mut parts = Vec::new();
    for path in ends {
        let end = serde_json::from_str(&fs::read_to_string(&path)?).unwrap_or_default();
        let lines = fs::read_to_string(path.with_extension("json"))?;
        let findings = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let text = fs::read_to_string(path.with_extension("text")).unwrap_or_default();
        parts.push(Part { end, findings, text });
    }
    Ok(parts)
}

/// Every line says which program it is about.
fn json(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        for line in part.text.lines() {
            let Ok(Value::Object(mut object)) = serde_json::from_str(line) else { continue };
            object.insert("program".into(), part.name().into());
            if let (Some(test), None) = (part.test(), object.get("test")) {
                object.insert("test".into(), test.into());
            }
            let _ = writeln!(text, "{}", Value::Object(object));
        }
    }
    text
}

/// One log with one run, and every result once.
fn sarif(parts: &[Part]) -> String {
    let mut logs = parts.iter().filter_map(|part| serde_json::from_str::<Value>(&part.text).ok());
    let Some(mut log) = logs.next() else { return String::new() };
    let mut known = BTreeSet::new();
    let mut results = Vec::new();
    let first = log["runs"][0]["results"].take();
    for more in std::iter::once(first).chain(logs.map(|mut other| other["runs"][0]["results"].take())) {
        let Value::Array(more) = more else { continue };
        results.extend(more.into_iter().filter(|result| known.insert(result["partialFingerprints"].to_string())));
    }
    log["runs"][0]["results"] = Value::Array(results);
    serde_json::to_string_pretty(&log).map_or_else(|_| String::new(), |text| text + "\n")
}

/// One page for a browser, with every finding once.
fn html(parts: &[Part]) -> String {
    let pages = parts.iter().filter_map(|part| {
        let mut page: fencepost_report::html::Part = serde_json::from_str(&part.text).ok()?;
        page.figures.iter_mut().for_each(|figures| *figures = format!("{}: {figures}", part.name()));
        Some(page)
    });
    log::page(&pages.collect::<Vec<_>>())
}

/// A test suite for each program: that it ran to its end, and one case for each finding. A test that
/// was explored is one case.
fn junit(parts: &[Part]) -> String {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"fencepost\">\n");
    for suite in parts.chunk_by(|one, other| one.name() == other.name()) {
        let name = escaped(suite[0].name());
        let cases: Vec<Case> = suite.iter().flat_map(Case::of).collect();
        let count = |is: fn(&Result) -> bool| cases.iter().filter(|case| is(&case.result)).count();
        let (tests, failed) = (cases.len(), count(|result| matches!(result, Result::Failed { .. })));
        let skipped = count(|result| matches!(result, Result::Skipped(_)));
        let _ = writeln!(
            text,
            "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\" skipped=\"{skipped}\">"
        );
        for Case { name: case, result } in &cases {
            let case = escaped(case);
            let start = format!("    <testcase classname=\"{name}\" name=\"{case}\"");
            let _ = match result {
                Result::Passed => writeln!(text, "{start}/>"),
                Result::Skipped(why) => {
                    writeln!(text, "{start}><skipped message=\"{}\"/></testcase>", escaped(why))
                }
                Result::Failed { kind, message, more } => {
                    let more = more.iter().flat_map(|more| more.lines()).map(escaped).collect::<Vec<_>>().join("&#10;");
                    let (kind, message) = (escaped(kind), escaped(message));
                    writeln!(text, "{start}><failure type=\"{kind}\" message=\"{message}\">{more}</failure></testcase>")
                }
            };
        }
        text.push_str("  </testsuite>\n");
    }
    text + "</testsuites>\n"
}

/// A case of a test suite.
struct Case {
    name: String,
    result: Result,
}

enum Result {
    Passed,
    /// It is not known, and why.
    Skipped(String),
    Failed {
        kind: String,
        message: String,
        more: Option<String>,
    },
}

impl Case {
    fn of(part: &Part) -> Vec<Case> {
        if let (Some(test), Some(verdict)) = (part.test(), part.verdict()) {
            let result = match verdict {
                "bug" => Result::Failed { kind: "bug".into(), message: part.why(), more: Some(part.details()) },
                _ if part.is("undecided") => Result::Skipped(part.why()),
                _ => Result::Passed,
            };
            return vec![Case { name: test.to_string(), result }];
        }
        let end = match part.number("ended") {
            0 => Result::Passed,
            code => Result::Failed { kind: "exit".into(), message: format!("exit code {code}"), more: None },
        };
        let findings = part.findings.iter().map(|finding| {
            let kind = finding["rule"].as_str().unwrap_or("finding").to_string();
            let test = finding["test"].as_str().map_or(String::new(), |test| format!(" in {test}"));
            let message = finding["message"].as_str().unwrap_or_default().to_string();
            let name = format!("{kind}{}{test}", place(finding));
            Case { name, result: Result::Failed { kind, message, more: Some(told(finding)) } }
        });
        std::iter::once(Case { name: "ends well".into(), result: end }).chain(findings).collect()
    }
}

impl Part {
    /// All findings.
    fn details(&self) -> String {
        self.findings.iter().map(told).collect::<Vec<_>>().join("\n")
    }
}

fn place(finding: &Value) -> String {
    match (finding["access"]["file"].as_str(), finding["access"]["line"].as_u64()) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        _ => String::new(),
    }
}

/// A finding in words.
fn told(finding: &Value) -> String {
    let message = finding["message"].as_str().unwrap_or_default();
    let again = finding["reproduce"].as_str().unwrap_or_default();
    format!("{message}{}\nReproduce: {again}", place(finding))
}

/// As XML wants it.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\n' | '\t' => safe.push(' '),
            // There is no way to write them.
            c if c.is_control() => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn part(text: &str, findings: Vec<Value>) -> Part {
        let end = json!({"program": "queue: <stress>", "ended": 0, "found": true, "reports": 1, "runs": 3});
        Part { end, findings, text: text.into() }
    }

    #[test]
    fn results_are_told_once() {
        let log = |print: &str| format!(r#"{{"runs":[{{"results":[{{"partialFingerprints":{{"a":"{print}"}}}}]}}]}}"#);
        let merged = sarif(&[part(&log("1"), vec![]), part(&log("2"), vec![]), part(&log("1"), vec![])]);
        let merged: Value = serde_json::from_str(&merged).expect("well-formed");
        assert_eq!(merged["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn names_are_safe_in_xml() {
        let finding = json!({"rule": "race", "message": "a & b", "access": {"file": "a.rs", "line": 3}});
        let text = junit(&[part("", vec![finding])]);
        assert!(text.contains("queue: &lt;stress&gt;") && text.contains("a &amp; b at a.rs:3"), "{text}");
        assert!(text.contains("tests=\"2\" failures=\"1\""), "{text}");
    }

    #[test]
    fn lines_name_their_program() {
        assert_eq!(json(&[part("{\"a\":1}\n", vec![])]), "{\"a\":1,\"program\":\"queue: <stress>\"}\n");
    }
}
