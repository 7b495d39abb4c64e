//! What any `k` copies of each kind can be seen to do beside any number of others, and what `k` copies
//! do alone, for `k` = 1, 2, 3, …
//!
//! Papers: Abdulla, Haziza and Holík, "All for the price of few", VMCAI 2013. For `k` = 1 the views are
//! those of Flanagan and Qadeer, "Thread-modular model checking", SPIN 2003; for all `k`, Hoenicke,
//! Majumdar and Podelski, "Thread modularity at many levels", POPL 2017.
//!
//! A *view* is a control and `k` copies of each kind, with their local states. The set of views is the
//! least one with these properties:
//!
//! - The start is a view.
//! - What a step of a single thread, or of one of its copies, makes of a view is a view.
//! - So is what the step of one more copy makes of it, of which only the control is seen. One more
//!   copy may be there if with it in the place of any other one there is a view, too.
//!
//! Without the last one, views are the states of the program with `k` copies.
//!
//! Modelled: every run of every number of copies. If it reaches a control with certain copies, each `k`
//! of them are a view. Sound: what is in no view never happens; what is in a state of `k` copies does.
//! Complete in the limit: the configurations from which something wrong can be reached are upward closed
//! and have finitely many minimal ones; with as many copies at a time as the largest of these has, none
//! of them is seen if nothing wrong can be reached.

use std::collections::VecDeque;

use fencepost_verdict::{Budget, Reason};
use foldhash::{HashMap, HashMapExt, HashSet};

use crate::numbered::{Numbered, Step, Who};
use crate::{Answer, Argument, Turn, Wanted};

/// Looks at more and more copies at a time.
pub(crate) struct Growing {
    wanted: Wanted,
    /// Nothing wanted happens with up to so many copies.
    known: u32,
    /// For 1, 2, 3, … copies at a time: is something wrong seen that may never happen?
    inconclusive: Vec<bool>,
}

impl Growing {
    pub(crate) fn new(wanted: Wanted, known: u32) -> Self {
        // The first turn is for one and for two: these are enough for mutual exclusion and the like.
        Growing { wanted, known, inconclusive: vec![false] }
    }

    /// Nothing wanted happens with up to so many copies.
    pub(crate) fn known(&self) -> u32 {
        self.known
    }

    /// Takes a turn: one more copy than in the last one, and once more so many as were too many for it.
    pub(crate) fn grow(&mut self, numbered: &mut Numbered, turn: &Turn<'_>) -> Result<Option<Answer>, Reason> {
        self.inconclusive.push(false);
        for index in 0..self.inconclusive.len() {
            let copies = index as u32 + 1;
            if !self.inconclusive[index]
                && let Some(seen) = self.look(numbered, copies, Others::Any, turn)?
            {
                match seen {
                    // With fewer at a time even more is seen.
                    Seen { wrong: true, .. } => self.inconclusive[..=index].fill(true),
                    Seen { is_bound: true, .. } => return Ok(Some(Answer::Bounded)),
                    _ => return Ok(Some(Answer::Never(Argument::Forward(copies)))),
                }
            }
            if copies > self.known
                && let Some(seen) = self.look(numbered, copies, Others::None, turn)?
            {
                match seen.wrong {
                    true => return Ok(Some(Answer::With(self.known + 1..=copies))),
                    false => self.known = copies,
                }
            }
        }
        Ok(None)
    }

    fn look(
        &self,
        numbered: &mut Numbered,
        copies: u32,
        others: Others,
        turn: &Turn<'_>,
    ) -> Result<Option<Seen>, Reason> {
        turn.search(numbered, |numbered, budget| Ok(views(numbered, copies, others, Some(self.wanted), budget)?.0))
    }
}

/// Bytes of a view besides its copies; an estimate is enough for a limit.
const VIEW_BYTES: u64 = 64;

/// Who may be there beside the copies that are looked at?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Others {
    /// Any number of copies.
    Any,
    /// No other copy.
    None,
}

