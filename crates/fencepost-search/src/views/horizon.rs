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
//! So a thread may as well know K(t) now. It can do the same, with the same result. This is done, and makes states equal that differ only in what a waiting thread has
//! missed. A thread whose K is everything will never act, and may as well know everything.
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

use fencepost_analysis::interpreter::{Access, Rest};
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_verdict::Reason;

use super::state::{State, View};
use super::steps::Machine;

/// Threads whose horizons are worth a look at the clock.
const MANY_THREADS: usize = 64;

/// At least so much, or everything.
type Least = Option<View>;

/// Makes `least` the lesser of the two.
fn meet(least: &mut Least, view: View) {
    match least {
        Some(least) => least.meet(&view),
        None => *least = Some(view),
    }
}

/// Will the thread never act again?
fn is_over(rest: &Rest) -> bool {
    matches!(rest, Rest::Halted | Rest::Stuck | Rest::Bound | Rest::Failed(_))
}

/// A thread about to read.
struct Reader {
    thread: ThreadId,
    loc: LocId,
    /// What it will know at least if it takes a message that is there.
    there: Least,
    /// Does it acquire from whatever it takes?
    is_acquiring: bool,
}

impl Machine<'_> {
    /// Makes the state the representative of those that cannot be told apart from it, as far as
    /// that is seen.
    pub(super) fn normalise(&mut self, state: &mut State) -> Result<(), Reason> {
        if state.longest() > 1 {
            self.look_ahead(state)?;
        }
        self.silence(state);
        for loc in 0..state.memory.len() {
            match self.shape.is_plain[loc] {
                true => self.forget_plain(state, loc),
                false => self.forget(state, loc),
            }
        }
        Ok(())
    }

    /// Lets threads know what they will know when they act.
    fn look_ahead(&mut self, state: &mut State) -> Result<(), Reason> {
        let mut least: Vec<Least> = Vec::with_capacity(state.locals.len());
        let mut readers = Vec::new();
        for thread in self.thread_ids() {
            self.look_at_the_clock(thread)?;
            let rest = self.threads.rest(thread, state.locals[thread.index()]);
            least.push(match &*rest {
                rest if is_over(rest) => None,
                Rest::Access(access) if self.shape.is_plain[access.loc.index()] => {
                    Some(state.known[thread.index()].current.clone())
                }
                Rest::Access(access) if access.is_store() => {
                    // It comes after a message that is open.
                    let mut current = state.known[thread.index()].current.clone();
                    let column = access.loc.index();
                    let mut messages = state.memory[column].iter().enumerate().skip(current.at(column));
                    let open = messages.find(|(_, message)| !message.is_closed);
                    current.set(column, open.expect("the last message is open").0);
                    Some(current)
                }
                Rest::Access(access) => {
                    readers.push(self.reader(state, thread, access)?);
                    None
                }
                _ => Some(state.known[thread.index()].current.clone()),
            });
        }
        // Those to come, by location; asked for only where updates pass on more than they release.
        let mut messages: Vec<Least> = vec![None; state.memory.len()];
        let locations = if self.shape.has_bare_writes() { state.memory.len() } else { 0 };
        let mut changed = !readers.is_empty();
        while changed {
            changed = false;
            for loc in (0..locations).filter(|&loc| !self.shape.is_plain[loc]) {
                let next = self.least_message(state, LocId::from_index(loc), None, &least, &messages[loc]);
                changed |= next != messages[loc];
                messages[loc] = next;
            }
            for reader in &readers {
                self.look_at_the_clock(reader.thread)?;
                let next = self.least_of(state, reader, &least, &messages);
                changed |= next != least[reader.thread.index()];
                least[reader.thread.index()] = next;
            }
        }
        for (known, least) in state.known.iter_mut().zip(least) {
            match least {
                Some(least) => known.learn(&least),
                None => {
                    known.clear();
                    let last = state.memory.iter().map(|messages| messages.len() - 1).enumerate();
                    last.for_each(|(loc, last)| known.current.set(loc, last));
                }
            }
        }
        Ok(())
    }

    /// Where there are many threads, one step can take long.
    fn look_at_the_clock(&self, thread: ThreadId) -> Result<(), Reason> {
        let is_time = (thread.index() + 1).is_multiple_of(MANY_THREADS) && (self.threads.budget().expired)();
        if is_time { Err(Reason::Time) } else { Ok(()) }
    }

    /// What the thread, about to read, can take now.
    fn reader(&mut self, state: &State, thread: ThreadId, access: &Access) -> Result<Reader, Reason> {
        let current = &state.known[thread.index()].current;
        let mut there = None;
        for way in self.ways(state, thread, access)? {
            let mut view = current.clone();
            view.raise(access.loc.index(), way.place);
            if way.labels().any(|label| self.model.acquires(label.mode())) {
                view.join(&state.memory[access.loc.index()][way.place].view);
            }
            meet(&mut there, view);
        }
        let is_acquiring = self.is_acquiring(thread, state.locals[thread.index()], access)?;
        Ok(Reader { thread, loc: access.loc, there, is_acquiring })
    }

    /// What a reader will know at least.
    fn least_of(&self, state: &State, reader: &Reader, least: &[Least], messages: &[Least]) -> Least {
        let Reader { thread, loc, there, is_acquiring } = reader;
        let mut found = there.clone();
        let column = loc.index();
        let to_come = self.least_message(state, *loc, Some(*thread), least, &messages[column]);
        if let Some(message) = to_come {
            let mut view = state.known[thread.index()].current.clone();
            view.raise(column, message.at(column));
            if *is_acquiring {
                view.join(&message);
            }
            meet(&mut found, view);
        }
        found
    }

    /// What messages to a location that others than `reader` will write pass on at least, and, in
    /// its own column, after which message they come at least.
    fn least_message(
        &self,
        state: &State,
        loc: LocId,
        reader: Option<ThreadId>,
        least: &[Least],
        message: &Least,
    ) -> Least {
        let mut found = None;
        for thread in self.thread_ids().filter(|thread| Some(*thread) != reader) {
            let local = state.locals[thread.index()];
            let Some(known) = &least[thread.index()] else { continue };
            if !self.future.writes(&self.threads, thread, local, loc) {
                continue;
            }
            meet(&mut found, known.clone());
            let pc = self.threads.local(thread, local).pc;
            let bare = || {
                let release = state.known[thread.index()].release.clone();
                let mut view = release.unwrap_or_else(|| View::new(vec![0; self.shape.columns]));
                view.set(loc.index(), known.at(loc.index()));
                view
            };
            if self.shape.stores_bare(thread, pc, loc) {
                meet(&mut found, bare());
            }
            if self.shape.updates_bare(thread, pc, loc) {
                let oldest = state.known[thread.index()].current.at(loc.index());
                let open = state.memory[loc.index()].iter().skip(oldest).filter(|message| !message.is_closed);
                let mut read = message.clone();
                open.for_each(|message| meet(&mut read, message.view.clone()));
                let mut view = bare();
                if let Some(mut read) = read {
                    read.set(loc.index(), 0);
                    view.join(&read);
                    meet(&mut found, view);
                }
            }
        }
        found
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

    /// Drops messages that nobody will read, closes those that nobody will write after, and merges
    /// equals.
    fn forget(&self, state: &mut State, loc: usize) {
        let (mut oldest, mut written) = (None::<usize>, None::<usize>);
        for thread in self.thread_ids() {
            let (local, location) = (state.locals[thread.index()], LocId::from_index(loc));
            if !self.can_access(state, thread, location) {
                continue;
            }
            let entry = state.known[thread.index()].current.at(loc);
            oldest = Some(oldest.map_or(entry, |oldest| oldest.min(entry)));
            if self.future.writes(&self.threads, thread, local, location) {
                written = Some(written.map_or(entry, |written| written.min(entry)));
            }
        }
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
