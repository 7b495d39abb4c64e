//! Searches among executions.

use super::{Mutant, executions, stray, verify, views};

const EXECUTIONS: &str = "crates/fencepost-search/src/executions.rs";
const GRAPHS: &str = "crates/fencepost-search/src/graphs.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    verify("search: sc accesses are too early once and for all", GRAPHS, "if label.mode() != Mode::Sc {", "if true {"),
    executions(
        "executions: reads wait only for what they need",
        EXECUTIONS,
        "            || self.waiting(&node).alive(Some(thread))[thread.index()]\n",
        "",
    ),
    executions(
        "executions: nobody waits for ever who can go on",
        EXECUTIONS,
        "            || !self.can_take_last(&node, thread)?",
        "",
    ),
    executions(
        "executions: reads that have waited take what they could have had",
        EXECUTIONS,
        "is_some_and(|mark| w.0 < mark)",
        "is_some_and(|_| false)",
    ),
    executions(
        "executions: sc accesses are too early once and for all",
        EXECUTIONS,
        "if label.mode() != Mode::Sc {",
        "if true {",
    ),
    executions(
        "executions: two updates follow the same write",
        EXECUTIONS,
        "(label.is_write() && is_taken) || stale",
        "stale",
    ),
    executions(
        "executions: fences are ordered as they come",
        EXECUTIONS,
        "let hidden = self.hidden?;",
        "let hidden = self.hidden.filter(|_| false)?;",
    ),
    executions(
        "executions: choices lead to different executions",
        EXECUTIONS,
        "ends: has_choices.then(HashSet::new),",
        "ends: (has_choices && false).then(HashSet::new),",
    ),
    views(
        "views: messages are kept for who has yet to read",
        "let count = oldest.unwrap_or(last);",
        "let count = last;",
    ),
    views(
        "views: a message is kept open for who may write there",
        "written.map_or(last, |written| written - count)",
        "last",
    ),
    views(
        "views: messages that differ are not merged",
        "one.value == other.value && one.view == other.view",
        "one.value == other.value",
    ),
    stray(
        "stray: there is no limit to stale steps",
        "if stale && (node.stale == self.most || label.is_nonatomic()) {",
        "if stale && label.is_nonatomic() {",
    ),
    stray("stray: everything is permitted", "if stale && !self.model.permits(&after.graph) {", "if stale && false {"),
    stray(
        "stray: the number of stale steps is no matter",
        "node.graph.canonical(), node.stale)",
        "node.graph.canonical(), 0)",
    ),
];
