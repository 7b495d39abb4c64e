//! Reports for people, in the layout that log scrapers know from the thread sanitizer.

use std::fmt::Write as _;

use crate::report::{Advice, Deadlock, Kind, LinkEnd, LinkKind, Memory, Operation, Report, Thread, Window};
use crate::reporter::Totals;
use crate::suppress::Suppressions;
use crate::symbols::Frame;

const RULE: &str = "==================\n";

/// How it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// With colours.
    pub color: bool,
}

impl Look {
    fn headline(self, text: &str) -> String {
        if self.color { format!("\x1b[1;31m{text}\x1b[0m") } else { text.to_string() }
    }

    fn strong(self, text: &str) -> String {
        if self.color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_string() }
    }
}

/// One report.
pub fn report(report: &Report, look: Look) -> String {
    let mut text = String::from(RULE);
    let headline = format!("WARNING: fencepost: {} (pid={})", report.title(), report.pid);
    let _ = writeln!(text, "{}", look.headline(&headline));
    match &report.kind {
        Kind::Robustness(window) => robustness(report, window, look, &mut text),
        Kind::Race(other) => race(report, other, &mut text),
    }
    memory(&report.memory, &mut text);
    for creation in &report.threads {
        let _ = writeln!(text, "  {} created by {} at:", capitalised(&creation.thread), creation.parent);
        stack(&creation.stack, &mut text);
    }
    if let Kind::Robustness(window) = &report.kind {
        missing(report, window, &mut text);
        if let Some(advice) = &window.advice {
            suggestion(advice, look, &mut text);
        }
    }
    match report.reproduce.exact {
        true => {
            let _ = writeln!(text, "  Reproduce: {}\n", report.reproduce.command);
        }
        false => {
            let _ = writeln!(
                text,
                "  Reproduce: the schedule was the operating system's and cannot be repeated; one that can may be found by\n    {}\n",
                report.reproduce.command
            );
        }
    }
    let place = report.access.blamed().map_or_else(|| format!("{:#x}", report.access.address), Frame::summary);
    let _ = writeln!(text, "{}", look.strong(&format!("SUMMARY: fencepost: {} {place}", report.title())));
    text + RULE
}

fn robustness(report: &Report, window: &Window, look: Look, text: &mut String) {
    let access = &report.access;
    let expected = match (access.op.as_str(), access.expected) {
        (_, None) => String::new(),
        ("wait", Some(value)) => format!(" for value {}", number(value)),
        (_, Some(value)) => format!(" from value {}", number(value)),
    };
    let title = format!("  {}{expected} of size {} at {:#x}", access.title(), access.size, access.address);
    let _ = writeln!(text, "{} by {}:", look.strong(&title), by(access));
    stack(&access.stack, text);
    let verb = if access.writes_only() { "may come, in modification order, before" } else { "may miss" };
    let _ = writeln!(text, "  {verb} this write:");
    write(&window.missed, text);
    let instead = if access.writes_only() { "and right after:" } else { "and use instead:" };
    let _ = writeln!(text, "  {instead}");
    for stale in &window.stale {
        write(stale, text);
    }
    if window.cut {
        text.push_str("  and maybe older ones, which the bounded history has forgotten (--history keeps more)\n\n");
    }
}

fn write(write: &Operation, text: &mut String) {
    let value = write.value.map_or(String::new(), number);
    match &write.thread {
        None => {
            let _ = writeln!(text, "  Initial value {value}");
        }
        Some(thread) => {
            let _ = writeln!(text, "  {} of value {value} by {thread}:", write.title());
        }
    }
    stack(&write.stack, text);
}

fn race(report: &Report, other: &Operation, text: &mut String) {
    let access = &report.access;
    let _ = writeln!(text, "  {} of size {} at {:#x} by {}:", access.title(), access.size, access.address, by(access));
    stack(&access.stack, text);
    let title = other.title();
    let title = format!("{}{}", title.get(..1).unwrap_or_default().to_lowercase(), title.get(1..).unwrap_or_default());
    let _ = writeln!(text, "  Previous {title} of size {} at {:#x} by {}:", other.size, other.address, by(other));
    stack(&other.stack, text);
}

fn memory(memory: &Memory, text: &mut String) {
    let _ = match memory {
        Memory::Global { name, size, address, module } => {
            let module = Frame::bare(module, 0).module_place();
            let module = module.trim_end_matches("+0x0");
            writeln!(text, "  Location is global '{name}' of size {size} at {address:#x} ({module})\n")
        }
        Memory::Heap { size, address, thread, stack: frames } => {
            let by = thread.as_ref().map_or(String::new(), |thread| format!(" allocated by {thread}"));
            let _ = writeln!(text, "  Location is heap block of size {size} at {address:#x}{by}:");
            stack(frames, text);
            Ok(())
        }
        Memory::Stack(thread) => writeln!(text, "  Location is stack of {thread}\n"),
        Memory::Unknown => Ok(()),
    };
}

