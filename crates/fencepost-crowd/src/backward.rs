//! From what is wrong, back to the start: exact, and always ends.
//!
//! Paper: Abdulla, Čerāns, Jonsson and Tsay, "General decidability theorems for infinite-state
//! systems", LICS 1996, by `fencepost_cover::saturate`.
//!
//! A configuration is a control and a multiset of copies with their local states. It stands for all
//! configurations with at least these copies. By Dickson's lemma, of infinitely many configurations one
//! includes another one, so the search ends. A predecessor has the mover's local state in the place of
//! the one that it has afterwards, or besides if that one is not asked for.
//!
//! Steps are taken forwards only. Those there can be are found first: under every control, all steps of
//! all local states that one copy at a time, or two, can be seen to have there (`forward::locals`).
//! Whatever is not among these never comes about, so leaving it out loses nothing.
//!
//! Sound and complete.

use std::collections::BTreeSet;

use fencepost_cover::saturate::{End, WellStructured, saturate};
use fencepost_verdict::{Budget, Reason};
use foldhash::{HashMap, HashMapExt};

use crate::forward;
use crate::numbered::{Numbered, Who};
use crate::{Turn, Wanted};

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decided {
    /// Nothing that is wanted happens, for any number of copies.
    Never {
        /// Are there runs that reach a bound of the program, and were not followed?
        is_bound: bool,
    },
    /// It happens with so many copies of each kind.
    With(u32),
}

/// Copies: kinds and local states, sorted.
type Copies = Vec<(u32, u32)>;

#[derive(Clone, Debug)]
struct Configuration {
    control: u32,
    copies: Copies,
}

/// A step, backwards.
struct Back {
    control: u32,
    /// Local state of the mover before and after it, with its kind, if it is a copy.
    mover: Option<(u32, u32, u32)>,
    /// What all others were before it, if they change: by kind and local state.
    renewal: Option<u32>,
}

struct Backward {
    /// For every control, the steps that lead to it.
    back: HashMap<u32, Vec<Back>>,
    /// What a copy was before a watch began; nothing if it cannot have come about so.
    before: HashMap<(u32, u32, u32), u32>,
    /// Under every control, the local states that can be there.
    possible: HashMap<u32, BTreeSet<(u32, u32)>>,
    start: Configuration,
    kinds: u32,
    /// Are there runs that reach a bound of the program?
    is_bound: bool,
}

/// Bytes of a step; an estimate is enough for a limit.
const STEP_BYTES: u64 = 48;
/// There are so many copies, whatever they are needed for.
const LEAST: u32 = 1;

/// Saturates with more and more states.
pub(crate) struct Turns {
    wanted: Wanted,
    jobs: usize,
    /// Once there were states enough to prepare it.
    prepared: Option<(Backward, Vec<Configuration>)>,
}

impl Turns {
    pub(crate) fn new(wanted: Wanted, jobs: usize) -> Self {
        Turns { wanted, jobs, prepared: None }
    }

    /// Takes a turn.
    pub(crate) fn go(&mut self, numbered: &mut Numbered, turn: &Turn<'_>) -> Result<Option<Decided>, Reason> {
        if self.wanted.is_failure(numbered.start()?.fails) {
            return Ok(Some(Decided::With(LEAST)));
        }
        // One copy at a time takes fewer views, unless it is what others do that restrains it.
        for at_a_time in 1..=2 {
            if self.prepared.is_none()
                && let Some(locals) =
                    turn.search(numbered, |numbered, budget| forward::locals(numbered, at_a_time, budget))?
            {
                self.prepared = Some(Backward::new(numbered, self.wanted, &locals, turn.budget)?);
            }
        }
        let Some((backward, targets)) = &self.prepared else { return Ok(None) };
        turn.search(numbered, |numbered, budget| {
            let left = Budget {
                max_states: budget.max_states.saturating_sub(numbered.states()),
                max_bytes: budget.max_bytes.saturating_sub(numbered.bytes()),
                ..*budget
            };
            let (end, stats) = saturate(backward, targets.clone(), self.jobs, &left);
            numbered.spent(stats.added, stats.predecessors, stats.bytes);
            match end {
                End::Uncovered => Ok(Decided::Never { is_bound: backward.is_bound }),
                End::Covered { target, steps } => {
                    let copies = steps.first().copied().unwrap_or_else(|| backward.most(&targets[target]));
                    Ok(Decided::With(copies.max(LEAST)))
                }
                End::GaveUp(Reason::Memory(_)) => Err(Reason::Memory(budget.max_bytes)),
                End::GaveUp(reason) => Err(reason),
            }
        })
    }
}

