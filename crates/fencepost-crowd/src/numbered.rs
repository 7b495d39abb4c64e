//! Controls and local states by numbers, and the steps between them, each computed once.

use std::hash::Hash;
use std::sync::Arc;

use fencepost_explore::{Control, Crowd, Fails, Local, Move, Mover, Start};
use fencepost_verdict::{Budget, Progress, Reason};
use foldhash::{HashMap, HashMapExt};

use crate::Cost;

/// Values by their numbers, and numbers by their values.
struct Numbers<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T: Clone + Eq + Hash> Numbers<T> {
    fn new() -> Self {
        Numbers { values: Vec::new(), numbers: HashMap::new() }
    }

    fn number(&mut self, value: &T) -> u32 {
        if let Some(&number) = self.numbers.get(value) {
            return number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}

/// At most two copies, by their kinds and local states.
type Few = [Option<(u32, u32)>; 2];

/// Who takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    /// A thread of which there is one.
    Single(u32),
    /// A copy of a kind, in a local state.
    Copy(u32, u32),
}

/// A step, by numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) control: u32,
    /// Of the mover, if it is a copy.
    pub(crate) local: Option<u32>,
    /// What becomes of all others, if they change.
    pub(crate) renewal: Option<u32>,
    pub(crate) fails: Option<Fails>,
    pub(crate) is_bound: bool,
}

/// Steps between two looks at the clock.
const BETWEEN_LOOKS: u64 = 1 << 10;
/// Bytes of an entry of a table besides what is in it; an estimate is enough for a limit.
const ENTRY_BYTES: u64 = 64;

/// A crowd whose controls and local states have numbers.
pub(crate) struct Numbered {
    crowd: Crowd,
    controls: Numbers<Control>,
    /// For every kind.
    locals: Vec<Numbers<Local>>,
    /// For every watch that begins, the rows of each kind.
    renewals: Numbers<Vec<Box<[u64]>>>,
    /// What becomes of a copy of a kind when a watch begins.
    renewed: HashMap<(u32, u32, u32), u32>,
    steps: HashMap<(u32, Who), Arc<[Step]>>,
    /// For a control and copies.
    wrong: HashMap<(u32, Few), bool>,
    states: u64,
    transitions: u64,
    ticks: u64,
    /// Of tables, and of the search under way.
    bytes: u64,
    most_bytes: u64,
}

/// Where everything starts, by numbers.
pub(crate) struct Beginning {
    pub(crate) control: u32,
    pub(crate) locals: Vec<u32>,
    pub(crate) fails: Option<Fails>,
    pub(crate) is_bound: bool,
}

impl Numbered {
    pub(crate) fn new(crowd: Crowd) -> Self {
        let locals = (0..crowd.kinds()).map(|_| Numbers::new()).collect();
        Numbered {
            crowd,
            controls: Numbers::new(),
            locals,
            renewals: Numbers::new(),
            renewed: HashMap::new(),
            steps: HashMap::new(),
            wrong: HashMap::new(),
            states: 0,
            transitions: 0,
            ticks: 0,
            bytes: 0,
            most_bytes: 0,
        }
    }

    pub(crate) fn kinds(&self) -> u32 {
        self.locals.len() as u32
    }

    pub(crate) fn singles(&self) -> u32 {
        self.crowd.singles() as u32
    }

    pub(crate) fn cost(&self) -> Cost {
        let bytes = self.most_bytes.max(self.bytes());
        Cost { states: self.states, transitions: self.transitions, bytes, bits: self.crowd.bits() as u64 }
    }

    /// States that were found in all searches together.
    pub(crate) fn states(&self) -> u64 {
        self.states
    }

    pub(crate) fn bytes(&self) -> u64 {
        let controls = self.controls.values.len() as u64 * (self.crowd.words() as u64 * 16 + ENTRY_BYTES);
        controls + self.bytes
    }

    /// Another search, which used so many bytes, is over.
    pub(crate) fn spent(&mut self, states: u64, transitions: u64, bytes: u64) {
        self.states += states;
        self.transitions += transitions;
        self.most_bytes = self.most_bytes.max(self.bytes() + bytes);
    }

