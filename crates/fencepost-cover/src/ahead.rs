//! A look ahead from the start, once, to know what need not be looked at backwards.
//!
//! Which combinations of entries, and of last writes to locations that are updated, can there be at
//! all? And what can certainly not be read then? This is an over-approximation of opSRA, explored
//! forwards.
//!
//! Exact are:
//!
//! - where the threads are;
//! - the last write to a location with read-modify-writes, which decides what these read;
//! - for one location that is only updated (the one of SC fences, say), in which order threads have
//!   done so last, because each of them becomes aware of all that those before were.
//!
//! Of the rest only what holds in every run to such a combination is kept, as sets of *unreadable*
//! bases. They are joined by intersection (a data-flow analysis):
//!
//! - for every thread, what it cannot read: what nobody has written yet, and what it is aware of as
//!   overwritten;
//! - for every base, what cannot be read after reading any write of it, and the same of the last
//!   write to each updated location.
//!
//! Backward configurations whose lists contain something unreadable are hopeless. Dropping them
//! keeps the search complete. The look ahead sees, for instance, that locks taken by
//! read-modify-writes exclude each other, and what is over behind an SC fence.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use fencepost_base::ids::LocId;
use foldhash::{HashMap, HashMapExt, HashSet};

use crate::automaton::{Access, Automaton, Node};
use crate::bits::{self, Bits};
use crate::losra::ANYWHERE;
use crate::options::{Alphabet, Base, PotentialId, Source, Store};
use crate::shared::each;
use crate::symmetry::Symmetry;

/// How far to look.
pub(crate) struct LookAhead {
    /// Threads to look with.
    pub(crate) jobs: usize,
    /// Combinations to keep.
    pub(crate) places: usize,
    /// Bytes for them.
    pub(crate) bytes: u64,
}

/// What can be reached.
pub(crate) struct Ahead {
    rows: Rows,
    /// A group; only one of the places that they turn into each other is in `reached`.
    permutations: Vec<Permutation>,
    reached: Vec<(Place, Arc<Unreadable>)>,
    /// For every set of threads at [`ANYWHERE`], by their bits: what there can be per entries of
    /// the others.
    views: RwLock<HashMap<u64, Arc<View>>>,
    /// Bytes of all views, estimated.
    view_bytes: AtomicU64,
}

/// Per entries, the last writes there can be, each with what may be unreadable then.
type View = HashMap<Box<[Node]>, BTreeMap<Box<[Base]>, Vec<Arc<Unreadable>>>>;

/// Where threads are, and the last writes to updated locations.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Place {
    nodes: Box<[Node]>,
    last: Box<[Base]>,
    /// The threads that have updated the chosen location, by their last updates.
    order: Vec<u8>,
}

impl Place {
    fn permuted(&self, permutation: &Permutation) -> Place {
        let mut last = self.last.clone();
        for (position, &base) in self.last.iter().enumerate() {
            last[permutation.positions[position]] = permutation.symmetry.bases[base];
        }
        let order = self.order.iter().map(|&thread| permutation.symmetry.threads[usize::from(thread)] as u8).collect();
        let nodes = permutation.nodes(&self.nodes).expect("it is reached");
        Place { nodes, last, order }
    }
}

/// A symmetry of the program in terms of what is explored.
struct Permutation {
    symmetry: Symmetry,
    /// Of positions in [`Rows::updated`].
    positions: Vec<usize>,
}

impl Permutation {
    /// None for a symmetry that does not leave the ordered location alone, or that maps a location
    /// with updates to one without: an update that never happens does not disturb a symmetry. Those
    /// that are left form a group.
    fn of(symmetry: &Symmetry, alphabet: &Alphabet, rows: &Rows, ordered: Option<LocId>) -> Option<Permutation> {
        if ordered.is_some_and(|loc| symmetry.location(loc, alphabet) != loc) {
            return None;
        }
        let position = |&loc: &LocId| rows.position(symmetry.location(loc, alphabet));
        let positions = rows.updated.iter().map(position).collect::<Option<_>>()?;
        Some(Permutation { symmetry: symmetry.clone(), positions })
    }

