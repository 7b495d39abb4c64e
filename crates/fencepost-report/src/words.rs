//! The sentences of a report, shared by the back ends that speak English.

use std::collections::BTreeMap;

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::{Pc, Value};
use fencepost_base::source::{SourceFile, Span};
use fencepost_finding::{Buffered, Step};
use fencepost_ir::{LocationKind, Op, Place, Program};
use fencepost_model::EventId;
use fencepost_model::cycle::Edge;
use fencepost_verdict::{
    Because, BufferStep, Consequence, Consequences, CopiesArgument, Delay, ForCopies, Outcome, RacingPair, Rank,
    Reason, Run, RunStep, ScFailureKind, Scope, Site, Verdict, Violation, ViolationKind,
};

use crate::finding;
use crate::shapes;
use crate::subject::Subject;

/// What an instruction is called: `load`, `store`, `compare-and-swap`, …
pub(crate) fn operation(op: &Op) -> &'static str {
    match op {
        Op::Load { .. } => "load",
        Op::Store { .. } => "store",
        Op::Update { .. } => "update",
        Op::Cas { .. } => "compare-and-swap",
        Op::Wait { .. } => "wait",
        Op::BlockingCas { .. } => "blocking compare-and-swap",
        Op::PlainLoad { .. } => "plain load",
        Op::PlainStore { .. } => "plain store",
        Op::Fence { .. } | Op::LightFence { .. } => "fence",
        Op::Assert { .. } => "assertion",
        Op::Assume { .. } => "assumption",
        Op::Bound { .. } => "bound",
        Op::Branch { .. } => "branch",
        _ => "statement",
    }
}

/// `0`, `0 or 2`, `0, 1 or 2`.
pub(crate) fn alternatives(subject: &Subject<'_>, values: &[Value]) -> String {
    let texts: Vec<String> = values.iter().map(|&value| subject.value(value)).collect();
    joined(&texts, "or")
}

/// `ra`, `ra and rc20`, `tso, ra and rc20`.
pub(crate) fn all_of(names: &[&str]) -> String {
    joined(names, "and")
}

