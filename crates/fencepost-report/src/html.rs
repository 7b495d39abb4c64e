//! Findings as a page for a browser: one file that needs no other, works from disk and asks for
//! nothing from the network.
//!
//! The page has two halves. What is there without a script is written here: the verdicts, and of
//! every finding what it is and where. The rest is data, which `assets/finding.js` shows when a
//! finding is opened: the source with both accesses, the run step by step, the execution as a
//! graph, the repair. So a page with many findings opens at once. [`view()`] is that data of one
//! finding, for others who use the script.
//!
//! What a program or a file says is never markup. In the first half it is escaped, in the second it
//! is data, of which the script makes text. The policy of the page permits its own scripts and
//! styles, by their hashes, and nothing else. A page has no dates and no times: the same findings
//! give the same bytes.

mod answer;
mod escape;
mod page;
mod run;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use fencepost_finding::{Access, Evidence, Finding, Rule, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use answer::Answer;
pub use page::page;

use crate::sarif::Notice;
use view::Category;

/// The script that shows a finding. What it expects and offers is told in its first lines.
pub const FINDING_SCRIPT: &str = include_str!("../assets/finding.js");
/// The styles that belong to it.
pub const FINDING_STYLE: &str = include_str!("../assets/finding.css");

/// Of a file that is longer than so many bytes, only what is near something of interest is shown.
const LONG_FILE: usize = 1 << 18;
/// Lines that are shown before and after that.
const NEAR: usize = 40;

/// What a page is about: all that a command has to say, or that there is to say of one of several
/// programs that it has watched. It can be written down, and read back by the process that makes the page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Part {
    /// What was asked and answered.
    pub answers: Vec<Answer>,
    /// What was found, in any order.
    findings: Vec<Entry>,
    /// What could not be decided or read.
    notices: Vec<(String, String)>,
    /// By file.
    sources: BTreeMap<String, Text>,
    /// Other remarks: sentences.
    pub figures: Vec<String>,
}

/// The text of a file, or stretches of its lines, each with the number of its first line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Whole(String),
    Stretches(Vec<(usize, String)>),
}

/// A finding, and what the index says of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Entry {
    category: Category,
    identity: String,
    /// What it has in common with findings of the same thing under other models.
    subject: String,
    title: String,
    place: String,
    message: String,
    models: Vec<String>,
    is_expected: bool,
    view: Value,
}

/// Where a page comes from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The version of the tool.
    pub version: &'a str,
    /// What was typed.
    pub command: &'a str,
}

/// What `assets/finding.js` shows of a finding, as JSON.
pub fn view(finding: &Finding) -> String {
    value(finding).to_string()
}

fn value(finding: &Finding) -> Value {
    // Structs of strings and numbers: nothing in them can fail to serialise.
    serde_json::to_value(view::of(finding)).expect("wire types serialise")
}

impl Part {
    /// Adds a finding, unless it is known.
    pub fn finding(&mut self, finding: &Finding) {
        if self.findings.iter().any(|known| known.identity == finding.identity) {
            return;
        }
        self.findings.push(Entry {
            category: Category::of(finding),
            identity: finding.identity.clone(),
            subject: subject(finding),
            title: title(finding),
            place: place(finding),
            message: finding.message.clone(),
            models: vec![finding.model.into()],
            is_expected: finding.expected.is_some(),
            view: value(finding),
        });
    }

    /// Adds something to say about the tool's own work.
    pub fn notice(&mut self, notice: &Notice) {
        let severity = match notice.severity {
            Severity::Error => "error",
            Severity::Warning | Severity::Note => "warning",
        };
        self.notices.push((format!("{severity}: {}", notice.file), notice.text.clone()));
    }

    /// The files that the findings are about.
    pub fn files(&self) -> BTreeSet<String> {
        self.lines().into_keys().collect()
    }

    /// Adds the text of one of these files.
    pub fn source(&mut self, file: &str, text: &str) {
        let Some(lines) = self.lines().remove(file) else { return };
        let text = match text.len() {
            0..=LONG_FILE => Text::Whole(text.to_string()),
            _ => Text::Stretches(near(text, &lines)),
        };
        self.sources.insert(file.to_string(), text);
    }

    /// The lines of each file that the findings are about.
    fn lines(&self) -> BTreeMap<String, BTreeSet<usize>> {
        let mut lines: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
        for entry in &self.findings {
            let own = entry.view["file"].as_str();
            if let Some(file) = own {
                lines.entry(file.into()).or_default();
            }
            let edits = entry.view["advice"]["edits"].as_array();
            for at in [entry.view["accesses"].as_array(), edits].into_iter().flatten().flatten() {
                if let (Some(file), Some(line)) = (at["file"].as_str().or(own), at["line"].as_u64()) {
                    lines.entry(file.into()).or_default().insert(usize::try_from(line).unwrap_or(usize::MAX));
                }
            }
        }
        lines
    }
}

/// The stretches of a text that are near some of its lines.
fn near(text: &str, lines: &BTreeSet<usize>) -> Vec<(usize, String)> {
    let mut parts: Vec<(usize, String)> = Vec::new();
    let mut last = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        if lines.range(number.saturating_sub(NEAR)..=number.saturating_add(NEAR)).next().is_none() {
            continue;
        }
        match parts.last_mut() {
            Some((_, part)) if last + 1 == number => part.push_str(line),
            _ => parts.push((number, line.into())),
        }
        last = number;
    }
    parts
}

/// What tells it apart from others: titles of what was seen in runs are all alike.
fn title(finding: &Finding) -> String {
    match (&finding.evidence, &finding.access) {
        (Evidence::Observed(_), Some(_)) => finding.message.trim_end_matches('.').to_string(),
        _ => finding.title.clone(),
    }
}

/// `queue.c:12:5`
fn place(finding: &Finding) -> String {
    match (&finding.access, &finding.file) {
        (Some(Access::Statement(statement)), Some(file)) => format!("{file}:{}", statement.start.line),
        (Some(Access::Operation(operation)), _) => operation.blamed().map_or(String::new(), |frame| frame.summary()),
        (_, file) => file.clone().unwrap_or_default(),
    }
}

/// What is found in a program that is checked as text is found under several models. With store
/// buffers there is more to show, and it is told apart.
fn subject(finding: &Finding) -> String {
    let Evidence::Replayed(replayed) = &finding.evidence else { return finding.identity.clone() };
    let side = |access: &Option<Access>| match access {
        Some(Access::Statement(it)) => format!("{} {} {}", it.thread, it.span.start, it.span.end),
        _ => String::new(),
    };
    let file = finding.file.as_deref().unwrap_or_default();
    let kind = match finding.kind.rule() {
        Rule::Condition => format!("{} {}", finding.kind.as_str(), finding.model),
        _ => finding.kind.as_str().into(),
    };
    let sides = [side(&finding.access), side(&finding.conflicting)];
    format!("{file} {kind} {sides:?} {} {}", replayed.delay.is_some(), Category::of(finding).as_str())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::near;

    #[test]
    fn of_long_files_only_stretches_are_kept() {
        let text: String = (1..=1000).map(|line| format!("line {line}\n")).collect();
        let parts = near(&text, &BTreeSet::from([1, 60, 500, 1000, usize::MAX]));
        let ends = parts.iter().map(|(first, part)| (*first, first + part.lines().count() - 1));
        assert_eq!(ends.collect::<Vec<_>>(), [(1, 100), (460, 540), (960, 1000)]);
    }
}
