//! Work that takes turns.
//!
//! A piece of work can take for ever. So it must be possible to put it aside, and to go on with it
//! later from where it stopped. Each piece has a thread of its own for that, which runs only while
//! its owner waits: what is put aside stays on the stack of its thread. Engines need not know. They
//! ask their budget now and then whether they may go on. Where the share of this turn is used up,
//! the answer has to wait for the next turn.
//!
//! Shares are counted in states, at points that are the same in every run ([`Budget::rest`]). So a
//! turn is always the same work. Memory and time end a turn only where the user has limited them.
//!
//! In a browser there are no threads. There a piece of work that is put aside is forgotten, and its
//! next turn begins at the beginning ([`Way::Anew`]). Shares grow by a factor from round to round,
//! so all turns together cost little more than the last one. The answers are the same.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, Scope, ScopedJoinHandle};

use fencepost_verdict::{Budget, Progress, Reason};

/// Can work be put aside on the stack of a thread?
const HAS_THREADS: bool = !cfg!(target_family = "wasm");

/// Bytes of stack, as many as the first thread of a program has: arguments were made for that one.
const STACK: usize = 8 << 20;

/// What is allowed until the end of a turn.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// States of a search, those of earlier turns included.
    pub states: u64,
    /// Bytes in use.
    pub bytes: u64,
    /// The part of all time that is spent then.
    pub time: f64,
}

impl Share {
    pub(super) const ALL: Share = Share { states: u64::MAX, bytes: u64::MAX, time: f64::INFINITY };

    /// States count only at points that are the same in every run.
    fn is_used_up(&self, progress: Progress, is_fixed: bool) -> Option<Reason> {
        match () {
            () if progress.bytes > self.bytes => Some(Reason::Memory(self.bytes)),
            () if is_fixed && progress.states >= self.states => Some(Reason::States(self.states)),
            () => None,
        }
    }
}

/// How a turn ended.
pub(super) enum Turn<'scope, T> {
    /// The work is done.
    Done(T),
    /// The share is used up; of what, is the reason.
    Over(Work<'scope, T>, Reason),
}

/// A piece of work that was put aside. If it is dropped, it comes to an end as if time were up.
pub(super) struct Work<'scope, T>(Way<'scope, T>);