fn joined(things: &[impl ToString], word: &str) -> String {
    let words: Vec<String> = things.iter().map(ToString::to_string).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} {word} {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

/// How many copies of threads an answer is about, if there can be any number.
pub(crate) fn for_copies(copies: Option<&ForCopies>) -> String {
    match copies {
        Some(ForCopies { every: Some(CopiesArgument::Forward(copies)), .. }) => {
            format!(" for any number of copies (forwards, {copies} at a time)")
        }
        Some(ForCopies { every: Some(CopiesArgument::Backward), .. }) => " for any number of copies (backwards)".into(),
        Some(ForCopies { with: Some(with), .. }) => with_copies(with.number),
        Some(ForCopies { every: None, with: None }) | None => String::new(),
    }
}

/// With how many copies something was found.
pub(crate) fn with_copies(number: u32) -> String {
    match number {
        1 => " with a single copy".into(),
        _ => format!(" with {number} copies"),
    }
}

/// What comes of it that a program is not robust, to stand behind `NOT ROBUST against ra`.
pub(crate) fn consequences(subject: &Subject<'_>, outcome: &Outcome) -> String {
    let subject = &subject.about(outcome.copies.as_deref());
    let Some(consequences) = &outcome.consequences else { return String::new() };
    let what = match consequences.list.first() {
        Some(Consequence::Race(race)) => match racing(outcome) {
            Some(violation) => violation_title(subject, violation),
            None => race_title(subject, &race.pair),
        },
        Some(Consequence::Fails(failing)) => {
            let even = if failing.run.is_some() { ", even under SC" } else { "" };
            format!("{}{even}", failure_kind(subject, failing.site, &failing.kind))
        }
        None => String::new(),
    };
    match (consequences.rank(), &consequences.cut) {
        (Rank::Race | Rank::Failure, _) => format!(": {what}"),
        (Rank::Unknown, Some(reason)) => format!(", and it is not known whether anything goes wrong ({reason})"),
        (Rank::Harmless, _) => format!(", but nothing goes wrong {}", within(consequences.scope)),
        (Rank::Unknown | Rank::NothingToCheck, _) => String::new(),
    }
}

/// What is known of what follows from a violation, in sentences.
pub(crate) fn what_follows(subject: &Subject<'_>, violation: &Violation, outcome: &Outcome) -> Vec<String> {
    let Some(consequences) = &outcome.consequences else { return Vec::new() };
    let headline = self::consequences(subject, outcome);
    let what = match consequences.rank() {
        Rank::Race | Rank::Failure => headline.strip_prefix(": ").map(|what| format!("What follows: {what}.")),
        Rank::Harmless => Some(format!("Nothing goes wrong {}.", within(consequences.scope))),
        Rank::Unknown => headline.strip_prefix(", and it").map(|what| format!("It{what}.")),
        Rank::NothingToCheck => None,
    };
    what.into_iter().chain(advice(subject, violation, consequences)).collect()
}

/// The violation, if it is a data race.
fn racing(outcome: &Outcome) -> Option<&Violation> {
    match &outcome.verdict {
        Verdict::Violated(violation) => Some(violation.as_ref()).filter(|it| it.kind == ViolationKind::DataRace),
        Verdict::Holds | Verdict::Unknown(_) => None,
    }
}

/// In which executions: `with one stale step`.
fn within(scope: Scope) -> String {
    match scope {
        Scope::Stale(0) => "under SC".into(),
        Scope::Stale(1) => "with one stale step".into(),
        Scope::Stale(most) => format!("with up to {most} stale steps"),
        Scope::Everything => "in any execution".into(),
    }
}

/// Are there locations for plain accesses?
fn has_plain(subject: &Subject<'_>) -> bool {
    subject.program.locations().iter().any(|location| location.kind == LocationKind::NonAtomic)
}

/// What else there is to say about a program that is not robust: how it is known that no harm is
/// done, or what to ask and to do instead.
pub(crate) fn advice(subject: &Subject<'_>, violation: &Violation, consequences: &Consequences) -> Vec<String> {
    let mut advice = Vec::new();
    match (consequences.rank(), consequences.argument) {
        (Rank::NothingToCheck, _) if subject.program.condition().is_some() => {
            advice.push("What the program asks of its final states is the business of `fencepost verify`.".into());
        }
        // Which accesses race is a matter of languages.
        (Rank::NothingToCheck, _) if violation.delay.is_some() && has_plain(subject) => advice.push(
            "The program has no assertion, and there are no data races for a machine: there was nothing to check. \
             `--model cpp20` says whether accesses of `nonatomic` locations race. Say by `assert` what must be true, \
             and it is told whether the stale value does any harm."
                .into(),
        ),
        (Rank::NothingToCheck, _) => advice.push(
            "The program has no assertion, and nothing in it can fail or race: there was nothing to check. Say by \
             `assert` what must be true, and it is told whether the stale value does any harm."
                .into(),
        ),
        (Rank::Harmless, Some(argument)) => {
            advice.push(format!("`fencepost verify` says of all executions that nothing goes wrong: {argument}."));
        }
        (Rank::Harmless, None) if consequences.is_unobserved => advice.push(
            "The program is observationally robust: nothing depends on a value that is stale (`fencepost check \
             --observational`)."
                .into(),
        ),
        (Rank::Harmless, None) => {
            advice.push("`fencepost verify` looks at executions with any number of stale steps.".into());
        }
        _ => {}
    }
    let is_harmless = matches!(consequences.rank(), Rank::Harmless | Rank::NothingToCheck);
    if is_harmless && violation.kind == ViolationKind::StaleRead && is_polling(subject.program, violation.access) {
        advice.push(format!(
            "Line {} is a loop that only reads again until it sees another value. Written as `wait`, it is not taken \
             for a violation that it may go round once more.",
            subject.line(violation.access)
        ));
    }
    advice
}

/// Is it a load in a loop that does nothing but load again? It must have a way out, which depends
/// on what is read.
fn is_polling(program: &Program, site: Site) -> bool {
    let op = |pc: Pc| &program.instr(site.thread, pc).op;
    let Op::Load { dst: Some(read), .. } = op(site.pc) else { return false };
    let skip = |mut pc: Pc| {
        for _ in 0..program.thread(site.thread).code.len() {
            match op(pc) {
                Op::Jump { target } => pc = *target,
                _ => break,
            }
        }
        pc
    };
    let next = skip(Pc(site.pc.0 + 1));
    let Op::Branch { cond, target } = op(next) else { return false };
    let mut depends = false;
    cond.for_each_register(&mut |register| depends |= register == *read);
    let ways = [skip(*target), skip(Pc(next.0 + 1))];
    depends && ways.contains(&site.pc) && ways != [site.pc, site.pc]
}

/// What can go wrong, as a title.
pub(crate) fn violation_title(subject: &Subject<'_>, violation: &Violation) -> String {
    let thread = subject.thread(violation.access.thread);
    let what = place(subject, violation);
    match violation.kind {
        ViolationKind::StaleRead => format!("thread `{thread}` can read an overwritten value of {what}"),
        ViolationKind::StaleWrite => format!("thread `{thread}` can write {what} in the past"),
        ViolationKind::StaleRmw => format!("thread `{thread}` can update an overwritten value of {what}"),
        ViolationKind::TaintedUse => format!("thread `{thread}` uses a value of {what} that can be stale"),
        ViolationKind::DataRace => race_title(subject, &racing_pair(violation)),
    }
}

/// What can go wrong, as a sentence.
pub(crate) fn violation_sentence(subject: &Subject<'_>, violation: &Violation) -> String {
    let thread = subject.thread(violation.access.thread);
    let other = subject.thread(violation.conflicting.thread);
    let what = place(subject, violation);
    let access = operation(&subject.program.instr(violation.access.thread, violation.access.pc).op);
    let conflicting = operation(&subject.program.instr(violation.conflicting.thread, violation.conflicting.pc).op);
    let of = if access == "wait" { "for" } else { "of" };
    let values = alternatives(subject, &violation.stale_values);
    let old = if violation.stale_values.len() == 1 { "value" } else { "values" };
    match violation.kind {
        ViolationKind::StaleRead => format!(
            "thread `{thread}`: this {access} {of} {what} can return the overwritten {old} {values}, although the \
             {conflicting} by `{other}` comes before it in every SC order"
        ),
        ViolationKind::StaleWrite => format!(
            "thread `{thread}`: this {access} to {what} can be ordered before the {conflicting} by `{other}`, right \
             after the old {old} {values}, although that {conflicting} comes before it in every SC order"
        ),
        ViolationKind::StaleRmw => format!(
            "thread `{thread}`: this {access} of {what} can read the overwritten {old} {values} and be ordered right \
             after it, although the {conflicting} by `{other}` comes before it in every SC order"
        ),
        ViolationKind::TaintedUse => format!(
            "thread `{thread}`: the {conflicting} of {what} can return the overwritten {old} {values}, and this {access} \
             depends on it; a stale read is harmless only as long as nothing does"
        ),
        ViolationKind::DataRace => race_sentence(subject, &racing_pair(violation)),
    }
}

/// What goes wrong in a program edited otherwise, with lines of the unedited one.
pub(crate) fn because(source: &SourceFile, because: &Because) -> String {
    let edited = SourceFile::new(source.name(), because.text.as_str());
    let subject = Subject { source: &edited, program: &because.program };
    let violation = &because.violation;
    let place = |span: Span| {
        let text = source.slice_on_one_line(span);
        let line = source.start_of(span).line;
        if text.is_empty() { format!("before line {line}") } else { format!("in line {line}, `{text}`") }
    };
    let other = subject.thread(violation.conflicting.thread);
    let (access, conflicting) = (place(because.access), place(because.conflicting));
    let title = violation_title(&subject, violation);
    match violation.kind {
        ViolationKind::StaleRead | ViolationKind::StaleRmw => {
            format!("{title} {access}, overwritten by `{other}` {conflicting}")
        }
        ViolationKind::StaleWrite => format!("{title} {access}, although `{other}` wrote before {conflicting}"),
        ViolationKind::TaintedUse => format!("{title} {access}, read {conflicting}"),
        ViolationKind::DataRace => format!("{title}: {access} and {conflicting}"),
    }
}

/// `1 check`, `2 checks`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// The label of the access that goes wrong, beside its source.
pub(crate) fn access_remark(subject: &Subject<'_>, violation: &Violation) -> String {
    let thread = subject.thread(violation.access.thread);
    let values = alternatives(subject, &violation.stale_values);
    match violation.kind {
        ViolationKind::StaleRead => format!("(1) thread `{thread}` can read {values} here"),
        ViolationKind::StaleWrite => format!("(1) thread `{thread}` can write here right after the old {values}"),
        ViolationKind::StaleRmw => format!("(1) thread `{thread}` can update the old {values} here"),
        ViolationKind::TaintedUse => "(2) its value is used here".to_string(),
        ViolationKind::DataRace => racing_remarks(subject, &racing_pair(violation))[0].clone(),
    }
}

/// The label of the other access, beside its source.
pub(crate) fn conflicting_remark(subject: &Subject<'_>, violation: &Violation) -> String {
    let thread = subject.thread(violation.conflicting.thread);
    match violation.kind {
        ViolationKind::StaleRead | ViolationKind::StaleRmw => {
            format!("(2) although thread `{thread}` has overwritten it here")
        }
        ViolationKind::StaleWrite => format!("(2) although thread `{thread}` has written here before"),
        ViolationKind::TaintedUse => {
            format!("(1) thread `{thread}` can read {} here", alternatives(subject, &violation.stale_values))
        }
        ViolationKind::DataRace => racing_remarks(subject, &racing_pair(violation))[1].clone(),
    }
}

/// "this is the store-buffering shape (SB): …".
pub(crate) fn shape_sentence(name: &str) -> String {
    match shapes::explain(name) {
        Some(shape) if shape.title == name => format!("this is the {name} shape: {}", shape.story),
        Some(shape) => format!("this is the {} shape ({name}): {}", shape.title, shape.story),
        None => format!("this is the {name} shape"),
    }
}

/// What store buffers have to do with it.
pub(crate) fn delay_sentence(subject: &Subject<'_>, delay: &Delay) -> String {
    let [store, passed] = [delay.store, delay.passed].map(|site| subject.statement(site));
    format!(
        "thread `{}`: the store of line {} (`{}`) is still in its buffer after line {} (`{}`) has been executed; a \
         full fence in between would empty the buffer",
        store.thread, store.start.line, store.text, passed.start.line, passed.text
    )
}

/// The computation of the store-buffer machine, step by step; steps within threads are left out.
/// What stands out is the first delayed store, when it enters and leaves the buffer, and the access
/// that overtakes it.
pub(crate) fn machine_steps(subject: &Subject<'_>, delay: &Delay) -> Vec<Step> {
    let told = |step: &RunStep, what: &str, stands_out: bool, buffered: Option<Buffered>| {
        let mut told = Step { stands_out, buffered, ..finding::step(subject, step) };
        told.statement.effect = Some(subject.step_effect(step) + what);
        told
    };
    let mut steps: Vec<Step> = Vec::new();
    // The delayed stores that have not reached memory: of whom, and whether it is the first.
    let mut waiting: Vec<(&RunStep, bool)> = Vec::new();
    let mut any_delayed = false;
    for step in &delay.computation.steps {
        match step {
            BufferStep::Execute { step, .. } if step.label.is_none() && step.choice.is_none() => {}
            BufferStep::Execute { step, delayed: true } => {
                let first = !std::mem::replace(&mut any_delayed, true);
                waiting.push((step, first));
                steps.push(told(step, ", delayed", first, Some(Buffered::Enters)));
            }
            BufferStep::Execute { step, delayed: false } => {
                let matters = any_delayed && step.site == delay.passed;
                // Of several times that it overtakes the store, the last one matters.
                if matters {
                    let overtaking = |earlier: &&mut Step| earlier.buffered.is_none();
                    steps.iter_mut().filter(overtaking).for_each(|earlier| earlier.stands_out = false);
                }
                steps.push(told(step, "", matters, None));
            }
            BufferStep::Commit { thread, loc } => {
                let is_it = |(step, _): &(&RunStep, bool)| {
                    step.site.thread == *thread && step.label.and_then(|label| label.loc()) == Some(*loc)
                };
                let Some(position) = waiting.iter().position(is_it) else { continue };
                let (step, first) = waiting.remove(position);
                steps.push(told(step, " reaches memory", first, Some(Buffered::Leaves)));
            }
        }
    }
    steps
}

/// How an event of a cycle relates to the next one.
pub(crate) fn relation(edge: Edge) -> &'static str {
    match edge {
        Edge::Po => "comes before, in program order,",
        Edge::Rf => "is read by",
        Edge::Mo => "is overwritten by",
        Edge::Fr => "reads a value overwritten by",
        Edge::Section => "happens at once with",
    }
}

