//! The cheapest selection of edits that satisfies what has been learnt: minimum-cost
//! satisfiability.
//!
//! A SAT solver gets a bound on the cost, which is lowered until nothing is left (linear search;
//! the sum is a binary adder, Eén and Sörensson, JSAT 2006). Of several cheapest selections the one
//! of least weight is taken, then the first in a fixed order. So the answer does not depend on how
//! the solver works.

use rustsat::clause;
use rustsat::encodings::pb::{BinaryAdder, BoundUpper, BoundUpperIncremental};
use rustsat::instances::{BasicVarManager, Cnf, ManageVars};
use rustsat::solvers::{Solve, SolveIncremental, SolverResult};
use rustsat::types::{Clause, Lit, TernaryVal};
use rustsat_batsat::BasicSolver;

/// A choice at a spot, as far as the solver cares.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) cost: u32,
    /// Decides between selections of equal cost. Positive, and greater the stronger the choice is.
    pub(crate) weight: u32,
    /// The choices at the spot that are as weak or weaker, itself included.
    pub(crate) at_most: Vec<usize>,
}

/// A spot and one of its choices.
pub(crate) type Pick = (usize, usize);

/// Conditions on selections.
pub(crate) struct Solver {
    sat: BasicSolver,
    /// For each spot and choice: it is taken.
    taken: Vec<Vec<Lit>>,
    /// For each spot and choice: it or a stronger one is taken.
    at_least: Vec<Vec<Lit>>,
    /// Cost and weight in one number.
    prices: Vec<Vec<usize>>,
    sum: Option<BinaryAdder>,
    vars: BasicVarManager,
}

impl Solver {
    /// Nothing is asked yet but that there is at most one choice at each spot.
    pub(crate) fn new(spots: &[Vec<Offer>]) -> Self {
        let mut vars = BasicVarManager::default();
        let mut cnf = Cnf::new();
        let mut literals = |offers: &Vec<Offer>| offers.iter().map(|_| vars.new_lit()).collect::<Vec<Lit>>();
        let taken: Vec<Vec<Lit>> = spots.iter().map(&mut literals).collect();
        let at_least: Vec<Vec<Lit>> = spots.iter().map(&mut literals).collect();
        let greatest = |offers: &Vec<Offer>| offers.iter().map(|offer| offer.weight as usize).max().unwrap_or(0);
        let scale = 1 + spots.iter().map(greatest).sum::<usize>();
        let price = |offer: &Offer| offer.cost as usize * scale + offer.weight as usize;
        let prices: Vec<Vec<usize>> = spots.iter().map(|offers| offers.iter().map(price).collect()).collect();
        for (spot, offers) in spots.iter().enumerate() {
            for (choice, offer) in offers.iter().enumerate() {
                for &weaker in &offer.at_most {
                    cnf.add_clause(clause![!taken[spot][choice], at_least[spot][weaker]]);
                }
                for other in 0..choice {
                    cnf.add_clause(clause![!taken[spot][choice], !taken[spot][other]]);
                }
            }
        }
        let priced = taken.iter().flatten().copied().zip(prices.iter().flatten().copied());
        let sum = (!taken.is_empty()).then(|| priced.collect::<BinaryAdder>());
        let mut sat = BasicSolver::default();
        sat.add_cnf(cnf).expect("the solver takes clauses");
        Solver { sat, taken, at_least, prices, sum, vars }
    }

    fn add(&mut self, literals: impl Iterator<Item = Lit>) {
        self.sat.add_clause(literals.collect::<Clause>()).expect("the solver takes clauses");
    }

    /// From now on, one of `wanted` is taken, or one of `unwanted` is not.
    pub(crate) fn require(&mut self, wanted: &[Pick], unwanted: &[Pick]) {
        let wanted = wanted.iter().map(|&(spot, choice)| self.taken[spot][choice]);
        let unwanted = unwanted.iter().map(|&(spot, choice)| !self.taken[spot][choice]);
        let literals: Vec<Lit> = wanted.chain(unwanted).collect();
        self.add(literals.into_iter());
    }

