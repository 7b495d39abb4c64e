//! Which edges are worth drawing: the cycle's in any case; others only where
//! they say something that the drawn ones do not imply.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_finding::{Diagram, Edge, Relation};

use super::picture::{Builder, Link, NodeKind, Place};

/// With more events shown, edges that touch no event of the cycle are left out, reads-from
/// excepted.
const CROWDED: usize = 10;

/// Whom each event reads from, and its neighbours in modification order.
pub(super) struct Chains {
    source: Vec<Option<usize>>,
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
}

impl Chains {
    pub(super) fn new(diagram: &Diagram) -> Chains {
        let none = || vec![None; diagram.events.len()];
        let mut chains = Chains { source: none(), before: none(), after: none() };
        for &Edge { from, to, relation } in &diagram.edges {
            match relation {
                Relation::Rf => chains.source[to] = Some(from),
                Relation::Mo => (chains.before[to], chains.after[from]) = (Some(from), Some(to)),
                _ => {}
            }
        }
        chains
    }

    pub(super) fn source(&self, event: usize) -> Option<usize> {
        self.source[event]
    }

    fn is_write(&self, event: usize) -> bool {
        self.before[event].is_some() || self.after[event].is_some()
    }

    /// The first write of what an event writes to.
    fn first(&self, event: usize) -> usize {
        std::iter::successors(Some(event), |&event| self.before[event]).last().unwrap_or(event)
    }

    /// An event and those after it in modification order.
    fn from(&self, event: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(event), |&event| self.after[event])
    }
}

/// The events in direct communication with one of `key`.
pub(super) fn related(diagram: &Diagram, chains: &Chains, key: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut related = BTreeSet::new();
    for id in 0..diagram.events.len() {
        let source = chains.source[id];
        if source.is_some_and(|source| key.contains(&source)) && chains.is_write(id) {
            related.insert(id);
        }
        if key.contains(&id) {
            related.extend(source);
        }
    }
    for &id in key {
        let anchor = if chains.is_write(id) { Some(id) } else { chains.source[id] };
        let Some(anchor) = anchor else { continue };
        related.extend([chains.before[anchor], chains.after[anchor]].into_iter().flatten());
    }
    related.retain(|&id| diagram.events[id].thread.is_some());
    related
}