/// The steps of a run that people can follow: bookkeeping of the engine, which does nothing, is
/// left out.
pub(crate) fn steps(run: &Run) -> Vec<RunStep> {
    run.steps.iter().filter(|step| step.label.is_some() || step.choice.is_some()).cloned().collect()
}

/// The steps up to the culprit, as the graph has them: with the fences, which the engine does not
/// count as steps; and a race, found when both accesses are about to happen, with the other access
/// first.
pub(crate) fn steps_before_culprit(violation: &Violation) -> Vec<RunStep> {
    let graph = &violation.graph;
    let step_of = |id: EventId| {
        let event = graph.event(id);
        let site = Site { thread: event.thread?, pc: event.pc? };
        Some(RunStep { site, label: Some(event.label), choice: None })
    };
    let is_last = |id: &EventId| *id == violation.culprit && violation.kind != ViolationKind::TaintedUse;
    let mut events = graph.ids().filter(|id| !graph.is_init(*id) && !is_last(id)).filter_map(step_of).peekable();
    let mut steps = Vec::new();
    for step in self::steps(&violation.run) {
        if step.label.is_some() {
            while let Some(fence) = events.next_if(|event| event.label.is_some_and(|label| label.loc().is_none())) {
                steps.push(fence);
            }
            events.next();
        }
        steps.push(step);
    }
    steps.extend(events);
    steps
}

