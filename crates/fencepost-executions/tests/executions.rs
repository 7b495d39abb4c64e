//! Each execution of a small generated program is met exactly once, judged by growing graphs in all
//! orders.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_executions::{Ended, Explorer, Models};
use fencepost_model::{EventId, Graph, Model, models};
use fencepost_protocol::Order;
use fencepost_protocol::exploration::{Class, Decision, Found, Kind, Step, end, flag};
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
    /// Something with an object.
    Use(Use),
    Choose(u8),
    /// Leaves the next out if the last value read was not 0.
    Skip,
}

/// What can be done with objects, of which there is one of each class besides locks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    /// Takes the mutex, or reads 1.
    TryLock,
    /// Takes and gives back a mutex of its own.
    Lock,
    Unlock,
    /// Gives the mutex back and waits for the condition. To take the mutex again is an operation of
    /// its own.
    Wait,
    Signal,
    Broadcast,
    /// A semaphore: waits for it, or reads 1 if it would have to.
    Down,
    TryDown,
    Post,
    /// A barrier for two.
    Arrive,
    ReadLock,
    ReadUnlock,
    WriteLock,
    WriteUnlock,
}

impl Use {
    /// The object, by number.
    fn object(self) -> usize {
        match self {
            Use::TryLock | Use::Lock | Use::Unlock => 0,
            Use::Wait | Use::Signal | Use::Broadcast => 1,
            Use::Down | Use::TryDown | Use::Post => 2,
            Use::Arrive => 3,
            Use::ReadLock | Use::ReadUnlock | Use::WriteLock | Use::WriteUnlock => 4,
        }
    }

    fn class(self) -> Class {
        [Class::Mutex, Class::Condition, Class::Semaphore, Class::Barrier, Class::ReadWriteLock][self.object()]
    }
}

const OBJECTS: usize = 5;
/// Where the objects are.
const FIRST_OBJECT: u64 = 1 << 12;
const APART: u64 = 1 << 8;
/// The state of a lock with a writer.
const WRITTEN: u64 = u64::MAX;

/// Of each object its state, and who waits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Objects {
    states: [u64; OBJECTS],
    round: u32,
    waiting: Vec<usize>,
    arrived: Vec<usize>,
    /// Of each object who has used it, and for which time of his.
    chains: [Vec<(usize, usize)>; OBJECTS],
    /// What counts of what was released to an object: to which parts, and by whom.
    released: [Vec<(u32, (usize, usize))>; OBJECTS],
}

/// What comes of the use of an object.
#[derive(Clone, Debug, Default)]
struct Effect {
    read: Option<u32>,
    states: (u64, u64),
    acquires: u32,
    releases: u32,
    replaces: u32,
    /// Who goes on.
    woken: Vec<usize>,
    /// Does who has used it wait now?
    waits: bool,
}

impl Objects {
    /// Can it be done now?
    fn permit(&self, what: Use) -> bool {
        let state = self.states[what.object()];
        match what {
            Use::Lock | Use::WriteLock => state == 0,
            Use::Down => state > 0,
            Use::ReadLock => state != WRITTEN,
            _ => true,
        }
    }

    /// In how many ways can it be done?
    fn ways(&self, what: Use) -> usize {
        if what == Use::Signal { self.waiting.len() } else { 0 }
    }

