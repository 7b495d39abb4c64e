//! The wire types, version `fencepost/1`.

use serde::Serialize;

use super::findings::{FindingReport, StatementReport};

/// The version every object carries.
pub const SCHEMA: &str = "fencepost/1";

/// What was decided about one file.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file, as named by the user.
    pub file: String,
    /// The program's name.
    pub program: String,
    /// The question.
    pub property: &'static str,
    /// The memory model.
    pub model: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// Why it is unknown: `max-states`, `memory`, `timeout`, `interrupted`, `too-large`, `bound`,
    /// `unsupported`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What the file expects, if it says anything about the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expectation: Option<ExpectationReport>,
    /// The evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<FindingReport<'a>>,
    /// What fails even under SC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sc_failure: Option<FindingReport<'a>>,
    /// What goes wrong because the program is not robust.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consequences: Option<&'a ConsequencesReport<'a>>,
    /// Reads that may be stale, for observational robustness.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub speculative: Vec<StatementReport<'a>>,
    /// Of a program with threads of any number of copies: how many the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<CopiesReport>,
    /// The cost.
    pub stats: Figures,
}

/// How many copies of threads an answer is about, where there can be any number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CopiesReport {
    /// The answer holds for every number of copies; so it is known: `forward`, `backward`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every: Option<&'static str>,
    /// `forward`: so many copies were looked at at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_a_time: Option<u32>,
    /// What was found was found with so many copies of each such thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u32>,
}

/// What goes wrong because a program is not robust.
#[derive(Serialize)]
pub(super) struct ConsequencesReport<'a> {
    /// The worst of it: `race`, `failure`, `unknown`, `harmless`, `nothing-to-check`.
    pub rank: &'static str,
    /// The executions that were looked at have no more stale steps than that; absent if they are
    /// all that the model permits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale_steps: Option<u32>,
    /// How it is known of all executions that nothing goes wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<&'static str>,
    /// Present and true if nothing depends on what is stale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observational: Option<bool>,
    /// Why not all of these executions were looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Races, then failures, but for those that are told elsewhere in this object.
    pub found: Vec<FindingReport<'a>>,
}

/// The answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds.
    Robust,
    /// It does not.
    Violation,
    /// It was not decided.
    Unknown,
}

/// What there is to say about a file that a limit kept from being read to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file, as named by the user.
    pub file: String,
    /// Nothing is known, whatever the question.
    pub verdict: Verdict,
    /// Why: `memory`, `timeout`, `interrupted`.
    pub reason: &'static str,
    /// The same in words.
    pub detail: String,
}

/// A file that was left out.
#[derive(Serialize)]
pub(super) struct Skipped<'a> {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file.
    pub file: &'a str,
    /// `skipped`
    pub verdict: &'static str,
    /// What kind of file it is: `AArch64`, `Linux-kernel C`, …
    pub reason: &'static str,
    /// The same in words.
    pub detail: String,
}

/// Whether the answer is what the comments of the file expect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExpectationReport {
    /// Is it? Absent if a limit ended the search first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub met: Option<bool>,
    /// What is different.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<String>,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    /// The thread, if the place is one thread's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The statement.
    pub text: String,
}

/// What it cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figures {
    /// Distinct states.
    pub states: u64,
    /// Steps between them.
    pub transitions: u64,
    /// Length of the longest shortest run.
    pub depth: u64,
    /// Milliseconds.
    pub time_ms: f64,
    /// Bytes used for states.
    pub peak_bytes: u64,
    /// Bits of one state.
    pub state_bits: u64,
    /// States found by a device, if it has found any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_device: Option<u64>,
}

/// What was found about edits of one file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edits {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file, as named by the user.
    pub file: String,
    /// The program's name.
    pub program: String,
    /// `repair`, `relax`.
    pub property: &'static str,
    /// The memory models, joined by commas.
    pub model: String,
    /// The memory models.
    pub models: Vec<&'static str>,
    /// The answer.
    pub verdict: EditsVerdict,
    /// Why it is unknown, or why alternatives may be missing: `max-states`, `memory`, `timeout`,
    /// `too-large`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The same in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The edits, in the order of the text.
    pub edits: Vec<EditReport>,
    /// What they cost together; negative if they save something.
    pub cost: i64,
    /// A unified diff; empty if there is nothing to edit.
    pub diff: String,
    /// Other repairs, by increasing cost.
    pub alternatives: Vec<Alternative>,
    /// Are there no more? None if that was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// What cannot be weakened (`relax`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptReport>,
    /// A violation that no edit removes, or that makes the program unfit to be relaxed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<BecauseReport>,
    /// Has the file been changed?
    pub written: bool,
    /// Programs that were checked.
    pub checks: u64,
    /// Milliseconds.
    pub time_ms: f64,
}

/// The answer to a question about edits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EditsVerdict {
    /// There is a repair.
    Repaired,
    /// The program is robust; for `relax`, nothing can be weakened.
    Unchanged,
    /// Something can be weakened.
    Relaxed,
    /// No repair among the candidates.
    Impossible,
    /// The program is not robust, so there is nothing to relax.
    NotRobust,
    /// It was not decided.
    Unknown,
}

/// One edit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EditReport {
    /// Line of the statement, or of what a new one goes before; from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// `fence`, `order`, `exchange`, `removal`.
    pub kind: &'static str,
    /// What is written there; empty for a removal.
    pub text: String,
    /// What it costs; negative if it saves something.
    pub cost: i64,
    /// The violation without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<BecauseReport>,
}

/// Another repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Alternative {
    /// What its edits cost together.
    pub cost: i64,
    /// The edits.
    pub edits: Vec<EditReport>,
    /// A unified diff.
    pub diff: String,
}

/// Something that cannot be weakened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeptReport {
    /// Where.
    #[serde(flatten)]
    pub access: Access,
    /// The violation when it is weakened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<BecauseReport>,
}

/// A violation of an edited program, in places of the unedited one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BecauseReport {
    /// The memory model that permits it.
    pub model: &'static str,
    /// `stale-read`, `stale-write`, `stale-rmw`, `tainted-use`, `data-race`.
    pub kind: &'static str,
    /// The thread that goes wrong.
    pub thread: String,
    /// The location.
    pub location: String,
    /// The access that goes wrong.
    pub access: Access,
    /// The access it should have come after.
    pub conflicting: Access,
    /// The litmus shape, if it has a name.
    pub shape: Option<String>,
    /// In words.
    pub message: String,
}

/// A file that could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Errors {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The file, as named by the user.
    pub file: String,
    /// `error`.
    pub verdict: &'static str,
    /// What is wrong with it.
    pub errors: Vec<Error>,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Error {
    /// `error`, `warning`.
    pub severity: &'static str,
    /// Line, from 1; none when the file could not be read at all.
    pub line: Option<usize>,
    /// Column in characters, from 1.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Vec<String>,
}
