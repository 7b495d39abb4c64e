//! What is known of a process while it runs: who its threads are and what is mapped where.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_protocol::exploration::{Decision, Decisions};
use fencepost_protocol::record::Record;
use fencepost_protocol::{Key, Options};

use crate::advice::{self, Analysis};
use crate::blame::Places;
use crate::path::EdgeKind;
use crate::provoke;
use crate::report::{
    Advice, Awaited, Creation, Deadlock, Edit, Kind, Link, LinkEnd, LinkKind, Memory, Operation, Place, Race, Report,
    Reproduce, Thread, Waiting, Window,
};
use crate::stream::{self, Figures, Found, Message, Module, Start};
use crate::symbols::{Frame, Symbols};
use crate::trace::{self, Trace};

/// A process that talks to us: a program, a child of it, or a program that it has started.
#[derive(Debug, Default)]
pub struct Process {
    pub(crate) start: Option<Start>,
    /// What its options say.
    pub(crate) options: Options,
    /// It has said that it ends.
    pub(crate) has_ended: bool,
    /// An access of it has used an overwritten value.
    pub(crate) has_left_sc: bool,
    pub(crate) figures: Figures,
    threads: BTreeMap<u64, stream::Thread>,
    /// Values that keep loops spinning, by stack.
    spins: BTreeSet<(Vec<u64>, u64)>,
    /// Findings that may turn out to be about busy waits.
    pub(crate) pending: Vec<stream::Report>,
    modules: Vec<Module>,
}

impl Process {
    /// Takes in everything but findings and notes.
    pub(crate) fn follow(&mut self, message: Message) {
        match message {
            Message::Start(start) => {
                self.options = start.options();
                self.start = Some(start);
            }
            Message::Modules(modules) => self.modules = modules.list,
            Message::Thread(thread) => self.thread(thread),
            Message::Spin(spin) => {
                self.spins.insert((spin.stack, spin.value));
            }
            Message::Summary(figures) => self.figures = figures,
            Message::End(_) => self.has_ended = true,
            Message::Report(_)
            | Message::Provoked(_)
            | Message::Failure(_)
            | Message::Note(_)
            | Message::Deadlock(_) => {}
        }
    }

    /// Its options; those that apply by default before it has said anything.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// An option as it was given.
    pub fn given(&self, key: Key) -> Option<&str> {
        self.start.as_ref()?.given(key)
    }

    /// What is mapped where.
    pub(crate) fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Is it one in which an access was to use an overwritten value?
    pub fn is_provoked(&self) -> bool {
        let decided = self.given(Key::Decisions).and_then(|text| text.parse::<Decisions>().ok());
        self.given(Key::Provoke).is_some() || decided.is_some_and(|all| all.0.iter().any(Decision::is_stale))
    }

    /// Its number; 0 before it has said anything.
    pub fn pid(&self) -> u64 {
        self.start.as_ref().map_or(0, |start| start.pid)
    }

    /// What is left of a finding when values that keep a loop spinning are benign; none if there is
    /// nothing left.
    pub(crate) fn without_spins(
        &self,
        mut report: stream::Report,
        symbols: &mut dyn Symbols,
    ) -> Option<stream::Report> {
        let mut places = Places::default();
        let spins = self.spins(&mut places, symbols);
        let place = places.number(&report.stack, &mut |stack| self.cut(stack, symbols));
        if let Found::Robustness(violation) = &mut report.found {
            let expected = violation.expected;
            violation.stale.retain(|write| Some(write.value) == expected || !spins.contains(&(place, write.value)));
            if violation.stale.is_empty() {
                return None;
            }
        }
        Some(report)
    }

    /// How many addresses of a stack there are down to the one to blame.
    fn cut(&self, stack: &[u64], symbols: &mut dyn Symbols) -> usize {
        let is_passed_by = |pc: &u64, symbols: &mut dyn Symbols| {
            let frames = self.frames(pc.saturating_sub(1), symbols);
            frames.iter().all(|frame| frame.is_library() || frame.wrapper)
        };
        let end = stack.iter().position(|pc| !is_passed_by(pc, symbols));
        end.map_or(stack.len(), |end| end + 1)
    }

