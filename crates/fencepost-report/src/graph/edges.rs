//! Which edges are worth drawing: the cycle's in any case; others only where
//! they say something that the drawn ones do not imply.

use std::collections::BTreeSet;

use fencepost_model::cycle::Edge;
use fencepost_model::{EventId, Graph};

use super::Extra;
use super::picture::{Builder, Link, LinkKind, NodeKind, Place, Selection};

/// With more events shown, edges that touch no event of the cycle are left out, reads-from
/// excepted.
const CROWDED: usize = 10;

/// The events in direct communication with one of `key`.
pub(super) fn related(graph: &Graph, key: &BTreeSet<EventId>) -> BTreeSet<EventId> {
    let mut related = BTreeSet::new();
    for id in graph.ids() {
        let source = graph.source(id);
        if source.is_some_and(|source| key.contains(&source)) && graph.label(id).is_rmw() {
            related.insert(id);
        }
        if key.contains(&id) {
            related.extend(source);
        }
    }
    for &id in key {
        let Some(loc) = graph.label(id).loc() else { continue };
        let writes = graph.writes(loc);
        let anchor = if graph.label(id).is_write() { Some(id) } else { graph.source(id) };
        let Some(position) = anchor.and_then(|anchor| writes.iter().position(|&write| write == anchor)) else {
            continue;
        };
        related.extend(position.checked_sub(1).map(|before| writes[before]));
        related.extend(writes.get(position + 1));
    }
    related.retain(|&id| !graph.is_init(id));
    related
}