    fn apply(&mut self, what: Use, (thread, at): (usize, usize), way: usize) -> Effect {
        const READERS: u32 = 1 << 8;
        let object = what.object();
        let before = self.states[object];
        let mut effect = Effect::default();
        let mut after = before;
        match what {
            Use::Lock | Use::TryLock if before == 0 => (after, effect.acquires) = (1, 1),
            Use::Lock | Use::TryLock => {}
            Use::Unlock => (after, effect.releases, effect.replaces) = (0, 1, 1),
            Use::Wait => {
                self.waiting.push(thread);
                self.waiting.sort_unstable();
                effect.waits = true;
            }
            Use::Signal if self.waiting.is_empty() => {}
            Use::Signal => effect.woken = vec![self.waiting.remove(way)],
            Use::Broadcast => effect.woken = std::mem::take(&mut self.waiting),
            Use::Down | Use::TryDown if before > 0 => (after, effect.acquires) = (before - 1, 1),
            Use::Down | Use::TryDown => {}
            Use::Post => (after, effect.releases) = (before + 1, 1),
            Use::Arrive => {
                let part = 1 << (1 + self.round % 31);
                effect.releases = part;
                if self.arrived.is_empty() {
                    effect.replaces = part;
                }
                self.arrived.push(thread);
                effect.waits = self.arrived.len() < 2;
                if !effect.waits {
                    effect.acquires = part;
                    self.arrived.pop();
                    effect.woken = std::mem::take(&mut self.arrived);
                    self.round += 1;
                }
            }
            Use::ReadLock => (after, effect.acquires) = (before + 1, 1),
            Use::ReadUnlock => (after, effect.releases) = (before - 1, READERS),
            Use::WriteLock => (after, effect.acquires) = (WRITTEN, 1 | READERS),
            Use::WriteUnlock => (after, effect.releases, effect.replaces) = (0, 1, 1),
        }
        if matches!(what, Use::TryLock | Use::TryDown) {
            effect.read = Some(u32::from(effect.acquires == 0));
        }
        self.states[object] = after;
        effect.states = (before, after);
        self.chains[object].push((thread, at));
        let released = &mut self.released[object];
        released.iter_mut().for_each(|(parts, _)| *parts &= !effect.replaces);
        released.push((effect.releases, (thread, at)));
        released.retain(|(parts, _)| *parts != 0);
        effect
    }

    /// By whom what is acquired from these parts of an object was released.
    fn acquired(&self, object: usize, parts: u32) -> Vec<(usize, usize)> {
        self.released[object].iter().filter(|(at, _)| at & parts != 0).map(|(_, by)| *by).collect()
    }
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
    Objects,
}