    /// Values that keep loops spinning, by place.
    fn spins(&self, places: &mut Places, symbols: &mut dyn Symbols) -> BTreeSet<(u64, u64)> {
        let mut number = |stack: &[u64]| places.number(stack, &mut |stack| self.cut(stack, symbols));
        self.spins.iter().map(|(stack, value)| (number(stack), *value)).collect()
    }

    /// A thread that is told about again has got another name.
    fn thread(&mut self, thread: stream::Thread) {
        match self.threads.get_mut(&thread.tid) {
            Some(known) => known.name = thread.name.or(known.name.take()),
            None => {
                self.threads.insert(thread.tid, thread);
            }
        }
    }

    /// The frames of a stack of return addresses, inlined ones included. Those of the runtime are
    /// none of the program's.
    pub(crate) fn stack(&self, stack: &[u64], symbols: &mut dyn Symbols) -> Vec<Frame> {
        // The call is before the address it returns to.
        let frames = stack.iter().flat_map(|pc| self.frames(pc.saturating_sub(1), symbols));
        let mut frames: Vec<Frame> = frames.filter(|frame| !frame.is_runtime()).collect();
        // What comes before a program's own functions in Rust, backtraces leave out as well.
        if let Some(end) = frames.iter().position(Frame::is_start_of_rust) {
            frames.truncate(end.max(1));
        }
        frames
    }

    /// The test of Rust's test library that a thread belongs to: what the library has called, in
    /// this thread or in one that has created it.
    fn test(&self, tid: u64, stack: &[u64], symbols: &mut dyn Symbols) -> Option<String> {
        let (mut tid, mut stack) = (tid, stack.to_vec());
        // There are not more threads than this.
        for _ in 0..=self.threads.len() {
            let frames: Vec<Frame> = stack.iter().flat_map(|pc| self.frames(pc.saturating_sub(1), symbols)).collect();
            if let Some(test) = Frame::rust_test(&frames) {
                return Some(test);
            }
            let thread = self.threads.get(&tid)?;
            (tid, stack) = (thread.parent, thread.stack.clone());
        }
        None
    }

    /// The frames at one address, innermost first.
    pub(crate) fn frames(&self, address: u64, symbols: &mut dyn Symbols) -> Vec<Frame> {
        match self.module(address) {
            Some(module) => symbols.frames(&module.path, address.wrapping_sub(module.bias)),
            None => vec![Frame::bare("<unknown module>", address)],
        }
    }

    fn module(&self, address: u64) -> Option<&Module> {
        self.modules.iter().find(|module| (module.start..module.end).contains(&address))
    }

    pub(crate) fn named(&self, tid: u64) -> Thread {
        let name = self.threads.get(&tid).and_then(|thread| thread.name.clone()).filter(|name| !name.is_empty());
        Thread { tid, name }
    }

