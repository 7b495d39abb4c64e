//! Breadth-first search on a device.
//!
//! The program and its watches become a text and data ([`translate`]). The table of states, the
//! queues of two layers and a few counters lie in the device's memory. A layer is a launch: one
//! number for each state and thread. The host sees counts, and states only when there is something
//! to show.
//!
//! **The same answers.** Layers are the same as on the processor without partial-order reduction,
//! which is not done here: it has to know of a step's target whether it is new before it takes the
//! next one. Hence the number of states and steps, the depth, and the verdict are the same. So is the
//! run, because it is rebuilt in the same way: from the greatest state that is wrong, through the
//! greatest of all predecessors. These come from the device; the steps between them are taken again
//! on the processor.
//!
//! **Exact.** States are compared, never only hashed. An entry keeps the number of its layer, so
//! that a layer can be found again after the table has grown. Where an entry finds no place, or a
//! queue is too short, the layer is taken again. Where there is no more memory, or the device fails,
//! the answer is unknown.

mod effects;
mod translate;

use fencepost_analysis::interpreter::too_many_choices;
use fencepost_base::ids::{Pc, ThreadId};
use fencepost_verdict::device::{Device, Failure, Kernels, Memory};
use fencepost_verdict::{Budget, Progress, Reason, Run, ScFailure, ScFailureKind, Site, Stats};

use crate::product::Product;
use crate::search::path::{Reached, candidate, walk};
use crate::search::{Goal, State};
use crate::system::{Expansion, Stop, System};
use crate::{End, Exploration};
use translate::{Translated, translate};

/// Entries of the first table.
const FIRST_CAPACITY: u64 = 1 << 12;
/// How many times as large the next one is.
const GROWTH: u64 = 8;
/// Entries of the first queues.
const FIRST_ROOM: u64 = 1 << 12;
/// Numbers of one launch: between two, the clock is looked at.
const LAUNCH: u64 = 1 << 28;
/// Keys of what is in a queue, as in `kernel.h`; and how many states are worth putting those with
/// the same key together: they are taken by the same code, so that threads of a warp seldom part.
const KEYS: u64 = 1 << 16;
const WORTH_SORTING: u64 = 1 << 15;
/// What is counted in a layer, as in `kernel.h`.
const COUNTERS: usize = 8;

/// Visits every state of `product`, as many as it takes to reach `goal`; or says why not here.
pub(crate) fn breadth_first(
    product: &Product,
    goal: Goal,
    device: &dyn Device,
    budget: &Budget<'_>,
) -> Result<Exploration, String> {
    let translated = translate(product, goal, device.swaps_128_bits())?;
    let kernels = device.load(&translated.text);
    let search = kernels.and_then(|kernels| Search::new(product, goal, budget, &translated, kernels));
    let mut exploration = Exploration {
        end: End::Exhausted,
        sc_failure: None,
        bound: None,
        speculative: Vec::new(),
        stats: Stats { state_bits: product.bits() as u64, ..Stats::default() },
    };
    let ended = match search {
        Ok(mut search) => {
            let ended = search.run(&mut exploration);
            let stats = &mut exploration.stats;
            (stats.states, stats.on_device, stats.peak_bytes) = (search.states, search.states, search.bytes());
            match ended {
                Err(Trouble::Failed(Failure::Full)) => {
                    let what = format!("its memory is full with {} states", search.states);
                    Err(Trouble::Failed(Failure::Other(what)))
                }
                ended => ended,
            }
        }
        Err(failure) => Err(Trouble::Failed(failure)),
    };
    exploration.end = match ended {
        Ok(end) => end,
        Err(Trouble::GaveUp(reason)) => End::GaveUp(reason),
        Err(Trouble::Failed(failure)) => End::GaveUp(Reason::Device(format!("{}: {failure}", device.name()))),
        Err(Trouble::Refused(why)) => return Err(why.into()),
    };
    Ok(exploration)
}

