//! Of every class of equivalent schedules exactly one is run, judged by all interleavings of small
//! generated programs.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_protocol::exploration::{Decision, Kind, Sleeper, Step, end, first_way, flag, sleeps, wake};
use fencepost_schedules::{Bounded, Explorer};
use proptest::collection::vec;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
enum Op {
    Read(u8),
    Write(u8, u8),
    Add(u8),
    Cas(u8, u8, u8),
    /// The same after a choice: if that was not 0 it fails for no reason, and if it would have failed
    /// anyway, the thread stops.
    CasAsChosen(u8, u8, u8),
    Lock(u8),
    TryLock(u8),
    Unlock(u8),
    /// Adds to a location and gives a lock back in the same step, if the thread has it: as who begins
    /// to wait for a condition.
    Leave(u8, u8),
    /// Gives a lock back, if the thread has it, and waits for the condition until it is woken.
    Sleep(u8),
    /// Wakes one that sleeps, or all.
    Rouse(bool),
    Wait(u8, u8),
    /// Waits until it can write the second over the first.
    BlockingCas(u8, u8, u8),
    Choose(u8),
    /// Leaves the next out if the last value read was not 0.
    Skip,
}

type Program = Vec<Vec<Op>>;

/// Where locks are, among objects, and the condition.
const LOCKS: u64 = 100;
const CONDITION: u64 = 200;

#[derive(Clone, Default)]
struct State {
    memory: BTreeMap<u64, u64>,
    at: Vec<usize>,
    last: Vec<u64>,
    /// Locks that a thread has.
    held: BTreeMap<u64, usize>,
    /// Threads that go no further.
    stopped: Vec<usize>,
    /// Threads that sleep, and those that were woken, by the step with this number.
    asleep: Vec<usize>,
    woken: BTreeMap<usize, u32>,
    /// Steps so far.
    steps: u32,
}

impl State {
    fn new(program: &Program) -> State {
        State { at: vec![0; program.len()], last: vec![0; program.len()], ..State::default() }
    }

    fn is_over(&self, program: &Program, thread: usize) -> bool {
        let waits = self.stopped.contains(&thread) || self.asleep.contains(&thread) || self.woken.contains_key(&thread);
        !waits && self.next_op(program, thread).is_none()
    }

    /// Where the next operation is that others can see. Only who has a lock gives it back.
    fn place(&self, program: &Program, thread: usize) -> usize {
        let mut at = self.at[thread];
        loop {
            at += match program[thread].get(at) {
                Some(Op::Skip) if self.last[thread] != 0 => 2,
                Some(Op::Skip) => 1,
                Some(Op::Unlock(m)) if self.held.get(&(LOCKS + u64::from(*m))) != Some(&thread) => 1,
                _ => return at,
            }
        }
    }

    fn next_op(&self, program: &Program, thread: usize) -> Option<Op> {
        program[thread].get(self.place(program, thread)).copied()
    }

    /// What the thread is about to do; none if it is over.
    fn pending(&self, program: &Program, thread: usize) -> Option<Step> {
        if let Some(&after) = self.woken.get(&thread) {
            let step = Step::new(Kind::GoOn, 0);
            return Some(Step { thread: thread as u32, flags: flag::DECIDED, after, ..step });
        }
        let step = match self.next_op(program, thread)? {
            Op::Read(x) | Op::Wait(x, _) => Step::new(Kind::Read, x.into()),
            Op::Write(x, _) => Step::new(Kind::Write, x.into()),
            Op::CasAsChosen(x, ..) if self.last[thread] != 0 => Step::new(Kind::Read, x.into()),
            Op::CasAsChosen(x, ..) => Step::new(Kind::Update, x.into()),
            Op::Add(x) | Op::Cas(x, ..) | Op::BlockingCas(x, ..) => Step::new(Kind::Update, x.into()),
            Op::Sleep(m) => {
                let lock = LOCKS + u64::from(m);
                let also = if self.held.get(&lock) == Some(&thread) { lock } else { 0 };
                Step { also, ..Step::new(Kind::Object, CONDITION) }
            }
            Op::Rouse(_) => Step::new(Kind::Object, CONDITION),
            Op::Leave(x, m) => {
                let lock = LOCKS + u64::from(m);
                let also = if self.held.get(&lock) == Some(&thread) { lock } else { 0 };
                Step { also, ..Step::new(Kind::Update, x.into()) }
            }
            Op::Lock(m) => Step::new(Kind::Lock, LOCKS + u64::from(m)),
            Op::TryLock(m) => Step::new(Kind::Object, LOCKS + u64::from(m)),
            Op::Unlock(m) => Step::new(Kind::Unlock, LOCKS + u64::from(m)),
            Op::Choose(_) => Step::new(Kind::Choice, 0),
            Op::Skip => unreachable!("it is left out"),
        };
        let waits = matches!(self.next_op(program, thread), Some(Op::Lock(_) | Op::Wait(..) | Op::BlockingCas(..)));
        let flags = flag::DECIDED | if waits { flag::WAITS } else { 0 };
        Some(Step { thread: thread as u32, flags, ..step })
    }

