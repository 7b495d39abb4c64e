//! What any `k` copies of each kind can be seen to do beside any number of others.
//!
//! Papers: Flanagan and Qadeer, "Thread-modular model checking", SPIN 2003; Hoenicke, Majumdar and
//! Podelski, "Thread modularity at many levels", POPL 2017.
//!
//! A *view* is a control and `k` copies of each kind, with their local states. The set of views is the
//! least one with these properties:
//!
//! - The start is a view.
//! - What a step of a single thread, or of one of its copies, makes of a view is a view.
//! - So is what the step of one more copy makes of it, of which only the control is seen. One more
//!   copy may be there if with it in the place of any other one there is a view, too.
//!
//! Modelled: every run of every number of copies. If it reaches a control with certain copies, each `k`
//! of them are a view. Sound: what is in no view never happens. Complete in the limit: the
//! configurations from which something wrong can be reached are upward closed and have finitely many
//! minimal ones; with as many copies at a time as the largest of these has, none of them is seen if
//! nothing wrong can be reached.

use std::collections::VecDeque;

use fencepost_verdict::{Budget, Reason};
use foldhash::{HashMap, HashMapExt, HashSet};

use crate::numbered::{Numbered, Step, Who};
use crate::{Failures, Wanted};

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Something that is wanted; perhaps it never happens.
    pub wrong: bool,
    /// A bound of the program.
    pub is_bound: bool,
}

/// For every kind, the sorted local states of its copies, one kind after the other.
type Copies = Box<[u32]>;

/// Views with the same control.
#[derive(Default)]
struct Place {
    seen: HashSet<Copies>,
    /// Those whose steps were taken.
    done: HashSet<Copies>,
    /// For every kind, the local states in those whose steps were taken.
    locals: Vec<Vec<u32>>,
}

struct Search<'a> {
    numbered: &'a mut Numbered,
    at_a_time: usize,
    places: HashMap<u32, Place>,
    queue: VecDeque<(u32, Copies)>,
    budget: &'a Budget<'a>,
    wanted: Wanted,
    seen: Seen,
}

/// Looks at `at_a_time` copies of each kind at a time. Ends early if something wrong is seen.
pub(crate) fn see(
    numbered: &mut Numbered,
    at_a_time: u32,
    wanted: Wanted,
    budget: &Budget<'_>,
) -> Result<Seen, Reason> {
    let (search, _) = views(numbered, at_a_time, wanted, budget)?;
    Ok(search)
}

/// For every control, the local states of copies that can be seen there, each for itself: what
/// includes everything that can come about.
pub(crate) fn locals(numbered: &mut Numbered, budget: &Budget<'_>) -> Result<HashMap<u32, Vec<Vec<u32>>>, Reason> {
    let nothing = Wanted { violations: false, failures: Failures::Nothing };
    let (_, places) = views(numbered, 1, nothing, budget)?;
    Ok(places.into_iter().map(|(control, place)| (control, place.locals)).collect())
}

fn views(
    numbered: &mut Numbered,
    at_a_time: u32,
    wanted: Wanted,
    budget: &Budget<'_>,
) -> Result<(Seen, HashMap<u32, Place>), Reason> {
    let start = numbered.start()?;
    let seen = Seen { wrong: wanted.is_failure(start.fails), is_bound: start.is_bound };
    let copies = start.locals.iter().flat_map(|&local| std::iter::repeat_n(local, at_a_time as usize)).collect();
    let (places, queue) = (HashMap::new(), VecDeque::new());
    let mut search = Search { numbered, at_a_time: at_a_time as usize, places, queue, budget, wanted, seen };
    search.add(start.control, copies)?;
    while !search.seen.wrong
        && let Some((control, copies)) = search.queue.pop_front()
    {
        search.visit(control, &copies)?;
    }
    Ok((search.seen, search.places))
}