/// A program whose threads use objects, and a few locations.
fn program_with_objects(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let threads = 2 + random.below(2);
    let mut program: Program = vec![Vec::new(); threads];
    let is_one_of_each = random.below(3) > 0;
    let favourite = random.below(5);
    for _ in 0..if threads == 2 { 5 } else { 4 } {
        let thread = random.below(threads);
        let order = [Order::Relaxed, Order::SeqCst][random.below(2)];
        let store = Op::Store(random.below(2) as u8, 1 + random.below(2) as u8, order);
        let load = Op::Load(random.below(2) as u8, order);
        let fence = Op::Fence([Order::SeqCst, Order::Release, Order::Acquire][random.below(3)]);
        let kind = if is_one_of_each { favourite } else { random.below(5) };
        let ops: &[Op] = match (random.below(5), kind) {
            (0, _) => &[store],
            (1, _) if random.below(2) == 0 => &[load],
            (1, _) => &[fence, load],
            (2, 0) => &[Op::Use(Use::TryLock), Op::Skip, Op::Use(Use::Unlock)],
            (_, 0) => &[Op::Use(Use::Lock), store, load, Op::Use(Use::Unlock)],
            (2, 1) if random.below(3) == 0 => &[Op::Use(Use::TryLock), Op::Skip, Op::Use(Use::Unlock)],
            (2, 1) => &[Op::Use(Use::Signal)],
            (3, 1) if random.below(2) == 0 => &[store, Op::Use(Use::Broadcast)],
            (3, 1) => &[Op::Use(Use::Lock), Op::Use(Use::Signal), Op::Use(Use::Unlock)],
            (_, 1) => &[Op::Use(Use::Lock), Op::Use(Use::Wait), Op::Use(Use::Lock), load, Op::Use(Use::Unlock)],
            (2, 2) => &[store, Op::Use(Use::Post)],
            (3, 2) if random.below(2) == 0 => &[Op::Use(Use::Lock), Op::Use(Use::Down), Op::Use(Use::Unlock)],
            (3, 2) => &[Op::Use(Use::TryDown)],
            (_, 2) if random.below(2) == 0 => &[Op::Use(Use::Down), load],
            (_, 2) => &[Op::Use(Use::Post)],
            (_, 3) if random.below(2) == 0 => &[store, Op::Use(Use::Arrive), load],
            (_, 3) => &[Op::Use(Use::Arrive)],
            (2, _) => &[Op::Use(Use::WriteLock), store, Op::Use(Use::WriteUnlock)],
            (_, _) => &[Op::Use(Use::ReadLock), load, Op::Use(Use::ReadUnlock)],
        };
        program[thread].extend(ops);
    }
    program
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
    /// Does it wait until it is woken?
    waits: bool,
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

/// Operations of a thread, at most.
const LONGEST: usize = 32;

/// Where the write is by which a thread tells what it has released with this operation.
fn told(thread: usize, at: usize) -> LocId {
    LocId::from_index(LOCATIONS + OBJECTS + thread * LONGEST + at)
}

/// A thread acquires what these have released.
fn acquire(graph: &mut Graph, thread: usize, by: &[(usize, usize)]) {
    for &(other, at) in by.iter().filter(|(other, _)| *other != thread) {
        let (loc, mode) = (told(other, at), Mode::Acq);
        let last = graph.last_write(loc);
        graph.add(ThreadId(thread as u32), Label::Read { loc, value: 1, mode }, Some(last), None);
    }
}

/// The executions that go on with the use of an object.
fn used(
    (graph, locals, objects): (&Graph, &[Local], &Objects),
    program: &Program,
    (thread, what): (usize, Use),
    with_chains: bool,
) -> Vec<(Graph, Vec<Local>, Objects)> {
    if !objects.permit(what) {
        return Vec::new();
    }
    let at = locals[thread].at;
    let each = |way: usize| {
        let (mut graph, mut locals, mut objects) = (graph.clone(), locals.to_vec(), objects.clone());
        let effect = objects.apply(what, (thread, at), way);
        let acquired = objects.acquired(what.object(), effect.acquires);
        let mut release = |loc: LocId| {
            let (last, label) = (graph.last_write(loc), Label::Write { loc, value: 1, mode: Mode::Rel });
            graph.add(ThreadId(thread as u32), label, Some(last), None);
        };
        if effect.releases != 0 {
            release(told(thread, at));
        }
        let mut chains = vec![what.object()];
        if what == Use::Wait {
            release(told(thread, at));
            objects.apply(Use::Unlock, (thread, at), 0);
            chains.push(Use::Unlock.object());
        }
        for object in chains.into_iter().filter(|_| with_chains) {
            let loc = LocId::from_index(LOCATIONS + object);
            let last = graph.last_write(loc);
            let read = graph.label(last).value_written().expect("a write");
            let label = Label::Rmw { loc, read, written: read + 1, mode: Mode::Rlx };
            graph.add(ThreadId(thread as u32), label, Some(last), None);
        }
        acquire(&mut graph, thread, &acquired);
        match effect.read {
            Some(value) => locals[thread].read(value),
            None if effect.waits => locals[thread].waits = true,
            None => locals[thread].at += 1,
        }
        for woken in effect.woken {
            acquire(&mut graph, woken, &acquired);
            (locals[woken].waits, locals[woken].at) = (false, locals[woken].at + 1);
            locals[woken].settle(&program[woken]);
        }
        locals[thread].settle(&program[thread]);
        (graph, locals, objects)
    };
    (0..objects.ways(what).max(1)).map(each).collect()
}

/// All executions. Are chains of objects seen by the model?
fn all(program: &Program, model: &dyn Model, with_chains: bool) -> All {
    let mut outcomes = All::default();
    let mut known: HashSet<(Graph, Vec<Local>, Objects)> = HashSet::new();
    let mut locals = vec![Local::default(); program.len()];
    locals.iter_mut().zip(program).for_each(|(local, ops)| local.settle(ops));
    let has_uses = program.iter().flatten().any(|op| matches!(op, Op::Use(_)));
    let locations = if has_uses { LOCATIONS + OBJECTS + program.len() * LONGEST } else { LOCATIONS };
    let mut open = vec![(Graph::initial(&vec![0; locations]), locals, Objects::default())];
    while let Some((graph, locals, objects)) = open.pop() {
        if !known.insert((graph.canonical(), locals.clone(), objects.clone())) {
            continue;
        }
        if locals.iter().zip(program).all(|(local, ops)| local.next(ops).is_none()) {
            *outcomes.complete.entry(locals.into_iter().map(|local| local.seen).collect()).or_default() += 1;
            continue;
        }
        let is_in_vain = |(local, ops): (&Local, &Vec<Op>)| {
            local.waits
                || local.next(ops).is_none_or(|op| {
                    if let Op::Use(what) = op {
                        return !objects.permit(what);
                    }
                    let last = |loc: u8| graph.writes(LocId(u32::from(loc))).last().map(|&last| *graph.label(last));
                    place(op)
                        .is_some_and(|loc| waits(op, last(loc).and_then(|label| label.value_written()).unwrap_or(0)))
                })
        };
        if locals.iter().zip(program).all(is_in_vain) {
            outcomes.stuck.insert(locals.iter().map(|local| local.seen.clone()).collect());
        }
        for (thread, ops) in program.iter().enumerate() {
            let Some(op) = locals[thread].next(ops).filter(|_| !locals[thread].waits) else { continue };
            if let Op::Use(what) = op {
                open.extend(used((&graph, &locals, &objects), program, (thread, what), with_chains));
                continue;
            }
            let mut grow = |label: Label, predecessor: Option<EventId>, read: Option<u32>| {
                let (mut graph, mut locals) = (graph.clone(), locals.clone());
                graph.add(ThreadId(thread as u32), label, predecessor, None);
                match read {
                    Some(value) => locals[thread].read(value),
                    None => locals[thread].at += 1,
                }
                locals[thread].settle(ops);
                if model.permits(&graph) {
                    open.push((graph, locals, objects.clone()));
                }
            };
            match op {
                Op::Fence(order) => grow(Label::Fence { mode: mode(order, true, true) }, None, None),
                Op::Choose(ways) => {
                    for way in 0..ways {
                        let mut locals = locals.clone();
                        locals[thread].read(u32::from(way));
                        locals[thread].settle(ops);
                        open.push((graph.clone(), locals, objects.clone()));
                    }
                }
                Op::Skip | Op::Use(_) => unreachable!("settled, or done"),
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
        Op::Fence(_) | Op::Choose(_) | Op::Skip | Op::Use(_) => None,
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
    objects: Objects,
    /// Of each thread that was woken, by which step, at which object, and what it acquires there.
    woken: Vec<Option<(u32, u64, u32)>>,
    steps: Vec<Step>,
}

impl Machine<'_> {
    fn run(program: &Program, decisions: &[Decision], random: &mut Random) -> (Vec<Step>, u32, Outcome) {
        let mut machine = Machine {
            program,
            locals: vec![Local::default(); program.len()],
            memory: vec![(vec![0], 0); LOCATIONS],
            held: vec![false; program.len()],
            objects: Objects::default(),
            woken: vec![None; program.len()],
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
            if let Some(op) = machine.locals[thread].next(ops).filter(|_| !machine.locals[thread].waits) {
                let read = place(op).map_or(0, |loc| machine.newest(loc)).into();
                let about = machine.about(thread, op);
                // What an object would become is not known before it is used, nor what that orders.
                let (written, acquires) = match about.class {
                    Class::Futex => (about.written, about.acquires),
                    _ => (0, 0),
                };
                let step = Step { read, written, acquires, ..about };
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
        let sleeps = self.locals[thread].waits && self.woken[thread].is_none();
        !self.held[thread]
            && !sleeps
            && match self.locals[thread].next(&self.program[thread]) {
                None => false,
                Some(_) if self.woken[thread].is_some() => true,
                Some(Op::Use(what)) => self.objects.permit(what),
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
            Op::Lock(_) => Step { kind: Kind::Lock, class: Class::Mutex, written: 1, acquires: 1, ..step },
            Op::Unlock(_) => {
                Step { kind: Kind::Unlock, class: Class::Mutex, read: 1, releases: 1, replaces: 1, ..step }
            }
            Op::Use(what) => {
                let object = FIRST_OBJECT + APART * what.object() as u64;
                let step = Step { kind: Kind::Object, class: what.class(), object, ..step };
                let awaits = step.flags | flag::AWAITS;
                match what {
                    Use::Lock => Step { kind: Kind::Lock, written: 1, acquires: 1, ..step },
                    Use::Unlock => Step { kind: Kind::Unlock, ..step },
                    Use::Down => Step { flags: awaits | flag::DIFFERS, ..step },
                    Use::ReadLock => Step { flags: awaits | flag::DIFFERS, expected: WRITTEN, ..step },
                    Use::WriteLock => Step { flags: awaits, ..step },
                    _ => step,
                }
            }
            Op::Choose(ways) => Step { kind: Kind::Choice, choices: ways.into(), ..step },
            Op::Fence(_) | Op::Skip => unreachable!("settled"),
        }
    }

    /// False if it has to wait.
    fn step(&mut self, decision: Decision) -> bool {
        let thread = decision.thread as usize;
        if let Some((after, object, acquires)) = self.woken[thread].take() {
            let step = Step { thread: thread as u32, flags: flag::DECIDED, ..Step::new(Kind::GoOn, object) };
            self.steps.push(Step { after, acquires, ..step });
            (self.locals[thread].waits, self.locals[thread].at) = (false, self.locals[thread].at + 1);
            self.settle(thread);
            return true;
        }
        let op = self.locals[thread].next(&self.program[thread]).expect("it can go on");
        if let Op::Use(what) = op {
            return self.uses(what, decision);
        }
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
        let is_use = step.class != Class::Futex;
        step.read = if is_use {
            self.newest(loc).into()
        } else if reads {
            found.into()
        } else {
            self.memory[usize::from(loc)].0[0].into()
        };
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

impl Machine<'_> {
    /// Uses an object. False if that has to wait.
    fn uses(&mut self, what: Use, decision: Decision) -> bool {
        let thread = decision.thread as usize;
        if !self.objects.permit(what) {
            return false;
        }
        let at = self.locals[thread].at;
        let about = self.about(thread, Op::Use(what));
        let choices = self.objects.ways(what) as u32;
        let of = |effect: &Effect| {
            let Effect { states: (read, written), acquires, releases, replaces, .. } = *effect;
            Step { read, written, acquires, releases, replaces, ..about }
        };
        let effect = self.objects.apply(what, (thread, at), decision.choice as usize);
        self.steps.push(Step { choice: decision.choice, choices, ..of(&effect) });
        let after = self.steps.len() as u32;
        if what == Use::Wait {
            let unlocked = self.objects.apply(Use::Unlock, (thread, at), 0);
            let step = self.about(thread, Op::Use(Use::Unlock));
            let Effect { states: (read, written), releases, replaces, .. } = unlocked;
            self.steps.push(Step { read, written, releases, replaces, flags: 0, pc: 0, ..step });
        }
        match effect.read {
            Some(value) => self.locals[thread].read(value),
            None if effect.waits => self.locals[thread].waits = true,
            None => self.locals[thread].at += 1,
        }
        for woken in effect.woken {
            self.woken[woken] = Some((after, about.object, effect.acquires));
        }
        if !self.locals[thread].waits {
            self.settle(thread);
        }
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
        let program = if with == With::Objects { program_with_objects(seed) } else { program(seed, with) };
        let expected = all(&program, model, false);
        let (found, explorer) = explored(&program, model, seed);
        assert_eq!(found, expected, "seed {seed}: {program:?}");
        assert!((explorer.share() - 1.0).abs() < 1e-6, "everything was explored");
        complete += explorer.counts().complete;
        runs += explorer.counts().runs();
        stuck += expected.stuck.len();
        let under_sc = all(&program, models::reference(), true);
        let weak: u64 = expected.complete.values().sum::<u64>() - under_sc.complete.values().sum::<u64>();
        assert_eq!(explorer.counts().weak, weak, "seed {seed}: {program:?}");
    }
    assert!(complete > 3 * count, "{complete} executions");
    assert!(with != With::Nothing || runs < 2 * complete, "{runs} runs for {complete} executions");
    assert_eq!(matches!(with, With::Waits | With::Objects), stuck > 0, "{stuck} outcomes of executions that get stuck");
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

#[test]
fn every_execution_with_objects_is_met_once() {
    check(300, With::Objects);
}