    /// From now on, not all of these are taken, nor stronger ones in their places.
    pub(crate) fn exclude(&mut self, selection: &[Pick]) {
        let literals: Vec<Lit> = selection.iter().map(|&(spot, choice)| !self.at_least[spot][choice]).collect();
        self.add(literals.into_iter());
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Option<Vec<Pick>> {
        match self.sat.solve_assumps(assumptions).expect("the solver solves") {
            SolverResult::Sat => {}
            SolverResult::Unsat => return None,
            SolverResult::Interrupted => unreachable!("nobody interrupts it"),
        }
        let mut picks = Vec::new();
        for (spot, choices) in self.taken.iter().enumerate() {
            for (choice, &literal) in choices.iter().enumerate() {
                if self.sat.lit_val(literal).expect("there is a solution") == TernaryVal::True {
                    picks.push((spot, choice));
                }
            }
        }
        Some(picks)
    }

    fn price(&self, picks: &[Pick]) -> usize {
        picks.iter().map(|&(spot, choice)| self.prices[spot][choice]).sum()
    }

    /// What to assume for selections that cost at most `price`.
    fn at_price(&mut self, price: usize) -> Vec<Lit> {
        let sum = self.sum.as_mut().expect("something has a price");
        let mut cnf = Cnf::new();
        sum.encode_ub_change(price..=price, &mut cnf, &mut self.vars).expect("a few clauses fit into memory");
        self.sat.add_cnf(cnf).expect("the solver takes clauses");
        sum.enforce_ub(price).expect("this bound is encoded")
    }

    /// The cheapest selection that meets all conditions.
    pub(crate) fn cheapest(&mut self) -> Option<Vec<Pick>> {
        let mut best = self.solve(&[])?;
        loop {
            let price = self.price(&best);
            if price == 0 {
                return Some(best);
            }
            let bound = self.at_price(price - 1);
            match self.solve(&bound) {
                Some(better) => best = better,
                None => break,
            }
        }
        // As few of the last choices as possible.
        let price = self.price(&best);
        let mut fixed = self.at_price(price);
        for spot in (0..self.taken.len()).rev() {
            for choice in (0..self.taken[spot].len()).rev() {
                let literal = self.taken[spot][choice];
                fixed.push(!literal);
                if best.contains(&(spot, choice)) {
                    match self.solve(&fixed) {
                        Some(other) => best = other,
                        None => *fixed.last_mut().expect("not empty") = literal,
                    }
                }
            }
        }
        Some(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(cost: u32, weight: u32, at_most: &[usize]) -> Offer {
        Offer { cost, weight, at_most: at_most.to_vec() }
    }

    #[test]
    fn the_cheapest_selection_is_found_and_the_next_ones() {
        let single = |cost| vec![offer(cost, 1, &[0])];
        let mut solver = Solver::new(&[single(3), single(4), single(5), single(0)]);
        assert_eq!(solver.cheapest(), Some(vec![]));
        solver.require(&[(0, 0), (2, 0)], &[]);
        solver.require(&[(1, 0), (2, 0)], &[]);
        assert_eq!(solver.cheapest(), Some(vec![(2, 0)]), "5 for both");
        solver.exclude(&[(2, 0)]);
        assert_eq!(solver.cheapest(), Some(vec![(0, 0), (1, 0)]));
        solver.require(&[(3, 0)], &[(0, 0)]);
        assert_eq!(solver.cheapest(), Some(vec![(0, 0), (1, 0), (3, 0)]));
        solver.exclude(&[(0, 0), (1, 0)]);
        assert_eq!(solver.cheapest(), None);
    }

    #[test]
    fn stronger_choices_are_excluded_with_weaker_ones() {
        let mut solver = Solver::new(&[vec![offer(1, 1, &[0]), offer(1, 2, &[0, 1])], vec![offer(7, 1, &[0])]]);
        solver.require(&[(0, 0), (0, 1), (1, 0)], &[]);
        assert_eq!(solver.cheapest(), Some(vec![(0, 0)]), "of equal cost, the weaker");
        solver.exclude(&[(0, 0)]);
        assert_eq!(solver.cheapest(), Some(vec![(1, 0)]));
    }

    #[test]
    fn without_candidates_there_is_one_selection() {
        let mut solver = Solver::new(&[]);
        assert_eq!(solver.cheapest(), Some(vec![]));
        solver.require(&[], &[]);
        assert_eq!(solver.cheapest(), None);
    }

    /// All selections tried out.
    #[test]
    fn agrees_with_exhaustive_search() {
        let mut state = 1u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for _ in 0..200 {
            let costs: Vec<u32> = (0..6).map(|_| random(9) as u32).collect();
            let spots: Vec<Vec<Offer>> = costs.iter().map(|&cost| vec![offer(cost, 1, &[0])]).collect();
            let mut solver = Solver::new(&spots);
            let mut clauses = Vec::new();
            for _ in 0..random(8) {
                let (wanted, unwanted) = (random(64), random(64) & random(64) & random(64));
                let picks = |mask: u64| (0..6).filter(|i| mask >> i & 1 == 1).map(|i| (i, 0)).collect::<Vec<Pick>>();
                solver.require(&picks(wanted), &picks(unwanted));
                clauses.push((wanted, unwanted));
            }
            let allowed = |mask: &u64| clauses.iter().all(|(wanted, unwanted)| mask & wanted | !mask & unwanted != 0);
            let price = |mask: &u64| -> (u32, u32) {
                let cost = (0..6).filter(|i| mask >> i & 1 == 1).map(|i| costs[i]).sum();
                (cost, mask.count_ones())
            };
            let expected = (0..64).filter(allowed).map(|mask| price(&mask)).min();
            let found = solver.cheapest().map(|picks| price(&picks.iter().map(|&(spot, _)| 1 << spot).sum()));
            assert_eq!(found, expected);
        }
    }
}
