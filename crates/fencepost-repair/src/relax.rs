//! What a robust program can do without: the converse of a repair.
//!
//! Greedy. Take all single weakenings of fences and orders, each costing less than what is there.
//! The one that saves most is tried first, and kept if the program stays robust. Repeat until none
//! is left that does.
//!
//! The result is locally optimal, and the last round proves it: every further weakening was refuted
//! by a violation. It need not be the cheapest program possible.

use fencepost_check::InternalError;
use fencepost_model::Model;
use fencepost_verdict::{Kept, Need, Reason, Relaxed, Violation};

use crate::bench::{Answer, Bench, Edited, Selection};
use crate::copies::relax_any;
use crate::plan::{Purpose, Task, because, plan};
use crate::spots::Direction;
use crate::witness::Witness;

/// Weakens a robust program as far as it stays robust. Also says how many programs were checked.
///
/// # Errors
/// When two parts of fencepost disagree.
pub fn relax(task: &Task<'_>) -> Result<(Relaxed, u64), InternalError> {
    if let (Some(least), None) = (task.program.least_copies(), task.copies) {
        return relax_any(task, least);
    }
    let bench = Bench::new(&Task { purpose: Purpose::Robustness, ..*task }, Direction::Weaker);
    let mut search = Search { task, bench, witnesses: Vec::new() };
    let relaxed = search.run()?;
    Ok((relaxed, search.bench.checks))
}

struct Search<'a> {
    task: &'a Task<'a>,
    bench: Bench<'a>,
    /// Violations met so far. Not used for observational robustness, where it is not enough that a
    /// read can be stale.
    witnesses: Vec<Witness>,
}

/// A weakening and what it saves.
struct Move {
    saving: u32,
    spot: usize,
    choice: usize,
}

impl Search<'_> {
    fn run(&mut self) -> Result<Relaxed, InternalError> {
        let mut selection = self.bench.nothing();
        match self.try_out(&selection)? {
            Ok(()) => {}
            Err(Need::Because(because)) => return Ok(Relaxed::NotRobust(because)),
            Err(Need::Undecided(reason)) => return Ok(Relaxed::Unknown(reason)),
        }
        let mut kept = Vec::new();
        loop {
            let mut progress = false;
            kept.clear();
            for Move { spot, choice, .. } in self.moves(&selection) {
                // The round may have weakened it meanwhile.
                if !self.is_weaker(&selection, spot, choice) {
                    continue;
                }
                let weaker = selection.with(spot, Some(choice));
                match self.try_out(&weaker)? {
                    Ok(()) => {
                        selection = weaker;
                        progress = true;
                    }
                    // Strongest first: the reason that stays is the one for the least weakening.
                    Err(need) => {
                        let form = self.bench.form(spot, selection.choice(spot));
                        let place = Kept { span: self.bench.spots[spot].span, form, need };
                        kept.push((spot, self.bench.form(spot, Some(choice)).rank(), place));
                    }
                }
            }
            if !progress {
                break;
            }
        }
        kept.sort_by_key(|&(spot, rank, _)| (spot, std::cmp::Reverse(rank)));
        kept.dedup_by_key(|&mut (spot, _, _)| spot);
        let plan = plan(&self.bench, self.task.costs, &selection);
        Ok(Relaxed::Plan { plan, kept: kept.into_iter().map(|(_, _, place)| place).collect() })
    }

    fn is_weaker(&self, selection: &Selection, spot: usize, choice: usize) -> bool {
        let (now, form) = (self.bench.form(spot, selection.choice(spot)), self.bench.form(spot, Some(choice)));
        form.at_most(now) && form != now
    }

    /// Single weakenings, the one that saves most first; of those that save the same, the greater
    /// one, then the earlier.
    fn moves(&self, selection: &Selection) -> Vec<Move> {
        let mut moves = Vec::new();
        for (spot, place) in self.bench.spots.iter().enumerate() {
            let now = place.cost(self.bench.form(spot, selection.choice(spot)), self.task.costs);
            for (choice, offered) in place.choices.iter().enumerate() {
                let saving = now.saturating_sub(place.cost(offered.form, self.task.costs));
                if saving > 0 && self.is_weaker(selection, spot, choice) {
                    moves.push(Move { saving, spot, choice });
                }
            }
        }
        let rank = |m: &Move| self.bench.form(m.spot, Some(m.choice)).rank();
        moves.sort_by_key(|m| (std::cmp::Reverse(m.saving), rank(m), m.spot));
        moves
    }

    /// Is the program robust with this selection? If not, why.
    fn try_out(&mut self, selection: &Selection) -> Result<Result<(), Need>, InternalError> {
        let Some(edited) = self.bench.edit(selection) else { return Ok(Err(Need::Undecided(Reason::Time))) };
        let persists = |witness: &Witness| Some((witness.model, witness.transplant(&edited)?));
        if let Some((model, violation)) = self.witnesses.iter().find_map(persists) {
            return Ok(Err(self.because(&edited, model, violation)));
        }
        if self.bench.expired() {
            return Ok(Err(Need::Undecided(Reason::Time)));
        }
        Ok(match self.bench.check(selection)? {
            Answer::Robust => Ok(()),
            Answer::Unknown(reason) => Err(Need::Undecided(reason)),
            Answer::Violated(model, violation) => {
                if !self.task.options.observational {
                    self.witnesses.push(Witness::new(&edited, model, &violation));
                }
                Err(self.because(&edited, model, *violation))
            }
        })
    }

    fn because(&self, edited: &Edited, model: &'static dyn Model, violation: Violation) -> Need {
        Need::Because(Box::new(because(&self.bench, edited, model, violation)))
    }
}