    /// A finding with names; `words` are what the command line must say besides.
    pub(crate) fn report(&self, finding: &stream::Report, words: &[String], symbols: &mut dyn Symbols) -> Report {
        let stream::Report { addr, size, .. } = *finding;
        let mut access = Operation {
            op: finding.op.name().into(),
            order: None,
            value: None,
            expected: None,
            address: addr,
            size,
            thread: Some(self.named(finding.tid)),
            stack: self.stack(&finding.stack, symbols),
            time: None,
        };
        let kind = match &finding.found {
            Found::Robustness(violation) => {
                access.order = Some(violation.order.name().into());
                access.expected = violation.expected;
                access.time = Some(violation.time);
                Kind::Robustness(Box::new(Window {
                    missed: self.write(&violation.newest, addr, size, symbols),
                    stale: violation.stale.iter().map(|write| self.write(write, addr, size, symbols)).collect(),
                    cut: violation.cut,
                    links: Vec::new(),
                    advice: None,
                }))
            }
            Found::Race(other) => Kind::Race(Box::new(Race {
                other: Operation {
                    op: other.op.name().into(),
                    order: None,
                    value: None,
                    expected: None,
                    address: other.addr,
                    size: other.size,
                    thread: Some(self.named(other.tid)),
                    stack: self.stack(&other.stack, symbols),
                    time: None,
                },
                links: Vec::new(),
                unguarded: false,
                advice: None,
            })),
        };
        let mut report = Report {
            kind,
            pid: self.pid(),
            access,
            memory: self.memory(&finding.memory, addr, symbols),
            threads: Vec::new(),
            reproduce: self.reproduce(words),
            provocation: provoke::provocation(&self.modules, finding),
            trials: None,
            follows: None,
            test: self.test(finding.tid, &finding.stack, symbols),
        };
        report.threads = self.creations(&report, symbols);
        report
    }

    /// Adds what the recorded run says, or for a violation a rule of thumb.
    pub(crate) fn advise(
        &self,
        finding: &stream::Report,
        recorded: &mut dyn FnMut() -> Option<Vec<u8>>,
        report: &mut Report,
        symbols: &mut dyn Symbols,
    ) {
        let mut places = Places::default();
        let placed = self.placed(finding, &mut places, symbols);
        match (&mut report.kind, &finding.found) {
            (Kind::Robustness(window), Found::Robustness(violation)) => {
                let spins = self.spins(&mut places, symbols);
                let trace = violation.complete.then(|| Trace::read(&recorded()?, violation.time)).flatten();
                let trace = trace.map(|trace| self.placed_trace(trace, &mut places, symbols));
                let analysis = trace.and_then(|trace| advice::analyse(trace, &placed, violation, &spins));
                let (edits, reevaluated) = if let Some(analysis) = analysis {
                    window.missed.time = analysis.missed.map(|record| record.time);
                    window.links = self.links(&analysis, &places, symbols);
                    (analysis.edits, analysis.reevaluated)
                } else {
                    let newest = violation.newest.by.as_ref();
                    let newest =
                        newest.map(|writer| places.number(&writer.stack, &mut |stack| self.cut(stack, symbols)));
                    (advice::rule_of_thumb(&placed, newest), false)
                };
                window.advice = self.advice(&edits, reevaluated, &places, symbols);
            }
            (Kind::Race(found), Found::Race(race)) => {
                let trace = race.moment.as_ref().and_then(|moment| Trace::read(&recorded()?, moment.time));
                let trace = trace.map(|trace| self.placed_trace(trace, &mut places, symbols));
                let Some(analysis) = trace.and_then(|trace| advice::analyse_race(trace, &placed, race)) else { return };
                found.links = self.links(&analysis, &places, symbols);
                found.unguarded = analysis.edges.is_empty();
                found.advice =
                    analysis.reevaluated.then(|| self.advice(&analysis.edits, true, &places, symbols)).flatten();
            }
            _ => {}
        }
    }

    /// A recorded run whose records have the numbers of their places.
    fn placed_trace(&self, mut trace: Trace, places: &mut Places, symbols: &mut dyn Symbols) -> Trace {
        places.renumber(&mut trace, &mut |stack| self.cut(stack, symbols));
        let all: BTreeSet<u64> = trace.records.iter().map(|record| record.pc).collect();
        let is_fixed = |place: &u64| Frame::is_of_rust_library(&self.stack(&places.stack(*place), symbols));
        trace.fixed = all.into_iter().filter(is_fixed).collect();
        trace
    }

    fn links(&self, analysis: &Analysis, places: &Places, symbols: &mut dyn Symbols) -> Vec<Link> {
        let mut links = Vec::new();
        for (from, to, kind) in &analysis.edges {
            let kind = match kind {
                EdgeKind::ReadsFrom => LinkKind::ReadsFrom,
                EdgeKind::FromRead => LinkKind::FromRead,
                EdgeKind::Order | EdgeKind::Synchronisation => LinkKind::Order,
            };
            let (from, to) = (self.link_end(from, places, symbols), self.link_end(to, places, symbols));
            links.push(Link { from, to, kind });
        }
        links
    }