/// For every event of a violation, the number of the step that adds it, from 1.
pub(crate) fn step_numbers(violation: &Violation) -> BTreeMap<EventId, usize> {
    let graph = &violation.graph;
    let is_last = |id: &EventId| *id == violation.culprit && violation.kind != ViolationKind::TaintedUse;
    let is_counted = |id: &EventId| !graph.is_init(*id) && !is_last(id) && Site::of(graph.event(*id)).is_some();
    let steps = steps_before_culprit(violation);
    let with_events = steps.iter().enumerate().filter(|(_, step)| step.label.is_some()).map(|(index, _)| index + 1);
    let mut numbers: BTreeMap<EventId, usize> = graph.ids().filter(is_counted).zip(with_events).collect();
    numbers.entry(violation.culprit).or_insert(steps.len() + 1);
    numbers
}

/// The step, from 1, that has written what the access that goes wrong reads; 0 for the value at the
/// beginning.
pub(crate) fn source_of_culprit(violation: &Violation) -> Option<usize> {
    let source = violation.graph.source(violation.culprit)?;
    if violation.graph.is_init(source) { Some(0) } else { step_numbers(violation).get(&source).copied() }
}

/// The step, from 1, that has overwritten what the access reads, or that the access is ordered
/// before.
pub(crate) fn overtaker_of_culprit(violation: &Violation) -> Option<usize> {
    let (graph, culprit) = (&violation.graph, violation.culprit);
    let place = graph.source(culprit).unwrap_or(culprit);
    let behind = graph.writes(graph.label(culprit).loc()?).iter().skip_while(|&&write| write != place).skip(1);
    let numbers = step_numbers(violation);
    behind.filter(|&&write| write != culprit).find_map(|write| numbers.get(write)).copied()
}

