//! Which reads are to read a write that was added after them, and what is taken back then.
//!
//! Paper: POPL 2022, Algorithm 1, `Visit` for writes, and `IsMaximallyAdded`. A read can be
//! revisited if the write does not depend on it. What was added after the read is taken back, unless
//! the write depends on it. The same execution could be reached from many others that differ only in
//! what is taken back. So it is reached only from the one in which all of that, and the read itself,
//! was added maximally.
//!
//! Which values are written does not matter for consistency. So a write whose value no run has shown
//! yet revisits as well; the run that follows shows it.
//!
//! # Reads that wait
//!
//! A read that waits, and does not find what it waits for, blocks its thread. The axioms do not see
//! it. There are two kinds of such reads:
//!
//! - One for which nothing was there that it waits for when nobody else could go on. It has no
//!   source. It stands for all reads in vain, and is maximal as long as the last write is not what
//!   it waits for.
//! - One that had found what it waits for, and was revisited by a write that is not that. Its source
//!   is this write, and it is maximal as reads are. It is of interest only if the write is last in
//!   modification order: else a later one has revisited it, or the execution does not wait for ever.

use fencepost_model::Model;

use crate::execution::{Event, Execution, Id, Outcome, Set, Use, What};

/// Executions in which a read that was there reads this write.
pub(crate) fn revisits(model: &dyn Model, execution: &Execution, write: Id, tasks: &mut Vec<Execution>) {
    let before = execution.before(write);
    let object = execution.event(write).object;
    let part = execution.event(write).read_part();
    for read in execution.events() {
        if !read.is_read() || read.object != object || before.has(read.id) {
            continue;
        }
        let is_gone = |event: &Event| event.id > read.id && event.id != write && !before.has(event.id);
        let mut touched = execution.events().iter().filter(|event| is_gone(event) || event.id == read.id);
        if !touched.all(|event| is_maximally_added(execution, event, write, &before)) {
            continue;
        }
        let What::Read { reading, .. } = read.what else { continue };
        let value = execution.event(write).value;
        let waits = reading.outcome(value) == Outcome::Waits;
        let mut revisited = execution.without(is_gone);
        let event = revisited.event_mut(read.id);
        event.what = What::Read { source: Some(write), reading };
        (event.value, event.is_blocked) = (value.filter(|_| !waits), waits);
        event.uses = event.uses.map(|uses| Use { choice: None, ..uses });
        event.fences.clear();
        let places = match part {
            Some(part) => vec![revisited.event(part).source()],
            None => revisited.sources(object).into_iter().filter(|&after| after != Some(write)).collect(),
        };
        for after in places {
            let mut placed = revisited.clone();
            placed.move_write(write, after);
            // Who waits in vain is of interest only as long as that could be for ever.
            let is_of_interest = !waits || placed.last_write(object) == Some(write);
            if is_of_interest && placed.is_permitted(model) {
                tasks.push(placed);
            }
        }
    }
}

/// Was the event added in the one way that counts, given what was there before and what is kept for
/// `write`?
fn is_maximally_added(execution: &Execution, event: &Event, write: Id, kept: &Set) -> bool {
    let is_previous = |id: Id| id != write && (id <= event.id || kept.has(id));
    let last = || execution.writes(event.object).iter().rev().copied().find(|&id| is_previous(id));
    match event.what {
        What::Read { .. } if event.uses.and_then(|uses| uses.choice).is_some_and(|choice| choice > 0) => false,
        What::Read { source, reading } => {
            let last = last();
            let waits = reading.outcome(execution.value_of(event.object, last)) == Outcome::Waits;
            match (event.is_blocked, source) {
                (true, None) => waits,
                (true, _) => source == last,
                (false, _) => source == last && !waits,
            }
        }
        What::Write { .. } => {
            let is_read = |other: &Event| is_previous(other.id) && other.source() == Some(event.id);
            !execution.events().iter().any(is_read) && last() == Some(event.id)
        }
        What::Choice { choice } => choice == 0,
        What::Spawn | What::Begin { .. } | What::Wake { .. } | What::Join { .. } => true,
    }
}
