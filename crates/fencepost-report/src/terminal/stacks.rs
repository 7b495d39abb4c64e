//! A finding in a compiled program, in the layout that log scrapers know from the thread sanitizer.

use std::fmt::Write as _;

use fencepost_finding::{
    Access, Advice, Consequence, Creation, Finding, Frame, Link, LinkEnd, LinkKind, Memory, Observed, Operation,
    Reproduce, Rule, Thread, Trials, value_text,
};

use super::{Look, Paint};
use crate::shapes;

const RULE: &str = "==================\n";

pub(super) fn finding(finding: &Finding, observed: &Observed, look: &Look) -> String {
    let (Some(Access::Operation(access)), Some(Access::Operation(other))) = (&finding.access, &finding.conflicting)
    else {
        return waits(finding, observed);
    };
    let paint = Paint(look.color);
    let is_race = finding.kind.rule() == Rule::Race;
    let mut text = String::from(RULE);
    let headline = format!("WARNING: fencepost: {} (pid={})", finding.title, observed.pid);
    let _ = writeln!(text, "{}", paint.bad(&headline));
    match is_race {
        true => race(access, other, look, &mut text),
        false => robustness(access, other, observed, look, &mut text),
    }
    memory(&observed.memory, look, &mut text);
    for creation in &observed.threads {
        created(creation, look, &mut text);
    }
    match is_race {
        true => unsynchronised(access, other, observed, &mut text),
        false => missing(finding, access, other, observed, &mut text),
    }
    if let Some(advice) = &observed.advice {
        suggestion(advice, if is_race { "race" } else { "violation" }, paint, &mut text);
    }
    if let Some(follows) = &observed.follows {
        let _ = writeln!(text, "  {follows}\n");
    }
    if let Some(trials) = &observed.trials {
        consequence(trials, &observed.reproduce, look, &mut text);
    }
    if let Some(test) = &observed.test {
        let _ = writeln!(text, "  Test: {test}");
    }
    let unrepeatable = match observed.reproduce.exact {
        true => "",
        false => "the schedule was the operating system's and cannot be repeated; one that can may be found by\n    ",
    };
    let _ = writeln!(text, "  Reproduce: {unrepeatable}{}", observed.reproduce.command);
    if let Some(picture) = &observed.picture {
        let _ = writeln!(text, "  Picture: {picture}");
    }
    text.push('\n');
    let place = access.blamed().map_or_else(|| format!("{:#x}", access.address), Frame::summary);
    let _ = writeln!(text, "{}", paint.strong(&format!("SUMMARY: fencepost: {} {place}", finding.title)));
    text + RULE
}

/// Who waits for what, and how to see it again.
fn waits(finding: &Finding, observed: &Observed) -> String {
    let mut text = format!("fencepost: {}\n", finding.title);
    for waiting in &observed.waiting {
        let _ = writeln!(text, "  {waiting}");
    }
    let _ = writeln!(text, "  Reproduce: {}", observed.reproduce.command);
    text
}

/// Where a thread comes from. How the test library starts a test is of no interest.
fn created(creation: &Creation, look: &Look, text: &mut String) {
    let (thread, parent) = (capitalised(&creation.thread), &creation.parent);
    if !look.in_full && creation.stack.iter().any(Frame::is_test_library) {
        let _ = writeln!(text, "  {thread} runs a test: created by {parent} in Rust's test library\n");
        return;
    }
    let _ = writeln!(text, "  {thread} created by {parent} at:");
    stack(&creation.stack, look, text);
}

fn robustness(access: &Operation, missed: &Operation, observed: &Observed, look: &Look, text: &mut String) {
    let expected = match (access.op.as_str(), access.expected) {
        (_, None) => String::new(),
        ("wait", Some(value)) => format!(" for value {}", value_text(value)),
        (_, Some(value)) => format!(" from value {}", value_text(value)),
    };
    let title = format!("  {}{expected} of size {} at {:#x}", access.title(), access.size, access.address);
    let _ = writeln!(text, "{} by {}:", Paint(look.color).strong(&title), by(access));
    stack(&access.stack, look, text);
    let verb = if access.writes_only() { "may come, in modification order, before" } else { "may miss" };
    let _ = writeln!(text, "  {verb} this write:");
    write(missed, look, text);
    let instead = if access.writes_only() { "and right after:" } else { "and use instead:" };
    let _ = writeln!(text, "  {instead}");
    for stale in &observed.stale {
        write(stale, look, text);
    }
    if observed.cut {
        text.push_str("  and maybe older ones, which the bounded history has forgotten (--history keeps more)\n\n");
    }
}

fn write(write: &Operation, look: &Look, text: &mut String) {
    let value = write.value.map_or(String::new(), value_text);
    match &write.thread {
        None => {
            let _ = writeln!(text, "  Initial value {value}");
        }
        Some(thread) => {
            let _ = writeln!(text, "  {} of value {value} by {thread}:", write.title());
        }
    }
    stack(&write.stack, look, text);
}

fn race(access: &Operation, other: &Operation, look: &Look, text: &mut String) {
    let _ = writeln!(text, "  {} of size {} at {:#x} by {}:", access.title(), access.size, access.address, by(access));
    stack(&access.stack, look, text);
    let title = other.title();
    let title = format!("{}{}", title.get(..1).unwrap_or_default().to_lowercase(), title.get(1..).unwrap_or_default());
    let _ = writeln!(text, "  Previous {title} of size {} at {:#x} by {}:", other.size, other.address, by(other));
    stack(&other.stack, look, text);
}

