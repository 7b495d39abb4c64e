//! What follows from the reports of a test: all executions in which one access uses an overwritten
//! write, and everything else is as under SC.
//!
//! The access is a step like any other, and the writes that it could use are ways that the step can
//! go ([`fencepost_protocol::exploration::stale`]). So the explorer of schedules takes them all, and
//! goes on from each with every schedule. Why nothing is missed: which writes an access can use is
//! a matter of the execution graph of the steps before. It does not change when a step is put before
//! or after the access that does not depend on it, because that step is last in the graph either
//! way, and what is last can be taken away from a consistent graph or be added to one. So exchanging
//! neighbouring steps that do not depend on each other leads to the same state, with these ways as
//! with others. That there is one such step only takes ways away from other threads, and never the
//! first way, which is the one under SC.
//!
//! The axioms judge each of these runs ([`fencepost_executions::judge`]): they know neither the
//! clocks nor the window that the access was found with.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_executions::{Judgement, Models};
use fencepost_protocol::exploration::{Decisions, Stale, Step, end};

use super::verdict::Bug;

/// What follows from one report.
#[derive(Debug, Default)]
pub(super) struct Follows {
    /// The executions, by their numbers, and whether something has failed.
    executions: BTreeMap<u128, bool>,
    /// What goes wrong, and how to see it.
    pub(super) bugs: BTreeMap<Bug, Decisions>,
    /// How to see an execution in which nothing does.
    harmless: Option<Decisions>,
}

/// What follows from all of them.
#[derive(Debug, Default)]
pub(super) struct AllFollows {
    /// By the numbers of the reports.
    pub(super) reports: BTreeMap<u64, Follows>,
    /// Runs that came to their end.
    pub(super) complete: u64,
    /// Runs in which nobody could go on, or an assumption did not hold.
    pub(super) blocked: u64,
    /// Runs that were like others.
    pub(super) redundant: u64,
}

/// A run with a step that has used an overwritten write.
pub(super) struct Strayed<'a> {
    pub(super) stale: Stale,
    pub(super) steps: &'a [Step],
    /// Why it came to its end: of [`end`].
    pub(super) why: u32,
    /// What went wrong in it, and after how many steps, if that is known.
    pub(super) bugs: &'a BTreeMap<Bug, u32>,
    /// How to make it again.
    pub(super) again: &'a Decisions,
}

impl Follows {
    /// Different executions, and those of them in which something fails.
    pub(super) fn counts(&self) -> (u64, u64) {
        let failing = self.executions.values().filter(|&&fails| fails).count();
        (self.executions.len() as u64, failing as u64)
    }

    /// The run that shows what follows: the worst that goes wrong, but for what goes wrong under SC,
    /// too; or nothing.
    pub(super) fn to_tell(&self, ordinary: &BTreeMap<Bug, Decisions>) -> Option<&Decisions> {
        let worst =
            self.bugs.iter().filter(|(bug, _)| !ordinary.contains_key(bug)).min_by_key(|(bug, _)| bug.badness());
        worst.map(|(_, decisions)| decisions).or(self.harmless.as_ref()).or(self.bugs.values().next())
    }
}

impl AllFollows {
    /// A run was made. False if the axioms do not permit it, or say that it is SC.
    pub(super) fn take_in(&mut self, models: Models, run: &Strayed<'_>) -> bool {
        let Strayed { stale, steps, why, bugs, again } = run;
        match why {
            why if why & end::REDUNDANT != 0 => self.redundant += 1,
            why if why & (end::STUCK | end::ASSUMED | end::LEFT) != 0 => self.blocked += 1,
            _ => self.complete += 1,
        }
        // Of a run that is undefined before the step, nothing is known after it.
        let is_before = |(bug, after): (&Bug, &u32)| matches!(bug, Bug::Race(_)) && *after < stale.step;
        if bugs.iter().any(is_before) {
            return true;
        }
        let is_permitted = match fencepost_executions::judge(models, steps, Some(*stale)) {
            Ok(judgement) => judgement == Judgement::Weak,
            // It cannot be judged: what it has done is not modelled there.
            Err(_) => true,
        };
        let follows = self.reports.entry(stale.key).or_default();
        if why & end::REDUNDANT == 0 {
            let fails = follows.executions.entry(fencepost_executions::number(steps, Some(*stale))).or_default();
            *fails |= !bugs.is_empty();
        }
        // A data race is undefined behaviour: nothing is known of what comes after it.
        let races = bugs.keys().any(|bug| matches!(bug, Bug::Race(_)));
        let counts = |bug: &&Bug| !races || matches!(bug, Bug::Race(_));
        for bug in bugs.keys().filter(counts) {
            follows.bugs.entry(*bug).or_insert_with(|| (*again).clone());
        }
        if bugs.is_empty() {
            follows.harmless.get_or_insert_with(|| (*again).clone());
        }
        is_permitted
    }

    /// What goes wrong after such a step only.
    pub(super) fn bugs(&self, ordinary: &BTreeMap<Bug, Decisions>) -> BTreeMap<Bug, Decisions> {
        let all = self.reports.values().flat_map(|follows| &follows.bugs);
        let news = all.filter(|(bug, _)| !ordinary.contains_key(bug));
        news.map(|(bug, decisions)| (*bug, decisions.clone())).collect()
    }

    /// The executions, for machines; none if there are no runs.
    pub(super) fn summary(&self) -> Option<u64> {
        (self.runs() > 0).then(|| self.executions())
    }

    /// What follows from so many reports, in a line; nothing if there are none.
    pub(super) fn text(&self, ordinary: &BTreeMap<Bug, Decisions>, is_exact: bool) -> String {
        if self.runs() == 0 {
            return String::new();
        }
        let worst = |follows: &Follows| {
            let news = follows.bugs.keys().filter(|bug| !ordinary.contains_key(bug));
            news.map(|bug| bug.badness()).min().map(|(badness, _)| badness)
        };
        let mut counts = [0; 3];
        for follows in self.reports.values() {
            counts[worst(follows).map_or(2, usize::from)] += 1;
        }
        let parts = ["a data race", "a failure", "nothing"].into_iter().zip(counts).filter(|(_, count)| *count > 0);
        let parts: Vec<String> = parts.map(|(what, count)| format!("{what} follows from {count}")).collect();
        let all = self.reports.len();
        let places = if all == 1 { "1 place that is".to_string() } else { format!("{all} places that are") };
        format!(
            "\nfencepost: {} with one stale step explored{}: of {places} not robust, {}",
            super::verdict::counted(self.executions(), "execution", "executions"),
            if is_exact { "" } else { ", not all of them" },
            parts.join(", ")
        )
    }

    /// Runs so far.
    pub(super) fn runs(&self) -> u64 {
        self.complete + self.blocked + self.redundant
    }

    /// Different executions of all reports.
    pub(super) fn executions(&self) -> u64 {
        let all: BTreeSet<u128> =
            self.reports.values().flat_map(|follows| follows.executions.keys().copied()).collect();
        all.len() as u64
    }
}
