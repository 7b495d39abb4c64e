//! Each execution of a small generated program is met exactly once, judged by growing graphs in all
//! orders.

use std::collections::{BTreeMap, HashSet};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_executions::{Ended, Explorer};
use fencepost_model::{EventId, Graph, Model, models};
use fencepost_protocol::Order;
use fencepost_protocol::exploration::{Decision, Found, Kind, Step, end, flag};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;

#[derive(Clone, Copy, Debug)]
enum Op {
    Load(u8, Order),
    Store(u8, u8, Order),
    Add(u8, Order),
    Cas(u8, u8, u8, Order),
    Fence(Order),
    Lock(u8),
    Unlock(u8),
    Choose(u8),
    /// Leaves the next out if the last value read was not 0.
    Skip,
}

type Program = Vec<Vec<Op>>;

/// Where locks are, among locations.
const LOCKS: u8 = 2;
/// All locations.
const LOCATIONS: usize = 3;

fn program(seed: u64, with_locks: bool) -> Program {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(2) as usize;
    let total = if threads == 2 { 7 } else { 6 };
    let mut program: Program = vec![Vec::new(); threads];
    let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
    for _ in 0..total {
        let thread = random.below(threads as u64) as usize;
        let location = random.below(2) as u8;
        let mut order = |allowed: &[usize]| orders[allowed[random.below(allowed.len() as u64) as usize]];
        let (read, write, update) = (order(&[0, 1, 4]), order(&[0, 2, 4]), order(&[0, 1, 2, 3, 4]));
        let value = 1 + random.below(2) as u8;
        let op = match random.below(if with_locks { 12 } else { 11 }) {
            0..3 => Op::Load(location, read),
            3..6 => Op::Store(location, value, write),
            6 => Op::Add(location, update),
            7 => Op::Cas(location, random.below(2) as u8, value, update),
            8 => Op::Fence(if update == Order::Relaxed { Order::SeqCst } else { update }),
            9 => Op::Skip,
            10 => Op::Choose(2),
            _ => Op::Lock(LOCKS),
        };
        program[thread].push(op);
        if matches!(op, Op::Lock(_)) {
            program[thread].extend([Op::Store(location, value, Order::Relaxed), Op::Unlock(LOCKS)]);
        }
    }
    program
}

/// Where a thread is.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Local {
    at: usize,
    last: u32,
    seen: Vec<u32>,
}

impl Local {
    fn read(&mut self, value: u32) {
        self.last = value;
        self.seen.push(value);
        self.at += 1;
    }

    fn next(&self, ops: &[Op]) -> Option<Op> {
        ops.get(self.at).copied()
    }

    /// Passes what nobody else sees.
    fn settle(&mut self, ops: &[Op]) {
        while let Some(Op::Skip) = self.next(ops) {
            self.at += if self.last == 0 { 1 } else { 2 };
        }
    }
}

/// Of each thread what it has read.
type Outcome = Vec<Vec<u32>>;