fn memory(memory: &Memory, look: &Look, text: &mut String) {
    let _ = match memory {
        Memory::Global { name, size, address, module } => {
            let module = Frame::bare(module, 0).module_place();
            let module = module.trim_end_matches("+0x0");
            writeln!(text, "  Location is global '{name}' of size {size} at {address:#x} ({module})\n")
        }
        Memory::Heap { size, address, thread, stack: frames } => {
            let by = thread.as_ref().map_or(String::new(), |thread| format!(" allocated by {thread}"));
            let _ = writeln!(text, "  Location is heap block of size {size} at {address:#x}{by}:");
            stack(frames, look, text);
            Ok(())
        }
        Memory::Stack(thread) => writeln!(text, "  Location is stack of {thread}\n"),
        Memory::Unknown => Ok(()),
    };
}

/// Why the accesses of a race are not ordered, as far as that is known.
fn unsynchronised(access: &Operation, other: &Operation, observed: &Observed, text: &mut String) {
    if observed.links.is_empty() && !observed.unguarded {
        return;
    }
    let variable = observed.memory.place_of(access.address).name.map_or(String::new(), |name| format!(" of '{name}'"));
    let _ = writeln!(
        text,
        "  Missing: happens-before from the {}{variable}{} by {} to this {} by {}.",
        other.name(),
        at(other),
        by(other),
        access.name(),
        by(access),
    );
    if observed.unguarded {
        text.push_str(
            "    Nothing in the recorded run leads from the one to the other: a lock is missing, or an atomic variable.\n",
        );
    }
    for Link { from, to, .. } in &observed.links {
        let (from, to) = (end(from), end(to));
        let _ = writeln!(
            text,
            "    In the recorded run the one comes before the other by the {from},\n      and the {to}, which reads from it: \
             they do not synchronise."
        );
    }
    text.push('\n');
}

/// ` at file:line:column`, if it is known.
fn at(operation: &Operation) -> String {
    operation.blamed().and_then(Frame::place).map_or(String::new(), |place| format!(" at {place}"))
}

fn missing(finding: &Finding, access: &Operation, missed: &Operation, observed: &Observed, text: &mut String) {
    let by_missed = missed.thread.as_ref().map_or(String::new(), |thread| format!(" by {thread}"));
    let _ = writeln!(
        text,
        "  Missing: happens-before from the {}{}{by_missed} to this {}. Every SC order has the one before the other;\n    \
         nothing that {} has synchronised with says so.",
        missed.name(),
        at(missed),
        access.name(),
        by(access),
    );
    for link in &observed.links {
        let why = match link.kind {
            LinkKind::ReadsFrom => "which reads from it",
            LinkKind::Order => "which comes after it in modification order",
            LinkKind::FromRead => "which overwrites what it read",
        };
        let (from, to) = (end(&link.from), end(&link.to));
        let _ = writeln!(
            text,
            "    It is only before it because of the {from},\n      and the {to}, {why}: they do not synchronise."
        );
    }
    if let Some((name, shape)) = finding.shape.as_ref().and_then(|name| Some((name, shapes::explain(name)?))) {
        let _ = writeln!(text, "    This is the {} shape ({name}).", shape.title);
    }
    text.push('\n');
}

fn end(end: &LinkEnd) -> String {
    let place = end.place.place().unwrap_or_else(|| end.place.module_place());
    format!("{} at {place} by {}", end.in_words(), end.thread)
}

fn suggestion(advice: &Advice, what: &str, paint: Paint, text: &mut String) {
    let how = match advice.reevaluated {
        true => format!("the recorded run with this change has the {what} no more"),
        false => "a rule of thumb, not evaluated again on the recorded run".into(),
    };
    let _ = writeln!(text, "  {} ({how}):", paint.strong("Suggestion"));
    for edit in &advice.edits {
        let _ = writeln!(text, "    {}: {}", edit.place.summary(), edit.change);
    }
    text.push('\n');
}

/// What followed when it was provoked.
fn consequence(trials: &Trials, known: &Reproduce, look: &Look, text: &mut String) {
    let _ = writeln!(text, "  {}: {}", Paint(look.color).strong("Consequence"), trials.sentence());
    match &trials.consequence {
        Some(Consequence { thread, stack: frames, reproduce, .. }) => {
            let by = thread.as_ref().map_or(String::new(), |thread| format!(" by {thread}"));
            if !frames.is_empty() {
                let _ = writeln!(text, "  Where{by}:");
                stack(frames, look, text);
            }
            if reproduce != known {
                let _ = writeln!(text, "  Reproduce that: {}\n", reproduce.command);
            }
        }
        None => text.push('\n'),
    }
}

/// A finding of which nothing follows, in a line.
pub(super) fn line(finding: &Finding, observed: &Observed) -> String {
    let place = match &finding.access {
        Some(Access::Operation(access)) => access.blamed().map_or_else(String::new, |frame| frame.summary() + ": "),
        _ => String::new(),
    };
    let tried = observed.trials.as_ref().map_or(String::new(), |trials| format!(" {}", trials.sentence()));
    format!("  {place}{}{tried}\n", finding.message)
}

fn stack(frames: &[Frame], look: &Look, text: &mut String) {
    let shown = if look.in_full { frames.iter().enumerate().collect() } else { Frame::helpful(frames) };
    for (number, frame) in shown {
        let _ = writeln!(text, "    #{number} {frame}");
    }
    text.push('\n');
}

fn by(operation: &Operation) -> String {
    operation.thread.as_ref().map_or("nobody".into(), Thread::to_string)
}

fn capitalised(thread: &Thread) -> String {
    let mut words = thread.to_string();
    words[..1].make_ascii_uppercase();
    words
}
