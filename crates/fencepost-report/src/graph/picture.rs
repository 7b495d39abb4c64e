//! What is worth showing: all of a small graph; of a large one the cycle and
//! what communicates with it.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_finding::{Diagram, Edge, Relation};

use super::edges::{self, Chains};

/// Threads with more events lose those that do not matter.
const LONG_THREAD: usize = 14;
/// With more threads, those that do not matter are left out.
const MANY_THREADS: usize = 6;

/// What to draw.
pub(super) struct Picture {
    pub(super) title: String,
    pub(super) subtitle: String,
    /// Names of the threads shown, left to right.
    pub(super) columns: Vec<String>,
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
    /// Remarks below the picture.
    pub(super) notes: Vec<String>,
}

/// An event, or several that are not shown.
pub(super) struct Node {
    pub(super) place: Place,
    pub(super) kind: NodeKind,
    pub(super) text: String,
    /// `line 4`; empty when there is none.
    pub(super) remark: String,
    /// The event of the diagram; none for several.
    pub(super) event: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// On top, counted from the left.
    Top(usize),
    /// In a thread's column, rows counted from the top.
    Cell { column: usize, row: usize },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeKind {
    Init,
    Event,
    OnCycle,
    Culprit,
    Gap,
}

/// An edge between two nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) kind: Relation,
    pub(super) on_cycle: bool,
    /// Derived relations between the same events, which share the line.
    pub(super) also: Vec<Relation>,
}

impl Link {
    /// `rf`, `rf, hb`
    pub(super) fn label(&self) -> String {
        let names: Vec<&str> = self.kinds().map(Relation::as_str).collect();
        names.join(", ")
    }

    /// Neither end comes first.
    pub(super) fn is_mutual(&self) -> bool {
        self.kind == Relation::Race
    }

    /// The relations that it stands for.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Relation> {
        std::iter::once(self.kind).chain(self.also.iter().copied())
    }
}

/// For the legend.
pub(super) fn explanation(relation: Relation) -> String {
    match relation {
        Relation::Po => "po: program order".into(),
        Relation::Rf => "rf: reads from".into(),
        Relation::Mo => "mo: modification order".into(),
        Relation::Fr => "fr: from read".into(),
        Relation::Race => "data race".into(),
        Relation::Derived("hb") => "hb: happens before".into(),
        Relation::Derived("sw") => "sw: synchronises with".into(),
        Relation::Derived("S") => "S: order of SC events".into(),
        Relation::Derived("SC") => "SC: before it in every SC order".into(),
        Relation::Derived("eco") => "eco: overwrites it, or reads what does".into(),
        Relation::Derived("sync") => "sync: synchronisation".into(),
        Relation::Derived(name) => name.into(),
    }
}

/// As in herd's pictures, on a light ground and on a dark one.
pub(super) fn colors(relation: Relation) -> (&'static str, &'static str) {
    match relation {
        Relation::Po => ("#222222", "#d8d8d8"),
        Relation::Rf => ("#c8102e", "#ff6b7f"),
        Relation::Mo | Relation::Derived("eco") => ("#1f4fbf", "#7fa8ff"),
        Relation::Fr => ("#b8600b", "#f0a050"),
        Relation::Race => ("#a0209a", "#e07fdc"),
        Relation::Derived("hb" | "sync") => ("#2e7d32", "#7ccf82"),
        Relation::Derived("sw") => ("#00798c", "#4cc4d4"),
        Relation::Derived("S" | "SC") => ("#6b4fa0", "#b8a0ea"),
        Relation::Derived(_) => ("#6a6a6a", "#b0b0b0"),
    }
}

