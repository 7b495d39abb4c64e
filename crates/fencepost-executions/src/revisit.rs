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

use fencepost_model::Model;

use crate::execution::{Event, Execution, Id, Reading, Set, What};

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
        let mut revisited = execution.without(is_gone);
        let value = revisited.event(write).value;
        let event = revisited.event_mut(read.id);
        if let What::Read { source, reading } = &mut event.what {
            *source = Some(write);
            event.value = value;
            event.fences.clear();
            event.is_blocked = value.is_some_and(|value| matches!(*reading, Reading::Await(wanted) if wanted != value));
        }
        if part.is_some() {
            if revisited.is_permitted(model) {
                tasks.push(revisited);
            }
            continue;
        }
        let others = revisited.writes(object).iter().copied().filter(|&other| other != write);
        let places: Vec<Option<Id>> = std::iter::once(None).chain(others.map(Some)).collect();
        for after in places {
            let mut placed = revisited.clone();
            placed.move_write(write, after);
            if placed.is_permitted(model) {
                tasks.push(placed);
            }
        }
    }
}

/// Was the event added in the one way that counts, given what was there before and what is kept for
/// `write`?
fn is_maximally_added(execution: &Execution, event: &Event, write: Id, kept: &Set) -> bool {
    let is_previous = |id: Id| id != write && (id <= event.id || kept.has(id));
    let is_last = |at: Option<Id>| {
        let writes = execution.writes(event.object);
        let from = at.map_or(0, |at| 1 + writes.iter().position(|&write| write == at).expect("a write there"));
        writes[from..].iter().all(|&later| !is_previous(later))
    };
    match event.what {
        What::Read { source, .. } => source.is_none_or(is_previous) && is_last(source),
        What::Write { .. } => {
            let is_read = |other: &Event| is_previous(other.id) && other.source() == Some(event.id);
            !execution.events().iter().any(is_read) && is_last(Some(event.id))
        }
        What::Choice { choice } => choice == 0,
        What::Spawn | What::Begin { .. } | What::Join { .. } => true,
    }
}