/// Adds what is wrong under a control: without copies, with one, or with two.
fn wrong(
    numbered: &mut Numbered,
    control: u32,
    copies: &BTreeSet<(u32, u32)>,
    targets: &mut Vec<Configuration>,
    budget: &Budget<'_>,
) -> Result<(), Reason> {
    let mut add = |copies: &[(u32, u32)], numbered: &mut Numbered| {
        let wrong = numbered.is_wrong(control, copies);
        if wrong {
            targets.push(Configuration { control, copies: copies.to_vec() });
        }
        wrong
    };
    if add(&[], numbered) {
        return Ok(());
    }
    let harmless: Vec<(u32, u32)> = copies.iter().copied().filter(|&copy| !add(&[copy], numbered)).collect();
    for (at, &one) in harmless.iter().enumerate() {
        for &other in &harmless[..=at] {
            add(&[other, one], numbered);
            numbered.tick(0, budget)?;
        }
    }
    Ok(())
}

impl Backward {
    /// All steps between these local states, and what is wrong.
    fn new(
        numbered: &mut Numbered,
        wanted: Wanted,
        locals: &HashMap<u32, Vec<Vec<u32>>>,
        budget: &Budget<'_>,
    ) -> Result<(Self, Vec<Configuration>), Reason> {
        let start = numbered.start()?;
        let copies = start.locals.iter().enumerate().map(|(kind, &local)| (kind as u32, local)).collect();
        let mut backward = Backward {
            back: HashMap::new(),
            before: HashMap::new(),
            possible: HashMap::new(),
            start: Configuration { control: start.control, copies },
            kinds: numbered.kinds(),
            is_bound: start.is_bound,
        };
        let mut controls: Vec<u32> = locals.keys().copied().collect();
        controls.sort_unstable();
        let mut targets = Vec::new();
        for &control in &controls {
            let kinds = locals[&control].iter().enumerate();
            let copies: BTreeSet<(u32, u32)> =
                kinds.flat_map(|(kind, locals)| locals.iter().map(move |&local| (kind as u32, local))).collect();
            let singles = (0..numbered.singles()).map(|single| (Who::Single(single), None));
            let movers = copies.iter().map(|&(kind, local)| (Who::Copy(kind, local), Some((kind, local))));
            for (who, mover) in singles.chain(movers) {
                for step in numbered.steps(control, who)?.iter() {
                    backward.is_bound |= step.is_bound;
                    if wanted.is_failure(step.fails) {
                        targets.push(Configuration { control, copies: mover.into_iter().collect() });
                    }
                    let mover = mover.zip(step.local).map(|((kind, before), after)| (kind, before, after));
                    let back = Back { control, mover, renewal: step.renewal };
                    backward.back.entry(step.control).or_default().push(back);
                    numbered.keep(STEP_BYTES);
                    numbered.tick(0, budget)?;
                }
            }
            if wanted == Wanted::Violations {
                wrong(numbered, control, &copies, &mut targets, budget)?;
            }
            backward.possible.insert(control, copies);
        }
        backward.find_renewals(numbered, &controls, locals);
        Ok((backward, targets))
    }

