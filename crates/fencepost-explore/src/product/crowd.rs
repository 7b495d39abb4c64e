//! One copy of a thread at a time, where there can be any number of copies.
//!
//! A step changes memory, what is known of locations, and the local state of the thread that takes
//! it: its program counter, its registers, and its rows of the monitor. It does not depend on the
//! local states of other threads. So a state is a *control*, which is everything but the copies, and
//! a multiset of local states of copies; and a step is known once it is known for its control and
//! its mover. There is one exception. The step that begins a watch gives all other threads the same
//! new rows, whatever else they are doing: nothing was watched before it, so they had none.
//!
//! The steps are those of [`Product`], for a program with three copies: the mover, and two that are
//! *absent*. Nothing can be absent without standing somewhere: these two stand behind the end of
//! their code. One has rows of zeros, the other of ones. If a step changes either of them, except to
//! begin a watch, it is not what is said above. That is looked at in every step, and ends the search.

use fencepost_base::ids::ThreadId;
use fencepost_ir::{Copies, Program};
use fencepost_model::packed::{Region, Slot};
use fencepost_model::{Model, Monitor};
use fencepost_verdict::{Budget, Reason, ScFailureKind};

use super::{Monitoring, Product, Purpose};
use crate::options::{Options, Reductions};
use crate::system::{Expansion, Stop, System};

/// Copies of each kind in the program whose steps are taken: one that moves, and two that are absent.
const COPIES: u32 = 3;

/// A program in which some kinds of threads have any number of copies.
pub struct Crowd {
    product: Product,
    /// The threads of which there is one.
    single: Vec<usize>,
    /// For every kind of which there is any number, its copies in the product.
    kinds: Vec<[usize; COPIES as usize]>,
    /// For every watch and, first, for none, and for every thread: its rows.
    rows: Vec<Vec<Vec<Slot>>>,
}

/// All of a state but the copies.
pub type Control = Box<[u64]>;

/// The local state of a copy: where it is and what it holds, and its rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Local {
    /// Program counter and registers.
    pub core: Box<[u64]>,
    /// What of the monitor belongs to it.
    pub rows: Box<[u64]>,
}

/// Who takes a step.
#[derive(Clone, Copy, Debug)]
pub enum Mover<'a> {
    /// A thread of which there is one, by its position among these.
    Single(usize),
    /// A copy of this kind, in this local state.
    Copy(usize, &'a Local),
}

/// What fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fails {
    /// An assertion.
    Assertion,
    /// Something else: a division by zero, an index out of range.
    Otherwise,
}

impl Fails {
    fn of(kind: &ScFailureKind) -> Self {
        match kind {
            ScFailureKind::Assertion => Fails::Assertion,
            _ => Fails::Otherwise,
        }
    }
}

/// A step.
#[derive(Clone, Debug)]
pub struct Move {
    /// The control after it.
    pub control: Control,
    /// The local state of the mover, if it is a copy.
    pub local: Option<Local>,
    /// For every kind, the rows that all other copies have after it, if it begins a watch.
    pub renewed: Option<Vec<Box<[u64]>>>,
    /// Does the mover fail in it?
    pub fails: Option<Fails>,
    /// Does it reach a bound of the program?
    pub is_bound: bool,
}

/// Where everything starts.
#[derive(Clone, Debug)]
pub struct Start {
    /// The control.
    pub control: Control,
    /// For every kind, the local state of each of its copies.
    pub locals: Vec<Local>,
    /// Does something fail before the first step?
    pub fails: Option<Fails>,
    /// Is a bound of the program reached before it?
    pub is_bound: bool,
}

impl Crowd {
    /// `program`, with the monitor of `model`.
    ///
    /// # Errors
    /// If it is too large, or its steps cannot be told apart as above.
    pub fn new(program: &Program, model: &dyn Model, options: Options, budget: &Budget<'_>) -> Result<Self, Reason> {
        // Who else there is must not matter to a step: that is what these two ask.
        let reductions = Reductions { por: false, dead_bits: false, ..options.reductions };
        let options = Options { reductions, ..options };
        let instance = program.with_copies(COPIES);
        let product = Product::new(&instance, model, Purpose::Violations, options, budget)?;
        let monitors: Vec<_> = match &product.monitoring {
            Monitoring::Nothing => vec![None],
            Monitoring::Watching(watches) => watches.monitors().collect(),
            Monitoring::Everything(_) | Monitoring::Onward(_) => {
                let what = "for any number of copies there must be one watch at a time";
                return Err(Reason::Unsupported(what.into()));
            }
        };
        let threads = 0..product.threads.len();
        let of = |monitor: &Option<&dyn Monitor>, t: usize| -> Vec<Slot> {
            let rows = monitor.iter().flat_map(|monitor| monitor.rows(ThreadId::from_index(t)));
            rows.flat_map(|row| row.slots().to_vec()).collect()
        };
        let rows = monitors.iter().map(|monitor| threads.clone().map(|t| of(monitor, t)).collect()).collect();
        let (mut single, mut kinds, mut next) = (Vec::new(), Vec::new(), 0);
        for thread in program.threads() {
            match thread.copies {
                Copies::One => {
                    single.push(next);
                    next += 1;
                }
                Copies::Any { .. } => {
                    kinds.push([next, next + 1, next + 2]);
                    next += COPIES as usize;
                }
            }
        }
        Ok(Crowd { product, single, kinds, rows })
    }