    /// None if one of the nodes cannot be reached at all.
    fn nodes(&self, nodes: &[Node]) -> Option<Box<[Node]>> {
        let mut images: Box<[Node]> = nodes.into();
        for (thread, &node) in nodes.iter().enumerate() {
            let image = if node == ANYWHERE { ANYWHERE } else { self.symmetry.nodes[thread][node as usize]? };
            images[self.symmetry.threads[thread]] = image;
        }
        Some(images)
    }

    fn row(&self, rows: &Rows, row: usize) -> usize {
        match row.checked_sub(rows.threads) {
            None => self.symmetry.threads[row],
            Some(base) if base < rows.bases => rows.message(self.symmetry.bases[base]),
            Some(above) => rows.last(self.positions[above - rows.bases]),
        }
    }

    fn unreadable(&self, rows: &Rows, unreadable: &Unreadable) -> Unreadable {
        let mut images = Unreadable { words: unreadable.words, sets: vec![0; unreadable.sets.len()].into() };
        for row in 0..rows.count() {
            let image = images.row_mut(self.row(rows, row));
            for base in bits::iter(unreadable.row(row)) {
                bits::insert(image, self.symmetry.bases[base]);
            }
        }
        images
    }
}

/// The rows of [`Unreadable`]: threads, then bases, then updated locations.
struct Rows {
    threads: usize,
    bases: usize,
    /// The locations with read-modify-writes.
    updated: Vec<LocId>,
    /// Words of a row.
    words: usize,
}

impl Rows {
    fn message(&self, base: Base) -> usize {
        self.threads + base
    }

    fn last(&self, position: usize) -> usize {
        self.threads + self.bases + position
    }

    fn count(&self) -> usize {
        self.threads + self.bases + self.updated.len()
    }

    /// Bytes that a place takes with all that is unreadable there, estimated.
    fn place_bytes(&self) -> u64 {
        (self.count() * self.words * 8 + 2 * (self.threads + self.updated.len()) * 8 + 160) as u64
    }

    /// Bytes of a view, estimated. Nearly all sets are shared with what was reached.
    fn view_bytes(&self, view: &View) -> u64 {
        let of = |by_last: &BTreeMap<_, Vec<Arc<Unreadable>>>| {
            let sets = by_last.values().map(Vec::len).sum::<usize>();
            128 + 4 * self.threads + by_last.len() * (64 + 8 * self.updated.len()) + 16 * sets
        };
        view.values().map(of).sum::<usize>() as u64
    }

    fn position(&self, loc: LocId) -> Option<usize> {
        self.updated.iter().position(|&updated| updated == loc)
    }
}

/// A set of bases in each row.
#[derive(Clone, PartialEq, Eq)]
struct Unreadable {
    words: usize,
    sets: Box<[u64]>,
}

impl Unreadable {
    fn row(&self, row: usize) -> &[u64] {
        &self.sets[row * self.words..(row + 1) * self.words]
    }

    fn row_mut(&mut self, row: usize) -> &mut [u64] {
        &mut self.sets[row * self.words..(row + 1) * self.words]
    }

    /// Is all that is unreadable in the other unreadable here?
    fn contains(&self, other: &Unreadable) -> bool {
        self.sets.iter().zip(&other.sets).all(|(mine, theirs)| theirs & !mine == 0)
    }

    /// Keeps what is in both; true if something was lost.
    fn join(&mut self, other: &Unreadable) -> bool {
        bits::intersect(&mut self.sets, &other.sets)
    }
}

struct Walk<'a> {
    threads: &'a [Automaton],
    alphabet: &'a Alphabet,
    rows: &'a Rows,
    /// The location whose order of updates is followed.
    ordered: Option<LocId>,
    /// For every location, its bases.
    on: Vec<Bits>,
    /// For every writer (the last one: nobody, who wrote the initial values), its bases.
    of: Vec<Bits>,
}