/// What was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    /// Something that is wanted; perhaps it never happens.
    wrong: bool,
    /// A bound of the program.
    is_bound: bool,
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
    /// Those of them with a step that changes anything for others.
    seen_by_others: Vec<Vec<u32>>,
}

struct Search<'a> {
    numbered: &'a mut Numbered,
    at_a_time: usize,
    others: Others,
    places: HashMap<u32, Place>,
    queue: VecDeque<(u32, Copies)>,
    budget: &'a Budget<'a>,
    wanted: Option<Wanted>,
    seen: Seen,
    bytes: u64,
    /// The copies of the view that is being made.
    after: Vec<u32>,
}

/// For every control, the local states of copies that are in a view of so many copies: what includes
/// everything that can come about.
pub(crate) fn locals(
    numbered: &mut Numbered,
    at_a_time: u32,
    budget: &Budget<'_>,
) -> Result<HashMap<u32, Vec<Vec<u32>>>, Reason> {
    let (_, places) = views(numbered, at_a_time, Others::Any, None, budget)?;
    Ok(places.into_iter().map(|(control, place)| (control, place.locals)).collect())
}

/// The views with so many copies of each kind. Ends early if something wanted is seen.
fn views(
    numbered: &mut Numbered,
    at_a_time: u32,
    others: Others,
    wanted: Option<Wanted>,
    budget: &Budget<'_>,
) -> Result<(Seen, HashMap<u32, Place>), Reason> {
    let start = numbered.start()?;
    let seen = Seen { wrong: wanted.is_some_and(|wanted| wanted.is_failure(start.fails)), is_bound: start.is_bound };
    let copies: Vec<u32> =
        start.locals.iter().flat_map(|&local| std::iter::repeat_n(local, at_a_time as usize)).collect();
    let mut search = Search {
        numbered,
        at_a_time: at_a_time as usize,
        others,
        places: HashMap::new(),
        queue: VecDeque::new(),
        budget,
        wanted,
        seen,
        bytes: 0,
        after: Vec::new(),
    };
    let end = search.run(start.control, &copies);
    let Search { numbered, seen, places, bytes, .. } = search;
    numbered.forget(bytes);
    end.map(|()| (seen, places))
}