impl Picture {
    pub(super) fn new(diagram: &Diagram) -> Picture {
        let key = key_events(diagram);
        let chains = Chains::new(diagram);
        let selection = Selection::new(diagram, &chains, &key);
        let mut builder = Builder {
            diagram,
            chains: &chains,
            key: &key,
            nodes: Vec::new(),
            node_of: BTreeMap::new(),
            rows: BTreeMap::new(),
            links: Vec::new(),
        };
        let columns = builder.columns(&selection);
        builder.links();
        builder.order_tops();
        let mut notes = vec![legend(diagram).to_string()];
        notes.extend(diagram.notes.iter().cloned());
        if columns.is_empty() {
            notes.push("no access to memory comes before it".to_string());
        }
        if selection.omitted_threads > 0 {
            let threads = if selection.omitted_threads == 1 { "thread" } else { "threads" };
            notes.push(format!("{} more {threads} not shown", selection.omitted_threads));
        }
        Picture {
            title: diagram.title.clone(),
            subtitle: diagram.subtitle.clone(),
            columns,
            nodes: builder.nodes,
            links: builder.links,
            notes,
        }
    }

    /// All kinds of edges that there are in it, and the basic ones.
    pub(super) fn relations(&self) -> Vec<Relation> {
        let used = self.links.iter().flat_map(Link::kinds);
        let all: BTreeSet<Relation> = used.chain(Relation::BASIC).collect();
        all.into_iter().collect()
    }
}

/// The events of the cycle, or of the race, and the culprit; without any of these, all are alike.
fn key_events(diagram: &Diagram) -> BTreeSet<usize> {
    let ends = diagram.focus.iter().flat_map(|edge| [edge.from, edge.to]);
    let key: BTreeSet<usize> = ends.chain(diagram.culprit).collect();
    match key.is_empty() {
        true => (0..diagram.events.len()).filter(|&id| diagram.events[id].thread.is_some()).collect(),
        false => key,
    }
}

/// What lines and colours mean.
fn legend(diagram: &Diagram) -> &'static str {
    let is_race = diagram.focus.iter().any(|edge| edge.relation == Relation::Race);
    match (diagram.culprit, diagram.focus.is_empty()) {
        (Some(_), _) if is_race => "filled: the access that races",
        (Some(_), _) => "bold: the cycle that SC forbids · filled: the step that leaves SC",
        (None, false) => "bold: the cycle that SC forbids",
        (None, true) => "SC permits it as well",
    }
}

/// Which events are shown.
pub(super) struct Selection {
    /// Threads left to right, each with its events: shown, or a number of hidden ones.
    threads: Vec<(usize, Vec<Item>)>,
    omitted_threads: usize,
}

enum Item {
    Shown(usize),
    Hidden(usize),
}

impl Selection {
    fn new(diagram: &Diagram, chains: &Chains, key: &BTreeSet<usize>) -> Selection {
        let mut threads: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (id, event) in diagram.events.iter().enumerate() {
            if let Some(thread) = event.thread {
                threads.entry(thread).or_default().push(id);
            }
        }
        let related = edges::related(diagram, chains, key);
        let matters = |id: &usize| key.contains(id) || related.contains(id);
        let before = threads.len();
        if before > MANY_THREADS {
            threads.retain(|_, events| events.iter().any(matters));
        }
        let omitted_threads = before - threads.len();
        let threads = threads
            .into_iter()
            .map(|(thread, events)| {
                let few = events.len() <= LONG_THREAD;
                let few_matter = events.iter().filter(|id| matters(id)).count() <= LONG_THREAD;
                let show = |id: &usize| few || key.contains(id) || (few_matter && related.contains(id));
                (thread, items(&events, show))
            })
            .collect();
        Selection { threads, omitted_threads }
    }
}

fn items(events: &[usize], show: impl Fn(&usize) -> bool) -> Vec<Item> {
    let mut items = Vec::new();
    for id in events {
        match items.last_mut() {
            _ if show(id) => items.push(Item::Shown(*id)),
            Some(Item::Hidden(count)) => *count += 1,
            _ => items.push(Item::Hidden(1)),
        }
    }
    items
}

/// Collects nodes and links.
pub(super) struct Builder<'a> {
    pub(super) diagram: &'a Diagram,
    pub(super) chains: &'a Chains,
    key: &'a BTreeSet<usize>,
    pub(super) nodes: Vec<Node>,
    /// For each event that is shown, its node.
    pub(super) node_of: BTreeMap<usize, usize>,
    rows: BTreeMap<usize, usize>,
    pub(super) links: Vec<Link>,
}

