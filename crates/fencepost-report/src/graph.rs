//! A diagram as a picture: one column per thread, initialisation on top, the
//! cycle that SC forbids in bold, the culprit filled.
//!
//! `picture` and `edges` decide what is worth showing, `route` which way each edge takes
//! around the events, `layout` where everything lies; DOT and SVG only write it down.

mod data;
mod dot;
mod edges;
mod layout;
mod picture;
mod route;
mod svg;

use fencepost_finding::{Diagram, Evidence, Finding};
use fencepost_verdict::{Outcome, Verification};

use crate::diagram::{self, Extra};
use crate::execution::Shown;
use crate::finding;
use crate::subject::Subject;
pub(crate) use data::GraphData;
use layout::Layout;
use picture::Picture;

/// A picture, to be written down.
pub struct Drawing {
    picture: Picture,
    layout: Layout,
}

impl Drawing {
    /// What shows a finding. Of a program that is checked as text, only if the finding carries a
    /// diagram.
    pub fn of(finding: &Finding) -> Option<Self> {
        match &finding.evidence {
            Evidence::Replayed(replayed) => replayed.diagram.as_deref().map(Self::of_diagram),
            Evidence::Observed(observed) => {
                diagram::of_observed(finding, observed).map(|diagram| Self::of_diagram(&diagram))
            }
        }
    }

    /// An execution, whether it is a finding or not.
    pub fn of_diagram(diagram: &Diagram) -> Self {
        let picture = Picture::new(diagram);
        let layout = Layout::new(&picture);
        Drawing { picture, layout }
    }

    /// The execution that violates robustness, if there is one.
    pub fn of_outcome(subject: &Subject<'_>, outcome: &Outcome, extra: Extra<'_>) -> Option<Self> {
        finding::of_outcome_drawn(subject, outcome, extra).iter().find_map(Self::of)
    }

    /// The execution that a verification has to show: of something that is wrong, or else of what
    /// the program asks for.
    pub fn of_verification(subject: &Subject<'_>, verification: &Verification, extra: Extra<'_>) -> Option<Self> {
        let subject = &subject.about(verification.copies.as_deref());
        let found = finding::of_verification_drawn(subject, verification, extra);
        found.iter().find_map(Self::of).or_else(|| {
            let shown = Shown::of(subject, verification.result.as_ref().ok()?)?;
            Some(Self::of_diagram(&diagram::of_execution(subject, &shown, verification.model, extra)))
        })
    }

    /// As a self-contained SVG file.
    pub fn svg(&self) -> String {
        svg::render(&self.picture, &self.layout)
    }

    /// As data. Which step of the run is an event of the diagram?
    pub(crate) fn data(&self, step: impl Fn(usize) -> Option<usize>) -> GraphData {
        GraphData::new(&self.picture, &self.layout, step)
    }

    /// As a Graphviz file; positions are given, so `neato -n` draws the same layout.
    pub fn dot(&self) -> String {
        dot::render(&self.picture, &self.layout)
    }
}
