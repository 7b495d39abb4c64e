//! A layer whose successors are looked up at once.
//!
//! Threads take pieces of the layer. What a state leads to is inserted right away, so it is known at
//! once whether the steps of a persistent set are enough.

use std::sync::atomic::{AtomicUsize, Ordering};

use fencepost_verdict::Reason;

use super::{MOST_STEPS, Met, Piece, Search, WORK_BETWEEN_CHECKS};
use crate::store::Inserted;
use crate::system::{System, ThreadSet};
use crate::visited::{Chunk, Memory};

impl<S: System> Search<'_, S> {
    /// Expands the last finished layer.
    pub(super) fn expand_in(&self, memory: &Memory) -> Met {
        let chunks = memory.chunks(self.visited.depth() - 1);
        let states = chunks.iter().map(|(_, ids)| ids.len()).sum();
        let next = AtomicUsize::new(0);
        self.together(states, || self.work(memory, &chunks, &next, states))
    }

    /// Expands pieces of the layer as long as there are any.
    fn work(&self, memory: &Memory, chunks: &[Chunk], next: &AtomicUsize, frontier: usize) -> Met {
        let mut met = Met::default();
        let mut states = Vec::new();
        let mut piece = Piece::new(self.system.words());
        let mut work = WORK_BETWEEN_CHECKS;
        while let Some((shard, ids)) = chunks.get(next.fetch_add(1, Ordering::Relaxed)) {
            states.clear();
            memory.copy(*shard, ids.clone(), &mut states);
            if let Err(reason) = self.expand(memory, &states, ids.len(), &mut piece, &mut met) {
                self.give_up(reason, &mut met);
            }
            work += states.len() + 8 * ids.len();
            if work >= WORK_BETWEEN_CHECKS {
                work = 0;
                self.look_up(frontier as u64, &mut met);
            }
            if self.stopped.load(Ordering::Relaxed) {
                return met;
            }
        }
        met
    }

    /// Takes enough steps out of each of `count` states.
    fn expand(
        &self,
        memory: &Memory,
        states: &[u64],
        count: usize,
        piece: &mut Piece,
        met: &mut Met,
    ) -> Result<(), Reason> {
        let words = self.system.words();
        let state = |i: usize| &states[i * words..(i + 1) * words];
        piece.sets.resize_with(count, Vec::new);
        for i in 0..count {
            piece.sets[i].clear();
            self.system.persistent(state(i), &mut piece.sets[i]);
            // Best last, where it is taken from.
            piece.sets[i].reverse();
        }
        piece.done.clear();
        piece.done.resize(count, 0);
        piece.active.clear();
        piece.active.extend(0..count);
        while !piece.active.is_empty() {
            piece.out.clear();
            piece.source.clear();
            for active in 0..piece.active.len() {
                let i = piece.active[active];
                // All that has not been taken, if no set is left.
                let set = piece.sets[i].pop();
                let wanted = set.unwrap_or(ThreadSet::MAX) & !piece.done[i];
                piece.done[i] = if set.is_some() { piece.done[i] | wanted } else { ThreadSet::MAX };
                self.step(state(i), wanted, set.is_none(), &mut piece.out)?;
                piece.source.resize(piece.out.len(), i);
                if piece.out.targets().len() > MOST_STEPS {
                    self.take(memory, states, piece, met)?;
                    piece.out.clear();
                    piece.source.clear();
                }
            }
            self.take(memory, states, piece, met)?;
            let done = &piece.done;
            piece.active.retain(|&i| done[i] != ThreadSet::MAX);
        }
        Ok(())
    }

    /// Takes the steps of a piece; states with one that leads to a state yet to be expanded are
    /// done.
    fn take(&self, memory: &Memory, states: &[u64], piece: &mut Piece, met: &mut Met) -> Result<(), Reason> {
        self.note(states, piece, met)?;
        memory.insert_all(&piece.out, &mut piece.batch)?;
        for (step, &inserted) in piece.batch.inserted().iter().enumerate() {
            self.pay(self.system.words(), &mut piece.out)?;
            if inserted != Inserted::Old && piece.out.step(step).pure {
                piece.done[piece.source[step]] = ThreadSet::MAX;
            }
            if inserted == Inserted::New {
                self.look_at(piece.out.target(step), met);
            }
        }
        Ok(())
    }
}