    /// So many more bytes are used for tables.
    pub(crate) fn keep(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    /// So many bytes are no longer used.
    pub(crate) fn forget(&mut self, bytes: u64) {
        self.most_bytes = self.most_bytes.max(self.bytes());
        self.bytes -= bytes;
    }

    pub(crate) fn start(&mut self) -> Result<Beginning, Reason> {
        let Start { control, locals, fails, is_bound } = self.crowd.start()?;
        let control = self.controls.number(&control);
        let locals = self.locals.iter_mut().zip(&locals).map(|(numbers, local)| numbers.number(local)).collect();
        Ok(Beginning { control, locals, fails, is_bound })
    }

    /// The steps of somebody under a control.
    pub(crate) fn steps(&mut self, control: u32, who: Who) -> Result<Arc<[Step]>, Reason> {
        if let Some(steps) = self.steps.get(&(control, who)) {
            return Ok(Arc::clone(steps));
        }
        let mover = match who {
            Who::Single(single) => Mover::Single(single as usize),
            Who::Copy(kind, local) => Mover::Copy(kind as usize, &self.locals[kind as usize].values[local as usize]),
        };
        let moves = self.crowd.moves(&self.controls.values[control as usize], mover)?;
        let steps: Arc<[Step]> = moves.into_iter().map(|step| self.numbered(who, &step)).collect();
        self.transitions += steps.len() as u64;
        self.bytes += ENTRY_BYTES + steps.len() as u64 * size_of::<Step>() as u64;
        self.steps.insert((control, who), Arc::clone(&steps));
        Ok(steps)
    }

    /// Does a step of somebody change anything for the others?
    pub(crate) fn is_seen(&mut self, control: u32, who: Who) -> Result<bool, Reason> {
        let steps = self.steps(control, who)?;
        Ok(steps.iter().any(|step| step.control != control || step.renewal.is_some()))
    }

    fn numbered(&mut self, who: Who, step: &Move) -> Step {
        let local = match who {
            Who::Single(_) => None,
            Who::Copy(kind, _) => step.local.as_ref().map(|local| self.local(kind, local)),
        };
        Step {
            control: self.controls.number(&step.control),
            local,
            renewal: step.renewed.as_ref().map(|rows| self.renewals.number(rows)),
            fails: step.fails,
            is_bound: step.is_bound,
        }
    }

    fn local(&mut self, kind: u32, local: &Local) -> u32 {
        self.locals[kind as usize].number(local)
    }

    /// What becomes of a copy that does not move.
    pub(crate) fn renewed(&mut self, renewal: Option<u32>, kind: u32, local: u32) -> u32 {
        let Some(renewal) = renewal else { return local };
        if let Some(&renewed) = self.renewed.get(&(renewal, kind, local)) {
            return renewed;
        }
        let core = self.locals[kind as usize].values[local as usize].core.clone();
        let rows = self.renewals.values[renewal as usize][kind as usize].clone();
        let renewed = self.local(kind, &Local { core, rows });
        self.renewed.insert((renewal, kind, local), renewed);
        renewed
    }

    /// The local state of which `local` has come about by a watch that begins, if it has.
    pub(crate) fn before_renewal(&mut self, renewal: Option<u32>, kind: u32, local: u32) -> Option<u32> {
        let Some(renewal) = renewal else { return Some(local) };
        let Local { core, rows } = &self.locals[kind as usize].values[local as usize];
        if *rows != self.renewals.values[renewal as usize][kind as usize] {
            return None;
        }
        // Nothing is watched before.
        let before = Local { core: core.clone(), rows: Box::default() };
        Some(self.local(kind, &before))
    }

    /// Is something wrong where there are these copies, at most two, in order?
    pub(crate) fn is_wrong(&mut self, control: u32, copies: &[(u32, u32)]) -> bool {
        let key = (control, [copies.first().copied(), copies.get(1).copied()]);
        if let Some(&wrong) = self.wrong.get(&key) {
            return wrong;
        }
        let local = |kind: u32, local: u32| &self.locals[kind as usize].values[local as usize];
        let present: Vec<_> = copies.iter().map(|&(kind, number)| (kind as usize, local(kind, number))).collect();
        let wrong = self.crowd.is_wrong(&self.controls.values[control as usize], &present);
        self.bytes += ENTRY_BYTES;
        self.wrong.insert(key, wrong);
        wrong
    }

    /// A state was added that takes so many bytes: is there still time and memory?
    pub(crate) fn added(&mut self, bytes: u64, frontier: u64, budget: &Budget<'_>) -> Result<(), Reason> {
        self.states += 1;
        self.bytes += bytes;
        if self.states > budget.max_states {
            return Err(Reason::States(budget.max_states));
        }
        if self.bytes() > budget.max_bytes {
            return Err(Reason::Memory(budget.max_bytes));
        }
        self.tick(frontier, budget)
    }

    /// Some work was done.
    pub(crate) fn tick(&mut self, frontier: u64, budget: &Budget<'_>) -> Result<(), Reason> {
        self.ticks += 1;
        if self.ticks.is_multiple_of(BETWEEN_LOOKS) {
            if (budget.expired)() {
                return Err(Reason::Time);
            }
            budget.report(Progress { states: self.states, frontier, depth: 0, bytes: self.bytes() });
        }
        Ok(())
    }
}
