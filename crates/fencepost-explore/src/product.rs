//! The program under SC, together with a monitor, as a transition system.
//!
//! A transition is one memory access or one non-deterministic choice of one
//! thread, followed by its local steps up to the next such instruction. In
//! every state, every access that a thread is ready to make is put to the
//! monitor, also one that blocks under SC: a `wait` that SC memory does not
//! satisfy may be satisfied by a stale value (PLDI 2019, Thm 5.3, "every label
//! that is enabled in q"). Races are states in which two conflicting plain
//! accesses are enabled (Def. 6.1).
//!
//! An atomic section is one transition too, from its beginning to its end (see [`section`]).

mod ahead;
pub(crate) mod crowd;
mod onward;
mod questions;
mod section;
mod shape;

use std::sync::Arc;

use fencepost_analysis::classes::{self, Classes};
use fencepost_analysis::interpreter::{MOST_CHOICES, too_many_choices};
use fencepost_analysis::values::PossibleValues;
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::{CasStrength, EvalError, LocationKind, Program};
use fencepost_model::packed::{Layout, Region, Slot, bits_for};
use fencepost_model::{AttemptKind, Model, Monitor, RaceRule, Shape, Step as MonitorStep};
use fencepost_verdict::{Budget, Reason, RunStep, ScFailureKind, Site};

use crate::ample::{Futures, Next};
use crate::compile::{self, Access, AccessKind, Code, CompiledThread, Step, Target, as_value};
use crate::options::Options;
use crate::symmetry::{self, Symmetry};
use crate::system::{Expansion, Finding, Initial, Stop, Stopped, System, ThreadSet};
use crate::watches::{Meaning, WatchKind, Watched, Watches, plain_kind};
use onward::Onward;

/// Program × monitor.
pub(crate) struct Product {
    threads: Vec<CompiledThread>,
    registers: Vec<Vec<Value>>,
    memory: Vec<Slot>,
    initial_memory: Vec<Value>,
    domain: i64,
    /// For every thread, the first one with the same code.
    first_equal: Vec<ThreadId>,
    classes: Vec<Option<Arc<Classes>>>,
    monitoring: Monitoring,
    /// For every watch and, first, for none: what of the monitor belongs to each thread.
    rows: Vec<Vec<Region>>,
    /// For every watch and, first, for none: which states are the same.
    symmetry: Vec<Symmetry>,
    /// To find persistent sets.
    futures: Option<Futures>,
    /// Give up states from which no violation can follow?
    hope: bool,
    /// Take SC fences together with what follows while nothing is watched?
    fuse: bool,
    words: usize,
    bits: usize,
    /// For every word, the first bit that is not in use.
    free_from: Vec<u32>,
}

/// How a run is followed.
pub(crate) enum Monitoring {
    /// Not at all: SC.
    Nothing,
    /// By a whole monitor.
    Everything(Box<dyn Monitor>),
    /// By one column at a time.
    Watching(Watches),
    /// By one column at a time, and on after a stale step.
    Onward(Box<Onward>),
}

/// What a run is followed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// To find a step that leaves SC, or something that goes wrong under SC.
    Violations,
    /// To find what goes wrong after such a step.
    Consequences,
}

/// Local steps after which a thread rests wherever it is, so that a local loop is a cycle of
/// states.
pub(crate) const LONGEST_LOCAL_RUN: usize = 1 << 10;
/// Largest state, in words.
const LARGEST_STATE: usize = 1 << 18;