    fn can_go(&self, program: &Program, thread: usize) -> bool {
        if self.stopped.contains(&thread) || self.asleep.contains(&thread) {
            return false;
        }
        if self.woken.contains_key(&thread) {
            return true;
        }
        match self.next_op(program, thread) {
            None => false,
            Some(Op::Lock(m)) => !self.held.contains_key(&(LOCKS + u64::from(m))),
            Some(Op::Wait(x, value) | Op::BlockingCas(x, value, _)) => self.value(x) == u64::from(value),
            Some(_) => true,
        }
    }

    /// In how many ways the thread can go on.
    fn ways(&self, program: &Program, thread: usize) -> u32 {
        match self.next_op(program, thread) {
            _ if self.woken.contains_key(&thread) => 1,
            Some(Op::Choose(ways)) => u32::from(ways),
            Some(Op::Rouse(false)) => self.asleep.len().max(1) as u32,
            _ => 1,
        }
    }

    fn value(&self, x: u8) -> u64 {
        self.memory.get(&x.into()).copied().unwrap_or(0)
    }

    /// Takes a step, which is possible.
    fn take(&mut self, program: &Program, thread: usize, choice: u32) -> Step {
        let enabled = (0..program.len()).filter(|&thread| self.can_go(program, thread));
        let enabled = enabled.fold(0, |bits, thread| bits | 1 << thread);
        if self.woken.contains_key(&thread) {
            let step = Step { choice, enabled, ..self.pending(program, thread).expect("it goes on") };
            self.woken.remove(&thread);
            self.steps += 1;
            return step;
        }
        let at = self.place(program, thread);
        let op = program[thread][at];
        let mut step = Step { choice, enabled, ..self.pending(program, thread).expect("as above") };
        self.steps += if step.also == 0 { 1 } else { 2 };
        match op {
            Op::Sleep(_) => {
                self.held.remove(&step.also);
                self.asleep.push(thread);
                self.asleep.sort_unstable();
            }
            Op::Rouse(true) => {
                let all = std::mem::take(&mut self.asleep);
                self.woken.extend(all.into_iter().map(|thread| (thread, self.steps)));
            }
            Op::Rouse(false) if self.asleep.is_empty() => {}
            Op::Rouse(false) => {
                step.choices = self.asleep.len() as u32;
                let woken = self.asleep.remove((choice as usize).min(self.asleep.len() - 1));
                self.woken.insert(woken, self.steps);
            }
            Op::Read(x) | Op::Wait(x, _) => step.read = self.value(x),
            Op::Write(x, value) => drop(self.memory.insert(x.into(), value.into())),
            Op::Add(x) | Op::Leave(x, _) => {
                step.read = self.value(x);
                self.memory.insert(x.into(), step.read + 1);
                self.held.remove(&step.also);
            }
            Op::Cas(x, expected, new) | Op::BlockingCas(x, expected, new) => {
                step.read = self.value(x);
                if step.read == u64::from(expected) {
                    self.memory.insert(x.into(), new.into());
                } else {
                    (step.kind, step.flags) = (Kind::Read, step.flags | flag::TRIED);
                }
            }
            Op::CasAsChosen(x, expected, new) => {
                let fails = step.kind == Kind::Read;
                step.read = self.value(x);
                match step.read == u64::from(expected) {
                    true if !fails => drop(self.memory.insert(x.into(), new.into())),
                    false if fails => self.stopped.push(thread),
                    _ => (step.kind, step.flags) = (Kind::Read, step.flags | if fails { 0 } else { flag::TRIED }),
                }
            }
            Op::Lock(_) => drop(self.held.insert(step.object, thread)),
            Op::TryLock(_) => {
                step.read = u64::from(self.held.contains_key(&step.object));
                self.held.entry(step.object).or_insert(thread);
            }
            Op::Unlock(_) => drop(self.held.remove(&step.object)),
            Op::Choose(ways) => (step.choices, step.read) = (ways.into(), choice.into()),
            Op::Skip => unreachable!("it is left out"),
        }
        self.last[thread] = step.read;
        self.at[thread] = at + 1;
        step
    }
}

