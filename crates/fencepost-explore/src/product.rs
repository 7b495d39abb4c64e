//! The program under SC, together with a monitor, as a transition system.
//!
//! A transition is one memory access or one non-deterministic choice of one
//! thread, followed by its local steps up to the next such instruction. In
//! every state, every access that a thread is ready to make is put to the
//! monitor, also one that blocks under SC: a `wait` that SC memory does not
//! satisfy may be satisfied by a stale value (PLDI 2019, Thm 5.3, "every label
//! that is enabled in q"). Races are states in which two conflicting plain
//! accesses are enabled (Def. 6.1).

use std::ops::ControlFlow;
use std::sync::Arc;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::{CasStrength, EvalError, LocationKind, Program};
use fencepost_model::monitor::Accepts;
use fencepost_model::packed::{Layout, Slot, bits_for};
use fencepost_model::{
    Attempt, AttemptKind, Model, Monitor, PlainKind, RaceRule, Shape, Step as MonitorStep, ThreadShape,
};
use fencepost_verdict::{RunStep, ScFailureKind, Site};

use crate::classes::{self, Classes};
use crate::compile::{self, Access, AccessKind, Code, CompiledThread, Step, Target, as_value};
use crate::system::{Finding, System, Transition};
use crate::values::PossibleValues;

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Treat states that differ only in registers nobody reads again as one.
    pub forget_dead_registers: bool,
    /// Let reads be stale as long as nothing depends on them (observational robustness).
    pub observational: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { forget_dead_registers: true, observational: false }
    }
}

/// Program × monitor.
pub(crate) struct Product {
    threads: Vec<CompiledThread>,
    registers: Vec<Vec<Value>>,
    memory: Vec<Slot>,
    initial_memory: Vec<Value>,
    domain: i64,
    classes: Vec<Option<Arc<Classes>>>,
    monitor: Option<Box<dyn Monitor>>,
    words: usize,
    bits: usize,
}

/// Local steps after which a thread rests wherever it is, so that a local loop is a cycle of states.
const LONGEST_LOCAL_RUN: usize = 1 << 10;
/// Largest state, in words.
const LARGEST_STATE: usize = 1 << 18;
/// Largest monitor that is worth trying, in bits of one state, roughly.
const LARGEST_MONITOR: u128 = 1 << 23;

/// Why a thread stopped in the middle of its local steps.
type Failure = Option<(Site, ScFailureKind)>;

impl Product {
    /// Compiles `program` with the monitor of `model`; says what is too large if something is.
    pub(crate) fn new(program: &Program, model: &dyn Model, options: Options) -> Result<Self, String> {
        let values = PossibleValues::of(program);
        let atomic = program.locations().iter().filter(|location| location.kind != LocationKind::NonAtomic).count();
        refuse_too_large(program.threads().len(), atomic, atomic)?;
        let classes = classes::classes(program, &values)?;
        let counts =
            classes.iter().map(|classes| classes.as_ref().map_or(0, |classes| classes.representatives().len()));
        let counts: Vec<usize> = counts.collect();
        refuse_too_large(program.threads().len(), atomic, counts.iter().sum())?;
        let mut layout = Layout::with_limit(LARGEST_STATE);
        let compiled: Vec<CompiledThread> =
            program.thread_ids().map(|id| compile::thread(program, model, id, &values, options, &mut layout)).collect();
        let memory = (0..program.locations().len())
            .map(|loc| layout.slot(bits_for(values.location(LocId::from_index(loc)).bound(program.domain()))))
            .collect();
        let shape = shape(program, &compiled, counts);
        let monitor = model.monitor(&shape, &mut layout);
        if layout.overflowed() {
            return Err(format!("a state would need more than {} KiB", LARGEST_STATE * 8 / 1024));
        }
        Ok(Product {
            registers: program
                .threads()
                .iter()
                .map(|thread| thread.registers.iter().map(|register| register.init).collect())
                .collect(),
            threads: compiled,
            memory,
            initial_memory: program.locations().iter().map(|location| location.init).collect(),
            domain: i64::from(program.domain()),
            classes,
            monitor,
            words: layout.words(),
            bits: layout.bits(),
        })
    }

    /// The class of `value` at `loc`; none if never held there.
    fn class(&self, loc: LocId, value: Value) -> Option<usize> {
        self.classes[loc.index()].as_ref().and_then(|classes| classes.of(value))
    }

