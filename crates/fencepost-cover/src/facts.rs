//! Which read options a thread can have at all: over-approximations from the
//! control flow of single threads, to drop hopeless configurations early.
//!
//! All are necessary conditions on potentials of configurations that forward
//! runs reach, hence dropping what violates them keeps the search complete:
//! - an option of writer ρ needs a write that ρ can have made before its
//!   current node ([`Facts::may`]);
//! - in a list of τ itself, its own option must be its last write to the
//!   location, and an initial value needs that τ has not written there
//!   ([`Facts::last`]): a thread does not read what it has overwritten;
//! - after an option of ρ in a list, the rest must have been readable by ρ when
//!   it wrote (the causality principle of §5): no value overwritten by
//!   then, be it initial or of ρ ([`Facts::follows`]).

use std::collections::VecDeque;

use fencepost_verdict::{Budget, Reason};

use crate::automaton::{Access, Automaton, Node};
use crate::bits::Bits;
use crate::options::{Alphabet, Base, Source};

/// Steps of automata between two looks at the clock.
const BETWEEN_LOOKS: Node = 64;

/// The facts.
pub(crate) struct Facts {
    /// For every thread and node: bases that can be the last write of the thread to their location
    /// (the initial ones while it has not written there).
    pub(crate) last: Vec<Vec<Bits>>,
    /// For every thread and node: bases that the thread can have written.
    pub(crate) may: Vec<Vec<Bits>>,
    /// For every thread: all its bases.
    pub(crate) own: Vec<Bits>,
    /// For every thread: its own bases and the initial ones.
    pub(crate) own_or_initial: Vec<Bits>,
    /// The initial bases.
    pub(crate) initial: Bits,
    /// For every base: those that can come later in a list.
    pub(crate) follows: Vec<Bits>,
}

impl Facts {
    /// The facts about these threads.
    ///
    /// # Errors
    /// When they take more time or memory than there is.
    pub(crate) fn of(threads: &[Automaton], alphabet: &Alphabet, budget: &Budget<'_>) -> Result<Facts, Reason> {
        // A set of bases for every base, three for every node, two for every thread.
        let nodes: usize = threads.iter().map(Automaton::len).sum();
        let sets = alphabet.len() + 3 * nodes + 2 * threads.len();
        if (sets * alphabet.len().div_ceil(8)) as u64 > budget.max_bytes {
            return Err(Reason::Memory(budget.max_bytes));
        }
        let initial = alphabet.those(|source| source.writer.is_none());
        let mut follows = vec![alphabet.those(|_| true); alphabet.len()];
        for (base, source) in alphabet.bases.iter().enumerate().filter(|(_, source)| source.writer.is_some()) {
            for later in 0..alphabet.len() {
                if [None, source.writer].contains(&alphabet.bases[later].writer) {
                    follows[base].remove(later);
                }
            }
        }
        let mut facts = Facts {
            last: Vec::new(),
            may: Vec::new(),
            own: Vec::new(),
            own_or_initial: Vec::new(),
            initial: initial.clone(),
            follows,
        };
        for (thread, automaton) in threads.iter().enumerate() {
            let own = alphabet.those(|source| source.writer == Some(thread));
            let mut own_or_initial = own.clone();
            own_or_initial.union(&initial);
            facts.own.push(own);
            facts.own_or_initial.push(own_or_initial);
            facts.add(thread, automaton, alphabet, budget)?;
        }
        Ok(facts)
    }

    /// Can `thread` at `node` read this base, if it is an initial value or its own?
    pub(crate) fn is_own_reading_possible(&self, thread: usize, node: Node, base: Base) -> bool {
        !self.own_or_initial[thread].contains(base) || self.last[thread][node as usize].contains(base)
    }

    fn add(
        &mut self,
        thread: usize,
        automaton: &Automaton,
        alphabet: &Alphabet,
        budget: &Budget<'_>,
    ) -> Result<(), Reason> {
        let written = |access: &Access| written(alphabet, thread, access);
        let last = forward(automaton, &self.initial, budget, |before, access| {
            let mut after = before.clone();
            if let Some((loc, _)) = access.written() {
                for base in before.iter().filter(|&base| alphabet.bases[base].loc == loc) {
                    after.remove(base);
                }
            }
            written(access).map(|base| after.insert(base));
            after
        })?;
        let may = forward(automaton, &Bits::new(alphabet.len()), budget, |before, access| {
            let mut after = before.clone();
            written(access).map(|base| after.insert(base));
            after
        })?;
        let future = future(automaton, alphabet, thread, budget)?;
        for steps in &automaton.steps {
            for (access, target) in steps {
                if let Some(base) = written(access) {
                    // What can be read after reading this write: what the writer could then, and
                    // what it writes later.
                    self.follows[base].union(&last[*target as usize]);
                    self.follows[base].union(&future[*target as usize]);
                }
            }
        }
        self.last.push(last);
        self.may.push(may);
        Ok(())
    }
}

/// The base that an access of `thread` provides.
fn written(alphabet: &Alphabet, thread: usize, access: &Access) -> Option<Base> {
    let (loc, value) = access.written()?;
    alphabet.base(Source { writer: Some(thread), loc, value })
}

/// The least solution of a forward data-flow problem over sets of bases, with `start` at the start
/// and the first nodes.
fn forward(
    automaton: &Automaton,
    start: &Bits,
    budget: &Budget<'_>,
    transfer: impl Fn(&Bits, &Access) -> Bits,
) -> Result<Vec<Bits>, Reason> {
    let mut nothing = start.clone();
    start.iter().for_each(|base| nothing.remove(base));
    let mut found = vec![nothing; automaton.len()];
    found[automaton.start as usize] = start.clone();
    for node in automaton.nodes().filter(|&node| automaton.is_first(node)) {
        found[node as usize] = start.clone();
    }
    let mut queue: VecDeque<Node> = (0..automaton.len() as Node).collect();
    let mut is_queued = vec![true; automaton.len()];
    let mut steps: Node = 0;
    while let Some(node) = queue.pop_front() {
        is_queued[node as usize] = false;
        for (access, target) in &automaton.steps[node as usize] {
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(BETWEEN_LOOKS) && (budget.expired)() {
                return Err(Reason::Time);
            }
            let after = transfer(&found[node as usize], access);
            if found[*target as usize].union(&after) && !std::mem::replace(&mut is_queued[*target as usize], true) {
                queue.push_back(*target);
            }
        }
    }
    Ok(found)
}

/// For every node, the bases that the thread can write from there on.
fn future(automaton: &Automaton, alphabet: &Alphabet, thread: usize, budget: &Budget<'_>) -> Result<Vec<Bits>, Reason> {
    let mut found = vec![Bits::new(alphabet.len()); automaton.len()];
    let mut grew = true;
    let mut steps: Node = 0;
    while grew {
        grew = false;
        for node in automaton.nodes() {
            for (access, target) in &automaton.steps[node as usize] {
                steps = steps.wrapping_add(1);
                if steps.is_multiple_of(BETWEEN_LOOKS) && (budget.expired)() {
                    return Err(Reason::Time);
                }
                let mut bits = found[*target as usize].clone();
                written(alphabet, thread, access).map(|base| bits.insert(base));
                grew |= found[node as usize].union(&bits);
            }
        }
    }
    Ok(found)
}
