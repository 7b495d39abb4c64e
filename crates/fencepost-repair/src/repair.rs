//! The cheapest repair: counterexample-guided, by implicit hitting sets.
//!
//! Method: as for minimum hitting sets of implicitly given families (Moreno-Centeno and Karp,
//! Operations Research 2013).
//!
//! 1. Propose a cheapest selection of edits that all conditions learnt so far allow.
//! 2. Check the edited program. If it is robust, it is the answer: it was checked, and nothing
//!    cheaper can be a repair.
//! 3. If not, learn a condition from the violation, one that every repair meets and this selection
//!    does not. Repeat.
//!
//! **What is learnt.** A selection is *grown* as long as the violation persists (carried over and
//! replayed on the axioms, [`crate::witness`]). Say it persists under E. Weaker orders, fewer
//! fences and stores instead of exchanges permit the same execution graph, without what those
//! events did: models only lose constraints. So it persists under every selection that is nowhere
//! stronger than E, and a repair must be stronger somewhere.
//!
//! There is one exception. In some models `fence(sc)` is an update of a hidden location, and a
//! cycle can pass through it. Such a violation is gone when the fence is. Therefore the fences on
//! the cycle that are edits are remembered: a repair is stronger than E somewhere, *or lacks one of
//! them*. Fences that growing adds may not be on the cycle.
//!
//! **Several models.** A repair is then one for each of them. A violation is one of one model. What
//! is learnt from it holds for that model's repairs, hence for those that are wanted.
//!
//! **No harm** ([`Purpose::NoHarm`]). Wanted is that nothing goes wrong in executions with one
//! stale step. Such an execution, with what goes wrong in it, is one of every selection that is
//! nowhere stronger, with no more stale steps: weaker orders permit the graph, and orders make no
//! difference to SC runs, so what is no failure of theirs stays none. It need not contain a cycle,
//! so there is no exception for fences. A violation cannot be carried over, because it may stay
//! where no harm comes of it. So what grows is a selection with which any harm is done, checked
//! again at each step.
//!
//! The checker's answers are not assumed to be monotone in the edits. Complete for the candidates
//! of [`crate::spots`]: if there is no answer, no selection of them is a repair.

use std::collections::HashSet;

use fencepost_check::InternalError;
use fencepost_model::Model;
use fencepost_verdict::{Because, Form, Need, Plan, Reason, Repaired, Rest, Violation};

use crate::bench::{Answer, Bench, Edited, Selection, answer};
use crate::copies::repair_any;
use crate::plan::{Purpose, Task, because, plan};
use crate::solver::{Offer, Pick, Solver};
use crate::spots::Direction;
use crate::text::Source;
use crate::witness::Witness;

/// Weights of choices: their strength counts more than the loops around them.
const LOOPS: u32 = 8;

/// Repairs a program: at most `limit` different ways, at least one. Also says how many programs
/// were checked.
///
/// # Errors
/// When two parts of fencepost disagree.
pub fn repair(task: &Task<'_>, limit: usize) -> Result<(Repaired, u64), InternalError> {
    let Task { program, purpose, models, options, budget, .. } = *task;
    if let (Some(least), None) = (program.least_copies(), task.copies) {
        return match purpose {
            Purpose::Robustness => repair_any(task, least, limit),
            Purpose::NoHarm => {
                let why = "whether harm is done by any number of copies is not decided";
                Ok((Repaired::Unknown(Reason::Unsupported(why.into())), 0))
            }
        };
    }
    // Most programs need no repair: there it does not matter where they could be changed.
    let violation = match answer(program, purpose, models, options, budget)? {
        Answer::Robust => return Ok((Repaired::Nothing, 1)),
        Answer::Unknown(reason) => return Ok((Repaired::Unknown(reason), 1)),
        violation => violation,
    };
    let mut bench = Bench::new(task, Direction::Stronger);
    bench.already_checked(violation);
    let mut search = Search::new(bench, task);
    let repaired = search.run(limit.max(1))?;
    Ok((repaired, search.bench.checks))
}

pub(crate) struct Search<'a> {
    task: &'a Task<'a>,
    bench: Bench<'a>,
    solver: Solver,
    witnesses: Vec<Witness>,
    /// Conditions that the solver has already.
    known: HashSet<(Vec<Pick>, Vec<Pick>)>,
    /// A violation that was met last.
    last: Option<Box<Because>>,
}

/// The next repair.
enum Next {
    Found(Selection),
    None,
    Unknown(Reason),
}