struct Search<'a> {
    product: &'a Product,
    goal: Goal,
    budget: &'a Budget<'a>,
    kernels: Box<dyn Kernels + 'a>,
    words: usize,
    entry: u64,
    last_tag: u64,
    data: Memory,
    counters: Memory,
    table: Table,
    frontier: Queue,
    next: Queue,
    sorted: Queue,
    keys: Memory,
    /// States found so far.
    states: u64,
}

/// Open addressing.
struct Table {
    memory: Memory,
    capacity: u64,
}

/// Places of states in the table; `len` may be more than there is room for.
struct Queue {
    memory: Memory,
    len: u64,
}

/// What was met in a layer.
struct Layer {
    transitions: u64,
    failures: u64,
    findings: u64,
    bound: Option<Site>,
}

/// Why a search on a device does not come to its end.
enum Trouble {
    Failed(Failure),
    /// It gives up, as one on the processor does.
    GaveUp(Reason),
    /// It is left to the processor after all.
    Refused(&'static str),
}

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Self {
        Trouble::Failed(failure)
    }
}

impl<'a> Search<'a> {
    fn new(
        product: &'a Product,
        goal: Goal,
        budget: &'a Budget<'a>,
        translated: &Translated,
        mut kernels: Box<dyn Kernels + 'a>,
    ) -> Result<Self, Failure> {
        let data = kernels.allocate(translated.data.len() as u64)?;
        kernels.write(&data, &translated.data)?;
        let entry = translated.entry as u64;
        let counters = kernels.allocate(COUNTERS as u64)?;
        let table = Table { memory: kernels.allocate(FIRST_CAPACITY * entry)?, capacity: FIRST_CAPACITY };
        let mut queue = || Ok(Queue { memory: kernels.allocate(FIRST_ROOM)?, len: 0 });
        let (frontier, next, sorted) = (queue()?, queue()?, queue()?);
        let keys = kernels.allocate(KEYS + 1)?;
        Ok(Search {
            product,
            goal,
            budget,
            kernels,
            words: product.words(),
            entry,
            last_tag: translated.last_tag,
            data,
            counters,
            table,
            frontier,
            next,
            sorted,
            keys,
            states: 0,
        })
    }

    /// How it ends; what else is met is noted in `told`.
    fn run(&mut self, told: &mut Exploration) -> Result<End, Trouble> {
        let Exploration { sc_failure, bound, stats, .. } = told;
        let initial = self.product.initial();
        for (end, (site, stop)) in initial.stopped {
            match stop {
                Stop::GiveUp(_) => unreachable!("only a step can be too much"),
                Stop::Bound => *bound = bound.or(Some(site)),
                Stop::Failure(kind) if sc_failure.is_none() && self.goal.is_about(&kind) => {
                    let run = Run { steps: initial.trace[..end].to_vec() };
                    *sc_failure = Some(ScFailure { kind, site, run });
                }
                Stop::Failure(_) => {}
            }
        }
        let mut start = initial.state;
        self.product.canonical(&mut start);
        self.begin(&start)?;
        if self.goal.is_failure() && sc_failure.is_some() {
            return Ok(End::Failed);
        }
        if !self.goal.is_failure() && self.product.inspect(&start).is_some() {
            return Ok(self.found(&start, 0)?);
        }
        // Layers are numbered from 0; the tag of a state is one more.
        let mut layer = 0;
        while self.frontier.len > 0 {
            (self.budget.rest)(self.progress(layer));
            (self.budget.progress)(self.progress(layer));
            let met = self.expand(layer)?;
            stats.transitions += met.transitions;
            *bound = bound.or(met.bound);
            if sc_failure.is_none() && met.failures > 0 {
                *sc_failure = Some(self.failure(layer)?);
            }
            if self.goal.is_failure() && sc_failure.is_some() {
                stats.depth = layer + 1;
                return Ok(End::Failed);
            }
            if met.findings > 0 {
                stats.depth = layer + 1;
                let state = self.greatest(true)?;
                return Ok(self.found(&state, layer + 1)?);
            }
            if self.states > self.budget.max_states {
                return Ok(End::GaveUp(Reason::States(self.budget.max_states)));
            }
            stats.depth = layer;
            std::mem::swap(&mut self.frontier, &mut self.next);
            self.next.len = 0;
            layer += 1;
        }
        Ok(End::Exhausted)
    }

