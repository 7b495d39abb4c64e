//! What the threads can do in a state of the machine.

use std::collections::BTreeSet;
use std::rc::Rc;

use fencepost_analysis::interpreter::{Access, Rest};
use fencepost_analysis::values::{PossibleValues, ValueSet};
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::Program;
use fencepost_model::{Model, Views};
use fencepost_verdict::{Budget, Reason, Site};
use foldhash::{HashMap, HashMapExt};

use super::horizon::Plan;
use super::shape::Shape;
use super::state::{Known, Message, NEW, State, View};
use crate::future::Future;
use crate::threads::{StateId, Threads};

/// The machine of a program.
pub(super) struct Machine<'a> {
    pub(super) threads: Threads<'a>,
    pub(super) model: &'a dyn Model,
    pub(super) shape: Shape,
    pub(super) future: Future,
    values: PossibleValues,
    /// For local states and values: is a read of the value taken together with the next access?
    together: HashMap<(ThreadId, StateId, Value), bool>,
    /// For local states: does the access there acquire from any message that is of use?
    acquiring: HashMap<(ThreadId, StateId), bool>,
    /// For local states: what the thread does next.
    pub(super) plans: HashMap<(ThreadId, StateId), Rc<Plan>>,
}

/// A way to make an access: right after this message, and, if it is taken together with the next
/// one, the next one at the same message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) place: usize,
    pub(super) first: (Label, StateId),
    pub(super) second: Option<(Label, StateId)>,
}

impl Way {
    pub(super) fn labels(&self) -> impl Iterator<Item = Label> {
        std::iter::once(self.first.0).chain(self.second.map(|(label, _)| label))
    }
}

/// What a thread did, for a run.
#[derive(Clone, Debug)]
pub(super) enum Act {
    Choice(u32),
    Fence(Vec<Label>),
    /// An access, with the event that it reads from or comes after.
    Access(Label, u32),
}

/// A step: where it leads, and what it is.
pub(super) struct Move {
    pub(super) after: State,
    pub(super) acts: Vec<(Site, Act)>,
}

/// What a plain access does not know of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// The last write.
    Write,
    /// What this thread has read since.
    Read(ThreadId),
}

impl<'a> Machine<'a> {
    /// # Errors
    /// When it takes more time or memory than there is to find out what threads can do.
    pub(super) fn new(
        program: &'a Program,
        model: &'a dyn Model,
        views: Views,
        budget: &'a Budget<'a>,
    ) -> Result<Self, Reason> {
        let shape = Shape::new(program, model, views, budget)?;
        Ok(Machine {
            threads: Threads::new(program, model, budget),
            model,
            future: Future::new(program, shape.fence, budget)?,
            shape,
            values: PossibleValues::within(program, budget)?,
            together: HashMap::new(),
            acquiring: HashMap::new(),
            plans: HashMap::new(),
        })
    }

    /// Bytes of its tables.
    pub(super) fn bytes(&self) -> u64 {
        let entries = 32 * (self.together.len() + self.acquiring.len()) + 128 * self.plans.len();
        self.threads.bytes() + self.future.bytes() + self.shape.bytes() + entries as u64
    }

    /// The state in which everybody knows initialisation.
    pub(super) fn initial(&mut self) -> Result<State, Reason> {
        let locals = self.threads.initial()?;
        let Shape { columns, is_plain, .. } = &self.shape;
        let entry = |column: usize| u8::from(is_plain.get(column).is_none_or(|&is_plain| is_plain));
        let view = View::new((0..*columns).map(entry).collect());
        let message = |(loc, value): (usize, Value)| {
            let view = if is_plain[loc] { View::nothing() } else { view.clone() };
            vec![Message { value, view, is_closed: false, event: loc as u32 }]
        };
        let init = self.threads.program().locations().iter().map(|location| location.init);
        let memory = init.enumerate().map(message).collect();
        let known = |(&acquire, &release): (&bool, &bool)| Known {
            current: view.clone(),
            acquire: acquire.then(|| view.clone()),
            release: release.then(|| view.clone()),
        };
        let known = self.shape.acquire.iter().zip(&self.shape.release).map(known).collect();
        Ok(State { locals, memory, known })
    }

