//! The concurrent system P_M (Def. 2.4 of the PLDI 2019 paper) of a program
//! and a memory made of execution graphs (Def. 4.5): states ⟨q, G⟩ and steps.
//!
//! Modelled: FG, the memory that lets a step have any predecessor write, and
//! from it SCG (§4.1), and the graphs consistent in a model (Lemma A.17). On
//! a non-atomic location only the last write may be the predecessor (§6). An
//! atomic section is one step, for models that know them.
//! Not modelled: the state ⊥ after a race; whoever asks looks for races.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_ir::Program;
use fencepost_model::{EventId, Graph, Model};

use crate::interpreter::{Access, Interpreter, Rest, ThreadState};

/// ⟨q, G⟩. The graph is canonical and its events have no program counters, so that equal graphs are
/// equal values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// q: the state of every thread, all at rest.
    pub threads: Vec<ThreadState>,
    /// G.
    pub graph: Graph,
}

/// A step ⟨τ, l⟩ of FG with its predecessor write.
#[derive(Clone, Debug)]
pub struct Step {
    /// τ
    pub thread: ThreadId,
    /// l
    pub label: Label,
    /// w
    pub predecessor: EventId,
    /// ⟨q′, add(G, τ, l, w)⟩
    pub after: Configuration,
}

/// Which steps of FG a memory takes.
#[derive(Clone, Copy)]
pub enum Memory<'a> {
    /// SCG: the predecessor is the last write.
    Scg,
    /// Those that lead to a graph this model permits.
    Consistent(&'a dyn Model),
}

/// A program with the fences of a model.
#[derive(Clone, Copy)]
pub struct System<'a> {
    interpreter: Interpreter<'a>,
    /// May plain accesses of non-atomic locations come after any write?
    racing: bool,
}

impl<'a> System<'a> {
    /// The system of `program`, with fences as in `model`.
    pub fn new(program: &'a Program, model: &'a dyn Model) -> Self {
        System { interpreter: Interpreter::new(program, model), racing: false }
    }

    /// The same, but accesses of non-atomic locations may come after any write, as those of others
    /// do. That makes a difference after a data race only.
    pub fn with_races(self) -> Self {
        System { racing: true, ..self }
    }

