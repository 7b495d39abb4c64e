//! What is known of a program while it runs: who its threads are and what is mapped where.

use std::collections::{BTreeMap, BTreeSet};

use crate::advice;
use crate::path::EdgeKind;
use crate::report::{
    Advice, Awaited, Creation, Deadlock, Edit, Kind, Link, LinkEnd, LinkKind, Memory, Operation, Place, Report,
    Reproduce, Thread, Waiting, Window,
};
use crate::stream::{self, Event, Figures, Finding, Module, Start};
use crate::symbols::{Frame, Symbols};
use crate::trace::{Record, Trace};

/// One run of a program.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) start: Option<Start>,
    pub(crate) status: Option<i64>,
    pub(crate) figures: Figures,
    threads: BTreeMap<u64, stream::Thread>,
    /// Values that keep loops spinning, by call site.
    spins: BTreeSet<(u64, u64)>,
    /// Findings that may turn out to be about busy waits.
    pub(crate) pending: Vec<Finding>,
    modules: Vec<Module>,
}

impl Run {
    /// Takes in everything but findings and notes.
    pub(crate) fn follow(&mut self, event: Event) {
        match event {
            Event::Start(start) => self.start = Some(start),
            Event::Modules { list } => self.modules = list,
            Event::Thread(thread) => self.thread(thread),
            Event::Spin { pc, value } => {
                self.spins.insert((pc, value));
            }
            Event::Summary(figures) => self.figures = figures,
            Event::End { status } => self.status = Some(status),
            Event::Report(_) | Event::Note { .. } | Event::Deadlock { .. } => {}
        }
    }

