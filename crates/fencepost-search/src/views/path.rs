//! A path of the search as an execution graph.

use fencepost_base::event::Label;
use fencepost_model::{EventId, Graph};
use fencepost_verdict::Site;

use super::state::{NEW, State};
use super::steps::Act;
use crate::runs::{Taken, past};

/// The way to a state. Messages of the state have the numbers of their events.
pub(super) struct Path {
    pub(super) graph: Graph,
    pub(super) steps: Vec<(Site, Taken)>,
    pub(super) state: State,
}

impl Path {
    /// Adds what was done on the way to the present state.
    pub(super) fn add(&mut self, site: Site, act: Act) {
        match act {
            Act::Choice(choice) => self.steps.push((site, Taken::Choice(choice))),
            Act::Fence(labels) => labels.iter().for_each(|&label| _ = self.graph.add(site.thread, label, None, None)),
            Act::Access(label, predecessor) => {
                let event = self.graph.add(site.thread, label, Some(EventId(predecessor)), None);
                self.steps.push((site, Taken::Event(event)));
                if label.is_write() {
                    let written = self.state.memory.iter_mut().flatten().filter(|message| message.event == NEW);
                    written.for_each(|message| message.event = event.0);
                }
            }
        }
    }

    /// The same with this read as the last event, of this write; nothing if the write depends on the
    /// read.
    pub(super) fn with_last(&self, read: EventId, write: EventId) -> Option<Path> {
        let graph = &self.graph;
        let reader = graph.event(read).thread.expect("a read has a thread");
        if past(graph, vec![write])[read.index()] {
            return None;
        }
        let before = graph.thread_events(reader).take_while(|&earlier| earlier < read);
        let past = past(graph, before.chain([write]).collect());
        let is_kept = |id: EventId| graph.is_init(id) || past[id.index()];
        let kept: Vec<EventId> = graph.ids().filter(|&id| is_kept(id)).collect();
        let rename = |id: EventId| kept.binary_search(&id).ok().map(EventId::from_index);
        let mut changed = Path { graph: graph.restricted(is_kept), steps: Vec::new(), state: self.state.clone() };
        let mut last = None;
        for &(site, taken) in &self.steps {
            match taken {
                Taken::Event(event) if event == read => last = Some(site),
                // What comes after the read in its thread does not happen.
                _ if site.thread == reader && last.is_some() => {}
                Taken::Event(event) => changed.steps.extend(rename(event).map(|event| (site, Taken::Event(event)))),
                Taken::Choice(_) => changed.steps.push((site, taken)),
            }
        }
        let (loc, value) = (graph.label(write).loc()?, graph.label(write).value_written()?);
        let label = Label::Read { loc, value, mode: graph.label(read).mode() };
        let event = changed.graph.add(reader, label, Some(rename(write)?), None);
        changed.steps.push((last?, Taken::Event(event)));
        Some(changed)
    }
}