    /// The interpreter of its threads.
    pub fn interpreter(&self) -> &Interpreter<'a> {
        &self.interpreter
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.interpreter.program()
    }

    /// ⟨q₀, G₀⟩
    pub fn initial(&self) -> Configuration {
        let init: Vec<_> = self.program().locations().iter().map(|location| location.init).collect();
        Configuration {
            threads: self.program().thread_ids().map(|thread| self.interpreter.initial(thread)).collect(),
            graph: Graph::initial(&init),
        }
    }

    /// The access that `thread` is about to make.
    pub fn next_access(&self, configuration: &Configuration, thread: ThreadId) -> Option<Access> {
        match self.interpreter.rest(thread, &configuration.threads[thread.index()]) {
            Rest::Access(access) => Some(access),
            _ => None,
        }
    }

    /// Is `loc` accessed by plain loads and stores that the model tells from others?
    pub fn is_nonatomic(&self, loc: LocId) -> bool {
        self.interpreter.is_nonatomic(loc)
    }

    /// The steps of `thread` that no other thread sees: those from a choice, and fences that are
    /// events.
    pub fn silent_steps(&self, configuration: &Configuration, thread: ThreadId) -> Vec<Configuration> {
        let state = &configuration.threads[thread.index()];
        let rest = self.interpreter.rest(thread, state);
        if let Rest::Fence(labels) = &rest {
            let mut after = with_thread(configuration, thread, self.interpreter.pass_fence(thread, state));
            for &label in labels {
                after.graph.add(thread, label, None, None);
            }
            after.graph = after.graph.canonical();
            return vec![after];
        }
        let choices = self.interpreter.choices(thread, state, &rest);
        choices.into_iter().map(|(_, after)| with_thread(configuration, thread, after)).collect()
    }

    /// The steps of `thread` in FG, over all predecessor writes (the last one only, if the location
    /// is non-atomic and there are no races).
    pub fn free_steps(&self, configuration: &Configuration, thread: ThreadId) -> Vec<Step> {
        let Some(access) = self.next_access(configuration, thread) else { return Vec::new() };
        let graph = &configuration.graph;
        let predecessors = match self.is_nonatomic(access.loc) && !self.racing {
            true => vec![graph.last_write(access.loc)],
            false => graph.writes(access.loc).to_vec(),
        };
        let mut steps = Vec::new();
        for predecessor in predecessors {
            let old = graph.label(predecessor).value_written().expect("a write");
            let state = &configuration.threads[thread.index()];
            for (label, state) in self.interpreter.labels(thread, state, &access, old) {
                let mut after = with_thread(configuration, thread, state);
                self.interpreter.record(&mut after.graph, (thread, None), &access, label, predecessor);
                after.graph = after.graph.canonical();
                steps.push(Step { thread, label, predecessor, after });
            }
        }
        steps
    }

    /// The steps of `thread` in `memory`.
    pub fn steps(&self, memory: Memory<'_>, configuration: &Configuration, thread: ThreadId) -> Vec<Step> {
        let mut steps = self.free_steps(configuration, thread);
        steps.retain(|step| match memory {
            Memory::Scg => {
                let loc = step.label.loc().expect("an access");
                step.predecessor == configuration.graph.last_write(loc)
            }
            Memory::Consistent(model) => model.permits(&step.after.graph),
        });
        steps
    }

    /// The steps of `thread` that are atomic sections: all ways through the one it is about to
    /// enter. `Err` when they take more than `limit` steps together.
    pub fn section_steps(
        &self,
        memory: Memory<'_>,
        configuration: &Configuration,
        thread: ThreadId,
        limit: usize,
    ) -> Result<Vec<Configuration>, LimitReached> {
        let rest = |inside: &Configuration| self.interpreter.rest(thread, &inside.threads[thread.index()]);
        let pass = |inside: &Configuration| {
            let state = &inside.threads[thread.index()];
            with_thread(inside, thread, self.interpreter.pass_fence(thread, state))
        };
        let Rest::Enter(labels) = rest(configuration) else { return Ok(Vec::new()) };
        let outside = configuration.graph.thread_events(thread).count();
        let mut entered = pass(configuration);
        labels.iter().for_each(|&label| _ = entered.graph.add(thread, label, None, None));
        entered.graph = entered.graph.canonical();
        let (mut ways, mut done, mut left) = (vec![entered], Vec::new(), limit);
        while let Some(inside) = ways.pop() {
            left = left.checked_sub(1).ok_or(LimitReached)?;
            if rest(&inside) != Rest::Leave {
                ways.extend(self.silent_steps(&inside, thread));
                ways.extend(self.steps(memory, &inside, thread).into_iter().map(|step| step.after));
                continue;
            }
            let mut after = pass(&inside);
            let events: Vec<EventId> = after.graph.thread_events(thread).skip(outside).collect();
            events.iter().for_each(|&event| after.graph.tie(events[0], event));
            match memory {
                Memory::Consistent(model) if !model.permits(&after.graph) => {}
                _ => done.push(after),
            }
        }
        Ok(done)
    }

    /// Visits every configuration reachable with `memory`, breadth first, and its steps, until
    /// `visit` breaks; then its word. `Err` when there are more than `limit`.
    pub fn explore<B>(
        &self,
        memory: Memory<'_>,
        limit: usize,
        mut visit: impl FnMut(&Configuration, &[Step]) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B, HashSet<Configuration>>, LimitReached> {
        let initial = self.initial();
        let mut known = HashSet::from([initial.clone()]);
        let mut queue = VecDeque::from([initial]);
        while let Some(configuration) = queue.pop_front() {
            let threads = || self.program().thread_ids();
            let steps: Vec<Step> = threads().flat_map(|thread| self.steps(memory, &configuration, thread)).collect();
            if let ControlFlow::Break(word) = visit(&configuration, &steps) {
                return Ok(ControlFlow::Break(word));
            }
            let mut next: Vec<Configuration> = steps.into_iter().map(|step| step.after).collect();
            for thread in threads() {
                next.extend(self.silent_steps(&configuration, thread));
                next.extend(self.section_steps(memory, &configuration, thread, limit)?);
            }
            for after in next {
                if !known.contains(&after) {
                    if known.len() >= limit {
                        return Err(LimitReached);
                    }
                    known.insert(after.clone());
                    queue.push_back(after);
                }
            }
        }
        Ok(ControlFlow::Continue(known))
    }

    /// All configurations reachable with `memory`.
    pub fn reachable(&self, memory: Memory<'_>, limit: usize) -> Result<HashSet<Configuration>, LimitReached> {
        match self.explore(memory, limit, |_, _| ControlFlow::<std::convert::Infallible>::Continue(()))? {
            ControlFlow::Continue(known) => Ok(known),
            ControlFlow::Break(never) => match never {},
        }
    }
}

/// There are more configurations than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached;

fn with_thread(configuration: &Configuration, thread: ThreadId, state: ThreadState) -> Configuration {
    let mut after = configuration.clone();
    after.threads[thread.index()] = state;
    after
}