impl<'a> Search<'a> {
    pub(crate) fn new(bench: Bench<'a>, task: &'a Task<'a>) -> Self {
        let offers: Vec<Vec<Offer>> = bench
            .spots
            .iter()
            .map(|spot| {
                let offer = |form: Form| Offer {
                    cost: spot.cost(form, task.costs).saturating_sub(spot.cost(spot.before, task.costs)),
                    weight: form.rank() * LOOPS + spot.loops.min(LOOPS - 1),
                    at_most: (0..spot.choices.len()).filter(|&i| spot.choices[i].form.at_most(form)).collect(),
                };
                spot.choices.iter().map(|choice| offer(choice.form)).collect()
            })
            .collect();
        let solver = Solver::new(&offers);
        Search { task, bench, solver, witnesses: Vec::new(), known: HashSet::new(), last: None }
    }

    pub(crate) fn run(&mut self, limit: usize) -> Result<Repaired, InternalError> {
        let mut plans: Vec<Plan> = Vec::new();
        let mut rest = if limit > 1 { Rest::Cut } else { Rest::NotAsked };
        while plans.len() < limit {
            match self.next()? {
                Next::Found(selection) if selection.taken().next().is_none() => return Ok(Repaired::Nothing),
                Next::Found(selection) if plans.is_empty() => {
                    let (plan, selection) = self.proven(selection)?;
                    let picks: Vec<Pick> = selection.taken().collect();
                    self.solver.exclude(&picks);
                    plans.push(plan);
                }
                Next::Found(selection) => plans.push(self.plan(&selection)),
                Next::None => {
                    rest = Rest::Nothing;
                    break;
                }
                Next::Unknown(reason) if plans.is_empty() => return Ok(Repaired::Unknown(reason)),
                Next::Unknown(reason) => {
                    rest = Rest::Undecided(reason);
                    break;
                }
            }
        }
        match (plans.is_empty(), self.last.take()) {
            (true, Some(because)) => Ok(Repaired::Impossible(because)),
            _ => Ok(Repaired::Plans { plans, rest }),
        }
    }

    fn plan(&self, selection: &Selection) -> Plan {
        plan(&self.bench, self.task.costs, selection)
    }

    /// The cheapest repair that does not contain one found before.
    fn next(&mut self) -> Result<Next, InternalError> {
        loop {
            let Some(picks) = self.solver.cheapest() else { return Ok(Next::None) };
            if self.bench.expired() {
                return Ok(Next::Unknown(Reason::Time));
            }
            let selection = picks
                .iter()
                .fold(self.bench.nothing(), |selection, &(spot, choice)| selection.with(spot, Some(choice)));
            match self.bench.check(&selection)? {
                Answer::Robust => {
                    self.solver.exclude(&picks);
                    return Ok(Next::Found(selection));
                }
                Answer::Unknown(reason) => return Ok(Next::Unknown(reason)),
                Answer::Violated(model, violation) if self.bench.purpose == Purpose::NoHarm => {
                    self.learn_harm(&selection, model, *violation)?;
                }
                Answer::Violated(model, violation) => self.learn(&selection, model, *violation),
            }
        }
    }

    /// Learns from a violation of the program with this selection of edits.
    fn learn(&mut self, selection: &Selection, model: &'static dyn Model, violation: Violation) {
        let Some(edited) = self.bench.edit(selection) else { return };
        let witness = Witness::new(&edited, model, &violation);
        self.last = Some(Box::new(because(&self.bench, &edited, model, violation)));
        let all: Vec<usize> = (0..self.bench.spots.len()).collect();
        let backwards: Vec<usize> = all.iter().rev().copied().collect();
        if let Some(needed) = self.persists(&witness, selection, selection) {
            // Once from what was proposed, which this must rule out; then from as little as
            // possible, the other way round: what is learnt from one violation costs no check.
            let (grown, on_cycle) = self.grow(&witness, selection, needed.clone(), selection, &all);
            self.require(&grown, &on_cycle);
            let least =
                needed.iter().fold(self.bench.nothing(), |least, &spot| least.with(spot, selection.choice(spot)));
            for order in [&backwards, &all] {
                if let Some(needed) = self.persists(&witness, &least, selection) {
                    let (grown, on_cycle) = self.grow(&witness, &least, needed, selection, order);
                    self.require(&grown, &on_cycle);
                }
            }
        } else {
            // It cannot be carried over, not even to where it comes from: all that is known is that
            // this is no repair.
            let taken: Vec<Pick> = selection.taken().collect();
            let others: Vec<Pick> = self.picks().filter(|pick| !taken.contains(pick)).collect();
            self.solver.require(&others, &taken);
        }
        self.witnesses.push(witness);
    }