    fn advice(
        &self,
        edits: &[advice::Edit],
        reevaluated: bool,
        places: &Places,
        symbols: &mut dyn Symbols,
    ) -> Option<Advice> {
        let mut edits: Vec<Edit> = edits
            .iter()
            .map(|edit| {
                let place = self.blamed(&places.stack(edit.pc), symbols);
                Edit { change: edit.phrase(place.is_rust()), kind: edit.kind(), on_failure: edit.failure, place }
            })
            .collect();
        edits.sort_by_cached_key(|edit| (edit.place.file.clone(), edit.place.line, edit.place.column));
        (!edits.is_empty()).then_some(Advice { edits, reevaluated })
    }

    /// A finding whose stack begins with the number of its place.
    fn placed(&self, finding: &stream::Report, places: &mut Places, symbols: &mut dyn Symbols) -> stream::Report {
        let mut placed = finding.clone();
        let number = places.number(&finding.stack, &mut |stack| self.cut(stack, symbols));
        placed.stack.iter_mut().take(1).for_each(|pc| *pc = number);
        placed
    }

    fn link_end(&self, record: &Record, places: &Places, symbols: &mut dyn Symbols) -> LinkEnd {
        LinkEnd {
            op: trace::name(record).into(),
            order: record.order.name().into(),
            values: trace::values(record),
            memory: self.global(record.address, symbols).unwrap_or(Memory::Unknown).place_of(record.address),
            thread: self.named(record.tid.into()),
            place: self.blamed(&places.stack(record.pc), symbols),
            time: record.time,
        }
    }

    /// The frame to blame of a stack.
    fn blamed(&self, stack: &[u64], symbols: &mut dyn Symbols) -> Frame {
        let frames = self.stack(stack, symbols);
        let unknown = || Frame::bare("<unknown module>", stack.first().copied().unwrap_or(0));
        Frame::blamed(&frames).cloned().unwrap_or_else(unknown)
    }

    fn write(&self, write: &stream::Write, address: u64, size: u64, symbols: &mut dyn Symbols) -> Operation {
        let by = write.by.as_ref();
        Operation {
            op: by.map_or("initial value", |by| by.op.name()).into(),
            order: by.map(|by| by.order.name().into()),
            value: Some(write.value),
            expected: None,
            address,
            size,
            thread: by.map(|by| self.named(by.tid)),
            stack: by.map(|by| self.stack(&by.stack, symbols)).unwrap_or_default(),
            time: None,
        }
    }

    fn memory(&self, memory: &stream::Memory, address: u64, symbols: &mut dyn Symbols) -> Memory {
        match memory {
            stream::Memory::Heap(block) => Memory::Heap {
                size: block.size,
                address: block.base,
                thread: Some(self.named(block.tid)),
                stack: self.stack(&block.stack, symbols),
            },
            stream::Memory::Stack(stack) => Memory::Stack(self.named(stack.tid)),
            stream::Memory::Unknown(_) => self.global(address, symbols).unwrap_or(Memory::Unknown),
        }
    }

    /// A deadlock with names.
    pub(crate) fn deadlock(
        &self,
        waiting: &[stream::Waiting],
        words: &[String],
        symbols: &mut dyn Symbols,
    ) -> Deadlock {
        let mut one = |waiting: &stream::Waiting| {
            let mut place = |addr: u64| Place {
                address: addr,
                name: match self.global(addr, symbols) {
                    Some(Memory::Global { name, .. }) => Some(name),
                    _ => None,
                },
            };
            let what = match &waiting.awaited {
                stream::Awaited::Object(object) => Awaited::Object(place(object.addr)),
                stream::Awaited::Value(value) => Awaited::Value(place(value.addr)),
                stream::Awaited::Thread(other) => Awaited::Thread(self.named(other.tid)),
                stream::Awaited::Unknown(_) => Awaited::Unknown,
            };
            Waiting { thread: self.named(waiting.tid), what }
        };
        Deadlock {
            pid: self.pid(),
            waiting: waiting.iter().map(&mut one).collect(),
            threads: self.created(waiting.iter().map(|waiting| waiting.tid).collect(), symbols),
            reproduce: self.reproduce(words),
        }
    }