impl Ahead {
    /// Explores; none beyond the limits, or with more threads than bits in a word, or no time.
    pub(crate) fn of(
        threads: &[Automaton],
        alphabet: &Alphabet,
        locations: usize,
        symmetries: &[Symmetry],
        limits: &LookAhead,
        expired: &dyn Fn() -> bool,
    ) -> Option<Ahead> {
        if threads.len() > u64::BITS as usize {
            return None;
        }
        let update = |(access, _): &(Access, Node)| match access {
            Access::Rmw { loc, .. } => Some(*loc),
            _ => None,
        };
        let mut updated: Vec<LocId> =
            threads.iter().flat_map(|thread| thread.steps.iter().flatten().filter_map(update)).collect();
        updated.sort_unstable();
        updated.dedup();
        let words = Bits::new(alphabet.len()).words().len();
        let rows = Rows { threads: threads.len(), bases: alphabet.len(), updated, words };
        let writers = (0..threads.len()).map(Some).chain([None]);
        let walk = Walk {
            threads,
            alphabet,
            rows: &rows,
            ordered: ordered(threads, &rows.updated),
            on: (0..locations).map(|loc| alphabet.those(|source| source.loc.index() == loc)).collect(),
            of: writers.map(|writer| alphabet.those(|source| source.writer == writer)).collect(),
        };
        let permutation = |symmetry: &Symmetry| Permutation::of(symmetry, alphabet, &rows, walk.ordered);
        let permutations: Vec<Permutation> = symmetries.iter().filter_map(permutation).collect();
        let mut index: HashMap<Place, usize> = HashMap::new();
        // It is the same under all symmetries.
        let (place, unreadable) = walk.initial();
        let mut reached = vec![(place, Arc::new(unreadable))];
        index.insert(reached[0].0.clone(), 0);
        let mut queue = VecDeque::from([0]);
        let mut is_queued = vec![true];
        while !queue.is_empty() {
            let bytes = reached.len() as u64 * rows.place_bytes();
            if reached.len() > limits.places || bytes > limits.bytes || expired() {
                return None;
            }
            let batch: Vec<usize> = queue.drain(..queue.len().min(BATCH)).collect();
            batch.iter().for_each(|&number| is_queued[number] = false);
            // What comes out does not depend on the order: it is the same fixpoint.
            let found = each(batch.len(), limits.jobs, |turn| {
                let (place, unreadable) = &reached[batch[turn]];
                let mut found = Vec::new();
                walk.steps(place, unreadable, &mut |place, unreadable| {
                    found.push(representative(&permutations, &rows, place, unreadable));
                });
                found
            });
            for (place, unreadable) in found.into_iter().flatten() {
                let changed = match index.get(&place) {
                    Some(&known) => Arc::make_mut(&mut reached[known].1).join(&unreadable).then_some(known),
                    None => {
                        index.insert(place.clone(), reached.len());
                        reached.push((place, Arc::new(unreadable)));
                        is_queued.push(false);
                        Some(reached.len() - 1)
                    }
                };
                if let Some(changed) = changed.filter(|&changed| !is_queued[changed]) {
                    is_queued[changed] = true;
                    queue.push_back(changed);
                }
            }
        }
        let (views, view_bytes) = (RwLock::new(HashMap::new()), AtomicU64::new(0));
        Some(Ahead { rows, permutations, reached, views, view_bytes })
    }

    /// Bytes used, estimated.
    pub(crate) fn bytes(&self) -> u64 {
        self.reached.len() as u64 * self.rows.place_bytes() + self.view_bytes.load(Ordering::Relaxed)
    }

    /// What there can be where the threads of `set` are anywhere, as they are in `pattern`.
    fn view(&self, set: u64, pattern: &[Node]) -> Arc<View> {
        if let Some(known) = self.views.read().unwrap_or_else(PoisonError::into_inner).get(&set) {
            return Arc::clone(known);
        }
        // Others will want the same, and wait.
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        let view = views.entry(set).or_insert_with(|| {
            let view = view(&self.reached, pattern);
            self.view_bytes.fetch_add(self.rows.view_bytes(&view), Ordering::Relaxed);
            Arc::new(view)
        });
        Arc::clone(view)
    }

