//! The figures of a series of runs for scripts: one JSON object in a line.
//!
//! The types are the wire format (`fencepost/1`): fields may be added, these stay.

use serde::Serialize;

use crate::exploration::Exploration;
use crate::reporter::Totals;
use crate::shard::Record;
use crate::text::Ranks;

pub(crate) const SCHEMA: &str = "fencepost/1";

#[derive(Serialize)]
struct SummaryLine<'a> {
    schema: &'static str,
    summary: Summary<'a>,
}

/// Reports of each rank.
#[derive(Serialize)]
struct RankCounts {
    race: u64,
    failure: u64,
    passed_on: u64,
    harmless: u64,
    /// It is not known what follows.
    unknown: u64,
}

#[derive(Serialize)]
struct Summary<'a> {
    runs: u64,
    /// Runs in which an access was to use an overwritten value, and those they were compared with.
    provoked: u64,
    reports: u64,
    ranks: RankCounts,
    duplicates: u64,
    suppressed: u64,
    /// Left out, because they are a library's own affair.
    #[serde(skip_serializing_if = "is_zero")]
    own: u64,
    deadlocks: u64,
    seeds: &'a [u64],
    accesses: u64,
    fences: u64,
    locations: u64,
    cut: u64,
    out_of_sight: u64,
    threads: u64,
    switches: u64,
    steps: u64,
    mixed_size: u64,
    malformed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    exploration: Option<Explored<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<&'a Record>,
}

/// What is said of every schedule of a test.
#[derive(Serialize)]
struct Explored<'a> {
    verdict: &'a str,
    executions: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    not_sc: Option<u64>,
    blocked: u64,
    redundant: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    preemptions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_stale_step: Option<u64>,
    seconds: f64,
    starting: f64,
    why: &'a [String],
    bugs: Vec<BugLine<'a>>,
    /// Accesses that are not robust and were left out.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    /// The same of executions that are not SC, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    weak: Option<Box<Explored<'a>>>,
}

impl<'a> Explored<'a> {
    fn of(exploration: &'a Exploration) -> Explored<'a> {
        Explored {
            verdict: exploration.verdict,
            executions: exploration.executions,
            not_sc: exploration.not_sc,
            blocked: exploration.blocked,
            redundant: exploration.redundant,
            preemptions: exploration.preemptions,
            one_stale_step: exploration.one_stale_step,
            seconds: exploration.seconds,
            starting: exploration.starting,
            why: &exploration.why,
            bugs: exploration.bugs.iter().map(|(bug, decisions)| BugLine { bug, decisions }).collect(),
            left_out: exploration.left_out,
            weak: exploration.beyond.as_deref().map(|beyond| Box::new(Explored::of(beyond))),
        }
    }
}

/// Something that is wrong, and a schedule that shows it.
#[derive(Serialize)]
struct BugLine<'a> {
    bug: &'a str,
    decisions: &'a str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The figures, as a line; with all that others need to know who join the parts of a series.
pub fn summary(totals: &Totals, ranks: &Ranks, exploration: Option<&Exploration>, shard: Option<&Record>) -> String {
    let figures = &totals.figures;
    to_line(&SummaryLine {
        schema: SCHEMA,
        summary: Summary {
            runs: totals.runs,
            provoked: totals.provoked,
            reports: totals.reports,
            ranks: RankCounts {
                race: ranks.race,
                failure: ranks.failure,
                passed_on: ranks.passed_on,
                harmless: ranks.harmless,
                unknown: ranks.unknown,
            },
            duplicates: totals.duplicates,
            suppressed: totals.suppressed,
            own: totals.own,
            deadlocks: totals.deadlocks,
            seeds: &totals.seeds,
            accesses: figures.accesses,
            fences: figures.fences,
            locations: figures.locations,
            cut: figures.cut,
            out_of_sight: figures.out_of_sight,
            threads: figures.threads,
            switches: figures.switches,
            steps: figures.steps,
            mixed_size: figures.mixed_size,
            malformed: totals.malformed,
            exploration: exploration.map(Explored::of),
            shard,
        },
    })
}

fn to_line(value: &impl Serialize) -> String {
    // Numbers, strings and lists of them can always be written.
    serde_json::to_string(value).expect("wire types are serialisable") + "\n"
}
