//! Symmetries of a program: permutations of its threads, locations and values
//! that turn runs into runs.
//!
//! Threads need not have the same code. Peterson's algorithm, say, looks
//! the same to both threads when the flags change places and so do the values
//! of the turn. So we look for automorphisms of the automata of all threads
//! together, where bases (who wrote what where) may be permuted, as long as
//! initial values stay initial values, writers writers of the images, and locations
//! together. A step that reads is one step for every base that it can read; those that
//! a thread certainly cannot read ([`crate::facts`]) do not disturb: the initial turn may be
//! the same as one of the two others.
//!
//! The search is the usual one for graphs: colours are refined until they say
//! no more; then a vertex is mapped to each vertex of its colour, one after the
//! other. What comes out is compared step by step, so a symmetry is one, and
//! missing some changes the cost only. What is asked does not matter: of a
//! configuration in a run, the image is in a run, too.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::LocId;
use foldhash::{HashMap, HashMapExt};

use crate::automaton::{Access, Automaton, Node};
use crate::facts::Facts;
use crate::options::{Alphabet, Base, Source};

/// An automorphism of the threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Symmetry {
    /// For every thread, the one whose part it plays afterwards.
    pub(crate) threads: Vec<usize>,
    /// For every thread and node, the node of that thread; none if it cannot be reached.
    pub(crate) nodes: Vec<Vec<Option<Node>>>,
    /// For every base, its image.
    pub(crate) bases: Vec<Base>,
}

/// Automorphisms kept; more of them make each configuration dear.
const MOST_SYMMETRIES: usize = 120;

/// Vertices that are coloured anew before we are content with a smaller group.
const PATIENCE: usize = 1 << 20;

impl Symmetry {
    /// A group of symmetries of these threads: all of them, or if there are too many, all that
    /// leave the first threads where they are. The first one changes nothing.
    pub(crate) fn of(
        threads: &[Automaton],
        alphabet: &Alphabet,
        facts: &Facts,
        expired: &dyn Fn() -> bool,
    ) -> Vec<Symmetry> {
        // Each of them would be a vertex: more than could be coloured once.
        if steps(threads, alphabet) > PATIENCE {
            return vec![Symmetry::identity(threads, alphabet)];
        }
        let moves: Vec<Moves> = (0..threads.len()).map(|thread| Moves::of(thread, threads, alphabet, facts)).collect();
        let graph = Graph::of(&moves, threads, alphabet);
        let all: Vec<usize> = (0..graph.edges.len()).collect();
        let identity = graph.symmetry(&moves, alphabet, &all).expect("bases are their own images");
        for fixed in (0..threads.len()).take_while(|_| !expired()) {
            let mut colours = graph.colours.clone();
            for (thread, colour) in colours[..fixed].iter_mut().enumerate() {
                *colour = OWN + thread as Colour;
            }
            let mut search = Search {
                graph: &graph,
                moves: &moves,
                threads,
                alphabet,
                patience: PATIENCE,
                expired,
                found: Vec::new(),
            };
            if search.extend(colours.clone(), colours) {
                let mut found = search.found;
                found.retain(|symmetry| *symmetry != identity);
                found.insert(0, identity);
                return found;
            }
        }
        vec![identity]
    }

    /// The one that changes nothing.
    fn identity(threads: &[Automaton], alphabet: &Alphabet) -> Symmetry {
        Symmetry {
            threads: (0..threads.len()).collect(),
            nodes: threads.iter().map(|automaton| (0..automaton.len() as Node).map(Some).collect()).collect(),
            bases: (0..alphabet.len()).collect(),
        }
    }

    /// A location, permuted.
    pub(crate) fn location(&self, loc: LocId, alphabet: &Alphabet) -> LocId {
        let initial = alphabet.bases.iter().position(|source| source.writer.is_none() && source.loc == loc);
        alphabet.bases[self.bases[initial.expect("every location has an initial value")]].loc
    }