    fn bytes(&self) -> u64 {
        let queues = [&self.frontier, &self.next, &self.sorted].map(|queue| queue.memory.words);
        8 * (self.table.memory.words + queues.iter().sum::<u64>())
    }

    fn progress(&self, layer: u64) -> Progress {
        Progress { states: self.states, frontier: self.frontier.len, depth: layer, bytes: self.bytes() }
    }

    /// The first state is the first layer.
    fn begin(&mut self, state: &[u64]) -> Result<(), Failure> {
        let memory = self.kernels.allocate(self.words as u64)?;
        self.kernels.write(&memory, state)?;
        let Table { memory: table, capacity } = &self.table;
        self.kernels.run("begin", 1, &[table.address, *capacity, memory.address, self.frontier.memory.address])?;
        self.kernels.release(memory)?;
        (self.frontier.len, self.states) = (1, 1);
        Ok(())
    }

    /// Takes all steps out of a layer, again and again until there is room for where they lead.
    fn expand(&mut self, layer: u64) -> Result<Layer, Trouble> {
        if layer + 2 > self.last_tag {
            let what = format!("runs have more than {layer} steps, and entries no bits for more");
            return Err(Trouble::GaveUp(Reason::Device(what)));
        }
        if self.states > self.table.capacity / 2 {
            // There may still be enough room.
            match self.grow(layer) {
                Ok(()) | Err(Failure::Full) => {}
                Err(other) => return Err(other.into()),
            }
        }
        let mut again = false;
        loop {
            let Some(mut met) = self.expand_once(layer)? else {
                self.grow(layer)?;
                again = true;
                continue;
            };
            if again || self.next.len > self.next.memory.words {
                self.collect(layer + 1)?;
            }
            if again && self.goal == Goal::LeaveSc {
                met.findings = self.count_findings()?;
            }
            self.states += self.next.len;
            self.sort()?;
            return Ok(met);
        }
    }

    /// The same once; none if there was not room enough.
    fn expand_once(&mut self, layer: u64) -> Result<Option<Layer>, Trouble> {
        let mut counters = [0, 0, 0, 0, u64::MAX, 0, 0, 0];
        self.kernels.write(&self.counters, &counters)?;
        let states = self.frontier.len;
        let numbers = states * self.product.threads().len() as u64;
        for first in (0..numbers).step_by(LAUNCH as usize) {
            if (self.budget.expired)() {
                return Err(Trouble::GaveUp(Reason::Time));
            }
            self.kernels.run(
                "expand",
                LAUNCH.min(numbers - first),
                &[
                    self.table.memory.address,
                    self.table.capacity,
                    self.frontier.memory.address,
                    first,
                    states,
                    self.next.memory.address,
                    self.next.memory.words,
                    self.counters.address,
                    layer + 2,
                    self.data.address,
                ],
            )?;
        }
        self.kernels.read(&self.counters, &mut counters)?;
        let [next, transitions, failures, findings, bound, overflowed, too_much, beyond] = counters;
        if beyond > 0 {
            return Err(Trouble::Refused("an atomic section has too many ways, or too long ones"));
        }
        if too_much > 0 {
            return Err(Trouble::GaveUp(too_many_choices()));
        }
        if overflowed > 0 {
            return Ok(None);
        }
        self.next.len = next;
        let site = |bound: u64| Site { thread: ThreadId::from_index((bound >> 32) as usize), pc: Pc(bound as u32) };
        let bound = (bound != u64::MAX).then(|| site(bound));
        Ok(Some(Layer { transitions, failures, findings, bound }))
    }

