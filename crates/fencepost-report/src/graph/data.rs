//! The picture as data, for programs that draw it themselves: pages that follow the reader's
//! colours and mark the step that is shown.

use serde::Serialize;

use super::layout::{Layout, Path, Point, legend_entries};
use super::picture::{NodeKind, Picture};
use super::svg::data;

/// Room around everything.
const MARGIN: f64 = 10.0;
/// Width of a character of a label, and of a thread's name.
const CHARACTER: f64 = 8.0;

/// A picture. Title and legend are beside it, not in it.
#[derive(Serialize)]
pub(crate) struct GraphData {
    title: String,
    /// Left, top, width and height of what there is to see.
    #[serde(rename = "box")]
    area: [f64; 4],
    threads: Vec<ThreadData>,
    nodes: Vec<NodeData>,
    edges: Vec<EdgeData>,
    legend: Vec<(&'static str, String)>,
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ThreadData {
    x: f64,
    y: f64,
    name: String,
}

#[derive(Serialize)]
struct NodeData {
    kind: &'static str,
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    remark: String,
    /// The step of the run, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<usize>,
}

#[derive(Serialize)]
struct EdgeData {
    relation: &'static str,
    bold: bool,
    /// Are there heads at both ends?
    both: bool,
    /// As in a `d` attribute of SVG.
    path: String,
    label: String,
    /// Centre of the label.
    x: f64,
    y: f64,
}

impl GraphData {
    pub(super) fn new(picture: &Picture, layout: &Layout, step: impl Fn(usize) -> Option<usize>) -> Self {
        let nodes = picture.nodes.iter().zip(&layout.boxes).map(|(node, rect)| NodeData {
            kind: match node.kind {
                NodeKind::Init => "init",
                NodeKind::Event => "event",
                NodeKind::OnCycle => "on-cycle",
                NodeKind::Culprit => "culprit",
                NodeKind::Gap => "gap",
            },
            x: tenths(rect.x),
            y: tenths(rect.y),
            width: tenths(rect.width),
            height: tenths(rect.height),
            text: node.text.clone(),
            remark: node.remark.clone(),
            step: node.event.and_then(&step),
        });
        let lines = picture.links.iter().zip(&layout.paths).zip(&layout.labels);
        let edges = lines.map(|((link, path), at)| EdgeData {
            relation: link.kind.as_str(),
            bold: link.on_cycle,
            both: link.is_mutual(),
            path: data(path),
            label: link.label(),
            x: tenths(at.x),
            y: tenths(at.y),
        });
        let headers = picture.columns.iter().zip(&layout.headers);
        GraphData {
            title: picture.title.clone(),
            area: area(picture, layout),
            threads: headers
                .map(|(name, at)| ThreadData { x: tenths(at.x), y: tenths(at.y), name: name.clone() })
                .collect(),
            nodes: nodes.collect(),
            edges: edges.collect(),
            legend: legend_entries(picture).into_iter().map(|(relation, text, _)| (relation.as_str(), text)).collect(),
            notes: picture.notes.clone(),
        }
    }
}

/// Around boxes, lines, labels and names.
fn area(picture: &Picture, layout: &Layout) -> [f64; 4] {
    let mut points: Vec<Point> = Vec::new();
    let mut around = |at: Point, width: f64, height: f64| {
        points.extend([-0.5, 0.5].map(|side| Point { x: at.x + side * width, y: at.y + side * height }));
    };
    for rect in &layout.boxes {
        around(Point { x: rect.x + rect.width / 2.0, y: rect.y + rect.height / 2.0 }, rect.width, rect.height);
    }
    for (name, &at) in picture.columns.iter().zip(&layout.headers) {
        around(at, name.chars().count() as f64 * CHARACTER, 20.0);
    }
    for (link, &at) in picture.links.iter().zip(&layout.labels) {
        around(at, link.label().chars().count() as f64 * CHARACTER, 20.0);
    }
    for path in &layout.paths {
        match path {
            Path::Polyline(corners) => points.extend(corners),
            // A Bézier curve stays within these.
            Path::Curve(corners) => points.extend(corners),
        }
    }
    let side = |of: fn(&Point) -> f64, choose: fn(f64, f64) -> f64| points.iter().map(of).reduce(choose).unwrap_or(0.0);
    let (left, right) = (side(|at| at.x, f64::min), side(|at| at.x, f64::max));
    let (top, bottom) = (side(|at| at.y, f64::min), side(|at| at.y, f64::max));
    [left - MARGIN, top - MARGIN, right - left + 2.0 * MARGIN, bottom - top + 2.0 * MARGIN].map(tenths)
}

/// One decimal is precise enough.
fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
