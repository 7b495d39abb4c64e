//! The picture as SVG: self-contained, on a ground of its own, which is dark where the viewer
//! prefers that.

use std::fmt::Write as _;

use fencepost_finding::Relation;

use super::layout::{Layout, Path, Point, Rect, legend_entries};
use super::picture::{NodeKind, Picture, colors};

pub(super) fn render(picture: &Picture, layout: &Layout) -> String {
    let mut svg = Svg(String::new());
    svg.open(picture, layout);
    for (name, at) in picture.columns.iter().zip(&layout.headers) {
        svg.text("thread", at.x, at.y, name);
    }
    // Bold edges last, so that they lie on top; labels after all lines.
    for bold in [false, true] {
        for (link, path) in picture.links.iter().zip(&layout.paths) {
            if link.on_cycle == bold {
                svg.edge(link.kind, bold, path);
            }
        }
    }
    for (node, rect) in picture.nodes.iter().zip(&layout.boxes) {
        svg.node(node.kind, rect, &node.text, &node.remark);
    }
    for (link, at) in picture.links.iter().zip(&layout.labels) {
        let weight = if link.on_cycle { " bold" } else { "" };
        svg.text(&format!("label {}{weight}", link.kind.as_str()), at.x, at.y + 4.0, &link.label());
    }
    svg.legend(picture, layout);
    svg.0 + "</svg>\n"
}

struct Svg(String);