    /// Lets thread `t` run from `pc` to its next resting point.
    fn run_local(&self, state: &mut [u64], t: usize, mut pc: u32) -> Failure {
        let thread = &self.threads[t];
        for _ in 0..LONGEST_LOCAL_RUN {
            // A tainted value must not decide anything: the thread rests there, and is found out.
            if thread.decides_by_taint(state, pc) {
                break;
            }
            let outcome = match &thread.steps[pc as usize] {
                Step::Assign(dst, value) => value.eval(state).map(|integer| {
                    thread.set_taint(state, pc, thread.uses_taint(state, pc));
                    dst.set(state, integer as u64);
                    pc + 1
                }),
                Step::Jump(target) => Ok(*target),
                Step::Branch(cond, target) => cond.eval(state).map(|c| if c != 0 { *target } else { pc + 1 }),
                Step::Skip | Step::Verify => Ok(pc + 1),
                Step::Fence(mode) => {
                    if let Some(monitor) = &self.monitor {
                        monitor.fence(state, ThreadId::from_index(t), *mode);
                    }
                    Ok(pc + 1)
                }
                Step::Assume(cond) => match cond.eval(state) {
                    Ok(0) => {
                        self.stop(state, t);
                        return None;
                    }
                    other => other.map(|_| pc + 1),
                },
                Step::Assert(cond) => match cond.eval(state) {
                    Ok(0) => return self.fail(state, t, pc, ScFailureKind::Assertion),
                    other => other.map(|_| pc + 1),
                },
                Step::Halt => {
                    self.stop(state, t);
                    return None;
                }
                Step::Choose(_) | Step::Nondet(..) | Step::Access(_) => break,
            };
            match outcome {
                Ok(next) => pc = next,
                Err(EvalError::DivisionByZero) => return self.fail(state, t, pc, ScFailureKind::DivisionByZero),
            }
        }
        thread.pc.set(state, u64::from(pc));
        for dead in &thread.dead[pc as usize] {
            dead.set(state, 0);
        }
        None
    }

    /// The thread takes no more steps; nothing of it matters any more.
    fn stop(&self, state: &mut [u64], t: usize) {
        let thread = &self.threads[t];
        thread.pc.set(state, thread.steps.len() as u64);
        let taints = thread.taints.iter().flat_map(|taints| &taints.registers);
        for register in thread.registers.iter().chain(taints) {
            register.set(state, 0);
        }
    }

    fn fail(&self, state: &mut [u64], t: usize, pc: u32, kind: ScFailureKind) -> Failure {
        self.stop(state, t);
        Some((site(t, pc), kind))
    }

    /// The location an access goes to.
    fn locate(target: &Target, state: &[u64]) -> Result<LocId, ScFailureKind> {
        match target {
            Target::Fixed(loc) => Ok(*loc),
            Target::Element { base, len, index } => {
                let index = index.eval(state).map_err(eval_failure)?;
                match u32::try_from(index).ok().filter(|index| index < len) {
                    Some(offset) => Ok(LocId(base.0 + offset)),
                    None => Err(ScFailureKind::IndexOutOfRange { index, length: *len }),
                }
            }
        }
    }

    /// The labels SC memory lets the access have now: none if it blocks, two for a weak
    /// compare-and-swap that may fail although it could succeed.
    fn labels(&self, state: &[u64], access: &Access) -> Result<[Option<Label>; 2], ScFailureKind> {
        let loc = Self::locate(&access.target, state)?;
        let old = self.memory[loc.index()].get(state) as Value;
        let value = |code: &Code| code.eval(state).map(as_value).map_err(eval_failure);
        let label = match &access.kind {
            AccessKind::Load(mode) => Label::Read { loc, value: old, mode: *mode },
            AccessKind::Store(code, mode) => Label::Write { loc, value: value(code)?, mode: *mode },
            AccessKind::Update(function, operand, mode) => {
                let integer = function.apply(old, i64::from(value(operand)?));
                Label::Rmw { loc, read: old, written: as_value(integer.rem_euclid(self.domain)), mode: *mode }
            }
            AccessKind::FenceUpdate => Label::Rmw { loc, read: old, written: old, mode: Mode::Full },
            AccessKind::Cas { expected, desired, success, failure, strength } => {
                let failed = Label::Read { loc, value: old, mode: *failure };
                let (expected, desired) = (value(expected)?, value(desired)?);
                if expected != old {
                    failed
                } else {
                    let succeeded = Label::Rmw { loc, read: old, written: desired, mode: *success };
                    let spurious = (*strength == CasStrength::Weak).then_some(failed);
                    return Ok([Some(succeeded), spurious]);
                }
            }
            AccessKind::Wait(any_of, mode) => {
                let mut accepted = false;
                for (cmp, code) in any_of {
                    let operand = code.eval(state).map_err(eval_failure)?;
                    accepted |= cmp.holds(i64::from(old), operand);
                }
                if !accepted {
                    return Ok([None, None]);
                }
                Label::Read { loc, value: old, mode: *mode }
            }
            AccessKind::BlockingCas { expected, desired, mode } => {
                let (expected, desired) = (value(expected)?, value(desired)?);
                if expected != old {
                    return Ok([None, None]);
                }
                Label::Rmw { loc, read: old, written: desired, mode: *mode }
            }
        };
        Ok([Some(label), None])
    }