    /// Learns that harm is done with this selection of edits: what grows is all of the harm, and
    /// each step is a check.
    fn learn_harm(
        &mut self,
        selection: &Selection,
        model: &'static dyn Model,
        violation: Violation,
    ) -> Result<(), InternalError> {
        if let Some(edited) = self.bench.edit(selection) {
            self.last = Some(Box::new(because(&self.bench, &edited, model, violation)));
        }
        let spots = 0..self.bench.spots.len();
        let strongest: Vec<Pick> = spots.map(|spot| (spot, self.bench.spots[spot].choices.len() - 1)).collect();
        let mut grown = selection.clone();
        self.grow_harm(&mut grown, &strongest)?;
        self.require(&grown, &[]);
        Ok(())
    }

    /// Adds all of `picks` at once if there is harm all the same, else each half by itself.
    fn grow_harm(&mut self, grown: &mut Selection, picks: &[Pick]) -> Result<(), InternalError> {
        if picks.is_empty() || self.bench.expired() {
            return Ok(());
        }
        let stronger =
            picks.iter().fold(grown.clone(), |selection, &(spot, choice)| selection.with(spot, Some(choice)));
        if matches!(self.bench.check(&stronger)?, Answer::Violated(..)) {
            *grown = stronger;
        } else if picks.len() > 1 {
            let (first, second) = picks.split_at(picks.len() / 2);
            self.grow_harm(grown, first)?;
            self.grow_harm(grown, second)?;
        }
        Ok(())
    }

