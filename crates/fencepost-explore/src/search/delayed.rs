//! A layer whose successors are looked up all at once, when they are known: on a disk.
//!
//! The partial-order reduction insists on a step to a state that no finished layer has. A disk
//! cannot say that at once, so it is asked in rounds. In the first round, the steps of the best
//! persistent set of every state are taken. Then all that was found is looked up. The states none of
//! whose steps led to anything new take the steps of their next set in the next round, and so on.
//! That is what the search in memory does for one state after the other. There, too, what counts is
//! whether a state is in a *finished* layer, so the order makes no difference: the same steps are
//! taken.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_runs::{Run, Sorted, Sorter};
use fencepost_verdict::Reason;

use super::{MOST_STEPS, Met, Piece, Search, WORK_BETWEEN_CHECKS};
use crate::disk::{DiskStore, Reader, failed};
use crate::system::{System, ThreadSet};
use crate::visited::CHUNK;

/// The states of a layer from which enough steps have been taken, a bit for each.
struct Done(Vec<AtomicU64>);

impl Done {
    fn none_of(states: u64) -> Self {
        Done((0..states.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn bytes(&self) -> u64 {
        8 * self.0.len() as u64
    }

    fn contains(&self, state: u64) -> bool {
        self.0[(state / 64) as usize].load(Ordering::Relaxed) >> (state % 64) & 1 == 1
    }

    fn insert(&self, state: u64) {
        self.0[(state / 64) as usize].fetch_or(1 << (state % 64), Ordering::Relaxed);
    }

    fn len(&self) -> u64 {
        self.0.iter().map(|bits| u64::from(bits.load(Ordering::Relaxed).count_ones())).sum()
    }
}

impl<S: System> Search<'_, S> {
    /// Expands the last finished layer: what was met, and the next layer.
    pub(super) fn expand_on(&self, disk: &DiskStore<'_>) -> Result<(Met, Run), Reason> {
        let layer = self.visited.depth() - 1;
        let states = disk.layers()[layer].len();
        let done = Done::none_of(states);
        let meter = &self.wanted.meter;
        meter.take(done.bytes())?;
        let in_time = super::in_time(self.budget);
        let (mut met, mut fresh) = (Met::default(), Vec::new());
        for round in 0.. {
            let (mut now, collected) = self.collect_round(disk, layer, round, &done)?;
            // Of two failures that are alike, the first one counts.
            now.merge(met);
            met = now;
            fresh.push(disk.fresh(collected, |state| done.insert(state - 1), &in_time)?);
            if done.len() == states {
                break;
            }
        }
        meter.give_back(done.bytes());
        let next = disk.join(fresh, &in_time)?;
        let reader = disk.reader(&next)?;
        met.merge(self.together(next.len() as usize, || self.look_at_all(&reader, states)));
        met.gave_up.take().map_or(Ok((met, next)), Err)
    }

    /// Takes some more steps out of all states that need more.
    fn collect_round(
        &self,
        disk: &DiskStore<'_>,
        layer: usize,
        round: usize,
        done: &Done,
    ) -> Result<(Met, Sorted), Reason> {
        let run = &disk.layers()[layer];
        let reader = disk.reader(run)?;
        let collected: Mutex<Vec<Sorted>> = Mutex::default();
        let mut met = self.together(run.len() as usize, || {
            let mut met = Met::default();
            let mut sorter = disk.sorter(self.jobs);
            if let Err(reason) = self.collect_from(&reader, round, done, disk, &mut sorter, &mut met) {
                self.give_up(reason, &mut met);
            }
            collected.lock().unwrap_or_else(PoisonError::into_inner).push(sorter.finish());
            met
        });
        let collected = Sorted::join(collected.into_inner().unwrap_or_else(PoisonError::into_inner));
        met.gave_up.take().map_or(Ok((met, collected)), Err)
    }

    fn collect_from(
        &self,
        reader: &Reader<'_>,
        round: usize,
        done: &Done,
        disk: &DiskStore<'_>,
        sorter: &mut Sorter,
        met: &mut Met,
    ) -> Result<(), Reason> {
        let words = self.system.words();
        let (mut states, mut sets) = (Vec::new(), Vec::new());
        let mut piece = Piece::new(words);
        let mut work = WORK_BETWEEN_CHECKS;
        loop {
            let first = reader.next(CHUNK, &mut states)?;
            if states.is_empty() {
                return Ok(());
            }
            for (i, state) in states.chunks_exact(words).enumerate() {
                let number = first + i as u64;
                if done.contains(number) {
                    continue;
                }
                sets.clear();
                self.system.persistent(state, &mut sets);
                let taken = sets.iter().take(round).fold(0, |taken, set| taken | set);
                let set = sets.get(round).copied();
                if set.is_none() {
                    done.insert(number);
                }
                self.step(state, set.unwrap_or(ThreadSet::MAX) & !taken, set.is_none(), &mut piece.out)?;
                piece.source.resize(piece.out.len(), i);
                if piece.out.targets().len() > MOST_STEPS {
                    self.collect_steps(first, &states, &mut piece, done, disk, sorter, met)?;
                }
            }
            self.collect_steps(first, &states, &mut piece, done, disk, sorter, met)?;
            work += states.len() + 8 * CHUNK;
            if work >= WORK_BETWEEN_CHECKS {
                work = 0;
                self.look_up(disk.layers()[self.visited.depth() - 1].len(), met);
            }
            if self.stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }

    /// Takes the steps of a piece. With where they lead goes the state they are out of, counted from
    /// 1, if it matters to it whether that is new; and 0 otherwise.
    #[expect(clippy::too_many_arguments)]
    fn collect_steps(
        &self,
        first: u64,
        states: &[u64],
        piece: &mut Piece,
        done: &Done,
        disk: &DiskStore<'_>,
        sorter: &mut Sorter,
        met: &mut Met,
    ) -> Result<(), Reason> {
        self.note(states, piece, met)?;
        for (step, &source) in piece.source.iter().enumerate() {
            let number = first + source as u64;
            let matters = piece.out.step(step).pure && !done.contains(number);
            let about = if matters { number + 1 } else { 0 };
            sorter.push(piece.out.target(step), &[about], disk.folder()).map_err(failed)?;
        }
        piece.out.clear();
        piece.source.clear();
        Ok(())
    }

    /// Looks at all states of the layer that is being built; those of the last one are `frontier`.
    fn look_at_all(&self, reader: &Reader<'_>, frontier: u64) -> Met {
        let words = self.system.words();
        let mut met = Met::default();
        let mut states = Vec::new();
        let mut work = 0;
        loop {
            match reader.next(CHUNK, &mut states) {
                Ok(_) if states.is_empty() => return met,
                Ok(_) => states.chunks_exact(words).for_each(|state| self.look_at(state, &mut met)),
                Err(reason) => self.give_up(reason, &mut met),
            }
            work += states.len() + 8 * CHUNK;
            if work >= WORK_BETWEEN_CHECKS {
                work = 0;
                self.look_up(frontier, &mut met);
            }
            if self.stopped.load(Ordering::Relaxed) {
                return met;
            }
        }
    }
}