    /// Does it map starts to starts, writers to writers, locations to locations, and steps to
    /// steps?
    fn is_automorphism(&self, moves: &[Moves], threads: &[Automaton], alphabet: &Alphabet) -> bool {
        let initials = || alphabet.bases.iter().zip(&self.bases).filter(|(source, _)| source.writer.is_none());
        let locations: HashMap<LocId, LocId> =
            initials().map(|(source, &image)| (source.loc, alphabet.bases[image].loc)).collect();
        let is_permutation = |images: &[usize]| images.iter().collect::<BTreeSet<_>>().len() == images.len();
        let follows = |(source, &image): (&Source, &Base)| {
            let expected = Source {
                writer: source.writer.map(|writer| self.threads[writer]),
                loc: locations[&source.loc],
                value: alphabet.bases[image].value,
            };
            alphabet.bases[image] == expected
        };
        is_permutation(&self.threads)
            && is_permutation(&self.bases)
            && alphabet.bases.iter().zip(&self.bases).all(follows)
            && (0..threads.len()).all(|thread| {
                let (nodes, other) = (&self.nodes[thread], self.threads[thread]);
                let image = |&(kind, read, written, target): &Move| -> Option<Move> {
                    let base = |base: Option<Base>| base.map(|base| self.bases[base]);
                    Some((kind, base(read), base(written), nodes[target as usize]?))
                };
                let reached: Vec<(usize, Node)> =
                    nodes.iter().enumerate().filter_map(|(node, image)| Some((node, (*image)?))).collect();
                is_permutation(&reached.iter().map(|&(_, image)| image as usize).collect::<Vec<_>>())
                    && nodes[threads[thread].start as usize] == Some(threads[other].start)
                    && reached.iter().all(|&(node, to)| {
                        let (steps, others) = (&moves[thread].steps[node], &moves[other].steps[to as usize]);
                        let images: Option<BTreeSet<Move>> = steps.iter().map(image).collect();
                        images.as_ref() == Some(others)
                    })
            })
    }
}

/// How many steps there are, if each that reads is one for every base that it may read.
fn steps(threads: &[Automaton], alphabet: &Alphabet) -> usize {
    let ways = |(access, _): &(Access, Node)| match *access {
        Access::Write { .. } => 1,
        Access::Read { loc, value } | Access::Rmw { loc, read: value, .. } => alphabet.readable(loc, value).len(),
    };
    threads.iter().flat_map(|automaton| automaton.steps.iter().flatten()).map(ways).sum()
}

/// A step with its bases: is it indivisible, what is read, what is written, where does it lead?
type Move = (bool, Option<Base>, Option<Base>, Node);

/// The steps of a thread, one for every base that it may read, from the nodes that these lead to.
struct Moves {
    is_reached: Vec<bool>,
    steps: Vec<BTreeSet<Move>>,
}

impl Moves {
    fn of(thread: usize, threads: &[Automaton], alphabet: &Alphabet, facts: &Facts) -> Moves {
        let automaton = &threads[thread];
        let mut moves =
            Moves { is_reached: vec![false; automaton.len()], steps: vec![BTreeSet::new(); automaton.len()] };
        let written = |access: &Access| {
            let source = |(loc, value)| Source { writer: Some(thread), loc, value };
            access.written().and_then(|written| alphabet.base(source(written)))
        };
        // The first states are nodes, too: a thread may rest there.
        let is_first = |node: &Node| automaton.is_first(*node);
        let mut stack: Vec<Node> = automaton.nodes().filter(is_first).chain([automaton.start]).collect();
        stack.iter().for_each(|&node| moves.is_reached[node as usize] = true);
        while let Some(node) = stack.pop() {
            for (access, target) in &automaton.steps[node as usize] {
                let mut add = |step: Move| {
                    moves.steps[node as usize].insert(step);
                    if !std::mem::replace(&mut moves.is_reached[*target as usize], true) {
                        stack.push(*target);
                    }
                };
                match *access {
                    Access::Write { .. } => add((false, None, written(access), *target)),
                    Access::Read { loc, value } | Access::Rmw { loc, read: value, .. } => {
                        let bases = alphabet.readable(loc, value).iter().copied();
                        for base in bases.filter(|&base| facts.is_own_reading_possible(thread, node, base)) {
                            add((written(access).is_some(), Some(base), written(access), *target));
                        }
                    }
                }
            }
        }
        moves
    }
}

/// A number that vertices have in common; equal ones are not told apart yet.
type Colour = u32;

/// The colour of a vertex, and what its neighbours are to it, with their colours.
type Surroundings = (Colour, Vec<(u8, Colour)>);

/// The first of the colours that threads have for themselves.
const OWN: Colour = 8;

/// Threads, locations, bases, nodes, and steps as vertices.
struct Graph {
    colours: Vec<Colour>,
    /// For every vertex, its neighbours and what they are to it.
    edges: Vec<Vec<(u8, usize)>>,
    bases: BTreeMap<Base, usize>,
    nodes: Vec<BTreeMap<Node, usize>>,
}

