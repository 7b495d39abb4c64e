//! Execution graphs with dependencies: which reads the registers and events of a program depend on.
//!
//! Paper: FG with dependencies, Def. 3.9 and 3.10 of Margalit and Lahav, POPL 2021.
//!
//! Modelled, and where the paper leaves it open:
//!
//! - A store depends on the registers of its value, an update on those of its operand.
//! - A successful compare-and-swap depends on those of both operands, a failed strong one on those
//!   of the compared value. A failed weak compare-and-swap is a plain read; a failed strong one and
//!   a wait are R*.
//! - A wait depends on the registers of its expressions. An index counts wherever it occurs.
//! - Branches, assumptions, assertions, `verify` and the bounds of a choice of values are control
//!   events. They depend on the registers they mention, whatever the values.
//! - A read sets its register's dependencies to itself. An assignment passes dependencies on. One
//!   that could divide by zero is a control event as well, since it decides whether the thread goes
//!   on.
//!
//! Not modelled: control events as events of the graph. Local steps run together with the access
//! before them, so the graphs are those after them; they have more dependencies and the same order.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ops::ControlFlow;

use fencepost_base::event::Label;
use fencepost_base::ids::{Pc, RegId, ThreadId};
use fencepost_ir::{CasStrength, Op, Place, Program};
use fencepost_model::{EventId, Graph, Model};

use crate::enumerate::{Answer, Finding};
use crate::interpreter::{Rest, ThreadState};
use crate::system::{Configuration, LimitReached, Step, System};

/// An event: its thread, and its number among the thread's events.
pub type Position = (ThreadId, usize);

/// ⟨q, G, ψ⟩, with what dp says that matters.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tracked {
    /// ⟨q, G⟩
    pub configuration: Configuration,
    /// ψ: for every register of every thread, the reads of the thread it depends on.
    store: Vec<Vec<BTreeSet<usize>>>,
    /// dom(dp): reads that something depends on.
    pub used: BTreeSet<Position>,
    /// R*: reads that took the only values they accept.
    pub blocking: BTreeSet<Position>,
    /// T: reads that could have been stale. Whoever explores decides.
    pub taint: BTreeSet<Position>,
}

/// A program with the fences of a model, whose steps track dependencies.
pub struct Dependencies<'a> {
    /// The steps without.
    pub system: System<'a>,
}

impl<'a> Dependencies<'a> {
    /// The system of `program`, with fences as in `model`.
    pub fn new(program: &'a Program, model: &'a dyn Model) -> Self {
        Dependencies { system: System::new(program, model) }
    }

    /// ⟨q₀, G₀, ψ₀⟩
    pub fn initial(&self) -> Tracked {
        let program = self.system.program();
        let nothing = |thread: ThreadId| vec![BTreeSet::new(); program.thread(thread).registers.len()];
        let mut tracked = Tracked {
            configuration: self.system.initial(),
            store: program.thread_ids().map(nothing).collect(),
            used: BTreeSet::new(),
            blocking: BTreeSet::new(),
            taint: BTreeSet::new(),
        };
        for thread in program.thread_ids() {
            let registers = program.thread(thread).registers.iter().map(|register| register.init).collect();
            self.follow_local_steps(&mut tracked, thread, ThreadState { pc: Pc(0), registers });
        }
        tracked
    }