/// All executions, with what is read in them.
fn all(program: &Program, model: &dyn Model) -> BTreeMap<Outcome, u64> {
    let mut outcomes = BTreeMap::new();
    let mut known: HashSet<(Graph, Vec<Local>)> = HashSet::new();
    let mut locals = vec![Local::default(); program.len()];
    locals.iter_mut().zip(program).for_each(|(local, ops)| local.settle(ops));
    let mut open = vec![(Graph::initial(&[0; LOCATIONS]), locals)];
    while let Some((graph, locals)) = open.pop() {
        if !known.insert((graph.canonical(), locals.clone())) {
            continue;
        }
        if locals.iter().zip(program).all(|(local, ops)| local.next(ops).is_none()) {
            *outcomes.entry(locals.into_iter().map(|local| local.seen).collect()).or_default() += 1;
            continue;
        }
        for (thread, ops) in program.iter().enumerate() {
            let Some(op) = locals[thread].next(ops) else { continue };
            let mut grow = |label: Label, predecessor: Option<EventId>, read: Option<u32>| {
                let (mut graph, mut locals) = (graph.clone(), locals.clone());
                graph.add(ThreadId(thread as u32), label, predecessor, None);
                match read {
                    Some(value) => locals[thread].read(value),
                    None => locals[thread].at += 1,
                }
                locals[thread].settle(ops);
                if model.permits(&graph) {
                    open.push((graph, locals));
                }
            };
            match op {
                Op::Fence(order) => grow(Label::Fence { mode: mode(order, true, true) }, None, None),
                Op::Choose(ways) => {
                    for way in 0..ways {
                        let mut locals = locals.clone();
                        locals[thread].read(u32::from(way));
                        locals[thread].settle(ops);
                        open.push((graph.clone(), locals));
                    }
                }
                Op::Skip => unreachable!("settled"),
                Op::Load(loc, _) | Op::Store(loc, _, _) | Op::Add(loc, _) | Op::Cas(loc, _, _, _) | Op::Lock(loc) | Op::Unlock(loc) => {
                    let loc = LocId(u32::from(loc));
                    let writes = graph.writes(loc).to_vec();
                    for (position, &w) in writes.iter().enumerate() {
                        let read = graph.label(w).value_written().expect("a write");
                        let is_taken = writes.get(position + 1).is_some_and(|&next| graph.label(next).is_rmw());
                        let rmw = |written, order| Label::Rmw { loc, read, written, mode: mode(order, true, true) };
                        match op {
                            Op::Load(_, order) => grow(Label::Read { loc, value: read, mode: mode(order, true, false) }, Some(w), Some(read)),
                            Op::Store(_, value, order) if !is_taken => {
                                grow(Label::Write { loc, value: value.into(), mode: mode(order, false, true) }, Some(w), None);
                            }
                            Op::Unlock(_) if !is_taken => grow(Label::Write { loc, value: 0, mode: Mode::Rel }, Some(w), None),
                            Op::Add(_, order) if !is_taken => grow(rmw(read + 1, order), Some(w), Some(read)),
                            Op::Lock(_) if !is_taken && read == 0 => grow(rmw(1, Order::Acquire), Some(w), Some(0)),
                            Op::Cas(_, expected, value, order) if u32::from(expected) == read => {
                                if !is_taken {
                                    grow(rmw(value.into(), order), Some(w), Some(read));
                                }
                            }
                            Op::Cas(_, _, _, order) => {
                                grow(Label::Read { loc, value: read, mode: mode(failure(order), true, false) }, Some(w), Some(read));
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
    }
    outcomes
}

fn failure(order: Order) -> Order {
    match order {
        Order::Release => Order::Relaxed,
        Order::AcqRel => Order::Acquire,
        order => order,
    }
}

fn mode(order: Order, reads: bool, writes: bool) -> Mode {
    match order {
        Order::SeqCst => Mode::Sc,
        _ => match (reads && order.acquires(), writes && order.releases()) {
            (true, true) => Mode::AcqRel,
            (true, false) => Mode::Acq,
            (false, true) => Mode::Rel,
            (false, false) => Mode::Rlx,
        },
    }
}

/// A run that follows decisions, as the runtime makes it.
struct Machine<'a> {
    program: &'a Program,
    locals: Vec<Local>,
    /// Of each location the writes, and the number of the newest.
    memory: Vec<(Vec<u32>, usize)>,
    held: Vec<bool>,
    steps: Vec<Step>,
}

impl Machine<'_> {
    fn run(program: &Program, decisions: &[Decision]) -> (Vec<Step>, u32, Outcome) {
        let mut machine = Machine {
            program,
            locals: vec![Local::default(); program.len()],
            memory: vec![(vec![0], 0); LOCATIONS],
            held: vec![false; program.len()],
            steps: Vec::new(),
        };
        for thread in 0..program.len() {
            machine.settle(thread);
        }
        for decision in decisions {
            match decision.is_held() {
                true => machine.held[decision.thread as usize] = true,
                false => machine.step(*decision),
            }
        }
        while let Some(thread) = (0..program.len()).find(|&thread| machine.can_go_on(thread)) {
            machine.step(Decision::new(thread as u32, 0));
        }
        let is_over = machine.locals.iter().zip(program).all(|(local, ops)| local.next(ops).is_none());
        let outcome = machine.locals.into_iter().map(|local| local.seen).collect();
        (machine.steps, if is_over { end::EXITED } else { end::STUCK }, outcome)
    }

    /// Fences belong to the step before. Those before the first one have no effect.
    fn settle(&mut self, thread: usize) {
        self.locals[thread].settle(&self.program[thread]);
        while let Some(Op::Fence(order)) = self.locals[thread].next(&self.program[thread]) {
            self.steps.push(Step { thread: thread as u32, order, ..Step::new(Kind::Fence, 0) });
            self.locals[thread].at += 1;
            self.locals[thread].settle(&self.program[thread]);
        }
    }

    fn can_go_on(&self, thread: usize) -> bool {
        !self.held[thread]
            && match self.locals[thread].next(&self.program[thread]) {
                None => false,
                Some(Op::Lock(loc)) => self.newest(loc) == 0,
                Some(_) => true,
            }
    }

    fn newest(&self, loc: u8) -> u32 {
        let (writes, newest) = &self.memory[usize::from(loc)];
        writes[*newest]
    }

    fn write(&mut self, loc: u8, value: u32, decision: Decision) {
        let (writes, newest) = &mut self.memory[usize::from(loc)];
        writes.push(value);
        if !decision.is_hidden() {
            *newest = writes.len() - 1;
        }
    }

    fn step(&mut self, decision: Decision) {
        let thread = decision.thread as usize;
        let op = self.locals[thread].next(&self.program[thread]).expect("it can go on");
        let read = |machine: &Self, loc: u8| match decision.found() {
            Found::Newest => machine.newest(loc),
            Found::Write(number) => machine.memory[usize::from(loc)].0[number as usize],
        };
        let mut step = Step { thread: decision.thread, choice: decision.choice, flags: flag::DECIDED, pc: self.locals[thread].at as u64, ..Step::new(Kind::GoOn, 0) };
        match op {
            Op::Load(loc, order) => {
                let value = read(self, loc);
                (step.kind, step.object, step.order, step.read) = (Kind::Read, loc.into(), order, value.into());
                self.locals[thread].read(value);
            }
            Op::Store(loc, value, order) => {
                (step.kind, step.object, step.order, step.written) = (Kind::Write, loc.into(), order, value.into());
                step.read = 0;
                self.write(loc, value.into(), decision);
                self.locals[thread].at += 1;
            }
            Op::Add(loc, order) => {
                let value = read(self, loc);
                (step.kind, step.object, step.order) = (Kind::Update, loc.into(), order);
                (step.read, step.written) = (value.into(), u64::from(value) + 1);
                self.write(loc, value + 1, decision);
                self.locals[thread].read(value);
            }
            Op::Cas(loc, expected, new, order) => {
                let value = read(self, loc);
                (step.object, step.order, step.failure) = (loc.into(), order, failure(order));
                (step.read, step.written, step.expected) = (value.into(), new.into(), expected.into());
                step.flags |= flag::COMPARES;
                step.kind = Kind::Read;
                if value == u32::from(expected) {
                    step.kind = Kind::Update;
                    self.write(loc, new.into(), decision);
                }
                self.locals[thread].read(value);
            }
            Op::Lock(loc) => {
                (step.kind, step.object, step.flags) = (Kind::Lock, loc.into(), step.flags | flag::WAITS);
                assert_eq!(read(self, loc), 0);
                self.write(loc, 1, decision);
                self.locals[thread].read(0);
            }
            Op::Unlock(loc) => {
                (step.kind, step.object) = (Kind::Unlock, loc.into());
                self.write(loc, 0, decision);
                self.locals[thread].at += 1;
            }
            Op::Choose(ways) => {
                (step.kind, step.choices) = (Kind::Choice, ways.into());
                self.locals[thread].read(decision.choice);
            }
            Op::Fence(_) | Op::Skip => unreachable!("settled"),
        }
        self.steps.push(step);
        self.settle(thread);
    }
}

/// What is explored, and how many runs that took.
fn explored(program: &Program, model: &'static dyn Model) -> (BTreeMap<Outcome, u64>, Explorer) {
    let mut explorer = Explorer::new(model, models::reference());
    let mut outcomes = BTreeMap::new();
    while let Some(task) = explorer.next() {
        let (steps, why, outcome) = Machine::run(program, &task.decisions());
        match explorer.done(task, &steps, why).unwrap_or_else(|trouble| panic!("{program:?}: {trouble}")) {
            Ended::Complete => *outcomes.entry(outcome).or_default() += 1,
            Ended::Blocked | Ended::Stuck | Ended::Rejected => {}
        }
    }
    (outcomes, explorer)
}

fn check(count: u64, with_locks: bool) {
    let model = models::by_name("cpp20").expect("a model of ours");
    let (mut complete, mut runs) = (0, 0);
    for seed in 0..repetitions(count) {
        let program = program(seed, with_locks);
        let expected = all(&program, model);
        let (found, explorer) = explored(&program, model);
        assert_eq!(found, expected, "seed {seed}: {program:?}");
        assert!((explorer.share() - 1.0).abs() < 1e-6, "everything was explored");
        complete += explorer.counts().complete;
        runs += explorer.counts().runs();
        let weak: u64 = expected.values().sum::<u64>() - all(&program, models::reference()).values().sum::<u64>();
        assert_eq!(explorer.counts().weak, weak, "seed {seed}: {program:?}");
    }
    assert!(complete > 10 * count, "{complete} executions");
    assert!(runs < 2 * complete, "{runs} runs for {complete} executions");
}

#[test]
fn every_execution_is_met_once() {
    check(600, false);
}

#[test]
fn every_execution_with_locks_is_met_once() {
    check(300, true);
}
