//! Every execution of a test.

use super::{Judge, Mutant};

const REVISIT: &str = "crates/fencepost-executions/src/revisit.rs";
const GROW: &str = "crates/fencepost-executions/src/grow.rs";
const EXECUTION: &str = "crates/fencepost-executions/src/execution.rs";

/// Executions are missed, or met twice.
const GENERATED: Judge = &["-p", "fencepost-executions"];

const fn mutant(name: &'static str, file: &'static str, from: &'static str, to: &'static str) -> Mutant {
    Mutant { name, file, from, to, judges: &[GENERATED] }
}

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "executions: a write that was read is taken back",
        REVISIT,
        "!execution.events().iter().any(is_read) && last() == Some(event.id)",
        "last() == Some(event.id)",
    ),
    mutant(
        "executions: any choice counts as the first one",
        REVISIT,
        "What::Choice { choice } => choice == 0,",
        "What::Choice { .. } => true,",
    ),
    mutant(
        "executions: who waits in vain is never revisited",
        REVISIT,
        "(true, None) => waits,",
        "(true, None) => false,",
    ),
    mutant(
        "executions: who waits is not revisited in vain",
        REVISIT,
        "let is_of_interest = !waits || placed.last_write(object) == Some(write);",
        "let is_of_interest = !waits;",
    ),
    mutant(
        "executions: a revisit takes back what its write depends on",
        REVISIT,
        "event.id > read.id && event.id != write && !before.has(event.id)",
        "event.id > read.id && event.id != write && (event.is_write() || !before.has(event.id))",
    ),
    mutant(
        "executions: an update is not read by the one that was there first",
        GROW,
        "return revisits(self.model, &whole, part, &mut self.tasks);",
        "return;",
    ),
    mutant(
        "executions: a write is always last",
        GROW,
        "for after in self.execution.sources(step.object).into_iter().filter(|&after| after != last) {",
        "for after in self.execution.sources(step.object).into_iter().filter(|_| false) {",
    ),
    mutant(
        "executions: who waits in vain has not found it earlier",
        GROW,
        "self.execution.add(Event { is_blocked: true, ..event(step, what, None, Vec::new()) });",
        "self.tasks.clear();",
    ),
    mutant(
        "executions: a compare-and-swap that fails has the order of one that succeeds",
        EXECUTION,
        "if found.is_some_and(|found| found != expected) { failure } else { event.order }",
        "if found.is_some_and(|found| found != expected) && failure == event.order { failure } else { event.order }",
    ),
];
