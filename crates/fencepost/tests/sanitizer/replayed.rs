//! What `run --schedule all` says of an exported program, replayed on the program by the oracle: the
//! decisions that show a failure or a race become a run of the program, told as a graph that grows,
//! and the axioms judge that.
//!
//! Decisions do not say where a write is in modification order that is overwritten when it is made. So
//! there has to be some place for it.

use fencepost_base::ids::ThreadId;
use fencepost_ir::Program;
use fencepost_model::{EventId, Model};
use fencepost_oracle::interpreter::{Interpreter, Rest, ThreadState};
use fencepost_oracle::{replay_graph, replay_graph_failure};
use fencepost_protocol::exploration::{Decision, Decisions, Found};
use fencepost_verdict::{GraphRun, GraphStep, Site};

/// What a run is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Failure,
    Race,
}

/// Ways to place writes that are tried.
const PLACED: usize = 500;

/// Does the program, with these decisions of its exported twin, show that?
///
/// # Errors
/// What the oracle says of it.
pub(crate) fn replay(program: &Program, model: &dyn Model, decisions: &str, shows: Shows) -> Result<(), String> {
    let Decisions(decisions) = decisions.parse()?;
    let mut places: Vec<usize> = Vec::new();
    let mut last = String::new();
    for _ in 0..PLACED {
        let mut run = Run::new(program, model, places.clone());
        let result = run.follow(&decisions).and_then(|()| run.judge(program, model, shows));
        match result {
            Ok(()) => return Ok(()),
            Err(error) => last = error,
        }
        places = run.places;
        // As a counter whose digits have these many values.
        while let Some((place, &count)) = places.pop().zip(run.placed.get(places.len())) {
            if place + 1 < count {
                places.push(place + 1);
                break;
            }
        }
        if places.is_empty() {
            return Err(last);
        }
    }
    Err(format!("in {PLACED} ways to place writes, {last}"))
}

/// The first of a process runs `main`; the second is the first thread of the program.
const FIRST: u32 = 2;

struct Run<'a> {
    interpreter: Interpreter<'a>,
    threads: Vec<ThreadState>,
    has_begun: Vec<bool>,
    /// Of each location its writes, with values, in the order in which they were made, and in
    /// modification order.
    made: Vec<Vec<(EventId, u32)>>,
    order: Vec<Vec<(EventId, u32)>>,
    next: usize,
    run: GraphRun,
    /// The places of writes that are overwritten when they are made, and how many there are for each.
    places: Vec<usize>,
    placed: Vec<usize>,
}

impl<'a> Run<'a> {
    fn new(program: &'a Program, model: &'a dyn Model, places: Vec<usize>) -> Run<'a> {
        let interpreter = Interpreter::new(program, model);
        let initial =
            |(number, location): (usize, &fencepost_ir::Location)| vec![(EventId::from_index(number), location.init)];
        let made: Vec<Vec<(EventId, u32)>> = program.locations().iter().enumerate().map(initial).collect();
        Run {
            interpreter,
            threads: program.thread_ids().map(|thread| interpreter.initial(thread)).collect(),
            has_begun: vec![false; program.threads().len()],
            next: made.len(),
            order: made.clone(),
            made,
            run: GraphRun::default(),
            places,
            placed: Vec::new(),
        }
    }

    fn follow(&mut self, decisions: &[Decision]) -> Result<(), String> {
        for decision in decisions.iter().filter(|decision| decision.thread >= FIRST && !decision.is_held()) {
            let thread = ThreadId::from_index((decision.thread - FIRST) as usize);
            let Some(has_begun) = self.has_begun.get_mut(thread.index()) else { return Err("no such thread".into()) };
            if !std::mem::replace(has_begun, true) {
                self.settle(thread)?;
                continue;
            }
            self.step(thread, *decision)?;
            self.settle(thread)?;
        }
        Ok(())
    }

    fn rest(&self, thread: ThreadId) -> Rest {
        self.interpreter.rest(thread, &self.threads[thread.index()])
    }

    /// Fences, and accesses that are no steps of the exported program, are done at once.
    fn settle(&mut self, thread: ThreadId) -> Result<(), String> {
        loop {
            match self.rest(thread) {
                Rest::Fence(_) | Rest::Enter(_) | Rest::Leave => {
                    let state = self.interpreter.pass_fence(thread, &self.threads[thread.index()]);
                    self.threads[thread.index()] = state;
                }
                Rest::Access(access) if access.is_plain() => self.step(thread, Decision::new(0, 0))?,
                _ => return Ok(()),
            }
        }
    }

    fn step(&mut self, thread: ThreadId, decision: Decision) -> Result<(), String> {
        let rest = self.rest(thread);
        let Rest::Access(access) = &rest else { return Err(format!("{thread:?} makes no access: {rest:?}")) };
        let loc = access.loc.index();
        let last = *self.order[loc].last().expect("an initial value");
        let mut source = match decision.found() {
            Found::Newest => last,
            Found::Write(number) => *self.made[loc].get(number as usize).ok_or("no such write")?,
        };
        if access.is_store() && decision.is_hidden() {
            let place = *self.places.get(self.placed.len()).unwrap_or(&0);
            self.places.resize(self.places.len().max(self.placed.len() + 1), 0);
            self.placed.push(self.order[loc].len() - 1);
            source = self.order[loc][place];
        }
        let state = &self.threads[thread.index()];
        let labels = self.interpreter.labels(thread, state, access, source.1);
        let [(label, after)] = labels.as_slice() else { return Err(format!("{} labels", labels.len())) };
        let site = Site { thread, pc: state.pc };
        self.run.steps.push(GraphStep { site, event: Some((*label, source.0)), choice: None });
        let event = EventId::from_index(self.next);
        self.next += 1;
        if let Some(value) = label.value_written() {
            self.made[loc].push((event, value));
            let place = self.order[loc].iter().position(|write| *write == source).expect("a write to it");
            self.order[loc].insert(place + 1, (event, value));
        }
        self.threads[thread.index()] = after.clone();
        Ok(())
    }

    fn judge(&self, program: &Program, model: &dyn Model, shows: Shows) -> Result<(), String> {
        match shows {
            Shows::Race => match replay_graph(program, model, &self.run).map_err(|error| error.to_string())?.race {
                Some(_) => Ok(()),
                None => Err("there is no race".into()),
            },
            Shows::Failure => {
                let failed = program.thread_ids().find_map(|thread| match self.rest(thread) {
                    Rest::Failed(kind) => Some((Site { thread, pc: self.threads[thread.index()].pc }, kind)),
                    _ => None,
                });
                let (site, kind) = failed.ok_or("nothing fails")?;
                replay_graph_failure(program, model, &self.run, site, &kind).map_err(|error| error.to_string())?;
                Ok(())
            }
        }
    }
}