impl Product {
    /// Compiles `program` with the monitor of `model`; says what is too large if something is.
    pub(crate) fn new(
        program: &Program,
        model: &dyn Model,
        purpose: Purpose,
        options: Options,
        budget: &Budget<'_>,
    ) -> Result<Self, Reason> {
        refuse_any_number(program)?;
        let values = PossibleValues::within(program, budget)?;
        let too_large = Reason::TooLarge;
        let atomic = program.locations().iter().filter(|location| location.kind != LocationKind::NonAtomic).count();
        shape::refuse_too_large(program.threads().len(), atomic, atomic).map_err(too_large)?;
        let (classes, counts) = match purpose {
            Purpose::Violations => {
                let classes = classes::classes(program, &values).map_err(too_large)?;
                let count = |classes: &Option<Arc<Classes>>| {
                    classes.as_ref().map_or(0, |classes| classes.representatives().len())
                };
                let counts = classes.iter().map(count).collect::<Vec<usize>>();
                (classes, counts)
            }
            Purpose::Consequences => (vec![None; program.locations().len()], onward::classes(program)),
        };
        shape::refuse_too_large(program.threads().len(), atomic, counts.iter().sum()).map_err(too_large)?;
        let mut layout = Layout::with_limit(LARGEST_STATE);
        // A tainted value must not be used in a store, private or not, so a search for taints rests
        // there.
        let private = match options.reductions.private_locations && !options.observational {
            true => compile::private_locations(program),
            false => vec![false; program.locations().len()],
        };
        let compiled: Vec<CompiledThread> = program
            .thread_ids()
            .map(|id| compile::thread(program, model, id, &values, &private, options, &mut layout))
            .collect();
        let memory: Vec<Slot> = (0..program.locations().len())
            .map(|loc| layout.slot(bits_for(values.location(LocId::from_index(loc)).bound(program.domain()))))
            .collect();
        let counts = counts.iter().zip(&private).map(|(&count, &private)| if private { 0 } else { count }).collect();
        let shape = shape::shape(program, &compiled, counts).map_err(too_large)?;
        let monitoring = match purpose {
            Purpose::Violations => Monitoring::new(&compiled, &classes, model, &shape, options, &mut layout),
            Purpose::Consequences => {
                let onward = Onward::new(program, &compiled, model, &shape, &memory, &mut layout)?;
                Monitoring::Onward(Box::new(onward))
            }
        };
        if program.has_sections() && !matches!(monitoring, Monitoring::Nothing) {
            let model = model.name();
            return Err(Reason::Unsupported(format!("the model `{model}` says nothing about atomic sections")));
        }
        let follows_mixed = match &monitoring {
            Monitoring::Nothing => true,
            // It would need columns for every pair of threads that can race.
            Monitoring::Everything(_) | Monitoring::Onward(_) => false,
            Monitoring::Watching(watches) => watches.races() == RaceRule::Monitored,
        };
        if program.has_mixed_accesses() && !follows_mixed {
            let what = match options.observational {
                true => "observational robustness is".to_owned(),
                false => format!("the monitor of `{}` is", model.name()),
            };
            let reason = format!("{what} not about locations that are accessed both plainly and by atomic operations");
            return Err(Reason::Unsupported(reason));
        }
        if layout.overflowed() {
            return Err(too_large(format!("a state would need more than {} KiB", LARGEST_STATE * 8 / 1024)));
        }
        // For every combination of watches, the monitors that follow the run then.
        let monitors: Vec<Vec<&dyn Monitor>> = match &monitoring {
            Monitoring::Nothing => vec![Vec::new()],
            Monitoring::Everything(monitor) => vec![vec![monitor.as_ref()]],
            Monitoring::Watching(watches) => watches.monitors().map(Option::into_iter).map(Iterator::collect).collect(),
            Monitoring::Onward(onward) => onward.combinations(),
        };
        let rows = |monitors: &[&dyn Monitor], t: usize| -> Vec<Slot> {
            let rows = monitors.iter().flat_map(|monitor| monitor.rows(ThreadId::from_index(t)));
            rows.flat_map(|row| row.slots().to_vec()).collect()
        };
        let regions = |monitors: &[&dyn Monitor]| match options.reductions.dead_bits {
            true => (0..compiled.len()).map(|t| Region::of(rows(monitors, t))).collect(),
            false => Vec::new(),
        };
        // A whole monitor of plain accesses has a column for each thread that makes them, which
        // permutations would have to permute.
        let named = matches!(&monitoring, Monitoring::Everything(monitor) if monitor.races() == RaceRule::Monitored)
            && shape.plain.iter().any(|threads| !threads.is_empty());
        let equal = match options.reductions.symmetry && !named {
            true => symmetry::equal_threads(program),
            false => Vec::new(),
        };
        let symmetry = |monitors: &[&dyn Monitor]| {
            Symmetry::new(&equal, |t| {
                let thread = &compiled[t];
                let taints = thread.taints.iter().flat_map(|taints| &taints.registers);
                let local = std::iter::once(&thread.pc).chain(&thread.registers).chain(taints).copied();
                local.chain(rows(monitors, t)).collect()
            })
        };
        let futures = options.reductions.por && compiled.len() <= ThreadSet::BITS as usize;
        Ok(Product {
            registers: program
                .threads()
                .iter()
                .map(|thread| thread.registers.iter().map(|register| register.init).collect())
                .collect(),
            rows: monitors.iter().map(|monitors| regions(monitors)).collect(),
            symmetry: monitors.iter().map(|monitors| symmetry(monitors)).collect(),
            futures: futures.then(|| Futures::of(&compiled)),
            hope: options.reductions.dead_bits,
            fuse: options.reductions.por,
            threads: compiled,
            memory,
            initial_memory: program.locations().iter().map(|location| location.init).collect(),
            domain: program.domain() as i64,
            first_equal: symmetry::first_equal(program),
            classes,
            monitoring,
            words: layout.words(),
            bits: layout.bits(),
            free_from: (0..layout.words()).map(|word| layout.free_from(word)).collect(),
        })
    }

