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

use fencepost_model::Model;
use fencepost_verdict::{States, Violation};

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

/// What a picture is to show besides what it has anyway.
#[derive(Clone, Copy, Default)]
pub struct Extra<'a> {
    /// Relations by their names: those that every graph has ([`BASIC_RELATIONS`]) with all their
    /// edges, and derived ones of the model.
    pub relations: &'a [String],
    /// The model that has them.
    pub model: Option<&'a dyn Model>,
}

/// The relations that every graph has.
pub const BASIC_RELATIONS: [&str; 4] = ["po", "rf", "mo", "fr"];

impl Drawing {
    /// The execution that violates robustness.
    pub fn of_violation(subject: &Subject<'_>, violation: &Violation, model: &str) -> Self {
        Self::of_violation_with(subject, violation, model, Extra::default())
    }

    /// The same, with more.
    pub fn of_violation_with(subject: &Subject<'_>, violation: &Violation, model: &str, extra: Extra<'_>) -> Self {
        Self::of(subject, &Scene::of_violation(subject, violation, model), extra)
    }

    /// The execution that a verification has found.
    pub fn of_execution(subject: &Subject<'_>, shown: &Shown<'_>, model: &str) -> Self {
        Self::of_execution_with(subject, shown, model, Extra::default())
    }

    /// The same, with more.
    pub fn of_execution_with(subject: &Subject<'_>, shown: &Shown<'_>, model: &str, extra: Extra<'_>) -> Self {
        let title = format!("{}: an execution under {model}", subject.name());
        Self::of(subject, &Scene::of_execution(subject, shown, title), extra)
    }

    /// Executions of a program, each with its final state, of `count` that there are.
    pub fn of_all(subject: &Subject<'_>, states: &States, count: u64, model: &str, extra: Extra<'_>) -> Vec<Self> {
        let draw = |(index, shown): (usize, Shown<'_>)| {
            let title = format!("{}: execution {} of {count} under {model}", subject.name(), index + 1);
            Self::of(subject, &Scene::of_execution(subject, &shown, title), extra)
        };
        Shown::each(states).enumerate().map(draw).collect()
    }

    fn of(subject: &Subject<'_>, scene: &Scene<'_>, extra: Extra<'_>) -> Self {
        let picture = Picture::new(subject, scene, extra);
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