/// A step, and what belongs to it and follows.
fn whole(step: Step) -> Vec<Step> {
    let gives_back = Step { thread: step.thread, ..Step::new(Kind::Unlock, step.also) };
    if step.also == 0 { vec![step] } else { vec![step, gives_back] }
}

/// The same for equivalent runs: what each thread did, what each read read from, and in which order
/// the other steps touched each object.
fn class(steps: &[Step]) -> String {
    let mut threads: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut last: BTreeMap<u64, String> = BTreeMap::new();
    for step in steps.iter().filter(|step| !step.is_pending()) {
        let number = threads.entry(step.thread).or_default().len();
        let from = last.get(&step.object).filter(|_| step.kind.touches()).cloned().unwrap_or_default();
        let text = format!("{:?} {} {} <{from}", step.kind, step.object, step.choice);
        threads.entry(step.thread).or_default().push(text);
        if step.kind.touches() && step.kind != Kind::Read {
            last.insert(step.object, format!("{}.{number}", step.thread));
        }
    }
    // Which reads come before a write is known from what they read and what the write follows.
    format!("{threads:?}")
}

fn all(program: &Program, state: &State, steps: &mut Vec<Step>, found: &mut BTreeMap<String, bool>) {
    let mut any = false;
    for thread in 0..program.len() {
        if !state.can_go(program, thread) {
            continue;
        }
        any = true;
        let ways = state.ways(program, thread);
        for choice in 0..ways {
            let mut next = state.clone();
            let before = steps.len();
            steps.extend(whole(next.take(program, thread, choice)));
            all(program, &next, steps, found);
            steps.truncate(before);
        }
    }
    if !any {
        let is_complete = (0..program.len()).all(|thread| state.is_over(program, thread));
        found.insert(class(steps), is_complete);
    }
}

/// What the runtime does.
fn run(program: &Program, decisions: &[Decision], sleepers: &[Sleeper]) -> (Vec<Step>, u32) {
    let mut state = State::new(program);
    let mut steps = Vec::new();
    let mut sleepers = sleepers.to_vec();
    let mut current = 0;
    for (number, decision) in decisions.iter().enumerate() {
        let thread = decision.thread as usize;
        if !state.can_go(program, thread) {
            assert_eq!(number + 1, decisions.len(), "an earlier run has done it");
            return (steps, end::INFEASIBLE);
        }
        let taken = whole(state.take(program, thread, decision.choice));
        if number + 1 == decisions.len() {
            taken.iter().for_each(|step| wake(&mut sleepers, step));
        }
        steps.extend(taken);
        current = thread;
    }
    loop {
        let can_go: Vec<usize> = (0..program.len()).filter(|&thread| state.can_go(program, thread)).collect();
        if (0..program.len()).all(|thread| state.is_over(program, thread)) {
            return (steps, end::EXITED);
        }
        let awake = |thread: &&usize| !sleeps(&sleepers, **thread as u32);
        let mut awake = can_go.iter().filter(awake).copied();
        let first = awake.next();
        let Some(first) = first else {
            for thread in (0..program.len()).filter(|thread| !can_go.contains(thread)) {
                let waits = state.stopped.contains(&thread) || state.asleep.contains(&thread);
                if let Some(pending) = state.pending(program, thread).filter(|_| !waits) {
                    steps.push(Step { flags: flag::PENDING | flag::WAITS, ..pending });
                }
            }
            return (steps, if can_go.is_empty() { end::STUCK } else { end::REDUNDANT });
        };
        let next = if first == current || awake.any(|thread| thread == current) { current } else { first };
        let taken = whole(state.take(program, next, first_way(&sleepers, next as u32)));
        taken.iter().for_each(|step| wake(&mut sleepers, step));
        steps.extend(taken);
        current = next;
    }
}

