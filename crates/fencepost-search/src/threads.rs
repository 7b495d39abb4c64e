//! The threads of a program as tables of local states, filled as they are needed.
//!
//! What a thread does up to its next resting point is the interpreter's business
//! (`fencepost_analysis::interpreter`). A local state has a number, so that states of a search are
//! short; what a thread does next when it reads a value is computed once.

use std::collections::BTreeMap;
use std::rc::Rc;

use fencepost_analysis::interpreter::{Access, Choice, Interpreter, Local, Rest};
use fencepost_analysis::liveness::dead_registers;
use fencepost_base::event::Label;
use fencepost_base::ids::{RegId, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::Program;
use fencepost_model::{EventId, Graph, Model};
use fencepost_verdict::{Budget, Reason, Site};
use foldhash::HashMap;

/// The number of a local state of a thread.
pub(crate) type StateId = u32;

/// What a thread can do, and its state afterwards.
pub(crate) type Outcomes = Rc<[(Label, StateId)]>;

/// Bytes of a local state in the tables, without its registers: it is there twice, and has a rest
/// and outcomes.
const STATE_BYTES: u64 = 2 * size_of::<Local>() as u64 + size_of::<Rest>() as u64 + 96;

/// Bytes of what follows a read.
const OUTCOMES_BYTES: u64 = size_of::<(Value, Outcomes)>() as u64 + 2 * size_of::<(Label, StateId)>() as u64;

/// Alternatives of a choice between two looks at the budget.
const BETWEEN_LOOKS: usize = 1 << 12;

/// The tables of all threads.
pub(crate) struct Threads<'a> {
    interpreter: Interpreter<'a>,
    tables: Vec<Table>,
    /// For every thread and instruction, the registers whose content is forgotten there.
    forgotten: Vec<Vec<Vec<RegId>>>,
    bytes: u64,
}

#[derive(Default)]
struct Table {
    states: Vec<Local>,
    rests: Vec<Rc<Rest>>,
    ids: HashMap<Local, StateId>,
    /// For every state, what follows when it reads a value; a store reads nothing, and has one
    /// entry.
    outcomes: Vec<BTreeMap<Value, Outcomes>>,
}

impl<'a> Threads<'a> {
    pub(crate) fn new(program: &'a Program, model: &'a dyn Model, budget: &'a Budget<'a>) -> Self {
        let tables = program.threads().iter().map(|_| Table::default()).collect();
        Threads { interpreter: Interpreter::new(program, model, budget), tables, forgotten: Vec::new(), bytes: 0 }
    }

    /// Forgets what registers hold that are never read again. Not for those who look at registers
    /// at the end.
    pub(crate) fn forget_dead_registers(&mut self) {
        self.forgotten = self.program().threads().iter().map(dead_registers).collect();
        let lists = self.forgotten.iter().flatten();
        self.bytes += lists.map(|dead| (size_of_val(dead) + size_of_val(dead.as_slice())) as u64).sum::<u64>();
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.interpreter.program()
    }

    pub(crate) fn budget(&self) -> &'a Budget<'a> {
        self.interpreter.budget()
    }

    /// Bytes of the tables.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The states in which the threads rest first.
    pub(crate) fn initial(&mut self) -> Result<Vec<StateId>, Reason> {
        let threads = self.program().thread_ids();
        threads.map(|thread| self.run_on(thread, self.interpreter.start(thread))).collect()
    }

    pub(crate) fn local(&self, thread: ThreadId, id: StateId) -> &Local {
        &self.tables[thread.index()].states[id as usize]
    }

    pub(crate) fn rest(&self, thread: ThreadId, id: StateId) -> Rc<Rest> {
        Rc::clone(&self.tables[thread.index()].rests[id as usize])
    }

    /// As [`Threads::rest`], for a look.
    pub(crate) fn rest_of(&self, thread: ThreadId, id: StateId) -> &Rest {
        &self.tables[thread.index()].rests[id as usize]
    }

    pub(crate) fn site(&self, thread: ThreadId, id: StateId) -> Site {
        Site { thread, pc: self.local(thread, id).pc }
    }

    /// What the thread can do at its access when the write before it has value `old`.
    pub(crate) fn outcomes(
        &mut self,
        thread: ThreadId,
        id: StateId,
        access: &Access,
        old: Value,
    ) -> Result<Outcomes, Reason> {
        let key = if access.is_store() { 0 } else { old };
        if let Some(outcomes) = self.tables[thread.index()].outcomes[id as usize].get(&key) {
            return Ok(Rc::clone(outcomes));
        }
        let labels = access.labels(old, self.program());
        let outcomes: Outcomes = match labels.is_empty() {
            true => Rc::new([]),
            false => {
                let after = self.run_on(thread, self.local(thread, id).accessed(access, old))?;
                labels.into_iter().map(|label| (label, after)).collect()
            }
        };
        self.bytes += OUTCOMES_BYTES;
        self.tables[thread.index()].outcomes[id as usize].insert(key, Rc::clone(&outcomes));
        Ok(outcomes)
    }

    /// The states after a choice at which the thread rests.
    pub(crate) fn chosen(
        &mut self,
        thread: ThreadId,
        id: StateId,
        choice: &Choice,
    ) -> Result<Vec<(u32, StateId)>, Reason> {
        let budget = self.interpreter.budget();
        let mut chosen = Vec::new();
        for alternative in choice.alternatives() {
            let after = self.local(thread, id).chosen(choice, alternative);
            chosen.push((alternative, self.run_on(thread, after)?));
            if chosen.len().is_multiple_of(BETWEEN_LOOKS) {
                if (budget.expired)() {
                    return Err(Reason::Time);
                }
                if self.bytes > budget.max_bytes {
                    return Err(Reason::Memory(budget.max_bytes));
                }
            }
        }
        Ok(chosen)
    }

    /// The state after the fence, or the border of a section, at which the thread rests.
    pub(crate) fn pass(&mut self, thread: ThreadId, id: StateId) -> Result<StateId, Reason> {
        self.run_on(thread, self.local(thread, id).passed())
    }

    /// Runs local steps up to the next resting point, which has a number.
    fn run_on(&mut self, thread: ThreadId, local: Local) -> Result<StateId, Reason> {
        let (mut local, rest) = self.interpreter.settle(thread, local)?;
        if let Some(dead) = self.forgotten.get(thread.index()) {
            dead[local.pc.index()].iter().for_each(|register| local.registers[register.index()] = 0);
        }
        let table = &mut self.tables[thread.index()];
        if let Some(&id) = table.ids.get(&local) {
            return Ok(id);
        }
        let id = StateId::try_from(table.states.len()).expect("fewer local states than fit into memory");
        self.bytes += STATE_BYTES + 2 * size_of_val(&*local.registers) as u64;
        table.ids.insert(local.clone(), id);
        table.states.push(local);
        table.rests.push(Rc::new(rest));
        table.outcomes.push(BTreeMap::new());
        Ok(id)
    }
}

/// Adds the event of an access. With store buffers a compare-and-swap that fails empties them, as a
/// fence does.
pub(crate) fn record(
    model: &dyn Model,
    graph: &mut Graph,
    thread: ThreadId,
    access: &Access,
    label: Label,
    w: EventId,
) -> EventId {
    if model.buffers().is_some() && access.is_failed_update(&label) {
        graph.add(thread, Label::Fence { mode: Mode::Full }, None, None);
    }
    graph.add(thread, label, Some(w), None)
}

/// The value of a write.
pub(crate) fn value_of(graph: &Graph, write: EventId) -> Value {
    graph.label(write).value_written().expect("a write")
}