/// How work that was put aside goes on.
enum Way<'scope, T> {
    /// From where it stopped.
    Thread { desk: Owned, thread: ScopedJoinHandle<'scope, T> },
    /// From the beginning, with more to spend.
    Anew(Anew<'scope, T>),
}

impl<'scope, T: Send + 'scope> Work<'scope, T> {
    /// Nothing is done before the first turn.
    pub(super) fn new(
        scope: &'scope Scope<'scope, '_>,
        budget: &'scope Budget<'scope>,
        work: impl Fn(&Budget<'_>) -> T + Send + 'scope,
    ) -> Self {
        if !HAS_THREADS {
            return Work(Way::Anew(Anew::new(budget, work)));
        }
        let desk = Arc::new(Desk::default());
        let owned = Owned(Arc::clone(&desk));
        let work = move || {
            let _leaving = Leaving(&desk);
            drop(desk.my_turn());
            work(&Budget {
                expired: &|| desk.is_expired(budget),
                progress: &|progress| {
                    (budget.progress)(progress);
                    desk.tell(progress, false);
                },
                rest: &|progress| desk.tell(progress, true),
                ..*budget
            })
        };
        let thread = Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("there are few threads");
        Work(Way::Thread { desk: owned, thread })
    }

    /// Another turn.
    ///
    /// # Panics
    /// If the work does.
    pub(super) fn go_on(self, share: Share) -> Turn<'scope, T> {
        match self.0 {
            Way::Thread { desk, thread } => match desk.0.let_work(share) {
                Some(reason) => Turn::Over(Work(Way::Thread { desk, thread }), reason),
                None => Turn::Done(join(thread)),
            },
            Way::Anew(mut anew) => match anew.turn(share) {
                Ok(result) => Turn::Done(result),
                Err(reason) => Turn::Over(Work(Way::Anew(anew)), reason),
            },
        }
    }

    /// Lets the work come to an end, as if time were up.
    ///
    /// # Panics
    /// If the work does.
    pub(super) fn stop(self) -> T {
        match self.0 {
            Way::Thread { desk, thread } => {
                desk.0.close();
                join(thread)
            }
            Way::Anew(anew) => anew.stop(),
        }
    }

    /// Bytes that it keeps.
    pub(super) fn bytes(&self) -> u64 {
        match &self.0 {
            Way::Thread { desk, .. } => desk.0.lock().bytes,
            // It is forgotten until its next turn.
            Way::Anew(_) => 0,
        }
    }
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Work that begins anew in every turn.
struct Anew<'scope, T> {
    budget: &'scope Budget<'scope>,
    work: Box<dyn Fn(&Budget<'_>) -> T + Send + 'scope>,
}

impl<'scope, T> Anew<'scope, T> {
    fn new(budget: &'scope Budget<'scope>, work: impl Fn(&Budget<'_>) -> T + Send + 'scope) -> Self {
        Anew { budget, work: Box::new(work) }
    }

    /// What the work gives, or what of its share is used up.
    fn turn(&mut self, share: Share) -> Result<T, Reason> {
        let Budget { expired, spent, progress, .. } = *self.budget;
        let over: Mutex<Option<Reason>> = Mutex::default();
        let end = |reason| {
            over.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(reason);
        };
        let result = (self.work)(&Budget {
            expired: &|| {
                if expired() {
                    return true;
                }
                if spent() >= share.time {
                    end(Reason::Time);
                }
                over.lock().unwrap_or_else(PoisonError::into_inner).is_some()
            },
            progress: &|now| {
                progress(now);
                let _ = share.is_used_up(now, false).map(end);
            },
            rest: &|now| {
                let _ = share.is_used_up(now, true).map(end);
            },
            ..*self.budget
        });
        match over.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(reason),
            None => Ok(result),
        }
    }

    fn stop(self) -> T {
        (self.work)(&Budget { expired: &|| true, ..*self.budget })
    }
}

/// Where a piece of work and its owner meet.
#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// While it is the work's turn.
    share: Option<Share>,
    /// Why its last turn was over; nothing, if the work has ended.
    over: Option<Reason>,
    /// Is it to end as soon as possible?
    is_closed: bool,
    bytes: u64,
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&'a self, state: MutexGuard<'a, State>, until: impl Fn(&State) -> bool) -> MutexGuard<'a, State> {
        self.changed.wait_while(state, |state| !until(state)).unwrap_or_else(PoisonError::into_inner)
    }

    /// For the owner: waits for the end of a turn, and says why it was over.
    fn let_work(&self, share: Share) -> Option<Reason> {
        let mut state = self.lock();
        state.share = Some(share);
        self.changed.notify_all();
        self.wait(state, |state| state.share.is_none()).over.take()
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// For the work, which may have several threads: waits until it is its turn, or closed.
    fn my_turn(&self) -> MutexGuard<'_, State> {
        self.wait(self.lock(), |state| state.share.is_some() || state.is_closed)
    }

    /// Ends the turn.
    fn end_turn(&self, mut state: MutexGuard<'_, State>, reason: Option<Reason>) {
        (state.share, state.over) = (None, reason);
        drop(state);
        self.changed.notify_all();
    }

    fn is_expired(&self, budget: &Budget<'_>) -> bool {
        if (budget.expired)() {
            return true;
        }
        let state = self.my_turn();
        if !state.share.is_some_and(|share| (budget.spent)() >= share.time) {
            return state.is_closed;
        }
        self.end_turn(state, Some(Reason::Time));
        self.my_turn().is_closed || (budget.expired)()
    }

    fn tell(&self, progress: Progress, is_fixed: bool) {
        let mut state = self.my_turn();
        state.bytes = progress.bytes;
        let over = state.share.and_then(|share| share.is_used_up(progress, is_fixed));
        if over.is_some() {
            self.end_turn(state, over);
            drop(self.my_turn());
        }
    }
}