impl Search<'_> {
    /// Adds a view.
    fn add(&mut self, control: u32, copies: Copies) -> Result<(), Reason> {
        let kinds = self.numbered.kinds() as usize;
        let place = self.places.entry(control).or_default();
        place.locals.resize(kinds, Vec::new());
        if place.seen.contains(&copies) {
            return Ok(());
        }
        let bytes = copies.len() as u64 * 12;
        place.seen.insert(copies.clone());
        self.queue.push_back((control, copies));
        self.numbered.added(bytes, 0, self.queue.len() as u64, self.budget)
    }

    fn visit(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        if self.wanted.violations && self.is_wrong(control, copies) {
            self.seen.wrong = true;
            return Ok(());
        }
        for single in 0..self.numbered.singles() {
            self.follow(control, Who::Single(single), copies, None)?;
        }
        for at in 0..copies.len() {
            // Of equal ones, one is enough.
            if at % self.at_a_time == 0 || copies[at - 1] != copies[at] {
                let who = Who::Copy((at / self.at_a_time) as u32, copies[at]);
                self.follow(control, who, copies, Some(at))?;
            }
        }
        self.meet(control, copies)
    }

    /// Is there something wrong, perhaps between two of the copies?
    fn is_wrong(&mut self, control: u32, copies: &[u32]) -> bool {
        let of = |at: usize| ((at / self.at_a_time) as u32, copies[at]);
        let pairs = (0..copies.len()).flat_map(|at| (0..at).map(move |other| (other, at)));
        let pairs: Vec<[(u32, u32); 2]> = pairs.map(|(one, other)| [of(one), of(other)]).collect();
        pairs.into_iter().any(|pair| self.numbered.is_wrong(control, &pair))
    }

    /// Takes the steps of somebody beside `others`; where it stands among them, if it does.
    fn follow(&mut self, control: u32, who: Who, others: &[u32], at: Option<usize>) -> Result<(), Reason> {
        for &step in self.numbered.steps(control, who)?.iter() {
            let Step { control, local, renewal, fails, is_bound } = step;
            self.seen.wrong |= self.wanted.is_failure(fails);
            self.seen.is_bound |= is_bound;
            let mut after: Vec<u32> = Vec::with_capacity(others.len());
            for (place, &other) in others.iter().enumerate() {
                let moves = at == Some(place);
                let stays =
                    |search: &mut Self| search.numbered.renewed(renewal, (place / search.at_a_time) as u32, other);
                after.push(local.filter(|_| moves).unwrap_or_else(|| stays(self)));
            }
            after.chunks_mut(self.at_a_time).for_each(<[u32]>::sort_unstable);
            self.add(control, after.into())?;
        }
        self.numbered.tick(0, self.queue.len() as u64, self.budget)
    }

    /// One more copy of some kind may be there. Whoever of them all takes a step, the others see what
    /// becomes of the control. This is done when the last of the views arrives that must be there.
    fn meet(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        let place = self.places.get_mut(&control).expect("it has this view");
        place.done.insert(copies.into());
        for (at, local) in copies.iter().enumerate() {
            let locals = &mut place.locals[at / self.at_a_time];
            if !locals.contains(local) {
                locals.push(*local);
            }
        }
        for kind in 0..self.numbered.kinds() as usize {
            for more in self.places[&control].locals[kind].clone() {
                let (from, to) = (kind * self.at_a_time, (kind + 1) * self.at_a_time);
                let mut all: Vec<u32> = copies[from..to].to_vec();
                all.push(more);
                all.sort_unstable();
                let without = |absent: usize| -> Copies {
                    let rest = all.iter().enumerate().filter(|(place, _)| *place != absent).map(|(_, &local)| local);
                    copies[..from].iter().copied().chain(rest).chain(copies[to..].iter().copied()).collect()
                };
                let movers: Vec<usize> = (0..all.len()).filter(|&at| at == 0 || all[at - 1] != all[at]).collect();
                let rests: Vec<Copies> = movers.iter().map(|&mover| without(mover)).collect();
                if !rests.iter().all(|rest| self.places[&control].done.contains(rest)) {
                    continue;
                }
                for (&mover, rest) in movers.iter().zip(&rests) {
                    self.follow(control, Who::Copy(kind as u32, all[mover]), rest, None)?;
                }
            }
        }
        Ok(())
    }
}