/// What fails.
pub(crate) fn failure_kind(subject: &Subject<'_>, site: Site, kind: &ScFailureKind) -> String {
    let is_through_address = match subject.program.instr(site.thread, site.pc).op.place() {
        Some(Place::Element { array, .. }) => subject.program.is_alone(*array),
        _ => false,
    };
    match kind {
        ScFailureKind::IndexOutOfRange { .. } if is_through_address => {
            "an access through a value that is no address of a variable".to_string()
        }
        ScFailureKind::Assertion => "the assertion does not hold".to_string(),
        ScFailureKind::DivisionByZero => "division by zero".to_string(),
        ScFailureKind::IndexOutOfRange { index, length } => {
            format!("index {index} is outside an array of {length} elements")
        }
    }
}

/// The error for bytes that are not UTF-8, and a text to show it in.
pub(crate) fn invalid_utf8(name: &str, bytes: &[u8]) -> (SourceFile, Diagnostic) {
    let offset = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    // What precedes the bad byte is valid, so its position in the lossy text is its position in the
    // file.
    let source = SourceFile::new(name, String::from_utf8_lossy(bytes));
    let width = char::REPLACEMENT_CHARACTER.len_utf8();
    let byte = bytes.get(offset).copied().unwrap_or(0);
    let message = format!("the file is not valid UTF-8 (byte 0x{byte:02x} at offset {offset})");
    let diagnostic = Diagnostic::error(Span::new(offset..offset + width), message)
        .label("not part of any character")
        .help("programs are UTF-8 text; convert the file, or check that it is the one you meant");
    (source, diagnostic)
}

