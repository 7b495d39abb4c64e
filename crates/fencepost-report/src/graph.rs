//! The execution graph of a violation as a picture: one column per thread,
//! initialisation on top, the cycle in bold, the culprit filled.
//!
//! `picture` decides what is worth showing, `route` which way each edge
//! takes around the events, `layout` where everything lies; DOT and SVG only
//! write it down.

mod dot;
mod edges;
mod layout;
mod picture;
mod route;
mod svg;

use fencepost_verdict::Violation;

use crate::subject::Subject;

/// The picture as a self-contained SVG file.
pub fn svg(subject: &Subject<'_>, violation: &Violation, model: &str) -> String {
    let picture = picture::Picture::new(subject, violation, model);
    svg::render(&picture, &layout::Layout::new(&picture))
}

/// The picture as a Graphviz file; positions are given, so `neato -n` draws the same layout.
pub fn dot(subject: &Subject<'_>, violation: &Violation, model: &str) -> String {
    let picture = picture::Picture::new(subject, violation, model);
    dot::render(&picture, &layout::Layout::new(&picture))
}