    /// Performs a label on memory and monitor.
    fn perform(&self, state: &mut [u64], t: usize, pc: u32, access: &Access, label: &Label) {
        let tainted = self.is_tainted_read(state, t, access, label);
        let loc = label.loc().expect("accesses have locations");
        let slot = self.memory[loc.index()];
        if let Some(monitor) = &self.monitor {
            let thread = ThreadId::from_index(t);
            if access.plain {
                monitor.plain(state, thread, loc, plain_kind(label));
            } else {
                let kind = match label {
                    Label::Read { .. } => AttemptKind::Read,
                    Label::Write { .. } => AttemptKind::Write,
                    _ => AttemptKind::Rmw,
                };
                let current = self.class(loc, slot.get(state) as Value).expect("a location holds only possible values");
                let step = MonitorStep { kind, loc, mode: label.mode(), current };
                if tainted {
                    monitor.tainted_read(state, thread, &step);
                } else {
                    monitor.step(state, thread, &step);
                }
            }
        }
        if let Some(written) = label.value_written() {
            slot.set(state, u64::from(written));
        }
        if let (Some(dst), Some(read)) = (access.dst, label.value_read()) {
            dst.set(state, u64::from(read));
        }
        self.threads[t].set_taint(state, pc, tainted);
    }

    /// Is this a read that may be stale, in a search that lets it be?
    fn is_tainted_read(&self, state: &[u64], t: usize, access: &Access, label: &Label) -> bool {
        let (Some(monitor), Label::Read { loc, mode, .. }) = (&self.monitor, *label) else { return false };
        let attempt = Attempt { kind: AttemptKind::Read, loc, mode, accepts: Accepts::Any };
        !access.plain
            && self.threads[t].taints.is_some()
            && access.kind.is_speculative()
            && monitor.violated(state, ThreadId::from_index(t), &attempt)
    }