    /// The instruction at which the thread rests.
    pub fn next(&self, tracked: &Tracked, thread: ThreadId) -> &'a Op {
        &self.system.program().instr(thread, tracked.configuration.threads[thread.index()].pc).op
    }

    /// After a step of `thread`, one of [`System::free_steps`].
    pub fn after(&self, tracked: &Tracked, step: &Step) -> Tracked {
        let (thread, op) = (step.thread, self.next(tracked, step.thread));
        let position = (thread, tracked.configuration.graph.thread_events(thread).count());
        let mut after = Tracked { configuration: step.after.clone(), ..tracked.clone() };
        after.used.extend(tracked.dependencies(thread, &inputs(op, &step.label)));
        if step.label.is_read()
            && !step.label.is_write()
            && !is_speculative(op, &step.label)
            && !step.label.is_nonatomic()
        {
            after.blocking.insert(position);
        }
        let mut state = tracked.configuration.threads[thread.index()].clone();
        if let (Some(dst), Some(value)) = (op.dst(), step.label.value_read()) {
            state.registers[dst.index()] = value;
            after.store[thread.index()][dst.index()] = BTreeSet::from([position.1]);
        }
        state.pc = Pc(state.pc.0 + 1);
        self.follow_local_steps(&mut after, thread, state);
        after
    }

    /// After the steps of `thread` that no other thread sees: fences that are events, and choices.
    pub fn after_silent_steps(&self, tracked: &Tracked, thread: ThreadId) -> Vec<Tracked> {
        let state = &tracked.configuration.threads[thread.index()];
        let interpreter = self.system.interpreter();
        let rest = interpreter.rest(thread, state);
        // In the order of the system's silent steps.
        let started: Vec<ThreadState> = match &rest {
            Rest::Fence(_) => vec![ThreadState { pc: Pc(state.pc.0 + 1), registers: state.registers.clone() }],
            Rest::Choose(targets) => targets.iter().map(|&pc| ThreadState { pc, ..state.clone() }).collect(),
            Rest::Nondet { dst, low, high } => (*low..=*high)
                .map(|value| {
                    let mut registers = state.registers.clone();
                    registers[dst.index()] = value;
                    ThreadState { pc: Pc(state.pc.0 + 1), registers }
                })
                .collect(),
            _ => Vec::new(),
        };
        let steps = self.system.silent_steps(&tracked.configuration, thread);
        let after = |(configuration, state): (Configuration, ThreadState)| {
            let mut after = Tracked { configuration, ..tracked.clone() };
            if let Rest::Nondet { dst, .. } = rest {
                after.store[thread.index()][dst.index()].clear();
            }
            self.follow_local_steps(&mut after, thread, state);
            after
        };
        steps.into_iter().zip(started).map(after).collect()
    }

    /// What the local steps of `thread` from `state`, and the instruction at which it rests then,
    /// do to dependencies.
    fn follow_local_steps(&self, tracked: &mut Tracked, thread: ThreadId, state: ThreadState) {
        let program = self.system.program();
        let mut visit = |pc: Pc| match &program.instr(thread, pc).op {
            op @ Op::Assign { dst, value } => {
                let inputs: Vec<Position> = tracked.dependencies(thread, &all_inputs(op)).collect();
                tracked.store[thread.index()][dst.index()] = inputs.iter().map(|&(_, read)| read).collect();
                if value.can_fail(program.domain()) {
                    tracked.used.extend(inputs);
                }
            }
            op @ (Op::Branch { .. }
            | Op::Assume { .. }
            | Op::Assert { .. }
            | Op::Bound { .. }
            | Op::Verify { .. }
            | Op::Nondet { .. }) => {
                let used: Vec<Position> = tracked.dependencies(thread, &all_inputs(op)).collect();
                tracked.used.extend(used);
            }
            _ => {}
        };
        let (end, _) = self.system.interpreter().settle_visiting(thread, state, &mut visit);
        visit(end.pc);
    }

    /// Is an instruction, executed or about to be, dependent on a read in T?
    pub fn uses_taint(&self, tracked: &Tracked, thread: ThreadId) -> bool {
        let op = self.next(tracked, thread);
        let is_assignment = matches!(op, Op::Assign { .. });
        let mut next = tracked.dependencies(thread, &all_inputs(op)).filter(|_| !is_assignment);
        let mut used = tracked.used.iter().filter(|(of, _)| *of == thread);
        used.any(|read| tracked.taint.contains(read)) || next.any(|read| tracked.taint.contains(&read))
    }
}

impl Tracked {
    /// ψ(R)
    fn dependencies<'t>(&'t self, thread: ThreadId, registers: &[RegId]) -> impl Iterator<Item = Position> + use<'t> {
        let store = &self.store[thread.index()];
        let reads: BTreeSet<usize> = registers.iter().flat_map(|register| &store[register.index()]).copied().collect();
        reads.into_iter().map(move |read| (thread, read))
    }

    /// The events of the graph at these positions.
    pub fn events(&self, positions: &BTreeSet<Position>) -> BTreeSet<EventId> {
        events_at(&self.configuration.graph, positions)
    }
}

/// The events of a graph at these positions.
pub fn events_at(graph: &Graph, positions: &BTreeSet<Position>) -> BTreeSet<EventId> {
    positions.iter().map(|&(thread, number)| event_at(graph, thread, number)).collect()
}

fn event_at(graph: &Graph, thread: ThreadId, number: usize) -> EventId {
    graph.thread_events(thread).nth(number).expect("an event of the thread")
}

/// Is it a read that takes any value, like a load?
pub fn is_speculative(op: &Op, label: &Label) -> bool {
    let takes_any = matches!(op, Op::Load { .. } | Op::Cas { strength: CasStrength::Weak, .. });
    takes_any && matches!(label, Label::Read { .. })
}

/// R_in of all that the instruction can do.
pub(crate) fn all_inputs(op: &Op) -> Vec<RegId> {
    let mut registers = Vec::new();
    op.for_each_expr(&mut |expr| expr.for_each_register(&mut |register| registers.push(register)));
    registers
}

/// R_in of the instruction when it takes a step with this label.
fn inputs(op: &Op, label: &Label) -> Vec<RegId> {
    let Op::Cas { place, expected, strength, .. } = op else { return all_inputs(op) };
    if label.is_rmw() {
        return all_inputs(op);
    }
    let mut registers = Vec::new();
    if let Place::Element { index, .. } = place {
        index.for_each_register(&mut |register| registers.push(register));
    }
    if *strength == CasStrength::Strong {
        expected.for_each_register(&mut |register| registers.push(register));
    }
    registers
}

/// Looks at every state within reach from `initial`, breadth first, until `expand` breaks; it gives
/// the next states.
pub(crate) fn search(
    initial: Tracked,
    limit: usize,
    expand: impl Fn(&Tracked) -> ControlFlow<Finding, Vec<Tracked>>,
) -> Answer {
    let mut known = HashSet::from([initial.clone()]);
    let mut queue = VecDeque::from([initial]);
    while let Some(tracked) = queue.pop_front() {
        let next = match expand(&tracked) {
            ControlFlow::Break(finding) => return Answer::Violation(finding),
            ControlFlow::Continue(next) => next,
        };
        for after in next {
            if !known.contains(&after) {
                if known.len() >= limit {
                    return Answer::from_search(Err(LimitReached));
                }
                known.insert(after.clone());
                queue.push_back(after);
            }
        }
    }
    Answer::Robust
}
