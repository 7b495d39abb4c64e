//! Backward saturation for well-structured transition systems.
//!
//! Paper: Abdulla, Čerāns, Jonsson, Tsay, "General decidability theorems for
//! infinite-state systems", LICS 1996; Finkel and Schnoebelen, "Well-structured
//! transition systems everywhere!", TCS 2001. From the targets, minimal
//! predecessors are added to a basis of an upward-closed set until nothing
//! new appears, or an initial configuration is covered.
//!
//! Modelled: any system whose configurations are a control state with a
//! well-quasi-ordered rest. Sound and complete: when the order is a
//! well-quasi-order and predecessors are all minimal ones up to the order, the
//! search ends and is right. Without limits it may take very long: coverability
//! is non-primitive-recursive in general.
//!
//! Small configurations come first, equal ones in the order they were found.
//! They are expanded in batches of a fixed number: several threads find the
//! predecessors of a batch, and which of them the basis covers as it is; then
//! one after the other is added, if nothing that the batch has added before is
//! below it. So results do not depend on the number of threads, nor on anything but the system.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::Hash;

use fencepost_verdict::{Budget, Progress, Reason};
use foldhash::{HashMap, HashMapExt};

use crate::shared::each;

/// A well-structured system, seen backwards.
pub trait WellStructured: Sync {
    /// Only configurations with related control states are compared.
    type Control: Clone + Eq + Hash + Sync;
    /// A configuration, standing for all above it.
    type Configuration: Clone + Send + Sync;
    /// What leads from a predecessor to its successor.
    type Step: Send + Sync;

    /// The control state.
    fn control(&self, configuration: &Self::Configuration) -> Self::Control;

    /// The control states whose configurations can be below one of `control`: itself, and whatever
    /// is more general.
    fn generalisations(&self, control: &Self::Control) -> Vec<Self::Control>;

    /// How many symmetries there are: they turn runs into runs and initial configurations into
    /// such, so a configuration is not needed when something below an image of it leads to a
    /// target. Number 0 changes nothing.
    fn symmetries(&self) -> usize {
        1
    }

    /// The control state of the images under a symmetry; none if there are no such configurations
    /// in runs.
    fn control_image(&self, _symmetry: usize, control: &Self::Control) -> Option<Self::Control> {
        Some(control.clone())
    }

    /// The image of a configuration whose control state has one.
    fn image(&self, _symmetry: usize, configuration: &Self::Configuration) -> Self::Configuration {
        configuration.clone()
    }

    /// Is `low` below `high`? Asked only when the control state of `low` is a generalisation of
    /// that of `high`.
    fn is_below(&self, low: &Self::Configuration, high: &Self::Configuration) -> bool;

    /// Bits that can only grow along the order: a quick test that settles most comparisons.
    fn signature(&self, configuration: &Self::Configuration) -> u64;

    /// The part of the basis that the configuration belongs to, among those with its control state. It
    /// can only grow along the order.
    fn part(&self, _configuration: &Self::Configuration) -> u64 {
        0
    }

    /// Is it so of any of the parts that configurations below this one can belong to?
    fn any_part_below(&self, _configuration: &Self::Configuration, is_so: &mut dyn FnMut(u64) -> bool) -> bool {
        is_so(0)
    }

    /// How large the configuration is. Smaller ones are expanded first.
    fn size(&self, configuration: &Self::Configuration) -> usize;

    /// Does it cover an initial configuration?
    fn is_initial(&self, configuration: &Self::Configuration) -> bool;

    /// Calls `visit` with predecessors whose upward closures together are all predecessors.
    ///
    /// # Errors
    /// When it takes too long.
    fn predecessors(
        &self,
        configuration: &Self::Configuration,
        visit: &mut dyn FnMut(Self::Step, Self::Configuration),
    ) -> Result<(), Reason>;

    /// Bytes that the system itself uses.
    fn bytes(&self) -> u64;
}

/// How a saturation ended.
#[derive(Debug)]
pub enum End<S> {
    /// No initial configuration is covered: no target can be reached.
    Uncovered,
    /// One is: from it these steps lead to the target of this number.
    Covered {
        /// Position among the targets.
        target: usize,
        /// Steps, in the order they are taken.
        steps: Vec<S>,
    },
    /// Not decided.
    GaveUp(Reason),
}

