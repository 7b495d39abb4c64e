//! The picture as Graphviz input. Nodes carry the positions of the layout:
//! `neato -n2 -Tpdf` keeps them, `dot` makes a layout of its own by columns.

use std::fmt::Write as _;

use fencepost_finding::Relation;

use super::layout::Layout;
use super::picture::{NodeKind, Picture, Place, colors};

/// Graphviz measures boxes in inches, positions in points.
const POINTS_PER_INCH: f64 = 72.0;

pub(super) fn render(picture: &Picture, layout: &Layout) -> String {
    let mut text = String::from("digraph execution {\n");
    let title = format!("{}\n{}", picture.title, picture.subtitle);
    let _ = writeln!(text, "  graph [label={}, labelloc=t, fontname=\"sans-serif\", splines=true];", quote(&title));
    text += "  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=12];\n";
    text += "  edge [fontname=\"serif\", fontsize=11];\n";
    let is_top = |index: &usize| matches!(picture.nodes[*index].place, Place::Top(_));
    for index in (0..picture.nodes.len()).filter(is_top) {
        let _ = writeln!(text, "  {}", node(picture, layout, index));
    }
    for (column, name) in picture.columns.iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{column} {{\n    label={}; color=\"#d0d0d0\";", quote(name));
        for index in 0..picture.nodes.len() {
            if matches!(picture.nodes[index].place, Place::Cell { column: c, .. } if c == column) {
                let _ = writeln!(text, "    {}", node(picture, layout, index));
            }
        }
        text += "  }\n";
    }
    for link in &picture.links {
        let width = if link.on_cycle { 2.6 } else { 1.0 };
        let (name, color) = (link.label(), colors(link.kind).0);
        // Only program order ranks: communication goes up as well as down.
        let extra = match link.kind {
            Relation::Po => ", weight=10",
            Relation::Race => ", constraint=false, dir=both, style=dashed",
            _ if matches!(picture.nodes[link.from].place, Place::Top(_)) => "",
            _ => ", constraint=false",
        };
        let _ = writeln!(
            text,
            "  n{} -> n{} [label=\"{name}\", color=\"{color}\", fontcolor=\"{color}\", penwidth={width}{extra}];",
            link.from, link.to
        );
    }
    text + "}\n"
}

fn node(picture: &Picture, layout: &Layout, index: usize) -> String {
    let node = &picture.nodes[index];
    let rect = &layout.boxes[index];
    let label = if node.remark.is_empty() { node.text.clone() } else { format!("{}\n{}", node.text, node.remark) };
    let style = match node.kind {
        NodeKind::Init => ", style=\"rounded,filled\", fillcolor=\"#f3f3f3\"",
        NodeKind::Event => "",
        NodeKind::OnCycle => ", penwidth=2",
        NodeKind::Culprit => ", penwidth=2, style=\"rounded,filled\", fillcolor=\"#ffe08a\"",
        NodeKind::Gap => ", shape=plaintext",
    };
    // Graphviz counts upwards.
    let (x, y) = (rect.x + rect.width / 2.0, layout.height - rect.y - rect.height / 2.0);
    format!(
        "n{index} [label={}, pos=\"{x:.0},{y:.0}!\", width={:.2}, height={:.2}{style}];",
        quote(&label),
        rect.width / POINTS_PER_INCH,
        rect.height / POINTS_PER_INCH
    )
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