    /// Can threads be at these nodes with these potentials?
    pub(crate) fn is_reachable(
        &self,
        nodes: &[Node],
        potentials: &[PotentialId],
        store: &Store,
        alphabet: &Alphabet,
    ) -> bool {
        let flagged = potentials.iter().flat_map(|&potential| store.get(potential).flagged.iter());
        let position = |base: Base| self.rows.position(alphabet.bases[base].loc);
        let wanted: Vec<(usize, Base)> =
            flagged.filter_map(|base| position(base).map(|position| (position, base))).collect();
        // Some image of every run was followed.
        for permutation in &self.permutations {
            let Some(images) = permutation.nodes(nodes) else { return false };
            let anywhere = images.iter().enumerate().filter(|&(_, &node)| node == ANYWHERE);
            let set = anywhere.fold(0u64, |set, (thread, _)| set | 1 << thread);
            let view = self.view(set, &images);
            let possible = view.get(&images).into_iter().flatten().any(|(last, sets)| {
                let has = |&(position, base): &(usize, Base)| {
                    last[permutation.positions[position]] == permutation.symmetry.bases[base]
                };
                wanted.iter().all(has)
                    && sets.iter().any(|unreadable| {
                        let seen = Seen { permutation, rows: &self.rows, unreadable, store, alphabet };
                        (0..nodes.len())
                            .all(|thread| nodes[thread] == ANYWHERE || seen.can_have(thread, potentials[thread]))
                    })
            });
            if possible {
                return true;
            }
        }
        false
    }
}

/// What is unreadable at some place, seen through a symmetry.
struct Seen<'a> {
    permutation: &'a Permutation,
    rows: &'a Rows,
    unreadable: &'a Unreadable,
    store: &'a Store,
    alphabet: &'a Alphabet,
}

impl Seen<'_> {
    fn is_unreadable(&self, row: usize, base: Base) -> bool {
        bits::contains(self.unreadable.row(self.permutation.row(self.rows, row)), self.permutation.symmetry.bases[base])
    }

    /// Can the thread read so?
    fn can_have(&self, thread: usize, potential: PotentialId) -> bool {
        let potential = self.store.get(potential);
        potential.bases.iter().all(|base| !self.is_unreadable(thread, base))
            && potential.lists.iter().all(|&list| {
                let options = self.store.options(list);
                (1..options.len()).all(|behind| {
                    let option = options[behind - 1];
                    let position = self.rows.position(self.alphabet.bases[option.base()].loc);
                    let row = match position.filter(|_| option.is_flagged()) {
                        Some(position) => self.rows.last(position),
                        None => self.rows.message(option.base()),
                    };
                    options[behind..].iter().all(|later| !self.is_unreadable(row, later.base()))
                })
            })
    }
}

/// The least of the places that symmetries make of one.
fn representative(
    permutations: &[Permutation],
    rows: &Rows,
    place: Place,
    unreadable: Unreadable,
) -> (Place, Unreadable) {
    let mut least = (place, None);
    let original = least.0.clone();
    for permutation in &permutations[1..] {
        let image = original.permuted(permutation);
        if image < least.0 {
            least = (image, Some(permutation));
        }
    }
    let unreadable =
        least.1.map_or_else(|| unreadable.clone(), |permutation| permutation.unreadable(rows, &unreadable));
    (least.0, unreadable)
}

/// What was reached, without the nodes of threads that are anywhere in `pattern`.
fn view(reached: &[(Place, Arc<Unreadable>)], pattern: &[Node]) -> View {
    let mut view: View = HashMap::new();
    for (Place { nodes, last, .. }, unreadable) in reached {
        let hidden = nodes.iter().zip(pattern).map(|(&node, &shown)| if shown == ANYWHERE { ANYWHERE } else { node });
        let by_last = view.entry(hidden.collect()).or_default();
        if !by_last.contains_key(last) {
            by_last.insert(last.clone(), Vec::new());
        }
        keep(by_last.get_mut(last).expect("it is there"), unreadable);
    }
    view
}

/// Adds a set to those of an entry, of which none contains another: what can be read where more is
/// unreadable can be read where less is.
fn keep(sets: &mut Vec<Arc<Unreadable>>, unreadable: &Arc<Unreadable>) {
    if sets.iter().any(|known| unreadable.contains(known)) {
        return;
    }
    sets.retain(|known| !known.contains(unreadable));
    match sets.get_mut(MOST_ALTERNATIVES - 1) {
        Some(last) => _ = Arc::make_mut(last).join(unreadable),
        None => sets.push(Arc::clone(unreadable)),
    }
}

/// Places that are explored at a time.
const BATCH: usize = 256;

