//! What goes wrong after a stale step: on from where SC was left.
//!
//! Papers: the monitors of Lahav and Margalit, PLDI 2019 (§5) and Margalit and Lahav, POPL 2021
//! (§5, and §6 for races), taken apart as in [`crate::watches`].
//!
//! **Executions with one stale step.** An execution is grown event by event. In an SC run each read
//! takes the last write to its location, and each write goes behind it. Here one event may take an
//! older write, if the model permits the graph: the *stale step*. All events after it are like
//! those of an SC run again. Whatever they are, the model permits the graph: a new event has no
//! edge to an older one in po, rf, mo and fr, and the axioms of every model here forbid cycles of
//! these.
//!
//! **The search** walks SC runs and guesses, at a write `w` to a location x, that somebody will use
//! the value v that `w` overwrites. From then on v is in the state, and a monitor of one column
//! follows that one write. Where the monitor says that a thread at an access to x can take it, the
//! thread does: a load, a wait or a failing compare-and-swap returns v, an update returns v, and
//! neither an update nor a store changes memory, since what it writes stands before `w`. With that
//! step the run has *strayed*. The watch ends, and the program goes on under SC.
//!
//! Nothing is lost by watching one write at a time: there is one stale step. Unlike a watch that
//! looks for violations, this one does not end when the same value is overwritten again. A later
//! write of v is another guess, because it passes on something else. So a monitor is told of one
//! class, the write that is followed, and of one for everything else.
//!
//! Steps that only seem stale, because another SC order explains the graph, are not taken. All that
//! follows them is explained by an SC order, too: threads and memory come to states that SC runs
//! reach, and data races depend on the graph alone. So nothing new goes wrong.
//!
//! **Data races.** If a plain access only races when both are enabled at once
//! ([`RaceRule::BothEnabled`]), it is enough to look at states. Take the first race of an execution
//! with one stale step, and leave out all that does not happen before one of the two accesses. What
//! is left is an execution with one stale step, or an SC run, and both accesses are enabled at its
//! end. Under [`RaceRule::Monitored`] the first access is guessed, and a second column follows it.
//! It may begin before the stale step or after. The stale step acquires from the write that it
//! reads, and not from the last one. What that write passes on is known when it is overwritten, and
//! is kept until then: a single bit, because one access is followed.
//!
//! **Reductions.** A stale step at x reads x. Whether it is possible depends on the thread's past
//! and on the writes to x, like that of an ordinary access. So to persistent sets it is an access
//! that reads, with one difference: it is possible also where SC memory blocks the access.
//! Therefore threads that rest at an access of the watched location count as enabled
//! (`product::ahead`). Before a watch begins none of them can go on without a write to x, which
//! wakes them as usual. A stale step is not pure (`Successor::pure`): once it is taken, others can
//! take none. Guesses are given up as those of violations are: if no thread can use the write, or
//! nothing can leak. Equal threads change places together with their rows in both columns. What is
//! found at threads with the same code is found once.
//!
//! Sound and complete for executions with at most one stale step of programs without sections and
//! without locations that are accessed in both ways. Data races: of those runs up to their first
//! race, because after it the behaviour is undefined. Failures: whether or not there is a race
//! before. `tests/consequences.rs` of the test kit compares with an enumeration of such executions
//! on the axioms, and reduced searches with plain ones.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_ir::{LocationKind, Program};
use fencepost_model::monitor::Accepts;
use fencepost_model::packed::{Layout, Region, Slot};
use fencepost_model::{Attempt, AttemptKind, Model, Monitor, RaceRule, Shape, StaleKind, Step as MonitorStep};
use fencepost_verdict::{Reason, RunStep};

use super::{Monitoring, Product, site};
use crate::compile::{Access, CompiledThread};
use crate::system::{Expansion, Finding};
use crate::watches::{FOLLOWED, OTHER, WatchKind, Watched, Watches, plain_kind};

/// Most combinations of watches: tables are kept for each.
const MOST_COMBINATIONS: usize = 1 << 14;

/// What follows a run up to a stale step and beyond.
pub(crate) struct Onward {
    /// Writes that somebody may use although they are overwritten.
    writes: Watches,
    /// Accesses that may race, under a model that remembers them.
    races: Option<Watches>,
    rule: RaceRule,
    /// All that monitors of writes keep.
    columns: Region,
    /// Has a stale step been taken?
    strayed: Slot,
    /// The value of the write that is watched.
    value: Slot,
    /// Does that write pass on the access that may race?
    passes_on: Slot,
}