    /// What is left of a finding when values that keep a loop spinning are benign; none if there is nothing left.
    pub(crate) fn without_spins(&self, mut finding: Finding) -> Option<Finding> {
        let (expected, site) = (finding.access.expected, finding.access.stack.first().copied());
        if let stream::Kind::Robustness { stale, .. } = &mut finding.kind {
            stale.retain(|write| {
                Some(write.value) == expected || site.is_none_or(|site| !self.spins.contains(&(site, write.value)))
            });
            if stale.is_empty() {
                return None;
            }
        }
        Some(finding)
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

    /// The frames of a stack of return addresses, inlined ones included.
    pub(crate) fn stack(&self, stack: &[u64], symbols: &mut dyn Symbols) -> Vec<Frame> {
        // The call is before the address it returns to.
        stack.iter().flat_map(|pc| self.frames(pc.saturating_sub(1), symbols)).collect()
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

    fn named(&self, tid: u64) -> Thread {
        let name = self.threads.get(&tid).and_then(|thread| thread.name.clone()).filter(|name| !name.is_empty());
        Thread { tid, name }
    }

    /// A finding with names.
    pub(crate) fn report(&self, finding: &Finding, symbols: &mut dyn Symbols) -> Report {
        let Finding { addr, size, .. } = *finding;
        let access = Operation {
            op: finding.access.op.clone(),
            order: finding.access.order.clone(),
            value: None,
            expected: finding.access.expected,
            address: addr,
            size,
            thread: Some(self.named(finding.tid)),
            stack: self.stack(&finding.access.stack, symbols),
        };
        let kind = match &finding.kind {
            stream::Kind::Robustness { newest, stale, cut, .. } => Kind::Robustness(Box::new(Window {
                missed: self.write(newest, addr, size, symbols),
                stale: stale.iter().map(|write| self.write(write, addr, size, symbols)).collect(),
                cut: *cut,
                links: Vec::new(),
                advice: None,
            })),
            stream::Kind::Race { other } => Kind::Race(Box::new(Operation {
                op: other.op.clone(),
                order: other.order.clone(),
                value: None,
                expected: None,
                address: other.addr,
                size: other.size,
                thread: Some(self.named(other.tid)),
                stack: self.stack(&other.stack, symbols),
            })),
        };
        let mut report = Report {
            kind,
            pid: self.start.as_ref().map_or(0, |start| start.pid),
            access,
            memory: self.memory(&finding.memory, addr, symbols),
            threads: Vec::new(),
            reproduce: self.reproduce(),
        };
        report.threads = self.creations(&report, symbols);
        report
    }

    /// Adds what the recorded run says, or a rule of thumb.
    pub(crate) fn advise(
        &self,
        finding: &Finding,
        recorded: Option<Trace>,
        report: &mut Report,
        symbols: &mut dyn Symbols,
    ) {
        let (Kind::Robustness(window), stream::Kind::Robustness { newest, complete, .. }) =
            (&mut report.kind, &finding.kind)
        else {
            return;
        };
        let analysis = recorded.filter(|_| *complete).and_then(|trace| advice::analyse(trace, finding, &self.spins));
        let (edits, reevaluated) = if let Some(analysis) = analysis {
            for (from, to, kind) in &analysis.edges {
                let kind = match kind {
                    EdgeKind::ReadsFrom => LinkKind::ReadsFrom,
                    EdgeKind::FromRead => LinkKind::FromRead,
                    EdgeKind::Order | EdgeKind::Synchronisation => LinkKind::Order,
                };
                let (from, to) = (self.link_end(from, symbols), self.link_end(to, symbols));
                window.links.push(Link { from, to, kind });
            }
            (analysis.edits, analysis.reevaluated)
        } else {
            (advice::rule_of_thumb(finding, newest.stack.first().copied()), false)
        };
        let mut edits: Vec<Edit> =
            edits.iter().map(|edit| Edit { place: self.blamed(edit.pc, symbols), change: edit.phrase() }).collect();
        edits.sort_by_cached_key(|edit| (edit.place.file.clone(), edit.place.line, edit.place.column));
        window.advice = (!edits.is_empty()).then_some(Advice { edits, reevaluated });
    }

    fn link_end(&self, record: &Record, symbols: &mut dyn Symbols) -> LinkEnd {
        LinkEnd {
            what: record.description(),
            thread: self.named(record.tid.into()),
            place: self.blamed(record.pc, symbols),
        }
    }

    /// The frame to blame at a call site.
    fn blamed(&self, pc: u64, symbols: &mut dyn Symbols) -> Frame {
        let frames = self.stack(&[pc], symbols);
        let blamed = frames.iter().find(|frame| !frame.is_library()).or(frames.first());
        blamed.cloned().unwrap_or_else(|| Frame::bare("<unknown module>", pc))
    }

    fn write(&self, write: &stream::Write, address: u64, size: u64, symbols: &mut dyn Symbols) -> Operation {
        let initial = write.tid == 0;
        Operation {
            op: if initial { "initial value".into() } else { write.op.clone() },
            order: write.order.clone().filter(|_| !initial),
            value: Some(write.value),
            expected: None,
            address,
            size,
            thread: (!initial).then(|| self.named(write.tid)),
            stack: self.stack(&write.stack, symbols),
        }
    }

    fn memory(&self, memory: &stream::Memory, address: u64, symbols: &mut dyn Symbols) -> Memory {
        let thread = memory.tid.map(|tid| self.named(tid));
        match (memory.kind.as_str(), thread) {
            ("heap", thread) => Memory::Heap {
                size: memory.size.unwrap_or(0),
                address: memory.base.unwrap_or(address),
                thread,
                stack: self.stack(memory.stack.as_deref().unwrap_or_default(), symbols),
            },
            ("stack", Some(thread)) => Memory::Stack(thread),
            ("tls", thread) => Memory::Tls(thread),
            (kind, _) => self.global(address, symbols).unwrap_or(match kind {
                "mapped" | "global" => Memory::Mapped,
                _ => Memory::Unknown,
            }),
        }
    }

    /// A deadlock with names.
    pub(crate) fn deadlock(&self, waiting: &[stream::Waiting], symbols: &mut dyn Symbols) -> Deadlock {
        let mut one = |waiting: &stream::Waiting| {
            let mut place = || Place {
                address: waiting.addr,
                name: match self.global(waiting.addr, symbols) {
                    Some(Memory::Global { name, .. }) => Some(name),
                    _ => None,
                },
            };
            let what = match waiting.kind.as_str() {
                "object" => Awaited::Object(place()),
                "value" => Awaited::Value(place()),
                "thread" => Awaited::Thread(self.named(waiting.other)),
                _ => Awaited::Unknown,
            };
            Waiting { thread: self.named(waiting.tid), what }
        };
        Deadlock {
            pid: self.start.as_ref().map_or(0, |start| start.pid),
            waiting: waiting.iter().map(&mut one).collect(),
            threads: self.created(waiting.iter().map(|waiting| waiting.tid).collect(), symbols),
            reproduce: self.reproduce(),
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
            Memory::Heap { thread: Some(thread), .. } | Memory::Stack(thread) | Memory::Tls(Some(thread)) => {
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

    pub(crate) fn reproduce(&self) -> Reproduce {
        let unknown = Start::default();
        let start = self.start.as_ref().unwrap_or(&unknown);
        let exact = !matches!(start.schedule.as_str(), "os" | "");
        let mut words: Vec<String> = ["fencepost", "run", "--schedule"].map(String::from).into();
        match exact {
            true => words.extend([start.schedule.clone(), "--seed".into(), start.seed.to_string()]),
            // Without control over the schedule nothing can be repeated; but it can be looked for.
            false => words.extend(["pct:3", "--seeds", "0..1000"].map(String::from)),
        }
        let option = |key: &str| start.options.get(key).cloned();
        // Where a schedule of priorities changes them depends on how long it expects the run to be.
        for (key, word) in [("steps", "--steps"), ("history_size", "--history")] {
            if let Some(value) = option(key).filter(|_| exact || key != "steps") {
                words.extend([word.to_string(), value]);
            }
        }
        if option("spin_detection").is_some_and(|value| value == "0") {
            words.push("--no-spin-detection".into());
        }
        words.push("--".into());
        match start.argv.is_empty() {
            true => words.push(start.exe.clone()),
            false => words.extend_from_slice(&start.argv),
        }
        Reproduce { command: words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" "), exact }
    }
}

/// As a shell wants to see it.
fn shell_word(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(harmless) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}
