//! What is worth showing: all of a small graph; of a large one the cycle and
//! what communicates with it.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_model::EventId;
use fencepost_verdict::Site;

use super::scene::Scene;
use super::{Extra, edges};
use crate::subject::Subject;

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
    pub(super) kind: LinkKind,
    pub(super) on_cycle: bool,
    /// Derived relations between the same events, which share the line.
    pub(super) also: Vec<LinkKind>,
}

impl Link {
    /// `rf`, `rf, hb`
    pub(super) fn label(&self) -> String {
        let names: Vec<&str> = self.kinds().map(LinkKind::as_str).collect();
        names.join(", ")
    }

    /// The relations that it stands for.
    pub(super) fn kinds(&self) -> impl Iterator<Item = LinkKind> {
        std::iter::once(self.kind).chain(self.also.iter().copied())
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(super) enum LinkKind {
    Po,
    Rf,
    Mo,
    Fr,
    Race,
    /// A relation of the model.
    Derived(&'static str),
}

impl LinkKind {
    /// Those that every model has.
    const BASIC: [LinkKind; 5] = [LinkKind::Po, LinkKind::Rf, LinkKind::Mo, LinkKind::Fr, LinkKind::Race];

    /// All kinds that there are in a picture, and the basic ones.
    pub(super) fn of(picture: &Picture) -> Vec<LinkKind> {
        let used = picture.links.iter().flat_map(Link::kinds);
        let all: BTreeSet<LinkKind> = used.chain(LinkKind::BASIC).collect();
        all.into_iter().collect()
    }

    pub(super) fn as_str(self) -> &'static str {
        match self {
            LinkKind::Po => "po",
            LinkKind::Rf => "rf",
            LinkKind::Mo => "mo",
            LinkKind::Fr => "fr",
            LinkKind::Race => "race",
            LinkKind::Derived(name) => name,
        }
    }

    /// For the legend.
    pub(super) fn explanation(self) -> String {
        match self {
            LinkKind::Po => "po: program order".into(),
            LinkKind::Rf => "rf: reads from".into(),
            LinkKind::Mo => "mo: modification order".into(),
            LinkKind::Fr => "fr: from read".into(),
            LinkKind::Race => "data race".into(),
            LinkKind::Derived("hb") => "hb: happens before".into(),
            LinkKind::Derived("sw") => "sw: synchronises with".into(),
            LinkKind::Derived("S") => "S: order of SC events".into(),
            LinkKind::Derived(name) => name.into(),
        }
    }

    /// As in herd's pictures.
    pub(super) fn color(self) -> &'static str {
        match self {
            LinkKind::Po => "#222222",
            LinkKind::Rf => "#c8102e",
            LinkKind::Mo => "#1f4fbf",
            LinkKind::Fr => "#b8600b",
            LinkKind::Race => "#a0209a",
            LinkKind::Derived("hb") => "#2e7d32",
            LinkKind::Derived("sw") => "#00798c",
            LinkKind::Derived("S") => "#6b4fa0",
            LinkKind::Derived(_) => "#6a6a6a",
        }
    }
}

impl Picture {
    pub(super) fn new(subject: &Subject<'_>, scene: &Scene<'_>, extra: Extra<'_>) -> Picture {
        let key = scene.key_events();
        let selection = Selection::new(scene, &key);
        let mut builder = Builder {
            subject,
            scene,
            extra,
            key: &key,
            nodes: Vec::new(),
            node_of: BTreeMap::new(),
            rows: BTreeMap::new(),
            links: Vec::new(),
        };
        let columns = builder.columns(&selection);
        builder.links(&selection);
        builder.order_tops();
        let mut notes = vec![scene.legend().to_string()];
        notes.extend(scene.story.clone());
        if columns.is_empty() {
            notes.push("no access to memory comes before it".to_string());
        }
        if selection.omitted_threads > 0 {
            let threads = if selection.omitted_threads == 1 { "thread" } else { "threads" };
            notes.push(format!("{} more {threads} not shown", selection.omitted_threads));
        }
        Picture {
            title: scene.title.clone(),
            subtitle: scene.subtitle.clone(),
            columns,
            nodes: builder.nodes,
            links: builder.links,
            notes,
        }
    }
}

/// Which events are shown.
pub(super) struct Selection {
    /// Threads left to right, each with its events: shown, or a number of hidden ones.
    threads: Vec<(ThreadId, Vec<Item>)>,
    omitted_threads: usize,
    /// Locations whose initialisation is shown.
    pub(super) inits: Vec<LocId>,
}

enum Item {
    Shown(EventId),
    Hidden(usize),
}

impl Selection {
    fn new(scene: &Scene<'_>, key: &BTreeSet<EventId>) -> Selection {
        let graph = scene.graph;
        let mut threads: BTreeMap<ThreadId, Vec<EventId>> = BTreeMap::new();
        for id in graph.ids() {
            if let Some(thread) = graph.event(id).thread {
                threads.entry(thread).or_default().push(id);
            }
        }
        let related = edges::related(graph, key);
        let matters = |id: &EventId| key.contains(id) || related.contains(id);
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
                let show = |id: &EventId| few || key.contains(id) || (few_matter && related.contains(id));
                (thread, items(&events, show))
            })
            .collect();
        let inits = if scene.opponent.is_some() {
            Vec::new()
        } else {
            let locs: BTreeSet<LocId> = key.iter().filter_map(|&id| graph.label(id).loc()).collect();
            locs.into_iter().collect()
        };
        Selection { threads, omitted_threads, inits }
    }
}