impl Graph {
    fn of(moves: &[Moves], threads: &[Automaton], alphabet: &Alphabet) -> Graph {
        let mut graph = Graph { colours: Vec::new(), edges: Vec::new(), bases: BTreeMap::new(), nodes: Vec::new() };
        for _ in threads {
            graph.vertex(0);
        }
        let mut locations: BTreeMap<LocId, usize> = BTreeMap::new();
        for (base, source) in alphabet.bases.iter().enumerate() {
            let vertex = graph.vertex(if source.writer.is_none() { 1 } else { 2 });
            let place = *locations.entry(source.loc).or_insert_with(|| graph.vertex(3));
            graph.edge(0, vertex, place);
            if let Some(writer) = source.writer {
                graph.edge(2, vertex, writer);
            }
            graph.bases.insert(base, vertex);
        }
        for (thread, (moves, automaton)) in moves.iter().zip(threads).enumerate() {
            let mut nodes = BTreeMap::new();
            for node in (0..automaton.len()).filter(|&node| moves.is_reached[node]) {
                let vertex = graph.vertex(6 + Colour::from(node == automaton.start as usize));
                graph.edge(4, vertex, thread);
                nodes.insert(node as Node, vertex);
            }
            for (&node, &vertex) in &nodes {
                for &(is_update, read, written, target) in &moves.steps[node as usize] {
                    let step = graph.vertex(4 + Colour::from(is_update));
                    graph.edge(6, vertex, step);
                    graph.edge(8, step, nodes[&target]);
                    for (kind, base) in [(10, read), (12, written)] {
                        if let Some(base) = base {
                            graph.edge(kind, step, graph.bases[&base]);
                        }
                    }
                }
            }
            graph.nodes.push(nodes);
        }
        graph
    }

    fn vertex(&mut self, colour: Colour) -> usize {
        self.colours.push(colour);
        self.edges.push(Vec::new());
        self.edges.len() - 1
    }

    /// An edge of this kind, an even number; backwards it is the next.
    fn edge(&mut self, kind: u8, from: usize, to: usize) {
        self.edges[from].push((kind, to));
        self.edges[to].push((kind + 1, from));
    }

    /// The symmetry that maps vertices so.
    fn symmetry(&self, moves: &[Moves], alphabet: &Alphabet, images: &[usize]) -> Option<Symmetry> {
        let names: HashMap<usize, Base> = self.bases.iter().map(|(&base, &vertex)| (vertex, base)).collect();
        let image = |base: Base| names.get(&images[*self.bases.get(&base)?]).copied();
        let node_names: HashMap<usize, Node> =
            self.nodes.iter().flatten().map(|(&node, &vertex)| (vertex, node)).collect();
        let nodes = |thread: usize| {
            let node = |node: Node| node_names.get(&images[*self.nodes[thread].get(&node)?]).copied();
            (0..moves[thread].steps.len() as Node).map(node).collect()
        };
        Some(Symmetry {
            threads: images[..moves.len()].to_vec(),
            nodes: (0..moves.len()).map(nodes).collect(),
            bases: (0..alphabet.len()).map(image).collect::<Option<_>>()?,
        })
    }
}

struct Search<'a> {
    graph: &'a Graph,
    moves: &'a [Moves],
    threads: &'a [Automaton],
    alphabet: &'a Alphabet,
    patience: usize,
    expired: &'a dyn Fn() -> bool,
    found: Vec<Symmetry>,
}