/// What a saturation cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaturationStats {
    /// Configurations expanded.
    pub expanded: u64,
    /// Predecessors computed.
    pub predecessors: u64,
    /// Configurations that were added to the basis at some time.
    pub added: u64,
    /// Configurations in the basis at the end, over all control states.
    pub basis: u64,
    /// Control states in the basis.
    pub controls: u64,
    /// Bytes used, estimated.
    pub bytes: u64,
}

/// A configuration that is or was in the basis.
struct Node<S, C> {
    configuration: C,
    origin: Origin<S>,
    /// Has something smaller replaced it?
    replaced: bool,
}

enum Origin<S> {
    Target(usize),
    Predecessor(usize, S),
}

struct Saturation<'a, W: WellStructured> {
    system: &'a W,
    jobs: usize,
    nodes: Vec<Node<W::Step, W::Configuration>>,
    basis: Basis<W::Control>,
    queue: BinaryHeap<Reverse<(usize, usize)>>,
    stats: SaturationStats,
}

/// Bytes of a node besides what its configuration points to; an estimate is enough for a limit.
const NODE_BYTES: u64 = 192;

/// Configurations that are expanded at a time. With more of them some are expanded that others of
/// the same batch make superfluous.
const BATCH: usize = 64;

/// What a thread makes of a configuration of a batch: nothing, if it has left the basis.
type Turn<W> = Result<Option<Expanded<<W as WellStructured>::Step, <W as WellStructured>::Configuration>>, Reason>;

struct Expanded<S, C> {
    /// Predecessors computed.
    predecessors: u64,
    /// Those that nothing in the basis was below.
    uncovered: Vec<(S, C)>,
}

/// Can a target be reached from an initial configuration? Up to `jobs` threads look for it.
pub fn saturate<W: WellStructured>(
    system: &W,
    targets: Vec<W::Configuration>,
    jobs: usize,
    budget: &Budget<'_>,
) -> (End<W::Step>, SaturationStats) {
    let mut saturation = Saturation {
        system,
        jobs,
        nodes: Vec::new(),
        basis: HashMap::new(),
        queue: BinaryHeap::new(),
        stats: SaturationStats::default(),
    };
    let end = saturation.run(targets, budget);
    let mut stats = saturation.stats;
    stats.basis = saturation.nodes.iter().filter(|node| !node.replaced).count() as u64;
    stats.controls = saturation.basis.len() as u64;
    stats.bytes = saturation.bytes();
    (end, stats)
}