    fn global(&self, address: u64, symbols: &mut dyn Symbols) -> Option<Memory> {
        let module = self.module(address)?;
        let variable = symbols.variable(&module.path, address.wrapping_sub(module.bias))?;
        Some(Memory::Global {
            name: variable.name,
            size: variable.size,
            address: variable.address.wrapping_add(module.bias),
            module: module.path.clone(),
        })
    }

    /// Where the threads of the report come from.
    fn creations(&self, report: &Report, symbols: &mut dyn Symbols) -> Vec<Creation> {
        let mut mentioned: Vec<u64> =
            report.operations().iter().filter_map(|operation| Some(operation.thread.as_ref()?.tid)).collect();
        match &report.memory {
            Memory::Heap { thread: Some(thread), .. } | Memory::Stack(thread) => {
                mentioned.push(thread.tid);
            }
            _ => {}
        }
        self.created(mentioned, symbols)
    }

    /// Where these threads come from.
    fn created(&self, mut threads: Vec<u64>, symbols: &mut dyn Symbols) -> Vec<Creation> {
        threads.sort_unstable();
        threads.dedup();
        let told = threads.into_iter().filter(|&tid| tid != 1).filter_map(|tid| self.threads.get(&tid));
        told.map(|thread| Creation {
            thread: self.named(thread.tid),
            parent: self.named(thread.parent),
            stack: self.stack(&thread.stack, symbols),
        })
        .collect()
    }

    pub(crate) fn reproduce(&self, besides: &[String]) -> Reproduce {
        let unknown = Start::default();
        let start = self.start.as_ref().unwrap_or(&unknown);
        let Options { schedule, seed, spin_detection, .. } = self.options;
        let decisions = start.given(Key::Decisions);
        let exact = schedule.is_controlled() || decisions.is_some();
        let mut words: Vec<String> = ["fencepost", "run"].map(String::from).into();
        if let Some(decisions) = decisions {
            // They say how everything else is to be.
            words.extend(["--decisions".into(), decisions.to_string()]);
            words.extend(self.options.in_test.then(|| "--in-test".into()));
            words.push("--".into());
            words.extend_from_slice(if start.argv.is_empty() { std::slice::from_ref(&start.exe) } else { &start.argv });
            return Reproduce::new(&words, exact);
        }
        words.push("--schedule".into());
        match exact {
            true => words.extend([schedule.to_string(), "--seed".into(), seed.to_string()]),
            // Without control over the schedule nothing can be repeated; but it can be looked for.
            false => words.extend(["pct:3", "--seeds", "0..1000"].map(String::from)),
        }
        // Where a schedule of priorities changes them depends on how long it expects the run to be.
        for (key, word) in [(Key::Steps, "--steps"), (Key::History, "--history")] {
            if let Some(value) = start.given(key).filter(|_| exact || key != Key::Steps) {
                words.extend([word.to_string(), value.to_string()]);
            }
        }
        if !spin_detection {
            words.push("--no-spin-detection".into());
        }
        words.extend_from_slice(besides);
        if let Some(provocation) = start.given(Key::Provoke).and_then(|text| provoke::again(text, exact)) {
            words.extend(["--provoke-at".into(), provocation]);
        }
        words.push("--".into());
        match start.argv.is_empty() {
            true => words.push(start.exe.clone()),
            false => words.extend_from_slice(&start.argv),
        }
        Reproduce::new(&words, exact)
    }
}