fn items(events: &[EventId], show: impl Fn(&EventId) -> bool) -> Vec<Item> {
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
    pub(super) subject: &'a Subject<'a>,
    pub(super) scene: &'a Scene<'a>,
    pub(super) extra: Extra<'a>,
    pub(super) key: &'a BTreeSet<EventId>,
    pub(super) nodes: Vec<Node>,
    pub(super) node_of: BTreeMap<EventId, usize>,
    rows: BTreeMap<EventId, usize>,
    pub(super) links: Vec<Link>,
}

impl Builder<'_> {
    /// Adds every column; a read lies no higher than the write it reads from,
    /// so that the picture reads downwards.
    fn columns(&mut self, selection: &Selection) -> Vec<String> {
        self.find_rows(selection);
        for (column, (thread, items)) in selection.threads.iter().enumerate() {
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
                        self.event_node(id, *thread, place)
                    }
                    Item::Hidden(count) => {
                        Node { place, kind: NodeKind::Gap, text: format!("⋮ {count} more"), remark: String::new() }
                    }
                };
                self.nodes.push(node);
            }
        }
        selection.threads.iter().map(|(thread, _)| self.subject.thread(*thread).to_string()).collect()
    }

    fn find_rows(&mut self, selection: &Selection) {
        let graph = self.scene.graph;
        let mut gap_before: BTreeMap<EventId, (Option<EventId>, usize)> = BTreeMap::new();
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
            let source = graph.source(id).and_then(|source| self.rows.get(&source)).copied();
            self.rows.insert(id, after.max(source.unwrap_or(0)));
        }
    }

    fn event_node(&self, id: EventId, thread: ThreadId, place: Place) -> Node {
        let event = self.scene.graph.event(id);
        let remark = event.pc.map_or(String::new(), |pc| {
            let line = self.subject.line(Site { thread, pc });
            format!("line {line}")
        });
        let kind = match () {
            () if Some(id) == self.scene.culprit => NodeKind::Culprit,
            () if self.key.contains(&id) => NodeKind::OnCycle,
            () => NodeKind::Event,
        };
        // What people read beside the picture has numbers.
        let number = self.scene.steps.get(&id).map_or(String::new(), |step| format!("{step}: "));
        Node { place, kind, text: number + &self.label(&event.label), remark }
    }

    /// `W[rel] x=1`
    fn label(&self, label: &Label) -> String {
        let mode = label.mode();
        if self.subject.is_fence(label) {
            return format!("F[{}]", if label.loc().is_some() { "sc" } else { mode.as_str() });
        }
        match *label {
            Label::Read { loc, value, .. } => format!("R[{mode}] {}", self.holds(loc, value)),
            Label::Write { loc, value, .. } => format!("W[{mode}] {}", self.holds(loc, value)),
            Label::Rmw { loc, read, written, .. } => {
                format!("U[{mode}] {}→{}", self.holds(loc, read), self.subject.value(written))
            }
            Label::Fence { .. } => format!("F[{mode}]"),
            Label::LightFence { loc: Some(loc) } => format!("F[light] {}", self.subject.location(loc)),
            Label::LightFence { loc: None } => "F[light]".to_string(),
        }
    }

    /// `x=1`
    fn holds(&self, loc: LocId, value: Value) -> String {
        format!("{}={}", self.subject.location(loc), self.subject.value(value))
    }

    /// The node of the initialisation of `loc`, added when it is first needed.
    pub(super) fn init_node(&mut self, loc: LocId) -> usize {
        let id = self.scene.graph.writes(loc)[0];
        if let Some(&node) = self.node_of.get(&id) {
            return node;
        }
        let position = self.nodes.iter().filter(|node| matches!(node.place, Place::Top(_))).count();
        let value = self.scene.graph.label(id).value_written().unwrap_or(0);
        self.nodes.push(Node {
            place: Place::Top(position),
            kind: NodeKind::Init,
            text: self.holds(loc, value),
            remark: String::new(),
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