    /// Could this access, about to be made by thread `t`, leave SC?
    fn is_stale(&self, monitor: &dyn Monitor, state: &[u64], t: usize, access: &Access) -> Result<bool, ScFailureKind> {
        let loc = Self::locate(&access.target, state)?;
        let class = |code: &Code| Ok(self.class(loc, as_value(code.eval(state).map_err(eval_failure)?)));
        let stale = |kind: AttemptKind, accepts: Accepts<'_>| {
            let mode = match kind {
                AttemptKind::Read => access.kind.read_mode(),
                AttemptKind::Write | AttemptKind::Rmw => access.kind.write_mode(),
            };
            let mode = mode.expect("an access makes only such attempts");
            monitor.violated(state, ThreadId::from_index(t), &Attempt { kind, loc, mode, accepts })
        };
        let speculating = self.threads[t].taints.is_some();
        let stale_update = |class: Option<usize>| class.is_some_and(|c| stale(AttemptKind::Rmw, Accepts::Only(c)));
        Ok(match &access.kind {
            AccessKind::Load(_) => !speculating && stale(AttemptKind::Read, Accepts::Any),
            AccessKind::Store(code, _) => {
                code.eval(state).map_err(eval_failure)?;
                stale(AttemptKind::Write, Accepts::Any)
            }
            AccessKind::Update(_, operand, _) => {
                operand.eval(state).map_err(eval_failure)?;
                stale(AttemptKind::Rmw, Accepts::Any)
            }
            AccessKind::FenceUpdate => stale(AttemptKind::Rmw, Accepts::Any),
            AccessKind::Cas { expected, desired, strength, .. } => {
                desired.eval(state).map_err(eval_failure)?;
                let expected = class(expected)?;
                let failing = match (strength, expected) {
                    (CasStrength::Strong, Some(c)) => Accepts::AllBut(c),
                    (CasStrength::Strong, None) | (CasStrength::Weak, _) => Accepts::Any,
                };
                let may_fail_stale = !(speculating && *strength == CasStrength::Weak);
                may_fail_stale && stale(AttemptKind::Read, failing) || stale_update(expected)
            }
            AccessKind::BlockingCas { expected, desired, .. } => {
                desired.eval(state).map_err(eval_failure)?;
                stale_update(class(expected)?)
            }
            AccessKind::Wait(any_of, _) => {
                let classes = self.classes[loc.index()].as_ref().expect("waits are on atomic locations");
                let mut accepted = vec![0u64; classes.representatives().len().div_ceil(64)];
                for (cmp, code) in any_of {
                    let operand = code.eval(state).map_err(eval_failure)?;
                    for (class, &value) in classes.representatives().iter().enumerate() {
                        if cmp.holds(i64::from(value), operand) {
                            accepted[class / 64] |= 1 << (class % 64);
                        }
                    }
                }
                stale(AttemptKind::Read, Accepts::Classes(&accepted))
            }
        })
    }

    /// The access thread `t` is about to make, if it rests at one.
    fn next_access(&self, state: &[u64], t: usize) -> Option<(u32, &Access)> {
        let thread = &self.threads[t];
        let pc = thread.pc.get(state) as u32;
        match thread.steps.get(pc as usize) {
            Some(Step::Access(access)) => Some((pc, access)),
            _ => None,
        }
    }

    /// The plain accesses that threads are about to make.
    fn plain_accesses(&self, state: &[u64]) -> Vec<(LocId, PlainKind, Site)> {
        let mut plain = Vec::new();
        for t in 0..self.threads.len() {
            if let Some((pc, access)) = self.next_access(state, t).filter(|(_, access)| access.plain)
                && let Ok([Some(label), _]) = self.labels(state, access)
            {
                plain.push((label.loc().expect("accesses have locations"), plain_kind(&label), site(t, pc)));
            }
        }
        plain
    }

    /// Two conflicting plain accesses that are enabled at once.
    fn race_of_enabled(&self, state: &[u64]) -> Option<Finding> {
        let plain = self.plain_accesses(state);
        for (i, &(loc, kind, here)) in plain.iter().enumerate() {
            let conflicts = |&&(other, theirs, _): &&(LocId, PlainKind, Site)| {
                other == loc && (theirs == PlainKind::Write || kind == PlainKind::Write)
            };
            if let Some(&(_, _, there)) = plain[..i].iter().find(conflicts) {
                return Some(Finding::Race(there, here));
            }
        }
        None
    }

    /// A plain access that an earlier one is not ordered before.
    fn race_with_past(&self, monitor: &dyn Monitor, state: &[u64]) -> Option<Finding> {
        let mut plain = self.plain_accesses(state).into_iter();
        plain
            .find(|&(loc, kind, site)| monitor.is_race(state, site.thread, loc, kind))
            .map(|(_, _, site)| Finding::LateRace(site))
    }
}