/// The owner's hold of a desk: nobody waits there for ever.
struct Owned(Arc<Desk>);

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The work has ended, or panics.
struct Leaving<'a>(&'a Desk);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.end_turn(self.0.lock(), None);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::thread::scope;

    use super::*;

    /// Takes so many steps, or fewer if it is told to give up; counts them.
    fn steps(most: u64, taken: &AtomicU64, budget: &Budget<'_>) -> Result<u64, Reason> {
        for states in 1..=most {
            taken.fetch_add(1, Ordering::Relaxed);
            budget.report(Progress { states, bytes: 8 * states, ..Progress::default() });
            if (budget.expired)() {
                return Err(Reason::Time);
            }
        }
        Ok(most)
    }

    fn states(states: u64) -> Share {
        Share { states, ..Share::ALL }
    }

    fn over<T>(turn: Turn<'_, T>) -> (Work<'_, T>, Reason) {
        match turn {
            Turn::Over(work, reason) => (work, reason),
            Turn::Done(_) => panic!("it has ended"),
        }
    }

    #[test]
    fn work_goes_on_from_where_it_stopped() {
        let (budget, taken) = (Budget::unlimited(), AtomicU64::new(0));
        scope(|scope| {
            let mut work = Work::new(scope, &budget, |budget| steps(100, &taken, budget));
            assert_eq!(taken.load(Ordering::Relaxed), 0, "before the first turn");
            for share in [10, 40, 100] {
                let (left, reason) = over(work.go_on(states(share)));
                assert_eq!((reason, taken.load(Ordering::Relaxed)), (Reason::States(share), share));
                work = left;
            }
            assert!(matches!(work.go_on(Share::ALL), Turn::Done(Ok(100))));
        });
        assert_eq!(taken.into_inner(), 100, "nothing was done twice");
    }

    #[test]
    fn what_it_keeps_is_known_and_limited() {
        let (budget, taken) = (Budget::unlimited(), AtomicU64::new(0));
        scope(|scope| {
            let work = Work::new(scope, &budget, |budget| steps(100, &taken, budget));
            let (work, reason) = over(work.go_on(Share { bytes: 399, ..Share::ALL }));
            assert_eq!((work.bytes(), reason), (400, Reason::Memory(399)));
        });
    }

    #[test]
    fn what_is_stopped_comes_to_an_end() {
        let (budget, taken) = (Budget::unlimited(), AtomicU64::new(0));
        scope(|scope| {
            let work = || Work::new(scope, &budget, |budget| steps(u64::MAX, &taken, budget));
            let (one, _) = over(work().go_on(states(10)));
            let (other, _) = over(work().go_on(states(10)));
            drop(other);
            assert_eq!(one.stop(), Err(Reason::Time));
        });
        assert_eq!(taken.into_inner(), 20);
    }

    #[test]
    fn a_panic_is_passed_on_while_others_wait() {
        let (budget, taken) = (Budget::unlimited(), AtomicU64::new(0));
        let caught = catch_unwind(AssertUnwindSafe(|| {
            scope(|scope| {
                let waiting = Work::new(scope, &budget, |budget| steps(u64::MAX, &taken, budget));
                let _waiting = over(waiting.go_on(states(10)));
                Work::<()>::new(scope, &budget, |_| panic!("on purpose")).go_on(Share::ALL);
            });
        }));
        let message = caught.expect_err("a panic");
        assert_eq!(message.downcast_ref::<&str>(), Some(&"on purpose"));
    }

    #[test]
    fn an_interruption_ends_a_turn_and_what_waits() {
        let (is_expired, taken) = (AtomicBool::new(false), AtomicU64::new(0));
        let expired = || is_expired.load(Ordering::Relaxed);
        let budget = Budget { expired: &expired, ..Budget::unlimited() };
        scope(|scope| {
            let waiting = Work::new(scope, &budget, |budget| steps(u64::MAX, &taken, budget));
            let (waiting, _) = over(waiting.go_on(states(10)));
            let running = Work::new(scope, &budget, |budget| {
                is_expired.store(true, Ordering::Relaxed);
                steps(u64::MAX, &taken, budget)
            });
            assert!(matches!(running.go_on(Share::ALL), Turn::Done(Err(Reason::Time))));
            assert_eq!(waiting.stop(), Err(Reason::Time));
        });
        assert_eq!(taken.into_inner(), 11);
    }

    #[test]
    fn all_threads_of_the_work_wait() {
        let taken = AtomicU64::new(0);
        let budget = Budget { spent: &|| 0.5, ..Budget::unlimited() };
        scope(|scope| {
            let work = Work::new(scope, &budget, |budget| {
                std::thread::scope(|inner| {
                    let threads = [(); 4].map(|()| inner.spawn(|| steps(1_000, &taken, budget)));
                    threads.map(|thread| thread.join().expect("no panic"))
                })
            });
            let (work, reason) = over(work.go_on(Share { time: 0.5, ..Share::ALL }));
            assert_eq!(reason, Reason::Time);
            assert!(matches!(work.go_on(Share::ALL), Turn::Done(ends) if ends.iter().all(|end| *end == Ok(1_000))));
        });
        assert_eq!(taken.into_inner(), 4_000);
    }

    #[test]
    fn without_threads_each_turn_begins_at_the_beginning() {
        let (budget, taken) = (Budget::unlimited(), AtomicU64::new(0));
        let mut anew = Anew::new(&budget, |budget| steps(100, &taken, budget));
        for (share, all) in [(10, 10), (40, 50)] {
            assert_eq!(anew.turn(states(share)), Err(Reason::States(share)));
            assert_eq!(taken.load(Ordering::Relaxed), all);
        }
        assert_eq!(anew.turn(Share { bytes: 399, ..Share::ALL }), Err(Reason::Memory(399)));
        assert_eq!(anew.turn(Share { time: 0.0, ..Share::ALL }), Err(Reason::Time));
        assert_eq!(anew.turn(Share::ALL), Ok(Ok(100)));
        assert_eq!(anew.stop(), Err(Reason::Time));
    }
}