impl<W: WellStructured> Saturation<'_, W> {
    fn run(&mut self, targets: Vec<W::Configuration>, budget: &Budget<'_>) -> End<W::Step> {
        let mut fresh = HashMap::new();
        for (number, target) in targets.into_iter().enumerate() {
            if let Some(end) = self.add(Origin::Target(number), target, &mut fresh) {
                return end;
            }
        }
        loop {
            let batch = self.next_batch();
            let Some(&last) = batch.last() else { return End::Uncovered };
            if (budget.expired)() {
                return End::GaveUp(Reason::Time);
            }
            if self.bytes() > budget.max_bytes {
                return End::GaveUp(Reason::Memory(budget.max_bytes));
            }
            let (states, frontier) = (self.stats.added, self.queue.len() as u64);
            let depth = self.system.size(&self.nodes[last].configuration) as u64;
            budget.report(Progress { states, frontier, depth, bytes: self.bytes() });
            let expanded = each(batch.len(), self.jobs, |place| self.expand(batch[place]));
            if let Some(end) = self.merge(&batch, expanded, budget) {
                return end;
            }
        }
    }

    /// The smallest configurations that wait and are in the basis.
    fn next_batch(&mut self) -> Vec<usize> {
        let mut batch = Vec::new();
        while batch.len() < BATCH
            && let Some(Reverse((_, number))) = self.queue.pop()
        {
            if !self.nodes[number].replaced {
                batch.push(number);
            }
        }
        batch
    }

    /// The predecessors of a configuration that nothing in the basis is below; none if that is so
    /// of itself, because something was added that is below an image of it, or has a more general
    /// control state.
    fn expand(&self, number: usize) -> Turn<W> {
        let configuration = &self.nodes[number].configuration;
        if self.is_covered(&self.basis, configuration, Some(number)) {
            return Ok(None);
        }
        let mut expanded = Expanded { predecessors: 0, uncovered: Vec::new() };
        self.system.predecessors(configuration, &mut |step, predecessor| {
            expanded.predecessors += 1;
            if !self.is_covered(&self.basis, &predecessor, None) {
                expanded.uncovered.push((step, predecessor));
            }
        })?;
        Ok(Some(expanded))
    }

    /// Adds what a batch has found; an end if there is one.
    fn merge(&mut self, batch: &[usize], expanded: Vec<Turn<W>>, budget: &Budget<'_>) -> Option<End<W::Step>> {
        let mut fresh = HashMap::new();
        for (&number, expanded) in batch.iter().zip(expanded) {
            let Expanded { predecessors, uncovered } = match expanded {
                Ok(Some(expanded)) => expanded,
                Ok(None) => {
                    self.leave(number);
                    continue;
                }
                Err(reason) => return Some(End::GaveUp(reason)),
            };
            self.stats.expanded += 1;
            self.stats.predecessors += predecessors;
            for (step, predecessor) in uncovered {
                if let Some(end) = self.add(Origin::Predecessor(number, step), predecessor, &mut fresh) {
                    return Some(end);
                }
                if self.stats.added > budget.max_states {
                    return Some(End::GaveUp(Reason::States(budget.max_states)));
                }
            }
        }
        None
    }

    /// Adds a configuration that nothing in the basis was below to it and to `fresh`, unless
    /// something there is below it, or below its equivalents; an end if it covers an initial one.
    fn add(
        &mut self,
        origin: Origin<W::Step>,
        configuration: W::Configuration,
        fresh: &mut Basis<W::Control>,
    ) -> Option<End<W::Step>> {
        if self.is_covered(fresh, &configuration, None) {
            return None;
        }
        let (signature, control) = (self.system.signature(&configuration), self.system.control(&configuration));
        let number = self.nodes.len();
        let part = self.system.part(&configuration);
        fresh.entry(control.clone()).or_default().entry(part).or_default().push((signature, number));
        let parts = self.basis.entry(control).or_default();
        for (_, entries) in parts.range_mut(part..) {
            entries.retain(|&(high, other)| {
                let replaced =
                    signature & !high == 0 && self.system.is_below(&configuration, &self.nodes[other].configuration);
                self.nodes[other].replaced |= replaced;
                !replaced
            });
        }
        parts.entry(part).or_default().push((signature, number));
        let is_initial = self.system.is_initial(&configuration);
        self.queue.push(Reverse((self.system.size(&configuration), number)));
        self.nodes.push(Node { configuration, origin, replaced: false });
        self.stats.added += 1;
        is_initial.then(|| self.unwind(number))
    }

    /// A configuration leaves the basis.
    fn leave(&mut self, number: usize) {
        let configuration = &self.nodes[number].configuration;
        let (control, part) = (self.system.control(configuration), self.system.part(configuration));
        if let Some(entries) = self.basis.get_mut(&control).and_then(|parts| parts.get_mut(&part)) {
            entries.retain(|&(_, other)| other != number);
        }
        self.nodes[number].replaced = true;
    }

    /// Is something in a basis, other than `itself`, below an image of the configuration?
    fn is_covered(&self, basis: &Basis<W::Control>, configuration: &W::Configuration, itself: Option<usize>) -> bool {
        let system = self.system;
        let control = system.control(configuration);
        (0..system.symmetries()).any(|symmetry| {
            let Some(control) = system.control_image(symmetry, &control) else { return false };
            let mut general = system.generalisations(&control);
            let has_some = |parts: &Parts| parts.values().any(|entries| !entries.is_empty());
            general.retain(|general| basis.get(general).is_some_and(has_some));
            if general.is_empty() {
                return false;
            }
            let permuted = (symmetry > 0).then(|| system.image(symmetry, configuration));
            let image = permuted.as_ref().unwrap_or(configuration);
            let signature = system.signature(image);
            let is_below = |&(low, number): &(u64, usize)| {
                low & !signature == 0
                    && itself != Some(number)
                    && system.is_below(&self.nodes[number].configuration, image)
            };
            let covers = |part| {
                let parts = general.iter().filter_map(|general| basis[general].get(&part));
                parts.flatten().any(is_below)
            };
            system.any_part_below(image, &mut |part| covers(part))
        })
    }

    /// The steps from node `number` to its target.
    fn unwind(&mut self, number: usize) -> End<W::Step> {
        let mut steps = Vec::new();
        let mut current = number;
        loop {
            // The search is over: each node on the chain gives its step away.
            match std::mem::replace(&mut self.nodes[current].origin, Origin::Target(0)) {
                Origin::Target(target) => return End::Covered { target, steps },
                Origin::Predecessor(successor, step) => {
                    steps.push(step);
                    current = successor;
                }
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.nodes.len() as u64 * NODE_BYTES + self.system.bytes()
    }
}

/// The minimal configurations of each control state.
type Basis<C> = HashMap<C, Parts>;

/// Signature and number of the minimal configurations of each part.
type Parts = BTreeMap<u64, Vec<(u64, usize)>>;

#[cfg(test)]
mod tests {
    use super::*;

    /// A Petri net: markings ordered by inclusion, transitions that consume and produce.
    struct Net {
        transitions: Vec<(Vec<u32>, Vec<u32>)>,
        initial: Vec<u32>,
    }

    impl WellStructured for Net {
        type Control = ();
        type Configuration = Vec<u32>;
        type Step = usize;

        fn control(&self, _: &Vec<u32>) {}

        fn generalisations(&self, _: &()) -> Vec<()> {
            vec![()]
        }

        fn is_below(&self, low: &Vec<u32>, high: &Vec<u32>) -> bool {
            low.iter().zip(high).all(|(low, high)| low <= high)
        }

        fn signature(&self, marking: &Vec<u32>) -> u64 {
            marking.iter().enumerate().fold(0, |bits, (place, &count)| bits | u64::from(count > 0) << place)
        }

        fn size(&self, marking: &Vec<u32>) -> usize {
            marking.iter().sum::<u32>() as usize
        }

        fn is_initial(&self, marking: &Vec<u32>) -> bool {
            self.is_below(marking, &self.initial)
        }

        fn predecessors(&self, marking: &Vec<u32>, visit: &mut dyn FnMut(usize, Vec<u32>)) -> Result<(), Reason> {
            for (number, (consumed, produced)) in self.transitions.iter().enumerate() {
                let before = marking.iter().zip(produced).map(|(have, made)| have.saturating_sub(*made));
                visit(number, before.zip(consumed).map(|(left, taken)| left + taken).collect());
            }
            Ok(())
        }

        fn bytes(&self) -> u64 {
            0
        }
    }

    /// Two processes and a lock; the second net forgets to take it.
    fn net(takes_lock: bool) -> Net {
        let lock = u32::from(takes_lock);
        // Places: idle, critical, lock.
        let enter = (vec![1, 0, lock], vec![0, 1, 0]);
        let leave = (vec![0, 1, 0], vec![1, 0, lock]);
        Net { transitions: vec![enter, leave], initial: vec![2, 0, 1] }
    }

    #[test]
    fn mutual_exclusion_by_a_lock() {
        let (end, stats) = saturate(&net(true), vec![vec![0, 2, 0]], 1, &Budget::unlimited());
        assert!(matches!(end, End::Uncovered), "{end:?}");
        assert!(stats.basis > 0 && stats.basis <= stats.added);
    }

    #[test]
    fn the_chain_leads_from_the_beginning_to_the_target() {
        let (end, _) = saturate(&net(false), vec![vec![0, 3, 0], vec![0, 2, 0]], 1, &Budget::unlimited());
        assert!(matches!(&end, End::Covered { target: 1, steps } if *steps == [0, 0]), "{end:?}");
    }

    #[test]
    fn limits_are_told() {
        let few = Budget { max_states: 1, ..Budget::unlimited() };
        assert!(matches!(saturate(&net(true), vec![vec![0, 2, 0]], 1, &few).0, End::GaveUp(Reason::States(1))));
    }
}