impl System for Product {
    fn words(&self) -> usize {
        self.words
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn initial(&self) -> (Vec<u64>, Vec<Transition>) {
        let mut state = vec![0; self.words];
        for (slot, &init) in self.memory.iter().zip(&self.initial_memory) {
            slot.set(&mut state, u64::from(init));
        }
        for (thread, inits) in self.threads.iter().zip(&self.registers) {
            for (slot, &init) in thread.registers.iter().zip(inits) {
                slot.set(&mut state, u64::from(init));
            }
        }
        if let Some(monitor) = &self.monitor {
            monitor.start(&mut state);
        }
        let failures = (0..self.threads.len())
            .filter_map(|t| self.run_local(&mut state, t, 0))
            .map(|failure| Transition { step: None, failure: Some(failure), speculative: false })
            .collect();
        (state, failures)
    }

    fn successors(
        &self,
        state: &[u64],
        visit: &mut dyn FnMut(Transition, &[u64]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut next = state.to_vec();
        for (t, thread) in self.threads.iter().enumerate() {
            let pc = thread.pc.get(state) as u32;
            let Some(step) = thread.steps.get(pc as usize) else { continue };
            let site = site(t, pc);
            let mut take = |label: Option<Label>, choice: Option<u32>, act: &dyn Fn(&mut [u64]) -> Failure| {
                next.copy_from_slice(state);
                let failure = act(&mut next);
                let speculative = match (step, &label) {
                    (Step::Access(access), Some(label)) => self.is_tainted_read(state, t, access, label),
                    _ => false,
                };
                visit(Transition { step: Some(RunStep { site, label, choice }), failure, speculative }, &next)
            };
            match step {
                Step::Access(access) => match self.labels(state, access) {
                    Ok(labels) => {
                        for label in labels.into_iter().flatten() {
                            take(Some(label), None, &|next| {
                                self.perform(next, t, pc, access, &label);
                                self.run_local(next, t, pc + 1)
                            })?;
                        }
                    }
                    Err(kind) => take(None, None, &|next| self.fail(next, t, pc, kind.clone()))?,
                },
                Step::Choose(targets) => {
                    for (i, &target) in targets.iter().enumerate() {
                        take(None, Some(i as u32), &|next| self.run_local(next, t, target))?;
                    }
                }
                Step::Nondet(dst, low, high) => match (low.eval(state), high.eval(state)) {
                    (Ok(low), Ok(high)) => {
                        for value in low..=high {
                            take(None, Some(as_value(value)), &|next| {
                                dst.set(next, value as u64);
                                thread.set_taint(next, pc, false);
                                self.run_local(next, t, pc + 1)
                            })?;
                        }
                    }
                    (Err(error), _) | (_, Err(error)) => {
                        take(None, None, &|next| self.fail(next, t, pc, eval_failure(error)))?;
                    }
                },
                // A local run that was cut short goes on.
                _ => take(None, None, &|next| self.run_local(next, t, pc))?,
            }
        }
        ControlFlow::Continue(())
    }

    fn inspect(&self, state: &[u64]) -> Option<Finding> {
        for (t, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.taints.is_some()) {
            let pc = thread.pc.get(state) as u32;
            if (pc as usize) < thread.steps.len() && thread.rests_at_tainted_use(state, pc) {
                return Some(Finding::TaintedUse(site(t, pc)));
            }
        }
        if let Some(monitor) = &self.monitor {
            for t in 0..self.threads.len() {
                if let Some((pc, access)) = self.next_access(state, t).filter(|(_, access)| !access.plain)
                    && self.is_stale(monitor.as_ref(), state, t, access) == Ok(true)
                {
                    return Some(Finding::Stale(site(t, pc)));
                }
            }
        }
        match &self.monitor {
            Some(monitor) if monitor.races() == RaceRule::Monitored => self.race_with_past(monitor.as_ref(), state),
            _ => self.race_of_enabled(state),
        }
    }
}

/// What the monitor needs to know about the program.
fn shape(program: &Program, threads: &[CompiledThread], classes: Vec<usize>) -> Shape {
    let atomic = |thread: &'_ CompiledThread, modes: fn(&AccessKind) -> Option<Mode>, wanted: fn(Mode) -> bool| {
        thread.accesses().filter(|access| !access.plain).filter_map(|access| modes(&access.kind)).any(wanted)
    };
    let relaxed_reads = |thread: &CompiledThread| atomic(thread, AccessKind::read_half, |mode| !mode.acquires());
    let relaxed_writes = |thread: &CompiledThread| atomic(thread, AccessKind::write_mode, |mode| !mode.releases());
    let fences = |thread: &CompiledThread, orders: fn(Mode) -> bool| thread.fence_modes().any(orders);
    let is_sc = |mode: Mode| mode == Mode::Sc;
    let mut plain = vec![Vec::new(); program.locations().len()];
    for (thread, compiled) in program.thread_ids().zip(threads) {
        for access in compiled.accesses().filter(|access| access.plain) {
            for accessed_by in &mut plain[access.target.locations()] {
                if accessed_by.last() != Some(&thread) {
                    accessed_by.push(thread);
                }
            }
        }
    }
    Shape {
        threads: threads
            .iter()
            .map(|thread| ThreadShape {
                acquire_fence: fences(thread, Mode::acquires) && relaxed_reads(thread),
                release_fence: fences(thread, Mode::releases) && relaxed_writes(thread),
            })
            .collect(),
        classes,
        plain,
        relaxed_writes: threads.iter().any(|thread| relaxed_writes(thread) && !fences(thread, Mode::releases)),
        sc_accesses: threads.iter().any(|thread| {
            atomic(thread, AccessKind::read_mode, is_sc) || atomic(thread, AccessKind::write_mode, is_sc)
        }),
    }
}

fn plain_kind(label: &Label) -> PlainKind {
    if label.is_write() { PlainKind::Write } else { PlainKind::Read }
}

/// A monitor has a row of bits for every thread and every location.
fn refuse_too_large(threads: usize, locations: usize, classes: usize) -> Result<(), String> {
    let bits = (threads as u128 + locations as u128) * 2 * (classes as u128 + locations as u128);
    if bits > LARGEST_MONITOR {
        return Err(format!(
            "{threads} threads and {locations} atomic locations with {classes} values to tell apart are too many to monitor"
        ));
    }
    Ok(())
}

fn site(t: usize, pc: u32) -> Site {
    Site { thread: ThreadId::from_index(t), pc: Pc(pc) }
}

fn eval_failure(error: EvalError) -> ScFailureKind {
    match error {
        EvalError::DivisionByZero => ScFailureKind::DivisionByZero,
    }
}