/// For every location, the classes of values that its monitors tell apart: the one that is
/// followed, and all others.
pub(super) fn classes(program: &Program) -> Vec<usize> {
    let is_atomic = |kind| kind != LocationKind::NonAtomic;
    program.locations().iter().map(|location| if is_atomic(location.kind) { OTHER + 1 } else { 0 }).collect()
}

impl Onward {
    pub(super) fn new(
        program: &Program,
        threads: &[CompiledThread],
        model: &dyn Model,
        shape: &Shape,
        memory: &[Slot],
        layout: &mut Layout,
    ) -> Result<Self, Reason> {
        let unsupported =
            |what: &str| Err(Reason::Unsupported(format!("what follows a stale step is not known {what}")));
        if program.has_mixed_accesses() {
            return unsupported("where locations are accessed both plainly and by atomic operations");
        }
        let Some(monitor) = model.monitor(shape, &mut Layout::new()) else {
            return unsupported("without a monitor of the model");
        };
        let too_many = || Reason::TooLarge("there are too many writes and plain accesses to watch".into());
        let strayed = layout.slot(1);
        let value = layout.slot(memory.iter().map(|slot| slot.width()).max().unwrap_or(0));
        let passes_on = layout.slot(1);
        let before = layout.clone();
        let rule = monitor.races();
        let writes = Watches::of_writes(threads, rule, model, shape, layout).ok_or_else(too_many)?;
        let columns = layout.since(&before);
        let races = match rule {
            RaceRule::BothEnabled => None,
            RaceRule::Monitored => Some(Watches::of_races(threads, rule, model, shape, layout).ok_or_else(too_many)?),
        };
        let onward = Onward { writes, races, rule, columns, strayed, value, passes_on };
        match onward.count() > MOST_COMBINATIONS {
            true => Err(too_many()),
            false => Ok(onward),
        }
    }

    /// For every combination of watches, what follows the run.
    pub(super) fn combinations(&self) -> Vec<Vec<&dyn Monitor>> {
        let mut all = Vec::new();
        for write in self.writes.monitors() {
            match &self.races {
                None => all.push(write.into_iter().collect()),
                Some(races) => all.extend(races.monitors().map(|race| write.into_iter().chain(race).collect())),
            }
        }
        all
    }

    /// How many there are.
    fn count(&self) -> usize {
        self.writes.monitors().count() * self.races.as_ref().map_or(1, |races| races.monitors().count())
    }

    /// The number of the current combination; 0 if nothing is watched.
    pub(super) fn combination(&self, state: &[u64]) -> usize {
        let races = self.races.as_ref();
        let (numbers, number) = races.map_or((1, 0), |races| (races.monitors().count(), races.number(state)));
        self.writes.number(state) * numbers + number
    }

    /// The write and the access that are watched.
    pub(super) fn watched(&self, state: &[u64]) -> [Option<&Watched>; 2] {
        [self.writes.current(state), self.races.as_ref().and_then(|races| races.current(state))]
    }

    /// Has a stale step been taken?
    pub(super) fn has_strayed(&self, state: &[u64]) -> bool {
        self.strayed.get(state) == 1
    }

    /// The location that SC fences update.
    pub(super) fn fence(&self) -> Option<LocId> {
        self.writes.fence()
    }

    /// Might an access to `loc` be a stale step?
    pub(super) fn may_stray_at(&self, state: &[u64], loc: LocId) -> bool {
        self.writes.current(state).is_some_and(|watched| watched.loc == loc)
    }

    /// Would the watch of a plain access be given up if somebody wrote `loc`?
    pub(super) fn forbids_writes(&self, state: &[u64], loc: LocId) -> bool {
        self.races.as_ref().is_some_and(|races| races.forbids_writes(state, loc))
    }
}

impl Product {
    /// What `access` would do if it used the overwritten value that is watched at `loc` in the way
    /// `by`.
    pub(super) fn overwritten(
        &self,
        state: &[u64],
        access: &Access,
        loc: LocId,
        by: StaleKind,
    ) -> impl Iterator<Item = Label> + use<> {
        let Monitoring::Onward(onward) = &self.monitoring else { unreachable!("only there values are in the state") };
        let value = onward.value.get(state) as Value;
        let labels = self.labels_after(state, access, loc, value).unwrap_or_default();
        let fits = move |label: &Label| label.is_write() == (by == StaleKind::Write);
        labels.into_iter().flatten().filter(fits)
    }

