//! Small programs with violations, built by hand: no parser and no engine is
//! needed to see what a report looks like.

pub(crate) mod observed;
pub(crate) mod samples;

use std::time::Duration;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode, ReadOrder, RmwOrder, WriteOrder};
use fencepost_base::source::{SourceFile, Span};
use fencepost_ir::{Expr, Instr, LocationKind, Op, Origin, Place, Program, ProgramBuilder, Register, RmwFunction};
use fencepost_model::cycle::{shape_name, shortest_through};
use fencepost_model::{EventId, Graph};
use fencepost_report::Subject;
use fencepost_verdict::{
    Argument, Execution, Failing, GraphRun, GraphStep, Outcome, Property, Run, RunStep, ScFailure, ScFailureKind, Site,
    Stats, Verdict, Verification, Verified, Violation, ViolationKind,
};

/// What a statement does.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// Load.
    R(u32),
    /// Store.
    W(u32, Value),
    /// Exchange.
    U(u32, Value),
    /// `fence(sc)`
    F,
    /// Plain load.
    P(u32),
    /// Plain store.
    Q(u32, Value),
    /// Assertion.
    A,
}

/// A program with its text, and the events of the run so far.
#[derive(Clone)]
pub(crate) struct Sample {
    source: SourceFile,
    program: Program,
    acts: Vec<Vec<Act>>,
    run: Run,
    graph: Graph,
    next: Vec<u32>,
}

impl Sample {
    /// `text` contains the statements of every thread after the word `thread NAME`, in order.
    pub(crate) fn new(
        file: &str,
        text: &str,
        locations: &[(&str, LocationKind)],
        threads: &[(&str, &[(&str, Act)])],
    ) -> Self {
        let name = text.lines().find_map(|line| line.strip_prefix("name \"")?.strip_suffix("\";"));
        let mut builder = ProgramBuilder::new(name.map(str::to_string), 4);
        for (name, kind) in locations {
            builder.location(*name, 0, *kind);
        }
        for (name, statements) in threads {
            let mut at = text.find(&format!("thread {name} ")).expect("the thread is in the text");
            let mut code = Vec::new();
            for (statement, act) in *statements {
                let start = at + text[at..].find(statement).expect("the statement is in the text");
                at = start + statement.len();
                code.push(Instr { op: op(*act), origin: Origin { span: Span::new(start..at), called_from: None } });
            }
            code.push(Instr { op: Op::Halt, origin: Origin::default() });
            builder.thread(*name, vec![Register { name: "r".into(), init: 0 }], code);
        }
        let program = builder.build().expect("a valid program");
        let inits: Vec<Value> = program.locations().iter().map(|location| location.init).collect();
        Sample {
            source: SourceFile::new(file, text),
            acts: threads.iter().map(|(_, statements)| statements.iter().map(|(_, act)| *act).collect()).collect(),
            run: Run::default(),
            graph: Graph::initial(&inits),
            next: vec![0; threads.len()],
            program,
        }
    }