impl Svg {
    fn open(&mut self, picture: &Picture, layout: &Layout) {
        let (width, height) = (number(layout.width), number(layout.height));
        self.line(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">"#
        ));
        self.line(format_args!("<title>{}: {}</title>", escape(&picture.title), escape(&picture.subtitle)));
        self.line(format_args!("<style>{STYLE}"));
        self.relations(picture, |(light, _)| light);
        self.line(format_args!("@media (prefers-color-scheme: dark) {{{DARK_STYLE}"));
        self.relations(picture, |(_, dark)| dark);
        self.line(format_args!("}}\n</style>\n<defs>"));
        for kind in picture.relations() {
            self.line(format_args!(
                r#"<marker id="{0}" viewBox="0 0 10 10" refX="9.5" refY="5" markerUnits="userSpaceOnUse" markerWidth="10" markerHeight="9" orient="auto-start-reverse"><path class="head {0}" d="M0 0.6 L10 5 L0 9.4 L2.6 5 z"/></marker>"#,
                kind.as_str()
            ));
        }
        self.line(format_args!("</defs>"));
        self.line(format_args!(
            r#"<rect class="ground" x="0.5" y="0.5" width="{}" height="{}" rx="8"/>"#,
            number(layout.width - 1.0),
            number(layout.height - 1.0)
        ));
        self.text("title", layout.width / 2.0, 27.0, &picture.title);
        self.text("subtitle", layout.width / 2.0, 46.0, &picture.subtitle);
    }

    /// The colours of edges, their heads and their labels.
    fn relations(&mut self, picture: &Picture, choose: fn((&'static str, &'static str)) -> &'static str) {
        for kind in picture.relations() {
            let (name, color) = (kind.as_str(), choose(colors(kind)));
            self.line(format_args!(
                ".line.{name} {{ stroke: {color}; }} .head.{name}, .label.{name} {{ fill: {color}; }}"
            ));
        }
    }

    fn edge(&mut self, kind: Relation, bold: bool, path: &Path) {
        let name = kind.as_str();
        let weight = if bold { " bold" } else { "" };
        let start = if kind == Relation::Race { format!(r#" marker-start="url(#{name})""#) } else { String::new() };
        self.line(format_args!(
            r#"<path class="line {name}{weight}" d="{}"{start} marker-end="url(#{name})"/>"#,
            data(path)
        ));
    }

    fn node(&mut self, kind: NodeKind, rect: &Rect, text: &str, remark: &str) {
        let class = match kind {
            NodeKind::Init => "init",
            NodeKind::Event => "event",
            NodeKind::OnCycle => "event on-cycle",
            NodeKind::Culprit => "event culprit",
            NodeKind::Gap => "",
        };
        if kind != NodeKind::Gap {
            self.line(format_args!(
                r#"<rect class="{class}" x="{}" y="{}" width="{}" height="{}" rx="6"/>"#,
                number(rect.x),
                number(rect.y),
                number(rect.width),
                number(rect.height)
            ));
        }
        let (x, middle) = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
        if remark.is_empty() {
            self.text(if kind == NodeKind::Gap { "gap" } else { "code" }, x, middle + 4.5, text);
        } else {
            self.text("code", x, middle - 1.0, text);
            self.text("remark", x, middle + 13.0, remark);
        }
    }

    fn legend(&mut self, picture: &Picture, layout: &Layout) {
        let Point { mut x, y } = layout.legend;
        for (index, note) in picture.notes.iter().rev().enumerate() {
            self.text("legend", x, y - 18.0 * index as f64, note);
        }
        let y = y - 18.0 * picture.notes.len() as f64;
        for (kind, text, width) in legend_entries(picture) {
            let line = Path::Polyline(vec![Point { x, y: y - 4.0 }, Point { x: x + 22.0, y: y - 4.0 }]);
            self.edge(kind, false, &line);
            self.text("legend", x + 27.0, y, &text);
            x += width;
        }
    }

    fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        self.line(format_args!(r#"<text class="{class}" x="{}" y="{}">{}</text>"#, number(x), number(y), escape(text)));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("writing to a string cannot fail");
    }
}

const STYLE: &str = "
.ground { fill: #ffffff; stroke: #d0d0d0; }
text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: #1a1a1a; text-anchor: middle; }
.title { font: 600 16px system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif; }
.subtitle, .legend { font: 12px system-ui, 'DejaVu Sans', Helvetica, Arial, sans-serif; fill: #555555; }
.legend { font-size: 11px; text-anchor: start; }
.thread { font-weight: 600; }
.remark { font-size: 10px; fill: #6a6a6a; }
.gap { font-size: 12px; fill: #6a6a6a; }
.init { fill: #f3f3f3; stroke: #9a9a9a; }
.event { fill: #ffffff; stroke: #8a8a8a; }
.event.on-cycle { stroke: #1a1a1a; stroke-width: 1.8; }
.event.culprit { fill: #ffe08a; stroke: #1a1a1a; stroke-width: 1.8; }
.line { fill: none; stroke-width: 1.1; }
.line.bold { stroke-width: 2.6; }
.line.race { stroke-dasharray: 6 4; }
.label { font: italic 12px ui-serif, Georgia, 'DejaVu Serif', serif; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; paint-order: stroke; }
.label.bold { font-weight: 700; }";

/// What is different on a dark ground.
const DARK_STYLE: &str = "
.ground { fill: #16181d; stroke: #3a3f47; }
text { fill: #e6e6e6; }
.subtitle, .legend { fill: #b4b9c1; }
.remark, .gap { fill: #a6acb5; }
.init { fill: #262a31; stroke: #7d848e; }
.event { fill: #1e2127; stroke: #7d848e; }
.event.on-cycle { stroke: #f0f0f0; }
.event.culprit { fill: #5c4a12; stroke: #ffe08a; }
.label { stroke: #16181d; }";

/// The `d` attribute, corners rounded.
pub(super) fn data(path: &Path) -> String {
    let pair = |point: Point| format!("{} {}", number(point.x), number(point.y));
    match path {
        Path::Curve([a, b, c, d]) => format!("M{} C{}, {}, {}", pair(*a), pair(*b), pair(*c), pair(*d)),
        Path::Polyline(points) => {
            let mut text = format!("M{}", pair(points[0]));
            for corner in points.windows(3) {
                let before = towards(corner[1], corner[0]);
                let after = towards(corner[1], corner[2]);
                let _ = write!(text, " L{} Q{}, {}", pair(before), pair(corner[1]), pair(after));
            }
            let _ = write!(text, " L{}", pair(points[points.len() - 1]));
            text
        }
    }
}

/// A short way from `corner` towards `other`, at most half of it.
fn towards(corner: Point, other: Point) -> Point {
    let (dx, dy) = (other.x - corner.x, other.y - corner.y);
    let length = dx.hypot(dy);
    if length == 0.0 {
        return corner;
    }
    let part = (9.0 / length).min(0.5);
    Point { x: corner.x + dx * part, y: corner.y + dy * part }
}

/// One decimal, none when it is 0.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