    /// A greater table, with all that is in this one; the frontier, a layer, is looked for again.
    fn grow(&mut self, layer: u64) -> Result<(), Failure> {
        // What queues may need besides.
        let free = self.kernels.free_bytes()? / 8 * 15 / 16;
        // The last table is as large as can be: it takes the place of one that is much smaller.
        let wanted = self.table.capacity * GROWTH;
        let most = free / self.entry;
        let capacity = if wanted.saturating_mul(GROWTH + 1) > most { most } else { wanted };
        if capacity < self.table.capacity * 5 / 4 {
            return Err(Failure::Full);
        }
        let memory = self.kernels.allocate(capacity * self.entry)?;
        self.kernels.write(&self.counters, &[0; COUNTERS])?;
        let (from, to) = (self.table.memory.address, memory.address);
        self.kernels.run("rehash", self.table.capacity, &[from, to, capacity, self.counters.address])?;
        let mut failed = [0];
        self.kernels.read(&self.counters, &mut failed)?;
        if failed[0] > 0 {
            self.kernels.release(memory)?;
            return Err(Failure::Full);
        }
        let old = std::mem::replace(&mut self.table, Table { memory, capacity });
        self.kernels.release(old.memory)?;
        std::mem::swap(&mut self.frontier, &mut self.next);
        self.collect(layer)?;
        std::mem::swap(&mut self.frontier, &mut self.next);
        Ok(())
    }

    /// The states of a layer become `next`.
    fn collect(&mut self, layer: u64) -> Result<(), Failure> {
        loop {
            self.kernels.write(&self.counters, &[0])?;
            let Queue { memory, .. } = &self.next;
            let arguments = [
                self.table.memory.address,
                layer + 1,
                memory.address,
                memory.words,
                self.counters.address,
                self.data.address,
            ];
            self.kernels.run("collect", self.table.capacity, &arguments)?;
            let mut count = [0];
            self.kernels.read(&self.counters, &mut count)?;
            self.next.len = count[0];
            if count[0] <= self.next.memory.words {
                return Ok(());
            }
            let memory = self.kernels.allocate(count[0] * 2).or_else(|_| self.kernels.allocate(count[0]))?;
            let old = std::mem::replace(&mut self.next.memory, memory);
            self.kernels.release(old)?;
        }
    }

    /// Puts those states of the next layer together that are taken by the same code.
    fn sort(&mut self) -> Result<(), Failure> {
        let len = self.next.len;
        if len < WORTH_SORTING {
            return Ok(());
        }
        if self.sorted.memory.words < len {
            // As large as the other one will have to be again.
            let Ok(memory) = self.kernels.allocate(self.next.memory.words) else { return Ok(()) };
            let old = std::mem::replace(&mut self.sorted.memory, memory);
            self.kernels.release(old)?;
        }
        let (next, sorted, keys) = (self.next.memory.address, self.sorted.memory.address, self.keys.address);
        self.kernels.write(&self.keys, &[0; KEYS as usize + 1])?;
        self.kernels.run("count_keys", len, &[next, keys])?;
        self.kernels.run("place_keys", KEYS, &[keys, keys + 8 * KEYS])?;
        self.kernels.run("scatter", len, &[next, keys, sorted])?;
        std::mem::swap(&mut self.next, &mut self.sorted);
        self.next.len = len;
        Ok(())
    }

    fn count_findings(&mut self) -> Result<u64, Failure> {
        self.kernels.write(&self.counters, &[0])?;
        let arguments = [self.table.memory.address, self.next.memory.address, self.data.address, self.counters.address];
        self.kernels.run("count_findings", self.next.len, &arguments)?;
        let mut count = [0];
        self.kernels.read(&self.counters, &mut count)?;
        Ok(count[0])
    }

    /// The greatest state of the next layer from which SC can be left; or, of the frontier, with a
    /// step on which something goes wrong. There is one.
    fn greatest(&mut self, leaves: bool) -> Result<State, Failure> {
        let words = self.kernels.allocate(self.words as u64)?;
        let queue = if leaves { &self.next } else { &self.frontier };
        for known in 0..self.words as u64 {
            let fails = u64::from(!leaves);
            let arguments =
                [self.table.memory.address, queue.memory.address, self.data.address, words.address, known, fails];
            self.kernels.run("greatest_of", queue.len, &arguments)?;
        }
        let mut state = vec![0; self.words];
        self.kernels.read(&words, &mut state)?;
        self.kernels.release(words)?;
        Ok(state)
    }