impl Builder<'_> {
    /// Adds every link, and the initialisation nodes they need.
    pub(super) fn links(&mut self) {
        self.program_order();
        let (races, cycle): (Vec<Edge>, Vec<Edge>) =
            self.diagram.focus.iter().partition(|edge| edge.relation == Relation::Race);
        for edge in cycle.into_iter().filter(|edge| edge.relation != Relation::Po) {
            self.draw(edge, true);
        }
        let crowded = self.node_of.len() > CROWDED;
        self.reads_from(&races);
        self.modification_order(!races.is_empty(), crowded);
        self.overwritten_reads(crowded);
        self.derived();
        for race in races {
            self.draw(race, true);
        }
    }

    /// Between neighbours in each column; bold where the cycle goes along them.
    fn program_order(&mut self) {
        let focus = self.diagram.focus.iter().filter(|edge| edge.relation == Relation::Po);
        let along: Vec<(usize, usize)> = focus.map(|edge| (self.node_of[&edge.from], self.node_of[&edge.to])).collect();
        for to in 1..self.nodes.len() {
            let from = to - 1;
            let (Place::Cell { column: a, .. }, Place::Cell { column: b, .. }) =
                (self.nodes[from].place, self.nodes[to].place)
            else {
                continue;
            };
            if a == b {
                let on_cycle = along.iter().any(|&(start, end)| start <= from && to <= end);
                self.link(from, to, Relation::Po, on_cycle);
            }
        }
    }

    fn reads_from(&mut self, races: &[Edge]) {
        for edge in self.edges(Relation::Rf) {
            let Some(&to) = self.node_of.get(&edge.to) else { continue };
            if self.is_init(edge.from) {
                let is_remarkable = races.is_empty() && self.nodes[to].kind != NodeKind::Event;
                if is_remarkable || self.wants_all(Relation::Rf) {
                    self.draw(edge, false);
                }
            } else if self.node_of.contains_key(&edge.from)
                && !races.iter().any(|race| (race.from, race.to) == (edge.from, edge.to))
            {
                self.draw(edge, false);
            }
        }
    }

    fn modification_order(&mut self, is_race: bool, crowded: bool) {
        let chains = self.chains;
        // A culprit that writes in the past is told by what it comes after and before.
        let in_the_past = self.diagram.culprit.filter(|&culprit| !is_race && chains.after[culprit].is_some());
        let in_the_past = in_the_past.map(|culprit| chains.first(culprit));
        let is_first = |&id: &usize| chains.before[id].is_none() && chains.after[id].is_some();
        for first in (0..self.diagram.events.len()).filter(is_first) {
            let is_written = chains.from(first).skip(1).any(|write| self.node_of.contains_key(&write));
            let is_wanted = in_the_past == Some(first) || (is_written && self.wants_all(Relation::Mo));
            if self.is_init(first) && is_wanted {
                self.init_node(first);
            }
            let shown: Vec<usize> = chains.from(first).filter(|write| self.node_of.contains_key(write)).collect();
            for pair in shown.windows(2) {
                let (from, to) = (pair[0], pair[1]);
                // An update that reads from its predecessor shows as much by its rf edge.
                let implied = self.is_same_thread(from, to) || chains.source[to] == Some(from);
                if self.wants_all(Relation::Mo) || (!implied && self.worth_it(from, to, crowded)) {
                    self.draw(Edge { from, to, relation: Relation::Mo }, false);
                }
            }
        }
    }

    /// From each read to the write right after the one it reads from.
    fn overwritten_reads(&mut self, crowded: bool) {
        for edge in self.edges(Relation::Fr) {
            let Edge { from, to, .. } = edge;
            if !self.node_of.contains_key(&from) || !self.node_of.contains_key(&to) {
                continue;
            }
            let implied = self.is_same_thread(from, to);
            if self.wants_all(Relation::Fr) || (!implied && self.worth_it(from, to, crowded)) {
                self.draw(edge, false);
            }
        }
    }

    /// The relations of the model that were asked for, without what the other edges imply: paths of
    /// a transitive relation, and program order where it is part of the relation.
    fn derived(&mut self) {
        let mut relations: Vec<Relation> = Vec::new();
        for edge in &self.diagram.edges {
            if matches!(edge.relation, Relation::Derived(_)) && !relations.contains(&edge.relation) {
                relations.push(edge.relation);
            }
        }
        let shown: Vec<usize> = self.node_of.keys().copied().filter(|&id| !self.is_init(id)).collect();
        let number_of: BTreeMap<usize, usize> = shown.iter().enumerate().map(|(number, &id)| (id, number)).collect();
        let po = |a: usize, b: usize| a < b && self.is_same_thread(shown[a], shown[b]);
        let pairs = || (0..shown.len()).flat_map(|a| (0..shown.len()).map(move |b| (a, b)));
        let mut found: Vec<Edge> = Vec::new();
        for relation in relations {
            // Among the shown events, by their numbers.
            let mut rel = vec![vec![false; shown.len()]; shown.len()];
            for edge in self.edges(relation) {
                if let (Some(&a), Some(&b)) = (number_of.get(&edge.from), number_of.get(&edge.to)) {
                    rel[a][b] = true;
                }
            }
            let has_po = pairs().all(|(a, b)| !po(a, b) || rel[a][b]);
            let between = |a: usize, b: usize| (0..shown.len()).any(|c| rel[a][c] && rel[c][b]);
            let is_transitive = pairs().all(|(a, b)| a == b || rel[a][b] || !between(a, b));
            let is_implied = |a: usize, b: usize| (has_po && po(a, b)) || (is_transitive && between(a, b));
            let links = pairs().filter(|&(a, b)| rel[a][b] && !is_implied(a, b));
            found.extend(links.map(|(a, b)| Edge { from: shown[a], to: shown[b], relation }));
        }
        for edge in found {
            let (from, to) = (self.node_of[&edge.from], self.node_of[&edge.to]);
            match self.links.iter_mut().find(|link| (link.from, link.to) == (from, to)) {
                Some(link) => link.also.push(edge.relation),
                None => self.link(from, to, edge.relation, false),
            }
        }
    }

    /// Is every edge of this relation to be drawn?
    fn wants_all(&self, relation: Relation) -> bool {
        self.diagram.in_full.contains(&relation)
    }

    fn worth_it(&self, from: usize, to: usize, crowded: bool) -> bool {
        let kind = |event: usize| self.nodes[self.node_of[&event]].kind;
        let on_cycle = |event: usize| matches!(kind(event), NodeKind::OnCycle | NodeKind::Culprit);
        !crowded || (on_cycle(from) && on_cycle(to)) || kind(from) == NodeKind::Init
    }

    /// The edges of a relation.
    fn edges(&self, relation: Relation) -> Vec<Edge> {
        self.diagram.edges.iter().copied().filter(|edge| edge.relation == relation).collect()
    }

    fn is_init(&self, event: usize) -> bool {
        self.diagram.events[event].thread.is_none()
    }

    fn is_same_thread(&self, a: usize, b: usize) -> bool {
        self.diagram.events[a].thread == self.diagram.events[b].thread
    }

    /// Adds a link between events that are shown, or initial values.
    fn draw(&mut self, Edge { from, to, relation }: Edge, on_cycle: bool) {
        let [from, to] = [from, to].map(|event| match self.is_init(event) {
            true => self.init_node(event),
            false => self.node_of[&event],
        });
        self.link(from, to, relation, on_cycle);
    }

    fn link(&mut self, from: usize, to: usize, kind: Relation, on_cycle: bool) {
        let known = self.links.iter().any(|link| (link.from, link.to, link.kind) == (from, to, kind));
        if !known {
            self.links.push(Link { from, to, kind, on_cycle, also: Vec::new() });
        }
    }
}