/// Different sets that are kept apart where threads are [`ANYWHERE`]; more are joined.
const MOST_ALTERNATIVES: usize = 16;

/// Of the locations that are updated and never just written, the one with most updates in the code.
fn ordered(threads: &[Automaton], updated: &[LocId]) -> Option<LocId> {
    let accesses = || threads.iter().flat_map(|thread| &thread.writes).map(|(access, _)| *access);
    let is_written = |loc: LocId| accesses().any(|access| matches!(access, Access::Write { loc: l, .. } if l == loc));
    let is_update = |access: &Access, loc: LocId| matches!(access, Access::Rmw { loc: l, .. } if *l == loc);
    let updates = |loc: &LocId| accesses().filter(|access| is_update(access, *loc)).count();
    updated.iter().copied().filter(|&loc| !is_written(loc)).max_by_key(updates)
}

impl Walk<'_> {
    /// At the start only initial values can be read. Of what was not written yet, everything is
    /// true.
    fn initial(&self) -> (Place, Unreadable) {
        let initial = &self.of[self.threads.len()];
        let everything = self.alphabet.those(|_| true);
        let mut written = everything.clone();
        initial.iter().for_each(|base| written.remove(base));
        let words = self.rows.words;
        let mut unreadable = Unreadable { words, sets: vec![0; self.rows.count() * words].into() };
        for thread in 0..self.threads.len() {
            unreadable.row_mut(thread).copy_from_slice(written.words());
        }
        for base in (0..self.rows.bases).filter(|&base| !initial.contains(base)) {
            unreadable.row_mut(self.rows.message(base)).copy_from_slice(everything.words());
        }
        let first = |&loc: &LocId| {
            let mut bases = self.on[loc.index()].iter();
            bases.find(|&base| initial.contains(base)).expect("initialised")
        };
        let place = Place {
            nodes: self.threads.iter().map(|thread| thread.start).collect(),
            last: self.rows.updated.iter().map(first).collect(),
            order: Vec::new(),
        };
        (place, unreadable)
    }

    /// The blocks that any thread can make.
    fn steps(&self, place: &Place, unreadable: &Unreadable, visit: &mut dyn FnMut(Place, Unreadable)) {
        for (thread, automaton) in self.threads.iter().enumerate() {
            // What cannot be read at each node on the way through reads.
            let start = place.nodes[thread];
            let mut on_the_way: HashMap<Node, Bits> = HashMap::new();
            on_the_way.insert(start, Bits::of_words(unreadable.row(thread)));
            let mut order = vec![start];
            let mut listed: HashSet<Node> = HashSet::from_iter([start]);
            let mut stack = vec![start];
            while let Some(node) = stack.pop() {
                for &(access, target) in &automaton.steps[node as usize] {
                    let Access::Read { loc, value } = access else { continue };
                    for &base in self.alphabet.readable(loc, value) {
                        if on_the_way[&node].contains(base) {
                            continue;
                        }
                        let after = self.after_read(thread, base, &on_the_way[&node], unreadable);
                        let changed = match on_the_way.get_mut(&target) {
                            Some(known) => known.intersect(&after),
                            None => on_the_way.insert(target, after).is_none(),
                        };
                        if listed.insert(target) {
                            order.push(target);
                        }
                        if changed {
                            stack.push(target);
                        }
                    }
                }
            }
            for node in order {
                for &(access, target) in &automaton.steps[node as usize] {
                    let mut mine = on_the_way[&node].clone();
                    match access {
                        Access::Read { .. } => continue,
                        Access::Write { .. } => {}
                        Access::Rmw { loc, read, .. } => {
                            let position = self.rows.position(loc).expect("an updated location");
                            let last = place.last[position];
                            if self.alphabet.bases[last].value != read || mine.contains(last) {
                                continue;
                            }
                            mine.union_words(unreadable.row(self.rows.last(position)));
                        }
                    }
                    let (place, unreadable) = self.after_write(place, unreadable, thread, mine, &access, target);
                    visit(place, unreadable);
                }
            }
        }
    }

    /// What `thread` cannot read after reading `base`: what that write carried; initial values
    /// there are over, and what it wrote there itself too.
    fn after_read(&self, thread: usize, base: Base, mine: &Bits, unreadable: &Unreadable) -> Bits {
        let source = self.alphabet.bases[base];
        let mut after = mine.clone();
        after.union_words(unreadable.row(self.rows.message(base)));
        let nobody = self.threads.len();
        for writer in [thread, nobody] {
            if source.writer.is_some() && source.writer != Some(writer) {
                for over in self.of[writer].iter().filter(|&over| self.alphabet.bases[over].loc == source.loc) {
                    after.insert(over);
                }
            }
        }
        after
    }

    fn after_write(
        &self,
        place: &Place,
        unreadable: &Unreadable,
        thread: usize,
        mut mine: Bits,
        access: &Access,
        target: Node,
    ) -> (Place, Unreadable) {
        let (loc, value) = access.written().expect("a write");
        let source = Source { writer: Some(thread), loc, value };
        let written = self.alphabet.base(source).expect("everything written is in the alphabet");
        let mut place = place.clone();
        place.nodes[thread] = target;
        if self.ordered == Some(loc) {
            place.order.retain(|&other| usize::from(other) != thread);
            place.order.push(thread as u8);
        }
        let mut after = unreadable.clone();
        mine.union(&self.on[loc.index()]);
        mine.remove(written);
        for row in 0..self.rows.count() {
            let message = row.checked_sub(self.threads.len()).filter(|&base| base < self.rows.bases);
            // Of what was never written everything stays true.
            if message.is_none_or(|base| !bits::contains(unreadable.row(row), base)) {
                bits::remove(after.row_mut(row), written);
            }
        }
        bits::intersect(after.row_mut(self.rows.message(written)), mine.words());
        if let Some(position) = self.rows.position(loc) {
            place.last[position] = written;
            after.row_mut(self.rows.last(position)).copy_from_slice(mine.words());
        }
        after.row_mut(thread).copy_from_slice(mine.words());
        (place, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(bits: u64) -> Arc<Unreadable> {
        Arc::new(Unreadable { words: 1, sets: [bits].into() })
    }

    fn kept(all: &[u64]) -> Vec<u64> {
        let mut sets = Vec::new();
        all.iter().for_each(|&bits| keep(&mut sets, &set(bits)));
        sets.iter().map(|set| set.sets[0]).collect()
    }

    /// What allows more stays, in whatever order they come; what cannot be compared stays, too, and
    /// what is beyond the limit is joined.
    #[test]
    fn the_least_that_is_unreadable_is_kept() {
        assert_eq!(kept(&[0b011, 0b111]), [0b011]);
        assert_eq!(kept(&[0b111, 0b110, 0b011, 0b111]), [0b110, 0b011]);
        assert_eq!(kept(&[0b01, 0b10, 0b11, 0b00]), [0]);
        let apart: Vec<u64> = (0..MOST_ALTERNATIVES + 2).map(|number| 1 << 63 | 1 << number).collect();
        let mut joined = apart[..MOST_ALTERNATIVES - 1].to_vec();
        assert_eq!(kept(&apart[..MOST_ALTERNATIVES - 1]), joined);
        // The last alternative has become 1 << 63, which is below all others.
        joined.push(1 << 63);
        assert_eq!(kept(&apart[..=MOST_ALTERNATIVES]), joined);
    }

    /// Places that differ where a thread is anywhere are one: what is unreadable in all of them is
    /// what is known.
    #[test]
    fn a_view_forgets_the_nodes_of_threads_that_are_anywhere() {
        let place =
            |nodes: [Node; 2], last: Base| Place { nodes: nodes.into(), last: [last].into(), order: Vec::new() };
        let reached = [(place([0, 1], 0), set(0b11)), (place([0, 2], 0), set(0b01)), (place([0, 2], 1), set(0b11))];
        let sets = |pattern: [Node; 2], nodes: [Node; 2], last: Base| -> Vec<u64> {
            view(&reached, &pattern)[&nodes[..]][&[last][..]].iter().map(|set| set.sets[0]).collect()
        };
        assert_eq!(sets([0, ANYWHERE], [0, ANYWHERE], 0), [0b01]);
        assert_eq!(sets([0, ANYWHERE], [0, ANYWHERE], 1), [0b11]);
        assert_eq!(sets([0, 1], [0, 1], 0), [0b11]);
    }
}