    /// The greatest state of a layer with a step to `state`.
    fn predecessor(&mut self, layer: u64, state: &[u64]) -> Result<State, Failure> {
        let target = self.kernels.allocate(self.words as u64)?;
        self.kernels.write(&target, state)?;
        let mut room = FIRST_ROOM;
        loop {
            let matches = self.kernels.allocate(room)?;
            self.kernels.write(&self.counters, &[0])?;
            let arguments = [
                self.table.memory.address,
                layer + 1,
                self.data.address,
                target.address,
                matches.address,
                room,
                self.counters.address,
            ];
            self.kernels.run("leads", self.table.capacity, &arguments)?;
            let mut count = [0];
            self.kernels.read(&self.counters, &mut count)?;
            if count[0] > room {
                room = count[0];
                self.kernels.release(matches)?;
                continue;
            }
            let found = self.gather(&matches, count[0])?;
            self.kernels.release(matches)?;
            self.kernels.release(target)?;
            let greatest = found.chunks(self.words).max();
            let missing = || Failure::Other("a state has no predecessor in the layer before it".into());
            return greatest.map(<[u64]>::to_vec).ok_or_else(missing);
        }
    }

    fn gather(&mut self, places: &Memory, count: u64) -> Result<Vec<u64>, Failure> {
        let mut states = vec![0; count as usize * self.words];
        if count > 0 {
            let memory = self.kernels.allocate(states.len() as u64)?;
            let arguments = [self.table.memory.address, places.address, memory.address];
            self.kernels.run("gather", count, &arguments)?;
            self.kernels.read(&memory, &mut states)?;
            self.kernels.release(memory)?;
        }
        Ok(states)
    }

    /// A shortest run to a state of this layer.
    fn run_to(&mut self, state: &[u64], layer: u64) -> Result<Reached, Failure> {
        let mut path = vec![state.to_vec()];
        for layer in (0..layer).rev() {
            let predecessor = self.predecessor(layer, path.last().expect("a state"))?;
            path.push(predecessor);
        }
        Ok(walk(self.product, &path))
    }

    /// What leaves SC from a state of this layer, as threads of the program do it.
    fn found(&mut self, state: &[u64], layer: u64) -> Result<End, Failure> {
        let Reached { run, state, .. } = self.run_to(state, layer)?;
        let differs = || Failure::Other("a state is harmless to the processor".into());
        Ok(End::Found(candidate(run, self.product.inspect(&state).ok_or_else(differs)?)))
    }

    /// What goes wrong on a step out of the frontier, which is this layer.
    fn failure(&mut self, layer: u64) -> Result<ScFailure, Failure> {
        let state = self.greatest(false)?;
        let differs = || Failure::Other("nothing goes wrong for the processor".into());
        let (pc, kind) = self.last_failure(&state).ok_or_else(differs)?;
        let Reached { mut run, state, .. } = self.run_to(&state, layer)?;
        let mut out = Expansion::traced(self.words);
        for t in 0..self.product.threads().len() {
            self.product.expand(&state, t, &mut out);
        }
        let fails = |step: usize| match &out.step(step).stopped {
            Some((site, Stop::Failure(what))) if site.pc == pc && *what == kind => Some((step, *site)),
            _ => None,
        };
        let (step, site) = (0..out.len()).find_map(fails).ok_or_else(differs)?;
        run.steps.extend_from_slice(out.trace(step));
        Ok(ScFailure { kind, site, run })
    }

    /// Of what goes wrong on the steps out of a state, the last in the code.
    fn last_failure(&self, state: &[u64]) -> Option<(Pc, ScFailureKind)> {
        let mut out = Expansion::new(self.words);
        for t in 0..self.product.threads().len() {
            self.product.expand(state, t, &mut out);
        }
        let mut last: Option<(Pc, ScFailureKind)> = None;
        for step in 0..out.len() {
            if let Some((site, Stop::Failure(kind))) = &out.step(step).stopped
                && self.goal.is_about(kind)
                && last.as_ref().is_none_or(|(pc, _)| site.pc > *pc)
            {
                last = Some((site.pc, kind.clone()));
            }
        }
        last
    }
}