    fn picks(&self) -> impl Iterator<Item = Pick> + '_ {
        let spots = self.bench.spots.iter().enumerate();
        spots.flat_map(|(spot, place)| (0..place.choices.len()).map(move |choice| (spot, choice)))
    }

    /// A repair is somewhere stronger than `grown`, or lacks one of these fences.
    fn require(&mut self, grown: &Selection, fences: &[usize]) {
        let stronger = |&(spot, choice): &Pick| {
            let form = self.bench.form(spot, Some(choice));
            match grown.choice(spot) {
                Some(most) => !form.at_most(self.bench.form(spot, Some(most))),
                None => true,
            }
        };
        let wanted: Vec<Pick> = self.picks().filter(stronger).collect();
        let unwanted: Vec<Pick> = fences.iter().filter_map(|&spot| Some((spot, grown.choice(spot)?))).collect();
        if self.known.insert((wanted.clone(), unwanted.clone())) {
            self.solver.require(&wanted, &unwanted);
        }
    }

    /// Does the violation persist under `selection`, with a cycle on which no fences are edits but
    /// those of `allowed`? Then which are.
    fn persists(&self, witness: &Witness, selection: &Selection, allowed: &Selection) -> Option<Vec<usize>> {
        let edited = self.bench.edit(selection)?;
        let violation = witness.transplant(&edited)?;
        let fences = self.fences_on_cycle(&edited, &violation, selection);
        fences.iter().all(|&spot| selection.choice(spot) == allowed.choice(spot)).then_some(fences)
    }

    /// The spots of edited fences that are on the cycle of a violation.
    fn fences_on_cycle(&self, edited: &Edited, violation: &Violation, selection: &Selection) -> Vec<usize> {
        let events = violation.cycle.iter().flat_map(|cycle| &cycle.steps).map(|&(id, _)| violation.graph.event(id));
        let sites = events.filter_map(|event| Some(fencepost_verdict::Site { thread: event.thread?, pc: event.pc? }));
        let spot_of = |source: Source| match source {
            Source::New(spot) => Some(spot),
            Source::Old(span) => {
                selection.taken().map(|(spot, _)| spot).find(|&spot| self.bench.spots[spot].span == span)
            }
        };
        let fences = sites.filter(|&site| edited.is_fence(site));
        let mut spots: Vec<usize> = fences.filter_map(|site| spot_of(edited.key(site).source)).collect();
        spots.sort_unstable();
        spots.dedup();
        spots
    }

    /// A selection as strong as possible under which the violation persists, and the fences it then
    /// needs.
    fn grow(
        &self,
        witness: &Witness,
        from: &Selection,
        needed: Vec<usize>,
        allowed: &Selection,
        order: &[usize],
    ) -> (Selection, Vec<usize>) {
        let mut grown = (from.clone(), needed);
        let strongest: Vec<Pick> = order
            .iter()
            .filter(|spot| !grown.1.contains(spot))
            .map(|&spot| (spot, self.bench.spots[spot].choices.len() - 1))
            .collect();
        let mut left = Vec::new();
        // Where the run does not come is mostly of no consequence: those go first, together.
        let (met, unmet): (Vec<Pick>, Vec<Pick>) = match self.met(witness, from, &strongest) {
            Some(met) => strongest.into_iter().partition(|&(spot, _)| {
                met.contains(&Source::New(spot)) || met.contains(&Source::Old(self.bench.spots[spot].span))
            }),
            None => (strongest, Vec::new()),
        };
        self.grow_by(witness, &mut grown, allowed, &unmet, &mut left);
        self.grow_by(witness, &mut grown, allowed, &met, &mut left);
        // Where the strongest is too strong, something less may not be.
        for spot in left.into_iter().take_while(|_| !self.bench.expired()) {
            for choice in (0..self.bench.spots[spot].choices.len() - 1).rev() {
                let now = self.bench.form(spot, grown.0.choice(spot));
                let form = self.bench.form(spot, Some(choice));
                if !now.at_most(form) || now == form {
                    continue;
                }
                let stronger = grown.0.with(spot, Some(choice));
                if let Some(needed) = self.persists(witness, &stronger, allowed) {
                    grown = (stronger, needed);
                    break;
                }
            }
        }
        grown
    }

    /// What the run of a violation passes when all of `picks` are added.
    fn met(&self, witness: &Witness, from: &Selection, picks: &[Pick]) -> Option<HashSet<Source>> {
        let all = picks.iter().fold(from.clone(), |selection, &(spot, choice)| selection.with(spot, Some(choice)));
        let edited = self.bench.edit(&all)?;
        let sites = witness.passes(&edited)?;
        Some(sites.into_iter().map(|site| edited.key(site).source).collect())
    }

    /// Adds all of `picks` at once if the violation persists, else each half by itself; notes spots
    /// of which nothing came.
    fn grow_by(
        &self,
        witness: &Witness,
        grown: &mut (Selection, Vec<usize>),
        allowed: &Selection,
        picks: &[Pick],
        left: &mut Vec<usize>,
    ) {
        // What has grown less is learnt from, too.
        if picks.is_empty() || self.bench.expired() {
            return;
        }
        let stronger =
            picks.iter().fold(grown.0.clone(), |selection, &(spot, choice)| selection.with(spot, Some(choice)));
        if let Some(needed) = self.persists(witness, &stronger, allowed) {
            *grown = (stronger, needed);
        } else if let [(spot, _)] = picks {
            left.push(*spot);
        } else {
            let (first, second) = picks.split_at(picks.len() / 2);
            self.grow_by(witness, grown, allowed, first, left);
            self.grow_by(witness, grown, allowed, second, left);
        }
    }

    /// The plan for a repair, with the reason for each of its edits: the violation that is there
    /// without it. What turns out not to be needed is left out, and what could be weaker is made
    /// so.
    fn proven(&mut self, mut selection: Selection) -> Result<(Plan, Selection), InternalError> {
        'again: loop {
            let mut needs = Vec::new();
            for (spot, choice) in selection.clone().taken() {
                let form = self.bench.form(spot, Some(choice));
                let weaker = |&other: &usize| self.bench.form(spot, Some(other)).at_most(form) && other != choice;
                let weaker: Vec<usize> = (0..self.bench.spots[spot].choices.len()).filter(weaker).collect();
                for less in weaker.into_iter().map(Some).chain([None]) {
                    let without = selection.with(spot, less);
                    match self.refute(&without)? {
                        Ok(because) => {
                            if less.is_none() {
                                needs.push(Need::Because(because));
                            }
                        }
                        Err(Some(reason)) => {
                            if less.is_none() {
                                needs.push(Need::Undecided(reason));
                            }
                        }
                        Err(None) => {
                            selection = without;
                            continue 'again;
                        }
                    }
                }
            }
            let mut plan = self.plan(&selection);
            for (edit, need) in plan.edits.iter_mut().zip(needs) {
                edit.need = Some(need);
            }
            return Ok((plan, selection));
        }
    }

    /// Why a selection is no repair: first from what is known. Otherwise the reason it is not
    /// known, or none if it is one.
    fn refute(&mut self, selection: &Selection) -> Result<Result<Box<Because>, Option<Reason>>, InternalError> {
        if self.bench.expired() {
            return Ok(Err(Some(Reason::Time)));
        }
        let Some(edited) = self.bench.edit(selection) else { return Ok(Err(Some(Reason::Time))) };
        let persists = |witness: &Witness| Some((witness.model, witness.transplant(&edited)?));
        if let Some((model, violation)) = self.witnesses.iter().find_map(persists) {
            return Ok(Ok(Box::new(because(&self.bench, &edited, model, violation))));
        }
        Ok(match self.bench.check(selection)? {
            Answer::Robust => Err(None),
            Answer::Unknown(reason) => Err(Some(reason)),
            Answer::Violated(model, violation) => Ok(Box::new(because(&self.bench, &edited, model, *violation))),
        })
    }
}