    /// The monitors that follow the run now.
    fn monitors(&self, state: &[u64]) -> [Option<&dyn Monitor>; 2] {
        match &self.monitoring {
            Monitoring::Nothing => [None, None],
            Monitoring::Everything(monitor) => [Some(monitor.as_ref()), None],
            Monitoring::Watching(watches) => [watches.current(state).map(|watched| watched.monitor.as_ref()), None],
            Monitoring::Onward(onward) => onward.watched(state).map(|watched| Some(watched?.monitor.as_ref())),
        }
    }

    /// The number of the current watch plus one; 0 if there is none. Of several, that of their
    /// combination.
    fn watch(&self, state: &[u64]) -> usize {
        match &self.monitoring {
            Monitoring::Watching(watches) => watches.number(state),
            Monitoring::Onward(onward) => onward.combination(state),
            Monitoring::Nothing | Monitoring::Everything(_) => 0,
        }
    }

    /// The class of `value` at `loc`; none if never held there.
    fn class(&self, loc: LocId, value: Value) -> Option<usize> {
        self.classes[loc.index()].as_ref().and_then(|classes| classes.of(value))
    }

    /// Lets thread `t` run from `pc` to its next resting point, and says what it does to memory on
    /// the way.
    fn run_local(&self, state: &mut [u64], t: usize, mut pc: u32, record: &mut dyn FnMut(RunStep)) -> Stopped {
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
                    for monitor in self.monitors(state).into_iter().flatten() {
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
                Step::Bound(cond) => match cond.eval(state) {
                    Ok(0) => {
                        self.stop(state, t);
                        return Some((site(t, pc), Stop::Bound));
                    }
                    other => other.map(|_| pc + 1),
                },
                Step::Halt => {
                    self.stop(state, t);
                    return None;
                }
                Step::Access(access) if access.private => match self.labels(state, access) {
                    Ok([Some(label), None]) => {
                        record(RunStep { site: site(t, pc), label: Some(label), choice: None });
                        self.update(state, access, &label);
                        Ok(pc + 1)
                    }
                    // It blocks, or there is a choice.
                    Ok(_) => break,
                    Err(kind) => {
                        record(RunStep { site: site(t, pc), label: None, choice: None });
                        return self.fail(state, t, pc, kind);
                    }
                },
                Step::Choose(_) | Step::Nondet(..) | Step::Access(_) | Step::Enter | Step::Leave => break,
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

    fn fail(&self, state: &mut [u64], t: usize, pc: u32, kind: ScFailureKind) -> Stopped {
        self.stop(state, t);
        Some((site(t, pc), Stop::Failure(kind)))
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
        self.labels_after(state, access, loc, self.memory[loc.index()].get(state) as Value)
    }

    /// The same if `loc`, to which the access goes, held this value.
    fn labels_after(
        &self,
        state: &[u64],
        access: &Access,
        loc: LocId,
        old: Value,
    ) -> Result<[Option<Label>; 2], ScFailureKind> {
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

    /// Performs a label on memory, monitor and taints.
    fn perform(&self, state: &mut [u64], t: usize, pc: u32, access: &Access, label: &Label, meaning: Meaning) {
        let tainted = self.is_tainted_read(state, t, access, label);
        match (&self.monitoring, meaning) {
            (Monitoring::Nothing, _) | (_, Meaning::Silent) => {}
            (Monitoring::Everything(monitor), _) => self.follow(monitor.as_ref(), state, t, access, label, tainted),
            (Monitoring::Watching(watches), _) => {
                if let Meaning::Begin(watch) = meaning {
                    watches.begin(state, watch);
                }
                if let Some(watched) = watches.current(state) {
                    let begins = matches!(meaning, Meaning::Begin(_)) && matches!(watched.kind, WatchKind::After(..));
                    if begins && access.mixed.is_some() {
                        let loc = label.loc().expect("accesses have locations");
                        watched.monitor.plain(state, ThreadId::from_index(t), loc, plain_kind(label));
                    }
                    self.follow(watched.monitor.as_ref(), state, t, access, label, false);
                }
            }
            (Monitoring::Onward(_), _) => unreachable!("its steps are its own"),
        }
        self.update(state, access, label);
        self.threads[t].set_taint(state, pc, tainted);
    }

    /// Tells the monitor; memory is as before the step.
    fn follow(
        &self,
        monitor: &dyn Monitor,
        state: &mut [u64],
        t: usize,
        access: &Access,
        label: &Label,
        tainted: bool,
    ) {
        let thread = ThreadId::from_index(t);
        let loc = label.loc().expect("accesses have locations");
        if access.plain {
            return monitor.plain(state, thread, loc, plain_kind(label));
        }
        let kind = match label {
            Label::Read { .. } => AttemptKind::Read,
            Label::Write { .. } => AttemptKind::Write,
            _ => AttemptKind::Rmw,
        };
        let current = self.current_class(state, loc).expect("a location holds only possible values");
        let step = MonitorStep { kind, loc, mode: label.mode(), current };
        if tainted {
            monitor.tainted_read(state, thread, &step);
        } else {
            monitor.step(state, thread, &step);
        }
    }

    /// The class of what `loc` holds; none for non-atomic locations.
    fn current_class(&self, state: &[u64], loc: LocId) -> Option<usize> {
        self.class(loc, self.memory[loc.index()].get(state) as Value)
    }

    /// Performs a label on memory and registers.
    fn update(&self, state: &mut [u64], access: &Access, label: &Label) {
        let loc = label.loc().expect("accesses have locations");
        if let Some(written) = label.value_written() {
            self.memory[loc.index()].set(state, u64::from(written));
        }
        if let (Some(dst), Some(read)) = (access.dst, label.value_read()) {
            dst.set(state, u64::from(read));
        }
    }

    /// Ends a step that was begun: forgets what cannot matter, and gives up what cannot leave SC.
    fn finish(&self, out: &mut Expansion, site: Site, stopped: Stopped, speculative: bool, pure: bool, trace: usize) {
        let state = out.state();
        let watch = self.watch(state);
        if !self.rows[watch].is_empty() {
            for (thread, rows) in self.threads.iter().zip(&self.rows[watch]) {
                if thread.pc.get(state) as usize >= thread.steps.len() {
                    rows.clear(state);
                }
            }
        }
        let state = &*state;
        let hopeless = match &self.monitoring {
            Monitoring::Watching(watches) => {
                let hopeless = |watched: &Watched| {
                    let uses = |t: usize, access: &Access| self.uses_watched(watched, state, t, access);
                    !watched.has_hope(state, &self.threads, watches.fence(), uses)
                };
                self.hope && watches.current(state).is_some_and(hopeless)
            }
            Monitoring::Onward(onward) => {
                let hopeless = |watched: &Watched| {
                    let uses = |t: usize, access: &Access| self.uses_watched(watched, state, t, access);
                    !watched.has_hope(state, &self.threads, onward.fence(), uses)
                };
                self.hope && onward.watched(state).into_iter().flatten().any(hopeless)
            }
            Monitoring::Nothing | Monitoring::Everything(_) => false,
        };
        if hopeless { out.discard(trace) } else { out.keep(site, stopped, speculative, pure, trace) }
    }

    /// Adds the steps of an access of thread `t` that has this label.
    fn expand_access(&self, state: &[u64], t: usize, pc: u32, access: &Access, label: Label, out: &mut Expansion) {
        let site = site(t, pc);
        let speculative = self.is_tainted_read(state, t, access, &label);
        let mut take = |meaning: Meaning| {
            let trace = out.begin(state, RunStep { site, label: Some(label), choice: None });
            self.perform(out.state(), t, pc, access, &label, meaning);
            let stopped = self.run_on(out, t, pc + 1);
            let pure = !matches!(meaning, Meaning::Begin(_));
            self.finish(out, site, stopped, speculative, pure, trace);
        };
        match &self.monitoring {
            _ if access.private => take(Meaning::Silent),
            Monitoring::Onward(onward) => self.expand_onward(onward, state, (t, pc), access, label, out),
            Monitoring::Watching(watches) => {
                let overwritten = label.loc().filter(|_| label.is_write());
                watches.meanings(state, &label, overwritten.and_then(|loc| self.current_class(state, loc)), take);
            }
            Monitoring::Nothing | Monitoring::Everything(_) => take(Meaning::Step),
        }
    }

    /// Is there no monitor that would notice an SC fence? Then a thread need not rest between a
    /// fence and its next access: should a watch begin meanwhile, it makes no difference whether
    /// the fence comes right before that or right after, because nothing has been passed on yet to
    /// the location of fences.
    fn passes_fences(&self, state: &[u64]) -> bool {
        match &self.monitoring {
            Monitoring::Watching(watches) => self.fuse && watches.current(state).is_none(),
            Monitoring::Onward(onward) => self.fuse && onward.combination(state) == 0,
            Monitoring::Nothing | Monitoring::Everything(_) => false,
        }
    }

    /// Adds the steps of thread `t`, which rests at an SC fence, together with those of the access
    /// after it. Plain accesses are not taken along: that a thread rests at one is what makes a
    /// race. Nor are fences: there may be no end to them.
    fn expand_fence(&self, state: &[u64], t: usize, pc: u32, out: &mut Expansion) {
        let site = site(t, pc);
        let access = self.threads[t].access(pc).expect("a fence");
        let label = self.labels(state, access).ok().and_then(|[label, _]| label);
        let trace = out.begin(state, RunStep { site, label, choice: None });
        let stopped = self.run_on(out, t, pc + 1);
        let rests_at = self.threads[t].access(self.threads[t].pc.get(out.state()) as u32);
        let goes_on = |access: &&Access| !access.plain && !access.private && access.fence_location().is_none();
        match rests_at.filter(goes_on) {
            Some(_) if stopped.is_none() => out.go_on(trace, |after, out| self.expand(after, t, out)),
            _ => self.finish(out, site, stopped, false, true, trace),
        }
    }

    /// Lets thread `t` run on from `pc` in the step that was begun.
    fn run_on(&self, out: &mut Expansion, t: usize, pc: u32) -> Stopped {
        let (state, mut record) = out.parts();
        self.run_local(state, t, pc, &mut record)
    }
}

/// What a device needs to know of it.
impl Product {
    pub(crate) fn threads(&self) -> &[CompiledThread] {
        &self.threads
    }

    pub(crate) fn memory(&self) -> &[Slot] {
        &self.memory
    }

    pub(crate) fn domain(&self) -> i64 {
        self.domain
    }

    pub(crate) fn classes_of(&self, loc: LocId) -> Option<&Classes> {
        self.classes[loc.index()].as_deref()
    }

    pub(crate) fn monitoring(&self) -> &Monitoring {
        &self.monitoring
    }

    pub(crate) fn symmetries(&self) -> &[Symmetry] {
        &self.symmetry
    }

    pub(crate) fn rows(&self) -> &[Vec<Region>] {
        &self.rows
    }

    pub(crate) fn gives_up_hope(&self) -> bool {
        self.hope
    }

    /// The first bit of a word that is not in use.
    pub(crate) fn free_from(&self, word: usize) -> u32 {
        self.free_from[word]
    }
}

impl System for Product {
    fn words(&self) -> usize {
        self.words
    }

    fn bits(&self) -> usize {
        self.bits
    }

    fn threads(&self) -> usize {
        self.threads.len()
    }

    fn initial(&self) -> Initial {
        let mut state = vec![0; self.words];
        for (slot, &init) in self.memory.iter().zip(&self.initial_memory) {
            slot.set(&mut state, u64::from(init));
        }
        for (thread, inits) in self.threads.iter().zip(&self.registers) {
            for (slot, &init) in thread.registers.iter().zip(inits) {
                slot.set(&mut state, u64::from(init));
            }
        }
        if let Monitoring::Everything(monitor) = &self.monitoring {
            monitor.start(&mut state);
        }
        let mut trace = Vec::new();
        let mut stopped = Vec::new();
        for t in 0..self.threads.len() {
            let stop = self.run_local(&mut state, t, 0, &mut |step| trace.push(step));
            stopped.extend(stop.map(|stop| (trace.len(), stop)));
        }
        Initial { state, trace, stopped }
    }

    fn expand(&self, state: &[u64], t: usize, out: &mut Expansion) {
        let thread = &self.threads[t];
        let pc = thread.pc.get(state) as u32;
        let Some(step) = thread.steps.get(pc as usize) else { return };
        if self.passes_fences(state) && thread.access(pc).is_some_and(|access| access.fence_location().is_some()) {
            return self.expand_fence(state, t, pc, out);
        }
        let site = site(t, pc);
        let mut take = |choice: Option<u32>, act: &dyn Fn(&mut Expansion) -> Stopped| {
            let trace = out.begin(state, RunStep { site, label: None, choice });
            let stopped = act(out);
            self.finish(out, site, stopped, false, true, trace);
        };
        match step {
            Step::Access(access) => match self.labels(state, access) {
                Ok(labels) => {
                    for label in labels.into_iter().flatten() {
                        self.expand_access(state, t, pc, access, label, out);
                    }
                    if let Monitoring::Onward(onward) = &self.monitoring {
                        self.stray(onward, state, (t, pc), access, out);
                    }
                }
                Err(kind) => take(None, &|out| self.fail(out.state(), t, pc, kind.clone())),
            },
            Step::Choose(targets) => {
                for (i, &target) in targets.iter().enumerate() {
                    take(Some(i as u32), &|out| self.run_on(out, t, target));
                }
            }
            Step::Nondet(dst, low, high) => match (low.eval(state), high.eval(state)) {
                (Ok(low), Ok(high)) if high.saturating_sub(low) >= MOST_CHOICES => {
                    take(None, &|_| Some((site, Stop::GiveUp(too_many_choices()))));
                }
                (Ok(low), Ok(high)) => {
                    for value in low..=high {
                        take(Some(as_value(value)), &|out| {
                            dst.set(out.state(), value as u64);
                            thread.set_taint(out.state(), pc, false);
                            self.run_on(out, t, pc + 1)
                        });
                    }
                }
                (Err(error), _) | (_, Err(error)) => {
                    take(None, &|out| self.fail(out.state(), t, pc, eval_failure(error)));
                }
            },
            Step::Enter => self.expand_section(state, t, pc, out),
            // A local run that was cut short goes on.
            _ => take(None, &|out| self.run_on(out, t, pc)),
        }
    }

    fn persistent(&self, state: &[u64], sets: &mut Vec<ThreadSet>) {
        if let Some(futures) = &self.futures {
            let mut next = [(Next::Nothing, 0); ThreadSet::BITS as usize];
            for (t, next) in next.iter_mut().enumerate().take(self.threads.len()) {
                *next = self.next(state, t);
            }
            let next = &mut next[..self.threads.len()];
            let sections = match next.iter().any(|(next, _)| *next == Next::Section) {
                true => self.next_sections(futures, state, next),
                false => Vec::new(),
            };
            futures.persistent(next, &sections, sets);
        }
    }

    fn canonical(&self, state: &mut [u64]) {
        self.symmetry[self.watch(state)].sort(state);
    }

    fn inspect(&self, state: &[u64]) -> Option<Finding> {
        for (t, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.taints.is_some()) {
            let pc = thread.pc.get(state) as u32;
            if (pc as usize) < thread.steps.len() && thread.rests_at_tainted_use(state, pc) {
                return Some(Finding::TaintedUse(site(t, pc)));
            }
        }
        match &self.monitoring {
            Monitoring::Nothing => self.races_of_enabled(state).first().copied(),
            Monitoring::Onward(_) => None,
            Monitoring::Everything(monitor) => {
                self.stale_access(monitor.as_ref(), state, None).or_else(|| match monitor.races() {
                    RaceRule::Monitored => self.race_with_past(monitor.as_ref(), state),
                    RaceRule::BothEnabled => self.races_of_enabled(state).first().copied(),
                })
            }
            Monitoring::Watching(watches) => match watches.current(state) {
                None if watches.races() == RaceRule::Monitored => None,
                None => self.races_of_enabled(state).first().copied(),
                Some(watched) => match watched.kind {
                    WatchKind::Stale { .. } => self.stale_access(watched.monitor.as_ref(), state, Some(watched.loc)),
                    WatchKind::After(first, how) => self.races_with_watched(watched, (first, how), state).next(),
                    WatchKind::Overwritten(_) => None,
                },
            },
        }
    }

    fn inspect_all(&self, state: &[u64], found: &mut Vec<Finding>) {
        match &self.monitoring {
            Monitoring::Onward(onward) => self.races_onward(onward, state, found),
            _ => found.extend(self.inspect(state)),
        }
    }

    fn has_strayed(&self, state: &[u64]) -> bool {
        matches!(&self.monitoring, Monitoring::Onward(onward) if onward.has_strayed(state))
    }

    fn first_equal(&self, t: ThreadId) -> ThreadId {
        self.first_equal[t.index()]
    }
}

impl Monitoring {
    fn new(
        threads: &[CompiledThread],
        classes: &[Option<Arc<Classes>>],
        model: &dyn Model,
        shape: &Shape,
        options: Options,
        layout: &mut Layout,
    ) -> Self {
        // A read that is allowed to be stale leaves its mark on all columns: they cannot be taken
        // apart.
        // A whole monitor does not follow accesses of locations that are accessed in both ways.
        let is_mixed = threads.iter().flat_map(CompiledThread::accesses).any(|access| access.mixed.is_some());
        if (options.reductions.watch_one || is_mixed) && !options.observational {
            let unwatched = layout.clone();
            match Watches::new(threads, classes, model, shape, layout) {
                Some(watches) => return Monitoring::Watching(watches),
                None => *layout = unwatched,
            }
        }
        match model.monitor(shape, layout) {
            None => Monitoring::Nothing,
            Some(monitor) => Monitoring::Everything(monitor),
        }
    }
}

/// A program of any number of copies stands for many: `crowd` takes them.
fn refuse_any_number(program: &Program) -> Result<(), Reason> {
    match program.least_copies() {
        None => Ok(()),
        Some(_) => Err(Reason::Unsupported("this is not decided for any number of copies".into())),
    }
}

fn site(t: usize, pc: u32) -> Site {
    Site { thread: ThreadId::from_index(t), pc: Pc(pc) }
}

fn eval_failure(error: EvalError) -> ScFailureKind {
    match error {
        EvalError::DivisionByZero => ScFailureKind::DivisionByZero,
    }
}
