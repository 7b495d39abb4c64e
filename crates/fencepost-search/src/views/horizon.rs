//! What threads will know at least when they next act, and what can be forgotten therefore.
//!
//! **The horizon.** A thread about to read will know what it knows now and what comes with the
//! message that it takes. Let K(t) be the least of that over all messages that it can take with any
//! use: those that are there, and those that others will write. What others will write passes on
//! what they know then, which is at least their K if the write releases; at least what their last
//! release fence passes on if it does not; and if it is an update, at least what it read passes on.
//! A thread that is about to do anything else has K(t) = what it knows. K is the greatest solution
//! of these inequations. It is computed from above, where a thread that has nothing to take knows
//! everything: it will never act.
//!
//! Claim: in every run from the state, when t has acted, it knows at least K(t). By induction on
//! the run: the message that t takes is there now, or was written by somebody who has acted since,
//! and knows at least K.
//!
//! So a thread that is about to read may as well know K(t) now. It can do the same, with the same
//! result. This is done, and makes states equal that differ only in what a waiting thread has
//! missed. A thread whose K is everything will never act, and may as well know everything.
//!
//! A thread may store before it reads, as far as its code alone says where and what (`Plan`). These
//! stores pass on what it knows now, so it is not taken to know more. But what it accesses
//! otherwise, and whatever it writes from its read on, comes when it knows K(t).
//!
//! **Forgetting.** Then a message older than what every thread knows that can still access its
//! location is never read again, and no write comes right after it: views only grow. It is
//! dropped. What others know about the dropped ones does not matter any more, so views are clamped:
//! entries count from the oldest message that is left. What nobody can use any more, by the code
//! that is left to execute, is set to one value.
//!
//! **Closing.** If all who can still write a location know of more than a message, nothing will
//! come right after it.
//!
//! **Merging.** Let two neighbours have equal values and views, and let the first be closed: an
//! update took it, or nobody can write there. Who could read the first can read the second, with
//! the same result but for the place; and from the place of the first one can get to that of the
//! second, where the same is to be read, and to nothing in between. So the first is taken for the
//! second. (If it is not closed, they differ: a thread may read the first, write after it, and then
//! read the second.)

use std::rc::Rc;

use fencepost_analysis::interpreter::Rest;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_verdict::Reason;

use super::state::{State, View};
use super::steps::Machine;
use crate::threads::StateId;

/// Threads whose horizons are worth a look at the clock.
const MANY_THREADS: usize = 64;

/// Steps that are looked at before a thread reads.
const LONGEST_PLAN: usize = 8;

/// At least so much, or everything.
type Least = Option<View>;

/// Makes `least` the lesser of the two.
fn meet(least: &mut Least, view: View) {
    match least {
        Some(least) => least.meet(&view),
        None => *least = Some(view),
    }
}

/// The first message from the view of the thread on that a store of it can come after.
fn first_open(state: &State, thread: ThreadId, loc: LocId) -> usize {
    let messages = state.memory[loc.index()].iter().enumerate();
    let mut visible = messages.skip(state.known[thread.index()].current.at(loc.index()));
    visible.find(|(_, message)| !message.is_closed).expect("the last message is open").0
}

/// Will the thread never act again?
fn is_over(rest: &Rest) -> bool {
    matches!(rest, Rest::Halted | Rest::Stuck | Rest::Bound | Rest::Failed(_))
}

/// What a thread does up to its next atomic read, as far as that does not depend on memory.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Where it stores before.
    stores: Vec<LocId>,
    /// Is there an acquire fence before?
    takes_up: bool,
    /// Where it is when it reads; nothing if that is not known.
    reads_at: Option<StateId>,
}

/// A thread that will read.
struct Reader {
    thread: ThreadId,
    loc: LocId,
    /// What it will know before it reads, at least.
    before: View,
    /// What it will know at least if it takes a message that is there.
    there: Least,
    /// Does it acquire from whatever it takes?
    is_acquiring: bool,
}

/// What is known about what threads will know.
struct Horizon {
    plans: Vec<Rc<Plan>>,
    /// K.
    least: Vec<Least>,
    /// What messages to come pass on at least, by location; where updates pass on what they read, and
    /// not all that their threads know.
    messages: Vec<Least>,
}