fn place(subject: &Subject<'_>, violation: &Violation) -> String {
    if subject.program.fence_location() == Some(violation.location) {
        "the order of `fence(sc)`".to_string()
    } else {
        format!("`{}`", subject.location(violation.location))
    }
}

/// Why a program is not known: a limit was reached early.
pub fn while_reading(reason: &Reason) -> String {
    format!("{reason} while the program was read")
}

/// The two sides of a race that violates robustness.
fn racing_pair(violation: &Violation) -> RacingPair {
    RacingPair { access: violation.access, other: violation.conflicting, location: violation.location }
}

/// A race as a title.
pub(crate) fn race_title(subject: &Subject<'_>, pair: &RacingPair) -> String {
    let [thread, other] = [pair.access, pair.other].map(|site| subject.thread(site.thread));
    format!("threads `{thread}` and `{other}` race on `{}`", subject.location(pair.location))
}

/// A race as a sentence.
pub(crate) fn race_sentence(subject: &Subject<'_>, pair: &RacingPair) -> String {
    let [thread, other] = [pair.access, pair.other].map(|site| subject.thread(site.thread));
    let operations = [pair.access, pair.other].map(|site| operation(&subject.program.instr(site.thread, site.pc).op));
    let ([access, conflicting], what) = (operations, subject.location(pair.location));
    format!(
        "thread `{thread}`: this {access} of `{what}` and the {conflicting} by `{other}` are not ordered by any \
         synchronisation, and at least one of them writes: the program has undefined behaviour"
    )
}

/// The labels of the two sides of a race, beside their source.
pub(crate) fn racing_remarks(subject: &Subject<'_>, pair: &RacingPair) -> [String; 2] {
    let [thread, other] = [pair.access, pair.other].map(|site| subject.thread(site.thread));
    [
        format!("(1) thread `{thread}` {} here", verb(subject, pair.access)),
        format!("(2) while thread `{other}` {} here", verb(subject, pair.other)),
    ]
}

/// `reads`, `writes`, for a side of a race.
fn verb(subject: &Subject<'_>, site: Site) -> &'static str {
    match subject.program.instr(site.thread, site.pc).op {
        Op::PlainLoad { .. } | Op::Load { .. } | Op::Wait { .. } => "reads",
        Op::PlainStore { .. } | Op::Store { .. } => "writes",
        _ => "updates",
    }
}