    pub(crate) fn subject(&self) -> Subject<'_> {
        Subject { source: &self.source, program: &self.program }
    }

    pub(crate) fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Threads take steps under SC, in this order.
    pub(crate) fn run(mut self, schedule: &[u32]) -> Self {
        for &thread in schedule {
            let loc = self.loc(thread);
            self.step(thread, loc.map(|loc| self.graph.last_write(loc)));
        }
        self
    }

    /// The next step of `thread`, right after the write number `position` of its location, as a
    /// violation.
    pub(crate) fn goes_wrong(
        mut self,
        thread: u32,
        position: usize,
        kind: ViolationKind,
        conflicting: (u32, u32),
    ) -> Outcome {
        let run = self.run.clone();
        let loc = self.loc(thread).expect("an access");
        let predecessor = self.graph.writes(loc)[position];
        let stale = self.graph.label(predecessor).value_written().expect("a write");
        let access = Site { thread: ThreadId(thread), pc: Pc(self.next[thread as usize]) };
        let culprit = self.step(thread, Some(predecessor));
        let is_race = kind == ViolationKind::DataRace;
        let cycle = if is_race { None } else { shortest_through(&self.graph, culprit) };
        let violation = Violation {
            kind,
            access,
            location: loc,
            conflicting: Site { thread: ThreadId(conflicting.0), pc: Pc(conflicting.1) },
            stale_values: if is_race { vec![] } else { vec![stale] },
            shape: cycle.as_ref().and_then(|cycle| shape_name(&self.graph, cycle)),
            run,
            graph: self.graph.clone(),
            culprit,
            cycle,
            delay: None,
        };
        outcome(Verdict::Violated(Box::new(violation)), None)
    }

    /// Threads take steps, each right after the write of its location that has this number in
    /// modification order, and then the next step of `thread` fails.
    pub(crate) fn fails_weakly(&self, steps: &[(u32, usize)], thread: u32) -> Verification {
        let mut sample = self.clone();
        let (mut run, mut events) = (GraphRun::default(), Vec::new());
        for &(thread, position) in steps {
            let loc = sample.loc(thread).expect("an access");
            let predecessor = sample.graph.writes(loc)[position];
            let id = sample.step(thread, Some(predecessor));
            let step = sample.run.steps.last().expect("the step just taken");
            let event = step.label.map(|label| (label, predecessor));
            run.steps.push(GraphStep { site: step.site, event, choice: None });
            events.push(Some(id));
        }
        let site = Site { thread: ThreadId(thread), pc: Pc(sample.next[thread as usize]) };
        let execution = Some(Box::new(Execution { run, events, graph: sample.graph }));
        let failing = Failing { site, kind: ScFailureKind::Assertion, run: None, execution };
        let verified = Verified { argument: Argument::Witness, states: None, race: None, failing: Some(failing) };
        Verification { model: "rc20", result: Ok(verified), tried: Vec::new(), copies: None, stats: stats() }
    }

    /// The next step of `thread` fails under SC.
    pub(crate) fn fails(&self, thread: u32, kind: ScFailureKind) -> Outcome {
        let site = Site { thread: ThreadId(thread), pc: Pc(self.next[thread as usize]) };
        outcome(Verdict::Holds, Some(Box::new(ScFailure { kind, site, run: self.run.clone() })))
    }

    fn loc(&self, thread: u32) -> Option<LocId> {
        match self.acts[thread as usize][self.next[thread as usize] as usize] {
            Act::R(loc) | Act::W(loc, _) | Act::U(loc, _) | Act::P(loc) | Act::Q(loc, _) => Some(LocId(loc)),
            Act::F => self.program.fence_location(),
            Act::A => None,
        }
    }

    fn step(&mut self, thread: u32, predecessor: Option<EventId>) -> EventId {
        let pc = Pc(self.next[thread as usize]);
        self.next[thread as usize] += 1;
        let old = predecessor.and_then(|write| self.graph.label(write).value_written()).unwrap_or(0);
        let label = match self.acts[thread as usize][pc.index()] {
            Act::R(loc) => Label::Read { loc: LocId(loc), value: old, mode: Mode::Acq },
            Act::W(loc, value) => Label::Write { loc: LocId(loc), value, mode: Mode::Rel },
            Act::U(loc, written) => Label::Rmw { loc: LocId(loc), read: old, written, mode: Mode::AcqRel },
            Act::P(loc) => Label::Read { loc: LocId(loc), value: old, mode: Mode::Na },
            Act::Q(loc, value) => Label::Write { loc: LocId(loc), value, mode: Mode::Na },
            Act::F => {
                let loc = self.program.fence_location().expect("the program has a fence");
                Label::Rmw { loc, read: old, written: old, mode: Mode::AcqRel }
            }
            Act::A => panic!("an assertion is no event"),
        };
        let site = Site { thread: ThreadId(thread), pc };
        self.run.steps.push(RunStep { site, label: Some(label), choice: None });
        self.graph.add(ThreadId(thread), label, predecessor, Some(pc))
    }
}

pub(crate) fn outcome(verdict: Verdict, sc_failure: Option<Box<ScFailure>>) -> Outcome {
    Outcome {
        property: Property::Robustness,
        model: "ra",
        verdict,
        sc_failure,
        speculative: Vec::new(),
        consequences: None,
        copies: None,
        stats: stats(),
    }
}

fn stats() -> Stats {
    Stats {
        states: 12_345,
        transitions: 23_456,
        depth: 17,
        state_bits: 42,
        peak_bytes: 123_456,
        on_device: 0,
        time: Duration::from_micros(12_345),
    }
}

fn op(act: Act) -> Op {
    let place = |loc: u32| Place::Fixed(LocId(loc));
    let constant = |value: Value| Expr::Const(i64::from(value));
    match act {
        Act::R(loc) => Op::Load { dst: Some(RegId(0)), place: place(loc), order: ReadOrder::Acq },
        Act::W(loc, value) => Op::Store { place: place(loc), value: constant(value), order: WriteOrder::Rel },
        Act::U(loc, value) => Op::Update {
            dst: None,
            place: place(loc),
            function: RmwFunction::Exchange,
            operand: constant(value),
            order: RmwOrder::AcqRel,
        },
        Act::F => Op::Fence { order: FenceOrder::Sc },
        Act::P(loc) => Op::PlainLoad { dst: RegId(0), place: place(loc) },
        Act::Q(loc, value) => Op::PlainStore { place: place(loc), value: constant(value) },
        Act::A => Op::Assert { cond: Expr::Reg(RegId(0)) },
    }
}