impl Machine<'_> {
    /// Makes the state the representative of those that cannot be told apart from it, as far as
    /// that is seen.
    pub(super) fn normalise(&mut self, state: &mut State) -> Result<(), Reason> {
        self.silence(state);
        (0..state.memory.len()).filter(|&loc| self.shape.is_plain[loc]).for_each(|loc| self.forget_plain(state, loc));
        let known: Vec<View> = state.known.iter().map(|known| known.current.clone()).collect();
        self.forget(state, &known);
        // That was cheap, and is often enough.
        if state.longest() > 1 {
            let low = self.look_ahead(state)?;
            self.forget(state, &low);
        }
        Ok(())
    }

    /// Lets threads that are about to read know what they will know then. For every thread, the
    /// oldest messages that it will ever use.
    fn look_ahead(&mut self, state: &mut State) -> Result<Vec<View>, Reason> {
        let (horizon, readers) = self.horizon(state)?;
        let last: Vec<usize> = state.memory.iter().map(|messages| messages.len() - 1).collect();
        let mut everything = View::new(vec![0; self.shape.columns]);
        last.iter().enumerate().for_each(|(loc, &last)| everything.set(loc, last));
        let mut low = Vec::with_capacity(state.locals.len());
        for (thread, (plan, least)) in self.thread_ids().zip(horizon.plans.iter().zip(&horizon.least)) {
            let mut view = least.as_ref().unwrap_or(&everything).clone();
            plan.stores.iter().for_each(|&loc| view.set(loc.index(), first_open(state, thread, loc)));
            low.push(view);
        }
        for Reader { thread, .. } in readers {
            if horizon.plans[thread.index()].reads_at == Some(state.locals[thread.index()]) {
                let known = &mut state.known[thread.index()];
                if horizon.least[thread.index()].is_none() {
                    known.clear();
                }
                known.learn(&low[thread.index()]);
            }
        }
        for thread in self.thread_ids() {
            if let Rest::Access(access) = self.rest(state, thread)
                && access.is_store()
                && !self.shape.is_plain[access.loc.index()]
            {
                let place = first_open(state, thread, access.loc);
                state.known[thread.index()].see(access.loc.index(), place);
            }
        }
        Ok(low)
    }

    /// The greatest solution.
    fn horizon(&mut self, state: &State) -> Result<(Horizon, Vec<Reader>), Reason> {
        let mut horizon = Horizon {
            plans: Vec::with_capacity(state.locals.len()),
            least: Vec::with_capacity(state.locals.len()),
            messages: vec![None; state.memory.len()],
        };
        let mut readers = Vec::new();
        for thread in self.thread_ids() {
            self.look_at_the_clock(thread)?;
            let local = state.locals[thread.index()];
            let plan = self.plan(thread, local)?;
            horizon.least.push(match plan.reads_at {
                _ if is_over(self.rest(state, thread)) => None,
                Some(at) => {
                    readers.push(self.reader(state, thread, &plan, at)?);
                    None
                }
                None => Some(state.known[thread.index()].current.clone()),
            });
            horizon.plans.push(plan);
        }
        let mut changed = !readers.is_empty();
        while changed {
            changed = false;
            for &loc in &self.shape.updated_bare {
                let next = self.least_message(state, loc, None, &horizon);
                changed |= next != horizon.messages[loc.index()];
                horizon.messages[loc.index()] = next;
            }
            for reader in &readers {
                self.look_at_the_clock(reader.thread)?;
                let next = self.least_of(state, reader, &horizon);
                changed |= next != horizon.least[reader.thread.index()];
                horizon.least[reader.thread.index()] = next;
            }
        }
        Ok((horizon, readers))
    }

    /// Where there are many threads, one step can take long.
    fn look_at_the_clock(&self, thread: ThreadId) -> Result<(), Reason> {
        let is_time = (thread.index() + 1).is_multiple_of(MANY_THREADS) && (self.threads.budget().expired)();
        if is_time { Err(Reason::Time) } else { Ok(()) }
    }

    /// What the thread does next.
    fn plan(&mut self, thread: ThreadId, local: StateId) -> Result<Rc<Plan>, Reason> {
        if let Some(plan) = self.plans.get(&(thread, local)) {
            return Ok(Rc::clone(plan));
        }
        let mut plan = Plan::default();
        let mut at = local;
        for _ in 0..LONGEST_PLAN {
            let rest = self.threads.rest(thread, at);
            at = match &*rest {
                Rest::Access(access) if access.is_store() => {
                    if !self.shape.is_plain[access.loc.index()] {
                        plan.stores.push(access.loc);
                    }
                    self.threads.outcomes(thread, at, access, 0)?[0].1
                }
                Rest::Access(access) => {
                    let is_known = !self.shape.is_plain[access.loc.index()] && !plan.stores.contains(&access.loc);
                    plan.reads_at = is_known.then_some(at);
                    break;
                }
                Rest::Fence(labels) if self.updated(labels).is_some() => {
                    plan.reads_at = Some(at);
                    break;
                }
                Rest::Fence(labels) => {
                    // What it passes on then may be all that later stores pass on.
                    if self.shape.has_bare_writes() && labels.iter().any(|label| label.mode().releases()) {
                        break;
                    }
                    plan.takes_up |= labels.iter().any(|label| label.mode().acquires());
                    self.threads.pass(thread, at)?
                }
                _ => break,
            };
        }
        let plan = Rc::new(plan);
        self.plans.insert((thread, local), Rc::clone(&plan));
        Ok(plan)
    }

    /// What the thread, when it reads, can take of what is there.
    fn reader(&mut self, state: &State, thread: ThreadId, plan: &Plan, at: StateId) -> Result<Reader, Reason> {
        let known = &state.known[thread.index()];
        let before = known.acquire.as_ref().filter(|_| plan.takes_up).unwrap_or(&known.current).clone();
        let rest = self.threads.rest(thread, at);
        let mut there = None;
        let (loc, is_acquiring) = match &*rest {
            Rest::Access(access) => {
                let loc = access.loc.index();
                for way in self.ways(state, thread, at, access)? {
                    let mut view = before.clone();
                    view.raise(loc, way.place);
                    if way.labels().any(|label| self.model.acquires(label.mode())) {
                        view.join(&state.memory[loc][way.place].view);
                    }
                    meet(&mut there, view);
                }
                (access.loc, self.is_acquiring(thread, at, access)?)
            }
            Rest::Fence(labels) => {
                let loc = self.updated(labels).expect("a fence that reads");
                let mut view = before.clone();
                view.join(&state.memory[loc.index()].last().expect("a last message").view);
                meet(&mut there, view);
                (loc, true)
            }
            _ => unreachable!("it reads there"),
        };
        Ok(Reader { thread, loc, before, there, is_acquiring })
    }

    /// What a reader will know at least.
    fn least_of(&self, state: &State, reader: &Reader, horizon: &Horizon) -> Least {
        let mut found = reader.there.clone();
        if let Some(message) = self.least_message(state, reader.loc, Some(reader.thread), horizon) {
            let mut view = reader.before.clone();
            view.raise(reader.loc.index(), message.at(reader.loc.index()));
            if reader.is_acquiring {
                view.join(&message);
            }
            meet(&mut found, view);
        }
        found
    }

    /// What messages to a location that others than `reader` will write pass on at least, and, in
    /// its own column, after which message they come at least.
    fn least_message(&self, state: &State, loc: LocId, reader: Option<ThreadId>, horizon: &Horizon) -> Least {
        let mut found = None;
        for thread in self.thread_ids().filter(|thread| Some(*thread) != reader) {
            let local = state.locals[thread.index()];
            let own = &state.known[thread.index()];
            let known = match horizon.plans[thread.index()].stores.contains(&loc) {
                true => Some(&own.current),
                false => horizon.least[thread.index()].as_ref(),
            };
            let Some(known) = known.filter(|_| self.can_write(state, thread, loc)) else { continue };
            meet(&mut found, known.clone());
            let pc = self.threads.local(thread, local).pc;
            let bare = || {
                let mut view = own.release.clone().unwrap_or_else(|| View::new(vec![0; self.shape.columns]));
                view.set(loc.index(), known.at(loc.index()));
                view
            };
            if self.shape.stores_bare(thread, pc, loc) {
                meet(&mut found, bare());
            }
            if self.shape.updates_bare(thread, pc, loc) {
                let messages = state.memory[loc.index()].iter().skip(own.current.at(loc.index()));
                let mut read = horizon.messages[loc.index()].clone();
                messages.filter(|message| !message.is_closed).for_each(|message| meet(&mut read, message.view.clone()));
                if let Some(mut read) = read {
                    read.set(loc.index(), 0);
                    let mut view = bare();
                    view.join(&read);
                    meet(&mut found, view);
                }
            }
        }
        found
    }

    /// Who keeps messages of a location from being forgotten.
    pub(super) fn who_is_behind(&mut self, state: &State, loc: LocId) -> Result<Vec<ThreadId>, Reason> {
        let low = self.look_ahead(&mut state.clone())?;
        let is_behind =
            |thread: &ThreadId| low[thread.index()].at(loc.index()) == 0 && self.can_access(state, *thread, loc);
        Ok(self.thread_ids().filter(is_behind).collect())
    }

    /// Sets to nothing what threads know that is of no use to them, nor, through them, to others.
    fn silence(&self, state: &mut State) {
        for thread in self.thread_ids() {
            let local = state.locals[thread.index()];
            let known = &mut state.known[thread.index()];
            if is_over(self.threads.rest_of(thread, local)) {
                known.clear();
                continue;
            }
            if self.shape.publishes(thread, self.threads.local(thread, local).pc) {
                continue;
            }
            for (loc, readers) in self.shape.readers.iter().enumerate() {
                if !self.future.accesses(&self.threads, thread, local, LocId::from_index(loc)) {
                    let columns = std::iter::once(loc).chain(readers.iter().map(|&(_, column)| column));
                    columns.for_each(|column| known.forget(column));
                }
            }
        }
    }

    /// Can the thread still access `loc`?
    pub(super) fn can_access(&self, state: &State, thread: ThreadId, loc: LocId) -> bool {
        let local = state.locals[thread.index()];
        !is_over(self.threads.rest_of(thread, local)) && self.future.accesses(&self.threads, thread, local, loc)
    }

    /// Can the thread still write to `loc`?
    fn can_write(&self, state: &State, thread: ThreadId, loc: LocId) -> bool {
        let local = state.locals[thread.index()];
        !is_over(self.threads.rest_of(thread, local)) && self.future.writes(&self.threads, thread, local, loc)
    }

    /// Drops messages that nobody will read, closes those that nobody will write after, and merges
    /// equals; `low` has the oldest messages that threads will use.
    fn forget(&self, state: &mut State, low: &[View]) {
        (0..state.memory.len())
            .filter(|&loc| !self.shape.is_plain[loc])
            .for_each(|loc| self.forget_at(state, loc, low));
    }

    fn forget_at(&self, state: &mut State, loc: usize, low: &[View]) {
        let location = LocId::from_index(loc);
        let entry = |thread: ThreadId| low[thread.index()].at(loc);
        let oldest = self.thread_ids().filter(|&thread| self.can_access(state, thread, location)).map(entry).min();
        let written = self.thread_ids().filter(|&thread| self.can_write(state, thread, location)).map(entry).min();
        let last = state.memory[loc].len() - 1;
        let count = oldest.unwrap_or(last);
        if count > 0 {
            state.forget(loc, count);
        }
        let last = last - count;
        if oldest.is_none() {
            state.memory[loc][0].view.clear();
        }
        let first_open = if self.shape.appends { last } else { written.map_or(last, |written| written - count) };
        state.memory[loc][..first_open].iter_mut().for_each(|message| message.is_closed = true);
        for place in (0..last).rev() {
            let [one, other] = &state.memory[loc][place..place + 2] else { unreachable!("there are two") };
            if one.is_closed && one.value == other.value && one.view == other.view {
                state.merge(loc, place);
            }
        }
    }

    /// What nobody will ask about a plain location is taken to be known.
    fn forget_plain(&self, state: &mut State, loc: usize) {
        let location = LocId::from_index(loc);
        let local = |thread: ThreadId| state.locals[thread.index()];
        let accesses = |thread: ThreadId| self.future.accesses(&self.threads, thread, local(thread), location);
        let writes = |thread: ThreadId| self.future.writes(&self.threads, thread, local(thread), location);
        let is_used = self.thread_ids().any(accesses);
        let unused =
            |&&(reader, _): &&(ThreadId, usize)| !self.thread_ids().any(|thread| thread != reader && writes(thread));
        let columns: Vec<usize> = self.shape.readers[loc].iter().filter(unused).map(|&(_, column)| column).collect();
        for view in state.views_mut() {
            columns.iter().for_each(|&column| view.set(column, 1));
            if !is_used {
                view.set(loc, 1);
            }
        }
    }
}