impl Builder<'_> {
    /// Adds every column; a read lies no higher than the write it reads from,
    /// so that the picture reads downwards.
    fn columns(&mut self, selection: &Selection) -> Vec<String> {
        self.find_rows(selection);
        for (column, (_, items)) in selection.threads.iter().enumerate() {
            let mut next_row = 0;
            for item in items {
                let row = match item {
                    Item::Shown(id) => self.rows[id],
                    Item::Hidden(_) => next_row,
                };
                next_row = row + 1;
                let place = Place::Cell { column, row };
                let node = match *item {
                    Item::Shown(id) => {
                        self.node_of.insert(id, self.nodes.len());
                        self.event_node(id, place)
                    }
                    Item::Hidden(count) => Node {
                        place,
                        kind: NodeKind::Gap,
                        text: format!("⋮ {count} more"),
                        remark: String::new(),
                        event: None,
                    },
                };
                self.nodes.push(node);
            }
        }
        selection.threads.iter().map(|(thread, _)| self.diagram.threads[*thread].clone()).collect()
    }

    fn find_rows(&mut self, selection: &Selection) {
        let mut gap_before: BTreeMap<usize, (Option<usize>, usize)> = BTreeMap::new();
        for (_, items) in &selection.threads {
            let (mut previous, mut gaps) = (None, 0);
            for item in items {
                match *item {
                    Item::Hidden(_) => gaps = 1,
                    Item::Shown(id) => {
                        gap_before.insert(id, (previous, gaps));
                        (previous, gaps) = (Some(id), 0);
                    }
                }
            }
        }
        // Events are numbered in the order of the run: a write comes before its readers.
        for (&id, &(previous, gaps)) in &gap_before {
            let after = previous.map_or(0, |previous| self.rows[&previous] + 1) + gaps;
            let source = self.chains.source(id).and_then(|source| self.rows.get(&source)).copied();
            // What is only known to come later lies lower.
            let is_vague = |edge: &&Edge| edge.to == id && matches!(edge.relation, Relation::Derived(_));
            let earlier = self.diagram.focus.iter().filter(is_vague).filter_map(|edge| self.rows.get(&edge.from));
            let below = earlier.map(|row| row + 1).max();
            self.rows.insert(id, after.max(source.unwrap_or(0)).max(below.unwrap_or(0)));
        }
    }

    fn event_node(&self, id: usize, place: Place) -> Node {
        let event = &self.diagram.events[id];
        let kind = match () {
            () if Some(id) == self.diagram.culprit => NodeKind::Culprit,
            () if self.key.contains(&id) => NodeKind::OnCycle,
            () => NodeKind::Event,
        };
        // What people read beside the picture has numbers.
        let number = event.step.map_or(String::new(), |step| format!("{step}: "));
        Node { place, kind, text: number + &event.text, remark: event.place.clone(), event: Some(id) }
    }

    /// The node of an initial value, added when it is first needed.
    pub(super) fn init_node(&mut self, id: usize) -> usize {
        if let Some(&node) = self.node_of.get(&id) {
            return node;
        }
        let position = self.nodes.iter().filter(|node| matches!(node.place, Place::Top(_))).count();
        self.nodes.push(Node {
            place: Place::Top(position),
            kind: NodeKind::Init,
            text: self.diagram.events[id].text.clone(),
            remark: String::new(),
            event: Some(id),
        });
        self.node_of.insert(id, self.nodes.len() - 1);
        self.nodes.len() - 1
    }
}

impl Builder<'_> {
    /// Initialisation lies above what it is connected with, as far as possible.
    fn order_tops(&mut self) {
        let column = |node: usize| match self.nodes[node].place {
            Place::Cell { column, .. } => column,
            Place::Top(_) => 0,
        };
        let mut tops: Vec<(f64, &str, usize)> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.kind == NodeKind::Init) {
            let targets: Vec<usize> =
                self.links.iter().filter(|link| link.from == index).map(|link| column(link.to)).collect();
            let centre = targets.iter().sum::<usize>() as f64 / targets.len().max(1) as f64;
            tops.push((centre, &node.text, index));
        }
        tops.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
        let order: Vec<usize> = tops.into_iter().map(|(.., index)| index).collect();
        for (position, index) in order.into_iter().enumerate() {
            self.nodes[index].place = Place::Top(position);
        }
    }
}
