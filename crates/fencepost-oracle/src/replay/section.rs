//! Atomic sections in a run: their events are tied, nobody else steps in
//! between, and the step that leaves SC may be one.

use fencepost_base::event::Label;
use fencepost_base::ids::ThreadId;
use fencepost_model::models::sc::Sc;
use fencepost_model::{EventId, Model as _, cycle};
use fencepost_verdict::{Run, RunStep, Site, Violation};

use super::{Replay, ReplayError, error, kind_of, show};
use crate::buffers::Origin;
use crate::interpreter::{Access, Rest};

/// A thread that is in an atomic section.
pub(super) struct Section {
    pub(super) thread: ThreadId,
    /// Number of events before it.
    pub(super) before: usize,
}

/// The access of a section that SC would not have made like this.
struct Culprit {
    event: EventId,
    site: Site,
    /// The write that it has as its predecessor, and the last one.
    predecessor: EventId,
    last: EventId,
}

impl Replay<'_> {
    /// Adds the event of an access.
    pub(super) fn record(&mut self, site: Site, access: &Access, label: Label, predecessor: EventId) -> EventId {
        let before = self.graph.len();
        let place = (site.thread, Some(site.pc));
        let event = self.interpreter.record(&mut self.graph, place, access, label, predecessor);
        self.tie_from(before);
        event
    }

    /// Ties the events from number `before` on to the section they are in.
    pub(super) fn tie_from(&mut self, before: usize) {
        for event in (before..self.graph.len()).map(EventId::from_index) {
            let thread = self.graph.event(event).thread;
            if let Some(section) = self.section.as_ref().filter(|section| thread == Some(section.thread)) {
                self.graph.tie(EventId::from_index(section.before), event);
            }
        }
    }

    /// Before a step of `thread`: an atomic section that another one is in is done, or stuck, and
    /// then nobody has seen anything of it.
    pub(super) fn let_others_leave(&mut self, thread: ThreadId) -> Result<(), ReplayError> {
        let Some(&Section { thread: inside, before }) =
            self.section.as_ref().filter(|section| section.thread != thread)
        else {
            return Ok(());
        };
        match self.rest_in_section(inside) {
            Rest::Leave => {
                self.pass(inside);
                Ok(())
            }
            Rest::Failed(_) | Rest::Blocked => {
                self.section = None;
                self.graph = self.graph.restricted(|id| id.index() < before);
                Ok(())
            }
            _ => error(format!("thread {inside:?} is in an atomic section")),
        }
    }

    /// Why the thread, which is in a section, rests after the fences that nobody has mentioned.
    fn rest_in_section(&mut self, thread: ThreadId) -> Rest {
        loop {
            match self.interpreter.rest(thread, &self.threads[thread.index()]) {
                Rest::Fence(_) => _ = self.pass(thread),
                rest => return rest,
            }
        }
    }

    /// After the run, an atomic section leaves SC whose accesses have these predecessors.
    pub(super) fn stale_section(
        mut self,
        run: &Run,
        steps: &[RunStep],
        predecessors: Vec<Origin>,
    ) -> Result<Violation, ReplayError> {
        let mut culprit: Option<Culprit> = None;
        let mut predecessors = predecessors.into_iter();
        for step in steps {
            let Some(label) = step.label else {
                self.follow(step)?;
                continue;
            };
            self.let_others_leave(step.site.thread)?;
            let access = self.access_at(step.site)?;
            let w = match predecessors.next() {
                Some(Origin::Event { thread, position }) => self.graph.thread_events(thread).nth(position),
                Some(Origin::Initial) => Some(self.graph.writes(access.loc)[0]),
                None => None,
            };
            let Some(w) = w.filter(|w| self.graph.writes(access.loc).contains(w)) else {
                return error(format!("{}: no predecessor among the writes to its location", show(step.site)));
            };
            let last = self.graph.last_write(access.loc);
            let enabled = self.enabled(step.site.thread, &access, w);
            let Some((_, after)) = enabled.into_iter().find(|(enabled, _)| *enabled == label) else {
                return error(format!("{}: label {label:?} is not enabled", show(step.site)));
            };
            let event = self.record(step.site, &access, label, w);
            self.threads[step.site.thread.index()] = after;
            if w != last && culprit.is_none() {
                culprit = Some(Culprit { event, site: step.site, predecessor: w, last });
            }
        }
        let Some(Culprit { event, site, predecessor, last }) = culprit else {
            return error("an atomic section said to leave SC does as under SC");
        };
        if self.rest_in_section(site.thread) != Rest::Leave {
            return error(format!("{}: an atomic section is not finished", show(site)));
        }
        if !self.permits(&self.graph) || Sc.permits(&self.graph) {
            return error(format!("{}: not a step that {} permits and SC forbids", show(site), self.model.name()));
        }
        let (Some(cycle), Some(thread), Some(pc)) =
            (cycle::shortest_through(&self.graph, event), self.graph.event(last).thread, self.graph.event(last).pc)
        else {
            return error("SC forbids the graph, yet no cycle passes through the section");
        };
        let label = *self.graph.label(event);
        Ok(Violation {
            kind: kind_of(&label),
            access: site,
            location: label.loc().expect("an access"),
            conflicting: Site { thread, pc },
            stale_values: vec![self.value_of(predecessor)],
            shape: cycle::shape_name(&self.graph, &cycle),
            run: run.clone(),
            graph: self.graph,
            culprit: event,
            cycle: Some(cycle),
            delay: None,
        })
    }
}