    /// Looks up what copies were before a watch began, wherever one begins.
    fn find_renewals(&mut self, numbered: &mut Numbered, controls: &[u32], locals: &HashMap<u32, Vec<Vec<u32>>>) {
        for (control, locals) in controls.iter().map(|control| (control, &locals[control])) {
            let Some(steps) = self.back.get(control) else { continue };
            for renewal in steps.iter().filter_map(|step| step.renewal) {
                for (kind, locals) in locals.iter().enumerate() {
                    for &local in locals {
                        let kind = kind as u32;
                        if let Some(before) = numbered.before_renewal(Some(renewal), kind, local) {
                            self.before.insert((renewal, kind, local), before);
                        }
                    }
                }
            }
        }
    }

    /// The number of copies of the kind with most of them.
    fn most(&self, configuration: &Configuration) -> u32 {
        let of = |kind: u32| configuration.copies.iter().filter(|copy| copy.0 == kind).count() as u32;
        (0..self.kinds).map(of).max().unwrap_or(0)
    }

    fn predecessor(&self, step: &Back, configuration: &Configuration) -> Option<Configuration> {
        let mut others = configuration.copies.clone();
        if let Some((kind, _, after)) = step.mover
            && let Ok(at) = others.binary_search(&(kind, after))
        {
            others.remove(at);
        }
        let mut copies = Vec::with_capacity(others.len() + 1);
        for (kind, local) in others {
            copies.push(match step.renewal {
                None => (kind, local),
                Some(renewal) => (kind, *self.before.get(&(renewal, kind, local))?),
            });
        }
        copies.extend(step.mover.map(|(kind, before, _)| (kind, before)));
        let possible = &self.possible[&step.control];
        if !copies.iter().all(|copy| possible.contains(copy)) {
            return None;
        }
        copies.sort_unstable();
        Some(Configuration { control: step.control, copies })
    }
}

/// The part of the basis with configurations whose greatest copy is this one; there is one for those
/// without copies, too.
fn part_of((kind, local): (u32, u32)) -> u64 {
    1 + (u64::from(kind) << 32 | u64::from(local))
}

impl WellStructured for Backward {
    type Control = u32;
    type Configuration = Configuration;
    /// The number of copies of the kind with most of them, before the step.
    type Step = u32;

    fn control(&self, configuration: &Configuration) -> u32 {
        configuration.control
    }

    fn generalisations(&self, control: &u32) -> Vec<u32> {
        vec![*control]
    }

    /// Multiset inclusion; both are sorted.
    fn is_below(&self, low: &Configuration, high: &Configuration) -> bool {
        let mut high = high.copies.iter();
        low.copies.iter().all(|copy| high.by_ref().any(|other| other == copy))
    }

    fn signature(&self, configuration: &Configuration) -> u64 {
        configuration.copies.iter().fold(0, |bits, &(kind, local)| bits | 1 << ((local * 31 + kind) % 64))
    }

    /// That of the greatest copy.
    fn part(&self, configuration: &Configuration) -> u64 {
        configuration.copies.last().map_or(0, |&copy| part_of(copy))
    }

    fn any_part_below(&self, configuration: &Configuration, is_so: &mut dyn FnMut(u64) -> bool) -> bool {
        let mut copies = configuration.copies.clone();
        copies.dedup();
        is_so(0) || copies.into_iter().any(|copy| is_so(part_of(copy)))
    }

    fn size(&self, configuration: &Configuration) -> usize {
        configuration.copies.len()
    }

    fn is_initial(&self, configuration: &Configuration) -> bool {
        let is_start = |copy| self.start.copies.contains(copy);
        configuration.control == self.start.control && configuration.copies.iter().all(is_start)
    }

    fn predecessors(
        &self,
        configuration: &Configuration,
        visit: &mut dyn FnMut(u32, Configuration),
    ) -> Result<(), Reason> {
        for step in self.back.get(&configuration.control).into_iter().flatten() {
            if let Some(predecessor) = self.predecessor(step, configuration) {
                visit(self.most(&predecessor), predecessor);
            }
        }
        Ok(())
    }

    /// The table of steps is counted with the others.
    fn bytes(&self) -> u64 {
        0
    }
}