/// With so many runs at the same time: each ends when there are no more to begin, the last one first.
fn explored(program: &Program, at_once: usize) -> (BTreeMap<String, bool>, u64) {
    let mut explorer = Explorer::default();
    let mut found = BTreeMap::new();
    let mut twice = BTreeSet::new();
    let mut running = Vec::new();
    let mut longest = 0;
    loop {
        while running.len() < at_once
            && let Some(task) = explorer.next_task()
        {
            running.push(task);
        }
        let Some(task) = running.pop() else { break };
        let (steps, why) = run(program, &task.decisions, &task.sleepers);
        explorer.done(&task, &steps, why).expect("the program does the same again");
        longest = longest.max(steps.len());
        // What is kept does not grow with the number of runs.
        assert!(explorer.nodes() <= at_once * longest);
        if why & (end::EXITED | end::STUCK) != 0 && found.insert(class(&steps), why & end::EXITED != 0).is_some() {
            twice.insert(class(&steps));
        }
    }
    // At the same time, they may be: that a choice has another way may be seen too late.
    if at_once == 1 {
        assert_eq!(twice, BTreeSet::new(), "complete runs are not made twice");
    }
    assert_eq!(explorer.nodes(), 0, "nothing is kept");
    assert!((explorer.share() - 1.0).abs() < 1e-9);
    (found, explorer.counts().redundant)
}

/// The classes of runs with at most `left` preemptions more; `current` has run last.
fn with_few(
    program: &Program,
    state: &State,
    (current, left): (Option<usize>, u32),
    steps: &mut Vec<Step>,
    found: &mut BTreeSet<String>,
) {
    let can_go: Vec<usize> = (0..program.len()).filter(|&thread| state.can_go(program, thread)).collect();
    if can_go.is_empty() {
        found.insert(class(steps));
    }
    let could_stay = current.is_some_and(|current| can_go.contains(&current));
    for &thread in &can_go {
        let cost = u32::from(could_stay && current != Some(thread));
        let Some(left) = left.checked_sub(cost) else { continue };
        let ways = state.ways(program, thread);
        for choice in 0..ways {
            let mut next = state.clone();
            let before = steps.len();
            steps.extend(whole(next.take(program, thread, choice)));
            with_few(program, &next, (Some(thread), left), steps, found);
            steps.truncate(before);
        }
    }
}

/// The same, explored.
fn explored_with_few(program: &Program, most: u32, at_once: usize) -> BTreeSet<String> {
    let mut bounded = Bounded::new(most);
    let mut found = BTreeSet::new();
    let mut running = Vec::new();
    loop {
        while running.len() < at_once
            && let Some(task) = bounded.next_task()
        {
            running.push(task);
        }
        let Some(task) = running.pop() else { break };
        let (steps, why) = run(program, &task.decisions, &[]);
        bounded.done(&task, &steps, why).expect("the program does the same again");
        found.insert(class(&steps));
    }
    assert_eq!(bounded.seen(), Some(most));
    found
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..2u8).prop_map(Op::Read),
        4 => (0..2u8, 1..3u8).prop_map(|(x, value)| Op::Write(x, value)),
        2 => (0..2u8).prop_map(Op::Add),
        2 => (0..2u8, 0..2u8, 1..3u8).prop_map(|(x, expected, new)| Op::Cas(x, expected, new)),
        1 => (0..1u8).prop_map(Op::Lock),
        1 => (0..1u8).prop_map(Op::TryLock),
        2 => (0..1u8).prop_map(Op::Unlock),
        2 => (0..2u8, 0..2u8, 0..3u8).prop_map(|(x, expected, new)| Op::CasAsChosen(x, expected, new)),
        2 => (0..2u8, 0..3u8).prop_map(|(x, value)| Op::Wait(x, value)),
        2 => (0..2u8, 0..3u8, 0..3u8).prop_map(|(x, expected, new)| Op::BlockingCas(x, expected, new)),
        2 => (0..2u8, 0..1u8).prop_map(|(x, m)| Op::Leave(x, m)),
        1 => (0..1u8).prop_map(Op::Sleep),
        1 => (0..2u8).prop_map(|all| Op::Rouse(all == 0)),
        1 => (2..3u8).prop_map(Op::Choose),
        1 => Just(Op::Skip),
    ]
}