    /// Number of kinds of threads of which there is any number.
    pub fn kinds(&self) -> usize {
        self.kinds.len()
    }

    /// Number of threads of which there is one.
    pub fn singles(&self) -> usize {
        self.single.len()
    }

    /// Words of a control.
    pub fn words(&self) -> usize {
        self.product.words
    }

    /// Bits of a control that carry information.
    pub fn bits(&self) -> usize {
        self.product.bits
    }

    /// Where everything starts.
    ///
    /// # Errors
    /// If there are too many choices there.
    pub fn start(&self) -> Result<Start, Reason> {
        let initial = self.product.initial();
        let mut state = initial.state;
        let locals = self.kinds.iter().map(|copies| self.take(&state, copies[0])).collect();
        for copies in &self.kinds {
            copies.iter().for_each(|&t| self.remove(&mut state, t));
        }
        let mut start = Start { control: state.into(), locals, fails: None, is_bound: false };
        for (_, (_, stop)) in initial.stopped {
            match stop {
                Stop::Failure(kind) if start.fails != Some(Fails::Assertion) => start.fails = Some(Fails::of(&kind)),
                Stop::Failure(_) => {}
                Stop::Bound => start.is_bound = true,
                Stop::GiveUp(reason) => return Err(reason),
            }
        }
        Ok(start)
    }

    /// The steps of `mover` under `control`.
    ///
    /// # Errors
    /// If there are too many, or one is not a step of the mover alone.
    pub fn moves(&self, control: &[u64], mover: Mover<'_>) -> Result<Vec<Move>, Reason> {
        let mut state = control.to_vec();
        let mover = match mover {
            Mover::Single(single) => self.single[single],
            Mover::Copy(kind, local) => {
                self.put(&mut state, self.kinds[kind][0], local);
                self.kinds[kind][0]
            }
        };
        let watch = self.product.watch(&state);
        for copies in &self.kinds {
            self.rows[watch][copies[2]].iter().for_each(|slot| slot.set(&mut state, u64::MAX));
        }
        let mut out = Expansion::new(self.product.words);
        self.product.expand(&state, mover, &mut out);
        (0..out.len()).map(|step| self.step(watch, mover, &out, step)).collect()
    }

    fn step(&self, watch: usize, mover: usize, out: &Expansion, step: usize) -> Result<Move, Reason> {
        let (fails, is_bound) = match &out.step(step).stopped {
            None => (None, false),
            Some((_, Stop::Failure(kind))) => (Some(Fails::of(kind)), false),
            Some((_, Stop::Bound)) => (None, true),
            Some((_, Stop::GiveUp(reason))) => return Err(reason.clone()),
        };
        let mut state = out.target(step).to_vec();
        let begins = self.product.watch(&state) != watch;
        let mut renewed = Vec::new();
        for copies in &self.kinds {
            let [_, zeros, ones] = copies.map(|t| self.take(&state, t));
            if begins {
                renewed.push(zeros.rows);
            } else {
                let widths = &self.rows[watch][copies[2]];
                let all =
                    |slot: &Slot, &bits: &u64| bits == u64::MAX >> (64 - slot.width().max(1)) || slot.width() == 0;
                let untouched = zeros.rows.iter().all(|&bits| bits == 0)
                    && widths.iter().zip(&ones.rows).all(|(slot, bits)| all(slot, bits));
                if !untouched {
                    let what = "a step of one thread changes what is known of the others";
                    return Err(Reason::Unsupported(what.into()));
                }
            }
        }
        let local = self.kinds.iter().any(|copies| copies[0] == mover).then(|| self.take(&state, mover));
        for copies in &self.kinds {
            copies.iter().for_each(|&t| self.remove(&mut state, t));
        }
        Ok(Move { control: state.into(), local, renewed: begins.then_some(renewed), fails, is_bound })
    }

    /// Can SC be left, or is there a race, where there are these copies, at most two, each of its
    /// kind?
    pub fn is_wrong(&self, control: &[u64], present: &[(usize, &Local)]) -> bool {
        let mut state = control.to_vec();
        for (index, &(kind, local)) in present.iter().enumerate() {
            self.put(&mut state, self.kinds[kind][index], local);
        }
        self.product.inspect(&state).is_some()
    }

    /// The local state of thread `t`.
    fn take(&self, state: &[u64], t: usize) -> Local {
        let thread = &self.product.threads[t];
        let core = std::iter::once(&thread.pc).chain(&thread.registers).map(|slot| slot.get(state)).collect();
        let rows = self.rows[self.product.watch(state)][t].iter().map(|slot| slot.get(state)).collect();
        Local { core, rows }
    }

    fn put(&self, state: &mut [u64], t: usize, local: &Local) {
        let thread = &self.product.threads[t];
        let core = std::iter::once(&thread.pc).chain(&thread.registers);
        core.zip(&local.core).for_each(|(slot, &value)| slot.set(state, value));
        let rows = &self.rows[self.product.watch(state)][t];
        rows.iter().zip(&local.rows).for_each(|(slot, &value)| slot.set(state, value));
    }

    /// Thread `t` is absent from now on.
    fn remove(&self, state: &mut [u64], t: usize) {
        self.product.stop(state, t);
        Region::of(self.rows[self.product.watch(state)][t].iter().copied()).clear(state);
    }
}
