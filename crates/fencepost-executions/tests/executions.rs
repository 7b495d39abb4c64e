//! Each execution of a small generated program is met exactly once, judged by growing graphs in all
//! orders.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_executions::{Ended, Explorer, Models};
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
    /// Waits for a value, or for any other.
    Await(u8, u8, bool, Order),
    /// Waits for a value, and writes another.
    Take(u8, u8, u8, Order),
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

/// What programs have besides accesses.
#[derive(Clone, Copy, PartialEq)]
enum With {
    Nothing,
    Locks,
    Waits,
}

fn program(seed: u64, with: With) -> Program {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(2);
    let total = if threads == 2 { 7 } else { 6 };
    let mut program: Program = vec![Vec::new(); threads];
    let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
    for _ in 0..total {
        let thread = random.below(threads);
        let location = random.below(2) as u8;
        let mut order = |allowed: &[usize]| orders[allowed[random.below(allowed.len())]];
        let (read, write, update) = (order(&[0, 1, 4]), order(&[0, 2, 4]), order(&[0, 1, 2, 3, 4]));
        let value = 1 + random.below(2) as u8;
        let op = match random.below(if with == With::Nothing { 11 } else { 13 }) {
            0..3 => Op::Load(location, read),
            3..6 => Op::Store(location, value, write),
            6 => Op::Add(location, update),
            7 => Op::Cas(location, random.below(2) as u8, value, update),
            8 => Op::Fence(if update == Order::Relaxed { Order::SeqCst } else { update }),
            9 => Op::Skip,
            10 => Op::Choose(2),
            _ if with == With::Locks => Op::Lock(LOCKS),
            11 => Op::Await(location, value - 1, random.below(2) == 0, read),
            _ => Op::Take(location, value - 1, value, update),
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

/// Does a thread that does this next wait for ever if this is the last write?
fn waits(op: Op, last: u32) -> bool {
    match op {
        Op::Lock(_) => last != 0,
        Op::Await(_, value, differs, _) => (last == u32::from(value)) == differs,
        Op::Take(_, expected, _, _) => last != u32::from(expected),
        _ => false,
    }
}

/// Executions, with what is read in them.
#[derive(Default, Debug, PartialEq)]
struct All {
    /// In which all threads come to their end, and how many there are.
    complete: BTreeMap<Outcome, u64>,
    /// In which those that do not wait for ever.
    stuck: BTreeSet<Outcome>,
}

/// All executions.
fn all(program: &Program, model: &dyn Model) -> All {
    let mut outcomes = All::default();
    let mut known: HashSet<(Graph, Vec<Local>)> = HashSet::new();
    let mut locals = vec![Local::default(); program.len()];
    locals.iter_mut().zip(program).for_each(|(local, ops)| local.settle(ops));
    let mut open = vec![(Graph::initial(&[0; LOCATIONS]), locals)];
    while let Some((graph, locals)) = open.pop() {
        if !known.insert((graph.canonical(), locals.clone())) {
            continue;
        }
        if locals.iter().zip(program).all(|(local, ops)| local.next(ops).is_none()) {
            *outcomes.complete.entry(locals.into_iter().map(|local| local.seen).collect()).or_default() += 1;
            continue;
        }
        let is_in_vain = |(local, ops): (&Local, &Vec<Op>)| {
            local.next(ops).is_none_or(|op| {
                let last = |loc: u8| graph.writes(LocId(u32::from(loc))).last().map(|&last| *graph.label(last));
                place(op).is_some_and(|loc| waits(op, last(loc).and_then(|label| label.value_written()).unwrap_or(0)))
            })
        };
        if locals.iter().zip(program).all(is_in_vain) {
            outcomes.stuck.insert(locals.iter().map(|local| local.seen.clone()).collect());
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
                _ => {
                    let loc = LocId(u32::from(place(op).expect("an access")));
                    let writes = graph.writes(loc).to_vec();
                    for (position, &w) in writes.iter().enumerate() {
                        let read = graph.label(w).value_written().expect("a write");
                        let is_taken = writes.get(position + 1).is_some_and(|&next| graph.label(next).is_rmw());
                        let rmw = |written, order| Label::Rmw { loc, read, written, mode: mode(order, true, true) };
                        match op {
                            Op::Load(_, order) => grow(
                                Label::Read { loc, value: read, mode: mode(order, true, false) },
                                Some(w),
                                Some(read),
                            ),
                            Op::Store(_, value, order) if !is_taken => {
                                grow(
                                    Label::Write { loc, value: value.into(), mode: mode(order, false, true) },
                                    Some(w),
                                    None,
                                );
                            }
                            Op::Unlock(_) if !is_taken => {
                                grow(Label::Write { loc, value: 0, mode: Mode::Rel }, Some(w), None)
                            }
                            _ if waits(op, read) => {}
                            Op::Await(_, _, _, order) => {
                                grow(
                                    Label::Read { loc, value: read, mode: mode(order, true, false) },
                                    Some(w),
                                    Some(read),
                                );
                            }
                            Op::Take(_, _, new, order) if !is_taken => {
                                grow(rmw(new.into(), order), Some(w), Some(read))
                            }
                            Op::Add(_, order) if !is_taken => grow(rmw(read + 1, order), Some(w), Some(read)),
                            Op::Lock(_) if !is_taken => grow(rmw(1, Order::Acquire), Some(w), Some(0)),
                            Op::Cas(_, expected, _, order) if u32::from(expected) != read => {
                                let label = Label::Read { loc, value: read, mode: mode(failure(order), true, false) };
                                grow(label, Some(w), Some(read));
                            }
                            Op::Cas(_, _, new, order) if !is_taken => {
                                grow(rmw(new.into(), order), Some(w), Some(read));
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

/// The location that is accessed.
fn place(op: Op) -> Option<u8> {
    match op {
        Op::Load(loc, _) | Op::Store(loc, _, _) | Op::Add(loc, _) | Op::Cas(loc, _, _, _) => Some(loc),
        Op::Await(loc, _, _, _) | Op::Take(loc, _, _, _) | Op::Lock(loc) | Op::Unlock(loc) => Some(loc),
        Op::Fence(_) | Op::Choose(_) | Op::Skip => None,
    }
}

fn failure(order: Order) -> Order {
    match order {
        Order::AcqRel | Order::SeqCst => Order::Acquire,
        _ => Order::Relaxed,
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
    fn run(program: &Program, decisions: &[Decision], random: &mut Random) -> (Vec<Step>, u32, Outcome) {
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
        let mut is_void = false;
        for decision in decisions {
            match decision.is_held() {
                true => machine.held[decision.thread as usize] = true,
                false => is_void |= !machine.step(*decision),
            }
        }
        if is_void {
            return (machine.steps, end::INFEASIBLE, Vec::new());
        }
        loop {
            let can: Vec<usize> = (0..program.len()).filter(|&thread| machine.can_go_on(thread)).collect();
            let Some(last) = can.len().checked_sub(1) else { break };
            let thread = can[random.below(last + 1)];
            assert!(machine.step(Decision::new(thread as u32, 0)));
        }
        for (thread, ops) in program.iter().enumerate() {
            if let Some(op) = machine.locals[thread].next(ops) {
                let read = place(op).map_or(0, |loc| machine.newest(loc)).into();
                let step = Step { read, ..machine.about(thread, op) };
                machine.steps.push(Step { flags: step.flags & !flag::DECIDED | flag::PENDING, ..step });
            }
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
                Some(op) => place(op).is_none_or(|loc| !waits(op, self.newest(loc))),
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

    /// What the thread does next, as far as that is known before.
    fn about(&self, thread: usize, op: Op) -> Step {
        let at = self.locals[thread].at as u64;
        let step = Step { thread: thread as u32, flags: flag::DECIDED, pc: at, ..Step::new(Kind::GoOn, 0) };
        let step = Step { object: place(op).map_or(0, u64::from), ..step };
        match op {
            Op::Load(_, order) => Step { kind: Kind::Read, order, ..step },
            Op::Store(_, value, order) => Step { kind: Kind::Write, order, written: value.into(), ..step },
            Op::Add(_, order) => Step { kind: Kind::Update, order, ..step },
            Op::Cas(_, expected, new, order) => {
                let (expected, written, failure) = (expected.into(), new.into(), failure(order));
                let flags = step.flags | flag::COMPARES;
                Step { kind: Kind::Update, order, failure, expected, written, flags, ..step }
            }
            Op::Await(_, value, differs, order) => {
                let flags = step.flags | flag::AWAITS | if differs { flag::DIFFERS } else { 0 };
                Step { kind: Kind::Read, order, expected: value.into(), flags, ..step }
            }
            Op::Take(_, expected, new, order) => {
                let (expected, written, flags) = (expected.into(), new.into(), step.flags | flag::AWAITS);
                Step { kind: Kind::Update, order, expected, written, flags, ..step }
            }
            Op::Lock(_) => Step { kind: Kind::Lock, ..step },
            Op::Unlock(_) => Step { kind: Kind::Unlock, ..step },
            Op::Choose(ways) => Step { kind: Kind::Choice, choices: ways.into(), ..step },
            Op::Fence(_) | Op::Skip => unreachable!("settled"),
        }
    }

    /// False if it has to wait.
    fn step(&mut self, decision: Decision) -> bool {
        let thread = decision.thread as usize;
        let op = self.locals[thread].next(&self.program[thread]).expect("it can go on");
        let mut step = Step { choice: decision.choice, ..self.about(thread, op) };
        let Some(loc) = place(op) else {
            self.locals[thread].read(decision.choice);
            self.steps.push(step);
            self.settle(thread);
            return true;
        };
        let found = match decision.found() {
            Found::Newest => self.newest(loc),
            Found::Write(number) => self.memory[usize::from(loc)].0[number as usize],
        };
        if waits(op, found) {
            return false;
        }
        let reads = !matches!(op, Op::Store(..) | Op::Unlock(_));
        step.read = if reads { found.into() } else { self.memory[usize::from(loc)].0[0].into() };
        let written = match op {
            Op::Load(..) | Op::Await(..) => None,
            Op::Cas(_, expected, _, _) if found != u32::from(expected) => None,
            Op::Add(..) => Some(found + 1),
            Op::Lock(_) => Some(1),
            _ => Some(step.written as u32),
        };
        match written {
            Some(written) => {
                step.written = written.into();
                self.write(loc, written, decision);
            }
            None => step.kind = Kind::Read,
        }
        match reads {
            true => self.locals[thread].read(found),
            false => self.locals[thread].at += 1,
        }
        self.steps.push(step);
        self.settle(thread);
        true
    }
}

/// What is explored, and how many runs that took. Threads go on in any order.
fn explored(program: &Program, model: &'static dyn Model, seed: u64) -> (All, Explorer) {
    let mut random = Random::new(seed);
    let both = Models { model, reference: models::reference() };
    let mut explorer = Explorer::new(both);
    let mut found = All::default();
    while let Some(task) = explorer.next_task() {
        let (steps, why, outcome) = Machine::run(program, &task.decisions(), &mut random);
        let made = task.follow(both, &steps, why).unwrap_or_else(|trouble| panic!("{program:?}: {trouble}"));
        match explorer.take_in(made) {
            Ended::Complete => *found.complete.entry(outcome).or_default() += 1,
            Ended::Stuck => drop(found.stuck.insert(outcome)),
            Ended::Blocked | Ended::Rejected => {}
        }
    }
    (found, explorer)
}

fn check(count: u64, with: With) {
    let model = models::by_name("cpp20").expect("a model of ours");
    let (mut complete, mut runs, mut stuck) = (0, 0, 0);
    for seed in 0..repetitions(count) {
        let program = program(seed, with);
        let expected = all(&program, model);
        let (found, explorer) = explored(&program, model, seed);
        assert_eq!(found, expected, "seed {seed}: {program:?}");
        assert!((explorer.share() - 1.0).abs() < 1e-6, "everything was explored");
        complete += explorer.counts().complete;
        runs += explorer.counts().runs();
        stuck += expected.stuck.len();
        let under_sc = all(&program, models::reference());
        let weak: u64 = expected.complete.values().sum::<u64>() - under_sc.complete.values().sum::<u64>();
        assert_eq!(explorer.counts().weak, weak, "seed {seed}: {program:?}");
    }
    assert!(complete > 3 * count, "{complete} executions");
    assert!(with != With::Nothing || runs < 2 * complete, "{runs} runs for {complete} executions");
    assert_eq!(with == With::Waits, stuck > 0, "{stuck} outcomes of executions that get stuck");
}

#[test]
fn every_execution_is_met_once() {
    check(600, With::Nothing);
}

#[test]
fn every_execution_with_locks_is_met_once() {
    check(300, With::Locks);
}

#[test]
fn every_execution_with_waits_is_met_once() {
    check(600, With::Waits);
}