impl Search<'_> {
    fn run(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        self.add(control, copies)?;
        while !self.seen.wrong
            && let Some((control, copies)) = self.queue.pop_front()
        {
            self.visit(control, &copies)?;
        }
        Ok(())
    }

    /// Adds a view.
    fn add(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        let place = self.places.entry(control).or_default();
        if place.seen.contains(copies) {
            return Ok(());
        }
        place.locals.resize(self.numbered.kinds() as usize, Vec::new());
        place.seen_by_others.resize(self.numbered.kinds() as usize, Vec::new());
        let bytes = VIEW_BYTES + copies.len() as u64 * 12;
        self.bytes += bytes;
        place.seen.insert(copies.into());
        self.queue.push_back((control, copies.into()));
        self.numbered.added(bytes, self.queue.len() as u64, self.budget)
    }

    fn visit(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        let of = |at: usize| ((at / self.at_a_time) as u32, copies[at]);
        let present: Vec<(u32, u32)> = (0..copies.len()).map(of).collect();
        self.look(control, &present);
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
        match self.others {
            Others::Any => {
                self.arrive(control, copies)?;
                self.meet(control, copies)
            }
            Others::None => Ok(()),
        }
    }

    /// Is there something wrong, perhaps between two of these copies?
    fn look(&mut self, control: u32, present: &[(u32, u32)]) {
        if self.wanted != Some(Wanted::Violations) || self.seen.wrong {
            return;
        }
        self.seen.wrong = match present {
            [] | [_] => self.numbered.is_wrong(control, present),
            _ => {
                let pairs = (0..present.len()).flat_map(|at| (0..at).map(move |other| [present[other], present[at]]));
                pairs.into_iter().any(|pair| self.numbered.is_wrong(control, &pair))
            }
        };
    }

    /// Takes the steps of somebody beside `others`; where it stands among them, if it does.
    fn follow(&mut self, control: u32, who: Who, others: &[u32], at: Option<usize>) -> Result<(), Reason> {
        for &step in self.numbered.steps(control, who)?.iter() {
            let Step { control, local, renewal, fails, is_bound } = step;
            self.seen.wrong |= self.wanted.is_some_and(|wanted| wanted.is_failure(fails));
            self.seen.is_bound |= is_bound;
            let mut after = std::mem::take(&mut self.after);
            after.clear();
            for (place, &other) in others.iter().enumerate() {
                let moves = at == Some(place);
                let stays =
                    |search: &mut Self| search.numbered.renewed(renewal, (place / search.at_a_time) as u32, other);
                after.push(local.filter(|_| moves).unwrap_or_else(|| stays(self)));
            }
            after.chunks_mut(self.at_a_time).for_each(<[u32]>::sort_unstable);
            self.add(control, &after)?;
            self.after = after;
        }
        self.numbered.tick(self.queue.len() as u64, self.budget)
    }

    /// The steps of this view were taken.
    fn arrive(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        for (at, &local) in copies.iter().enumerate() {
            let kind = at / self.at_a_time;
            if !self.places[&control].locals[kind].contains(&local) {
                let is_seen = self.numbered.is_seen(control, Who::Copy(kind as u32, local))?;
                let place = self.places.get_mut(&control).expect("it has this view");
                place.locals[kind].push(local);
                place.seen_by_others[kind].extend(is_seen.then_some(local));
            }
        }
        self.places.get_mut(&control).expect("it has this view").done.insert(copies.into());
        Ok(())
    }

    /// One more copy of some kind may be there. Whoever of them all takes a step, the others see what
    /// becomes of the control; of other steps they see nothing. This is done when the last of the views
    /// arrives that must be there.
    fn meet(&mut self, control: u32, copies: &[u32]) -> Result<(), Reason> {
        // Any two of more copies are in a view.
        let looks = self.at_a_time == 1 && self.wanted == Some(Wanted::Violations);
        let (mut joined, mut rest): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for kind in 0..self.numbered.kinds() as usize {
            let (from, to) = (kind * self.at_a_time, (kind + 1) * self.at_a_time);
            let place = &self.places[&control];
            let seen_by_others = place.seen_by_others[kind].clone();
            // Whoever takes a step that others see is the one more, or in the view.
            let is_in_view = copies[from..to].iter().any(|local| seen_by_others.contains(local));
            let more = if looks || is_in_view { place.locals[kind].clone() } else { seen_by_others.clone() };
            for more in more {
                joined.clear();
                joined.extend_from_slice(copies);
                joined.insert(to, more);
                joined[from..=to].sort_unstable();
                let is_first = |joined: &[u32], at: usize| at == from || joined[at - 1] != joined[at];
                let done = &self.places[&control].done;
                let can_be_there = (from..=to).filter(|&at| is_first(&joined, at)).all(|absent| {
                    leave_out(&joined, absent, &mut rest);
                    done.contains(rest.as_slice())
                });
                if !can_be_there {
                    continue;
                }
                if looks {
                    self.look(control, &[(kind as u32, joined[from]), (kind as u32, joined[to])]);
                }
                for mover in (from..=to).filter(|&at| is_first(&joined, at)) {
                    if seen_by_others.contains(&joined[mover]) {
                        leave_out(&joined, mover, &mut rest);
                        self.follow(control, Who::Copy(kind as u32, joined[mover]), &rest, None)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Makes `rest` of all of them but one.
fn leave_out(all: &[u32], absent: usize, rest: &mut Vec<u32>) {
    rest.clear();
    rest.extend_from_slice(&all[..absent]);
    rest.extend_from_slice(&all[absent + 1..]);
}