impl Builder<'_> {
    /// Adds every link, and the initialisation nodes they need.
    pub(super) fn links(&mut self, selection: &Selection) {
        self.program_order();
        self.cycle();
        let crowded = self.node_of.len() > CROWDED;
        self.reads_from(selection);
        self.modification_order(selection, crowded);
        self.overwritten_reads(crowded);
        self.derived();
        if let (Some(culprit), Some(other)) = (self.scene.culprit, self.scene.opponent) {
            let (from, to) = (self.node_of[&other], self.node_of[&culprit]);
            self.link(from, to, LinkKind::Race, true);
        }
    }

    /// Between neighbours in each column; bold where the cycle goes along them.
    fn program_order(&mut self) {
        let along: Vec<(usize, usize)> = self
            .cycle_edges()
            .into_iter()
            .filter(|&(_, edge, _)| edge == Edge::Po)
            .map(|(from, _, to)| (self.node_of[&from], self.node_of[&to]))
            .collect();
        for to in 1..self.nodes.len() {
            let from = to - 1;
            let (Place::Cell { column: a, .. }, Place::Cell { column: b, .. }) =
                (self.nodes[from].place, self.nodes[to].place)
            else {
                continue;
            };
            if a == b {
                let on_cycle = along.iter().any(|&(start, end)| start <= from && to <= end);
                self.link(from, to, LinkKind::Po, on_cycle);
            }
        }
    }

    fn cycle(&mut self) {
        for (from, edge, to) in self.cycle_edges() {
            let kind = match edge {
                Edge::Po | Edge::Section => continue,
                Edge::Rf => LinkKind::Rf,
                Edge::Mo => LinkKind::Mo,
                Edge::Fr => LinkKind::Fr,
            };
            self.link(self.node_of[&from], self.node_of[&to], kind, true);
        }
    }

    fn reads_from(&mut self, selection: &Selection) {
        let graph = self.scene.graph;
        for read in self.shown() {
            let Some(source) = graph.source(read) else { continue };
            let to = self.node_of[&read];
            let loc = graph.label(read).loc().expect("reads have a location");
            if graph.is_init(source) {
                let hidden = self.subject.program.fence_location() == Some(loc);
                let is_remarkable = selection.inits.contains(&loc) && self.nodes[to].kind != NodeKind::Event;
                if !hidden && (is_remarkable || self.wants_all("rf")) {
                    let from = self.init_node(loc);
                    self.link(from, to, LinkKind::Rf, false);
                }
            } else if let Some(&from) = self.node_of.get(&source)
                && !(Some(read) == self.scene.culprit && self.scene.opponent == Some(source))
            {
                self.link(from, to, LinkKind::Rf, false);
            }
        }
    }

    fn modification_order(&mut self, selection: &Selection, crowded: bool) {
        let graph = self.scene.graph;
        for loc in (0..graph.locations()).map(fencepost_base::ids::LocId::from_index) {
            let hidden = self.subject.program.fence_location() == Some(loc);
            let in_the_past = self.scene.written_in_the_past == Some(loc) && selection.inits.contains(&loc);
            let is_written = graph.writes(loc).iter().skip(1).any(|write| self.node_of.contains_key(write));
            if !hidden && (in_the_past || (is_written && self.wants_all("mo"))) {
                self.init_node(loc);
            }
            let shown: Vec<EventId> =
                graph.writes(loc).iter().copied().filter(|write| self.node_of.contains_key(write)).collect();
            for pair in shown.windows(2) {
                let same_thread = graph.event(pair[0]).thread == graph.event(pair[1]).thread;
                // An update that reads from its predecessor shows as much by its rf edge.
                let implied = same_thread || graph.source(pair[1]) == Some(pair[0]);
                let (from, to) = (self.node_of[&pair[0]], self.node_of[&pair[1]]);
                if self.wants_all("mo") || (!implied && self.worth_it(from, to, crowded)) {
                    self.link(from, to, LinkKind::Mo, false);
                }
            }
        }
    }

    /// From each read to the write right after the one it reads from.
    fn overwritten_reads(&mut self, crowded: bool) {
        let graph = self.scene.graph;
        for read in self.shown().into_iter().filter(|&id| !graph.label(id).is_write()) {
            let (Some(source), Some(loc)) = (graph.source(read), graph.label(read).loc()) else { continue };
            let mut later = graph.writes(loc).iter().skip_while(|&&write| write != source).skip(1);
            let Some(&next) = later.next() else { continue };
            let Some(&to) = self.node_of.get(&next) else { continue };
            let from = self.node_of[&read];
            let implied = graph.event(next).thread == graph.event(read).thread;
            if self.wants_all("fr") || (!implied && self.worth_it(from, to, crowded)) {
                self.link(from, to, LinkKind::Fr, false);
            }
        }
    }

    /// The relations of the model that were asked for, without what the other edges imply: paths of
    /// a transitive relation, and program order where it is part of the relation.
    fn derived(&mut self) {
        let Extra { relations, model: Some(model) } = self.extra else { return };
        let shown = self.shown();
        let po = self.scene.graph.po();
        for (name, rel) in model.relations(self.scene.graph) {
            if !relations.iter().any(|wanted| wanted == name) {
                continue;
            }
            let pairs = || shown.iter().flat_map(|&a| shown.iter().map(move |&b| (a, b)));
            let has_po = pairs().all(|(a, b)| !po.contains(a, b) || rel.contains(a, b));
            let is_transitive = rel == rel.plus();
            let is_implied = |a: EventId, b: EventId| {
                let is_between = |&c: &EventId| c != a && c != b && rel.contains(a, c) && rel.contains(c, b);
                (has_po && po.contains(a, b)) || (is_transitive && shown.iter().any(is_between))
            };
            let links: Vec<(EventId, EventId)> =
                pairs().filter(|&(a, b)| a != b && rel.contains(a, b) && !is_implied(a, b)).collect();
            for (a, b) in links {
                let (from, to, kind) = (self.node_of[&a], self.node_of[&b], LinkKind::Derived(name));
                match self.links.iter_mut().find(|link| (link.from, link.to) == (from, to)) {
                    Some(link) => link.also.push(kind),
                    None => self.link(from, to, kind, false),
                }
            }
        }
    }

    /// Is every edge of this relation to be drawn?
    fn wants_all(&self, name: &str) -> bool {
        self.extra.relations.iter().any(|wanted| wanted == name)
    }

    fn worth_it(&self, from: usize, to: usize, crowded: bool) -> bool {
        let on_cycle = |node: usize| matches!(self.nodes[node].kind, NodeKind::OnCycle | NodeKind::Culprit);
        !crowded || (on_cycle(from) && on_cycle(to)) || self.nodes[from].kind == NodeKind::Init
    }

    /// The shown events, in the order of the run.
    fn shown(&self) -> Vec<EventId> {
        self.node_of.keys().copied().filter(|&id| !self.scene.graph.is_init(id)).collect()
    }

    fn cycle_edges(&self) -> Vec<(EventId, Edge, EventId)> {
        let steps = self.scene.cycle_steps();
        let next = steps.iter().cycle().skip(1);
        steps.iter().zip(next).map(|(&(from, edge), &(to, _))| (from, edge, to)).collect()
    }

    fn link(&mut self, from: usize, to: usize, kind: LinkKind, on_cycle: bool) {
        let known = self.links.iter().any(|link| (link.from, link.to, link.kind) == (from, to, kind));
        if !known {
            self.links.push(Link { from, to, kind, on_cycle, also: Vec::new() });
        }
    }
}