fn missing(report: &Report, window: &Window, text: &mut String) {
    let access = &report.access;
    let place = |operation: &Operation| match operation.blamed().and_then(Frame::place) {
        Some(place) => format!(" at {place}"),
        None => String::new(),
    };
    let missed = &window.missed;
    let by_missed = missed.thread.as_ref().map_or(String::new(), |thread| format!(" by {thread}"));
    let _ = writeln!(
        text,
        "  Missing: happens-before from the {}{}{by_missed} to this {}. Every SC order has the one before the other;\n    \
         nothing that {} has synchronised with says so.",
        missed.name(),
        place(missed),
        access.name(),
        by(access),
    );
    for link in &window.links {
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
    if let Some(shape) = window.shape(access) {
        let _ = writeln!(text, "    This is the {} shape ({}).", shape.name(), shape.code());
    }
    text.push('\n');
}

fn end(end: &LinkEnd) -> String {
    let place = end.place.place().unwrap_or_else(|| end.place.module_place());
    format!("{} at {place} by {}", end.what, end.thread)
}

fn suggestion(advice: &Advice, look: Look, text: &mut String) {
    let how = match advice.reevaluated {
        true => "the recorded run with this change has the violation no more",
        false => "a rule of thumb, not evaluated again on the recorded run",
    };
    let _ = writeln!(text, "  {} ({how}):", look.strong("Suggestion"));
    for edit in &advice.edits {
        let _ = writeln!(text, "    {}: {}", edit.place.summary(), edit.change);
    }
    text.push('\n');
}

fn stack(frames: &[Frame], text: &mut String) {
    for (number, frame) in frames.iter().enumerate() {
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

/// Addresses and the like are easier to recognise in hexadecimal.
fn number(value: u64) -> String {
    if value < 0x1_0000 { value.to_string() } else { format!("{value:#x}") }
}

/// Who waits for what, and how to see it again.
pub fn deadlock(deadlock: &Deadlock) -> String {
    let mut text = String::from("fencepost: deadlock: all threads wait, and none of them can go on\n");
    for waiting in &deadlock.waiting {
        let _ = writeln!(text, "  {waiting}");
    }
    let _ = writeln!(text, "  Reproduce: {}", deadlock.reproduce.command);
    text
}

/// Figures at the end.
pub fn summary(totals: &Totals) -> String {
    let figures = &totals.figures;
    let mut parts = vec![
        counted(figures.accesses, "atomic access", "atomic accesses") + " checked",
        counted(figures.locations, "atomic location", "atomic locations"),
        counted(figures.threads, "thread", "threads"),
    ];
    for (count, one, many) in [
        (figures.fences, "fence", "fences"),
        (figures.cut, "window cut by the bounded history", "windows cut by the bounded history"),
        (figures.out_of_sight, "write out of sight", "writes out of sight"),
        (figures.mixed_size, "access of mixed size", "accesses of mixed size"),
        (totals.suppressed, "report suppressed", "reports suppressed"),
        (totals.deadlocks, "deadlock", "deadlocks"),
        (totals.malformed, "line not understood", "lines not understood"),
    ] {
        if count > 0 {
            parts.push(counted(count, one, many));
        }
    }
    let mut text = format!(
        "fencepost: {} in {}: {}\n",
        counted(totals.reports, "report", "reports"),
        counted(totals.runs, "run", "runs"),
        parts.join(", ")
    );
    if totals.runs > 1 && !totals.seeds.is_empty() {
        let shown: Vec<String> = totals.seeds.iter().take(10).map(u64::to_string).collect();
        let more = if totals.seeds.len() > shown.len() { ", …" } else { "" };
        let _ = writeln!(
            text,
            "fencepost: {} found something, with seed {}{more}",
            counted(totals.seeds.len() as u64, "run", "runs"),
            shown.join(", ")
        );
    }
    text
}

/// What the suppressions did, unused ones included.
pub fn suppressions(list: &Suppressions) -> String {
    let mut text = String::new();
    for suppression in list.list() {
        let _ = match suppression.used {
            0 => writeln!(text, "fencepost: suppression not used: {}", suppression.text),
            used => writeln!(text, "fencepost: suppression used {used}x: {}", suppression.text),
        };
    }
    text
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