    /// Adds the ordinary steps of thread `t`, at `pc`, that have this label, with all guesses.
    pub(super) fn expand_onward(
        &self,
        onward: &Onward,
        state: &[u64],
        (t, pc): (usize, u32),
        access: &Access,
        label: Label,
        out: &mut Expansion,
    ) {
        let loc = label.loc().expect("accesses have locations");
        let [write, race] = onward.watched(state);
        let mut take = |guess: bool, tell: &dyn Fn(&mut [u64])| {
            let site = site(t, pc);
            let trace = out.begin(state, RunStep { site, label: Some(label), choice: None });
            tell(out.state());
            self.update(out.state(), access, &label);
            let stopped = self.run_on(out, t, pc + 1);
            self.finish(out, site, stopped, false, !guess, trace);
        };
        let thread = ThreadId::from_index(t);
        if access.plain {
            // After a plain write no earlier access matters: its run goes on without a watch.
            if race.is_some_and(|race| race.loc == loc) && label.is_write() {
                return;
            }
            take(false, &|_| {});
            let Some(races) = onward.races.as_ref().filter(|_| race.is_none()) else { return };
            for (number, watched) in races.at(loc).filter(|(_, watched)| watched.kind.starts_with(&label, None)) {
                take(true, &|state| {
                    races.begin(state, number);
                    watched.monitor.plain(state, thread, loc, plain_kind(&label));
                });
            }
            return;
        }
        let kind = match label {
            Label::Read { .. } => AttemptKind::Read,
            Label::Write { .. } => AttemptKind::Write,
            _ => AttemptKind::Rmw,
        };
        let step = |current| MonitorStep { kind, loc, mode: label.mode(), current };
        take(false, &|state| {
            for watched in [write, race].into_iter().flatten() {
                watched.monitor.step(state, thread, &step(OTHER));
            }
        });
        if write.is_some() || onward.has_strayed(state) {
            return;
        }
        for (number, watched) in onward.writes.at(loc).filter(|(_, watched)| watched.kind.starts_with(&label, None)) {
            take(true, &|state| {
                let passed_on = race.is_some_and(|race| race.monitor.is_passed_on(state, loc));
                onward.passes_on.set(state, u64::from(passed_on));
                onward.value.set(state, self.memory[loc.index()].get(state));
                onward.writes.begin(state, number);
                watched.monitor.step(state, thread, &step(FOLLOWED));
                if let Some(race) = race {
                    race.monitor.step(state, thread, &step(OTHER));
                }
            });
        }
    }

    /// Adds the stale steps of thread `t`, at `pc`.
    pub(super) fn stray(
        &self,
        onward: &Onward,
        state: &[u64],
        (t, pc): (usize, u32),
        access: &Access,
        out: &mut Expansion,
    ) {
        let [Some(write), race] = onward.watched(state) else { return };
        let WatchKind::Overwritten(by) = write.kind else { return };
        if Self::locate(&access.target, state) != Ok(write.loc) {
            return;
        }
        let (site, thread) = (site(t, pc), ThreadId::from_index(t));
        for label in self.overwritten(state, access, write.loc, by) {
            let kind = match label {
                Label::Read { .. } => AttemptKind::Read,
                Label::Write { .. } => AttemptKind::Write,
                _ => AttemptKind::Rmw,
            };
            let attempt = Attempt { kind, loc: write.loc, mode: label.mode(), accepts: Accepts::Only(FOLLOWED) };
            if !write.monitor.violated(state, thread, &attempt) {
                continue;
            }
            let trace = out.begin(state, RunStep { site, label: Some(label), choice: None });
            let after = out.state();
            if let (Some(race), Some(read)) = (race, label.value_read()) {
                debug_assert_eq!(u64::from(read), onward.value.get(after));
                race.monitor.stale_read(after, thread, label.mode(), onward.passes_on.get(after) == 1);
            }
            // What it writes stands before the last write: memory is as it was.
            if let (Some(dst), Some(read)) = (access.dst, label.value_read()) {
                dst.set(after, u64::from(read));
            }
            onward.writes.end(after, &onward.columns);
            onward.value.set(after, 0);
            onward.passes_on.set(after, 0);
            onward.strayed.set(after, 1);
            let stopped = self.run_on(out, t, pc + 1);
            self.finish(out, site, stopped, false, false, trace);
        }
    }

    /// The data races in `state`: of runs that have strayed, and of SC runs, which are looked at
    /// where no write is watched.
    pub(super) fn races_onward(&self, onward: &Onward, state: &[u64], found: &mut Vec<Finding>) {
        let [write, race] = onward.watched(state);
        if write.is_some() {
            return;
        }
        match (onward.rule, race) {
            (RaceRule::BothEnabled, _) => found.extend(self.races_of_enabled(state)),
            (RaceRule::Monitored, Some(race)) => {
                if let WatchKind::After(first, how) = race.kind {
                    found.extend(self.races_with_watched(race, (first, how), state));
                }
            }
            (RaceRule::Monitored, None) => {}
        }
    }
}
