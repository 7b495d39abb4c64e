//! An execution graph as a picture: one column per thread, initialisation on
//! top, the cycle that SC forbids in bold, the culprit filled.
//!
//! `scene` says what is remarkable, `picture` decides what is worth showing, `route`
//! which way each edge takes around the events, `layout` where everything lies; DOT
//! and SVG only write it down.

mod dot;
mod edges;
mod layout;
mod picture;
mod route;
mod scene;
mod svg;

use fencepost_verdict::Violation;

use crate::execution::Shown;
use crate::subject::Subject;
use layout::Layout;
use picture::Picture;
use scene::Scene;

/// A picture, to be written down.
pub struct Drawing {
    picture: Picture,
    layout: Layout,
}

impl Drawing {
    /// The execution that violates robustness.
    pub fn of_violation(subject: &Subject<'_>, violation: &Violation, model: &str) -> Self {
        Self::of(subject, &Scene::of_violation(subject, violation, model))
    }

    /// The execution that a verification has found.
    pub fn of_execution(subject: &Subject<'_>, shown: &Shown<'_>, model: &str) -> Self {
        Self::of(subject, &Scene::of_execution(subject, shown, model))
    }

    fn of(subject: &Subject<'_>, scene: &Scene<'_>) -> Self {
        let picture = Picture::new(subject, scene);
        let layout = Layout::new(&picture);
        Drawing { picture, layout }
    }

    /// As a self-contained SVG file.
    pub fn svg(&self) -> String {
        svg::render(&self.picture, &self.layout)
    }

    /// As a Graphviz file; positions are given, so `neato -n` draws the same layout.
    pub fn dot(&self) -> String {
        dot::render(&self.picture, &self.layout)
    }
}