fn check(program: &Program) -> u64 {
    let chooses = |op: &Op| matches!(op, Op::CasAsChosen(..));
    let with_choices = |op: &Op| if chooses(op) { vec![Op::Choose(2), *op] } else { vec![*op] };
    let program: &Program = &program.iter().map(|ops| ops.iter().flat_map(with_choices).collect()).collect();
    let mut expected = BTreeMap::new();
    all(program, &State::new(program), &mut Vec::new(), &mut expected);
    let (found, redundant) = explored(program, 1);
    assert_eq!(found, expected, "{program:?}");
    assert_eq!(explored(program, 3).0, expected, "{program:?}");
    redundant
}

#[test]
fn compare_and_swaps_may_fail_for_no_reason() {
    check(&vec![vec![Op::Read(1)], vec![Op::CasAsChosen(1, 0, 1)], vec![Op::CasAsChosen(1, 0, 0)]]);
}

#[test]
fn the_textbook() {
    // Two writers and a reader of the same location: four classes, as in the paper's first example.
    let readers = vec![vec![Op::Write(0, 1)], vec![Op::Read(1), Op::Read(0)], vec![Op::Read(2), Op::Read(0)]];
    let mut expected = BTreeMap::new();
    all(&readers, &State::new(&readers), &mut Vec::new(), &mut expected);
    assert_eq!(expected.len(), 4);
    check(&readers);
}

#[test]
fn who_was_woken_may_take_the_lock_first() {
    let waits = vec![Op::Lock(0), Op::Sleep(0), Op::Lock(0), Op::Unlock(0)];
    let wakes = vec![Op::Lock(0), Op::Rouse(true), Op::Unlock(0)];
    check(&vec![waits.clone(), wakes.clone(), vec![Op::Rouse(false)]]);
    let may_wait = [vec![Op::Lock(0), Op::Choose(2)], waits[1..].to_vec()].concat();
    check(&vec![may_wait, wakes, vec![Op::Rouse(false)]]);
}

#[test]
fn what_a_thread_waits_for_is_found_in_the_past() {
    // The value is there for a moment only.
    let program = vec![vec![Op::Write(0, 1), Op::Write(0, 2)], vec![Op::Wait(0, 1), Op::Write(1, 1)]];
    check(&program);
    // Somebody has a lock and never gives it back.
    let program = vec![vec![Op::Lock(0), Op::Write(0, 1)], vec![Op::Lock(0), Op::Write(0, 2)]];
    check(&program);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn two_threads(program in vec(vec(op(), 1..6), 2)) {
        check(&program);
    }

    #[test]
    fn few_preemptions(program in vec(vec(op(), 1..5), 2..4)) {
        for most in 0..4 {
            let mut expected = BTreeSet::new();
            with_few(&program, &State::new(&program), (None, most), &mut Vec::new(), &mut expected);
            prop_assert_eq!(&explored_with_few(&program, most, 1), &expected);
            prop_assert_eq!(&explored_with_few(&program, most, 3), &expected);
        }
    }

    #[test]
    fn three_threads(program in vec(vec(op(), 1..4), 3)) {
        check(&program);
    }
}