impl Search<'_> {
    /// Finds the automorphisms that map colours of the left to the same colours on the right; false
    /// if it gives up.
    fn extend(&mut self, mut left: Vec<Colour>, mut right: Vec<Colour>) -> bool {
        match self.refine(&mut left, &mut right) {
            Some(true) => {}
            Some(false) => return true,
            None => return false,
        }
        let mut classes: BTreeMap<Colour, Vec<usize>> = BTreeMap::new();
        for (vertex, &colour) in right.iter().enumerate() {
            classes.entry(colour).or_default().push(vertex);
        }
        let Some(open) = (0..left.len()).find(|&vertex| classes[&left[vertex]].len() > 1) else {
            let images: Vec<usize> = left.iter().map(|colour| classes[colour][0]).collect();
            let symmetry = self.graph.symmetry(self.moves, self.alphabet, &images);
            self.found
                .extend(symmetry.filter(|symmetry| symmetry.is_automorphism(self.moves, self.threads, self.alphabet)));
            return self.found.len() <= MOST_SYMMETRIES;
        };
        let fresh = left.iter().max().map_or(0, |&most| most + 1);
        classes[&left[open]].iter().all(|&image| {
            let (mut left, mut right) = (left.clone(), right.clone());
            left[open] = fresh;
            right[image] = fresh;
            self.extend(left, right)
        })
    }

    /// Refines both colourings in the same way until there is nothing more to tell apart; false if
    /// they differ, none if it takes too long.
    fn refine(&mut self, left: &mut Vec<Colour>, right: &mut Vec<Colour>) -> Option<bool> {
        let mut count = 0;
        loop {
            self.patience = self.patience.checked_sub(left.len()).filter(|_| !(self.expired)())?;
            let mut numbers: HashMap<Surroundings, (Colour, usize)> = HashMap::new();
            let describe = |colours: &[Colour], vertex: usize| {
                let mut around: Vec<(u8, Colour)> =
                    self.graph.edges[vertex].iter().map(|&(kind, other)| (kind, colours[other])).collect();
                around.sort_unstable();
                (colours[vertex], around)
            };
            let mut finer = Vec::with_capacity(left.len());
            for vertex in 0..left.len() {
                let next = numbers.len() as Colour;
                let entry = numbers.entry(describe(left, vertex)).or_insert((next, 0));
                entry.1 += 1;
                finer.push(entry.0);
            }
            let mut other = Vec::with_capacity(right.len());
            for vertex in 0..right.len() {
                match numbers.get_mut(&describe(right, vertex)) {
                    Some((colour, left)) if *left > 0 => {
                        *left -= 1;
                        other.push(*colour);
                    }
                    _ => return Some(false),
                }
            }
            (*left, *right) = (finer, other);
            if numbers.len() == count {
                return Some(true);
            }
            count = numbers.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use fencepost_lower::{Language, load};
    use fencepost_verdict::Budget;

    use super::*;
    use crate::local::Locals;
    use crate::losra::alphabet;

    fn symmetries(text: &str) -> Vec<Symmetry> {
        let program = load(Language::Fp, text).program.expect("a program");
        let locals = Locals::of(&program, &Budget::unlimited()).expect("no limits");
        let init: Vec<_> = program.locations().iter().map(|location| location.init).collect();
        let automaton = |local| Automaton::of(local, &init, &|_| 0, &Budget::unlimited()).expect("no limits");
        let threads: Vec<_> = locals.threads.iter().map(automaton).collect();
        let alphabet = alphabet(&threads, &init);
        Symmetry::of(
            &threads,
            &alphabet,
            &Facts::of(&threads, &alphabet, &Budget::unlimited()).expect("no limits"),
            &|| false,
        )
    }

    /// Copies, flags and turns of threads, rotations, values, and nothing.
    #[test]
    fn as_many_as_there_are() {
        for (text, expected) in [
            (
                "domain 4; global next, serving, owner; thread p[3] { local t, r; t = next.fadd(1); wait(serving \
                 == t); owner.store(me); r = owner.load(); assert(r == me); serving.store(t + 1); }",
                6,
            ),
            (
                "domain 3; global b[3]; thread p[3] { local r; b[me].store(1); r = b[(me + 1) % 3].load(); if (r \
                 == 0) { r = b[(me + 2) % 3].load(); } b[me].store(0); }",
                3,
            ),
            (
                "domain 2; global flag[2], turn; thread p[2] { local r; while (1) { flag[me].store(1); \
                 turn.xchg(1 - me); do { r = flag[1 - me].load(); if (r == 1) { r = turn.load(); r = r == 1 - me; \
                 } } while (r == 1); flag[me].store(0); } }",
                2,
            ),
            (
                "domain 4; global x; thread p { choose { x.store(1); } or { x.store(2); } or { x.store(3); } } \
                 thread q { local r; r = x.load(); }",
                6,
            ),
            ("domain 2; global x; thread p { x.store(1); } thread q { local r; r = x.load(); x.store(r); }", 1),
        ] {
            let found = symmetries(text);
            assert_eq!(found.len(), expected, "{text}");
            assert!(found[0].threads.is_sorted() && found[0].bases.is_sorted(), "the first one changes nothing");
        }
    }

    /// Seven threads have more symmetries than are kept; those that are form a group.
    #[test]
    fn too_many_are_cut_to_a_group() {
        let found = symmetries("domain 2; global x; thread p[7] { x.store(1); }");
        assert_eq!(found.len(), 24 * 5);
        for (one, other) in found.iter().zip(found.iter().rev()) {
            let threads: Vec<usize> = one.threads.iter().map(|&thread| other.threads[thread]).collect();
            assert!(found.iter().any(|symmetry| symmetry.threads == threads));
        }
    }
}