    pub(super) fn program(&self) -> &'a Program {
        self.threads.program()
    }

    pub(super) fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        self.program().thread_ids()
    }

    pub(super) fn rest(&self, state: &State, thread: ThreadId) -> &Rest {
        self.threads.rest_of(thread, state.locals[thread.index()])
    }

    pub(super) fn site(&self, state: &State, thread: ThreadId) -> Site {
        self.threads.site(thread, state.locals[thread.index()])
    }

    /// Can another thread still write to `loc`?
    pub(super) fn others_write(&self, state: &State, thread: ThreadId, loc: LocId) -> bool {
        let writes = |other: ThreadId| self.future.writes(&self.threads, other, state.locals[other.index()], loc);
        self.thread_ids().any(|other| other != thread && writes(other))
    }

    /// Can another thread still access `loc`?
    pub(super) fn others_access(&self, state: &State, thread: ThreadId, loc: LocId) -> bool {
        let accesses = |other: ThreadId| self.future.accesses(&self.threads, other, state.locals[other.index()], loc);
        self.thread_ids().any(|other| other != thread && accesses(other))
    }

    /// Is the thread about to make a plain access that races? Then what it does not know of.
    pub(super) fn race(&self, state: &State, thread: ThreadId) -> Option<(LocId, Unknown)> {
        let Rest::Access(access) = self.rest(state, thread) else { return None };
        let (loc, current) = (access.loc, &state.known[thread.index()].current);
        if !self.shape.is_plain[loc.index()] {
            return None;
        }
        if current.at(loc.index()) == 0 {
            return Some((loc, Unknown::Write));
        }
        let mut readers = self.shape.readers[loc.index()].iter().filter(|_| access.is_store());
        let unknown = readers.find(|&&(reader, column)| reader != thread && current.at(column) == 0);
        unknown.map(|&(reader, _)| (loc, Unknown::Read(reader)))
    }

    /// Does what the thread is about to do concern nobody else? See `views`.
    pub(super) fn is_alone(&self, state: &State, thread: ThreadId) -> bool {
        match self.rest(state, thread) {
            Rest::Choice(_) => true,
            Rest::Fence(labels) => self.updated(labels).is_none_or(|loc| !self.others_access(state, thread, loc)),
            Rest::Access(access) if self.shape.is_plain[access.loc.index()] => true,
            Rest::Access(access) if access.is_load() => !self.others_write(state, thread, access.loc),
            Rest::Access(access) => !self.others_access(state, thread, access.loc),
            _ => false,
        }
    }

    /// The hidden location, if fences are an update of it here.
    pub(super) fn updated(&self, labels: &[Label]) -> Option<LocId> {
        let is_sc = |label: &Label| matches!(label, Label::Fence { mode: Mode::Sc });
        self.shape.fence.filter(|_| labels.iter().any(is_sc))
    }

    /// Everything that the thread can do next, up to what is of no use.
    pub(super) fn moves(&mut self, state: &State, thread: ThreadId) -> Result<Vec<Move>, Reason> {
        let local = state.locals[thread.index()];
        let site = self.threads.site(thread, local);
        let mut moves = Vec::new();
        let rest = self.threads.rest(thread, local);
        match &*rest {
            Rest::Choice(choice) => {
                for (choice, local) in self.threads.chosen(thread, local, choice)? {
                    let mut after = state.clone();
                    after.locals[thread.index()] = local;
                    moves.push(Move { after, acts: vec![(site, Act::Choice(choice))] });
                }
            }
            Rest::Fence(labels) => {
                let mut after = state.clone();
                after.locals[thread.index()] = self.threads.pass(thread, local)?;
                let act = match self.updated(labels) {
                    Some(loc) => {
                        let place = after.memory[loc.index()].len() - 1;
                        let value = after.memory[loc.index()][place].value;
                        let label = Label::Rmw { loc, read: value, written: value, mode: Mode::Full };
                        let predecessor = self.perform(&mut after, thread, place, &label);
                        Act::Access(label, predecessor)
                    }
                    None => {
                        labels.iter().for_each(|label| pass(&mut after.known[thread.index()], label.mode()));
                        Act::Fence(labels.clone())
                    }
                };
                moves.push(Move { after, acts: vec![(site, act)] });
            }
            Rest::Access(access) => {
                for way in self.ways(state, thread, local, access)? {
                    let mut after = state.clone();
                    let mut acts = Vec::with_capacity(2);
                    for (label, local) in std::iter::once(way.first).chain(way.second) {
                        let site = self.site(&after, thread);
                        let predecessor = self.perform(&mut after, thread, way.place, &label);
                        after.locals[thread.index()] = local;
                        acts.push((site, Act::Access(label, predecessor)));
                    }
                    moves.push(Move { after, acts });
                }
            }
            _ => {}
        }
        for Move { after, .. } in &mut moves {
            self.normalise(after)?;
        }
        Ok(moves)
    }

    /// Every way to make an access, at which the thread is in this local state, that is of use.
    pub(super) fn ways(
        &mut self,
        state: &State,
        thread: ThreadId,
        local: StateId,
        access: &Access,
    ) -> Result<Vec<Way>, Reason> {
        let is_plain = self.shape.is_plain[access.loc.index()];
        let messages = &state.memory[access.loc.index()];
        let oldest = if is_plain { 0 } else { state.known[thread.index()].current.at(access.loc.index()) };
        let mut ways = Vec::new();
        for (place, message) in messages.iter().enumerate().skip(oldest) {
            if access.is_store() && message.is_closed {
                continue;
            }
            let is_possible = |label: &Label| !(label.is_write() && message.is_closed);
            let is_together =
                access.is_load() && !is_plain && self.is_together(thread, local, access, message.value)?;
            for &first in self.threads.outcomes(thread, local, access, message.value)?.iter() {
                if !is_together {
                    if is_possible(&first.0) && !is_idle(first, local) {
                        ways.push(Way { place, first, second: None });
                    }
                    continue;
                }
                let rest = self.threads.rest(thread, first.1);
                let Rest::Access(next) = &*rest else { unreachable!("there is a next access") };
                for &second in self.threads.outcomes(thread, first.1, next, message.value)?.iter() {
                    if is_possible(&second.0) && !is_idle(second, local) {
                        ways.push(Way { place, first, second: Some(second) });
                    }
                }
            }
        }
        Ok(ways)
    }

    /// The values that a location can have, if they are few.
    fn few_values(&self, loc: LocId) -> Option<BTreeSet<Value>> {
        match self.values.location(loc) {
            ValueSet::Of(values) => Some(values.clone()),
            ValueSet::Any => None,
        }
    }

    /// Is this load, of this value, taken together with the next access? See `views`.
    fn is_together(&mut self, thread: ThreadId, local: StateId, access: &Access, value: Value) -> Result<bool, Reason> {
        if let Some(&known) = self.together.get(&(thread, local, value)) {
            return Ok(known);
        }
        let is_together = self.find_together(thread, local, access, value);
        let is_together = known_or_not(is_together)?.unwrap_or(false);
        self.together.insert((thread, local, value), is_together);
        Ok(is_together)
    }

    fn find_together(
        &mut self,
        thread: ThreadId,
        local: StateId,
        access: &Access,
        value: Value,
    ) -> Result<bool, Reason> {
        let Some(values) = self.few_values(access.loc) else { return Ok(false) };
        let outcomes = self.threads.outcomes(thread, local, access, value)?;
        let &[(label, middle)] = &*outcomes else { return Ok(false) };
        let rest = self.threads.rest(thread, middle);
        let Rest::Access(next) = &*rest else { return Ok(false) };
        if middle == local || next.loc != access.loc || next.is_store() {
            return Ok(false);
        }
        let acquires = self.model.acquires(label.mode());
        for other in values {
            for &(label, end) in self.threads.outcomes(thread, middle, next, other)?.iter() {
                let is_enough = other == value && (!acquires || self.model.acquires(label.mode()));
                if !is_enough && !is_idle((label, end), local) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Does the access at which the thread rests acquire from whatever message it takes that is of
    /// use?
    pub(super) fn is_acquiring(&mut self, thread: ThreadId, local: StateId, access: &Access) -> Result<bool, Reason> {
        if access.reading_modes().all(|mode| self.model.acquires(mode)) {
            return Ok(true);
        }
        if let Some(&known) = self.acquiring.get(&(thread, local)) {
            return Ok(known);
        }
        let is_acquiring = known_or_not(self.find_acquiring(thread, local, access))?.unwrap_or(false);
        self.acquiring.insert((thread, local), is_acquiring);
        Ok(is_acquiring)
    }

    fn find_acquiring(&mut self, thread: ThreadId, local: StateId, access: &Access) -> Result<bool, Reason> {
        let Some(values) = self.few_values(access.loc) else { return Ok(false) };
        for value in values {
            let is_together = self.is_together(thread, local, access, value)?;
            for &(label, after) in self.threads.outcomes(thread, local, access, value)?.iter() {
                let acquires = |&(label, end): &(Label, StateId)| {
                    is_idle((label, end), local) || self.model.acquires(label.mode())
                };
                if acquires(&(label, after)) {
                    continue;
                }
                let rest = self.threads.rest(thread, after);
                let Rest::Access(next) = &*rest else { return Ok(false) };
                if !is_together || !self.threads.outcomes(thread, after, next, value)?.iter().all(acquires) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// An access right after the message at this place; the event that it comes after.
    fn perform(&self, state: &mut State, thread: ThreadId, place: usize, label: &Label) -> u32 {
        let loc = label.loc().expect("an access");
        let column = loc.index();
        let predecessor = state.memory[column][place].event;
        if label.is_nonatomic() {
            self.perform_plainly(state, thread, loc, label.value_written());
            return predecessor;
        }
        let mode = label.mode();
        let known = &mut state.known[thread.index()];
        if mode == Mode::Full {
            known.take_up();
        }
        let source = &state.memory[column][place];
        if label.is_read() {
            known.see(column, place);
            match self.model.acquires(mode) {
                true => known.learn(&source.view),
                false => known.acquire.iter_mut().for_each(|acquire| acquire.join(&source.view)),
            }
        }
        if let Some(value) = label.value_written() {
            let mut view = match (self.model.releases(mode), &known.release) {
                (true, _) => known.current.clone(),
                (false, Some(release)) => release.clone(),
                (false, None) => View::new(vec![0; self.shape.columns]),
            };
            if label.is_rmw() {
                view.join(&source.view);
                state.memory[column][place].is_closed = true;
            }
            view.set(column, 0);
            state.insert(loc, place + 1, Message { value, view, is_closed: false, event: NEW });
            state.known[thread.index()].see(column, place + 1);
        }
        if mode == Mode::Full {
            state.known[thread.index()].pass_on();
        }
        predecessor
    }

    /// A plain access that does not race.
    fn perform_plainly(&self, state: &mut State, thread: ThreadId, loc: LocId, written: Option<Value>) {
        let column = loc.index();
        let readers = &self.shape.readers[column];
        match written {
            Some(value) => {
                for view in state.views_mut() {
                    view.set(column, 0);
                    readers.iter().for_each(|&(_, column)| view.set(column, 1));
                }
                state.known[thread.index()].see(column, 1);
                let message = &mut state.memory[column][0];
                (message.value, message.event) = (value, NEW);
            }
            None => {
                let own = readers.iter().find(|(reader, _)| *reader == thread);
                let &(_, own) = own.expect("a reader has a column");
                state.views_mut().for_each(|view| view.set(own, 0));
                state.known[thread.index()].see(own, 1);
            }
        }
    }
}

/// A fence that is an event.
fn pass(known: &mut Known, mode: Mode) {
    if mode.acquires() {
        known.take_up();
    }
    if mode.releases() {
        known.pass_on();
    }
}

/// Does an access lead back to where the thread was, and leave memory as it was but for views?
fn is_idle((label, after): (Label, StateId), local: StateId) -> bool {
    let changes_nothing = match label {
        Label::Read { mode, .. } => mode != Mode::Na,
        Label::Rmw { read, written, .. } => read == written,
        Label::Write { .. } | Label::Fence { .. } | Label::LightFence { .. } => false,
    };
    changes_nothing && after == local
}

/// What would be asked of values that nobody has read yet may be too much.
fn known_or_not(answer: Result<bool, Reason>) -> Result<Option<bool>, Reason> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(Reason::TooLarge(_)) => Ok(None),
        Err(reason) => Err(reason),
    }
}
