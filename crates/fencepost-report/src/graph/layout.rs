//! Where everything lies, in pixels: boxes for events, paths for edges, a
//! free spot for every label.

use fencepost_finding::Relation;

use super::picture::{Link, Node, NodeKind, Picture, Place, explanation};
use super::route::{Route, Routes, rows};

/// Width of a character of the monospaced font of events.
const CHARACTER: f64 = 7.9;
/// The same of the places below them.
const SMALL_CHARACTER: f64 = 6.1;
const NODE_HEIGHT: f64 = 38.0;
const INIT_HEIGHT: f64 = 26.0;
const TITLE_HEIGHT: f64 = 62.0;
const HEADER_HEIGHT: f64 = 30.0;
const LEGEND_HEIGHT: f64 = 44.0;
const MARGIN: f64 = 26.0;
const LANE: f64 = 14.0;
/// How far from a line a label is that is not written on it.
const BESIDE: f64 = 12.0;
/// How far from an arrowhead a label is out of its way.
const HEAD: f64 = 22.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rect {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// The line of an edge.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Path {
    /// Through these points, corners rounded.
    Polyline(Vec<Point>),
    /// A cubic Bézier curve.
    Curve([Point; 4]),
}

pub(super) struct Layout {
    pub(super) width: f64,
    pub(super) height: f64,
    /// One per node.
    pub(super) boxes: Vec<Rect>,
    /// Centre of each thread's name.
    pub(super) headers: Vec<Point>,
    /// One per link.
    pub(super) paths: Vec<Path>,
    /// Centre of each link's label.
    pub(super) labels: Vec<Point>,
    /// Baseline of the legend.
    pub(super) legend: Point,
}

impl Layout {
    pub(super) fn new(picture: &Picture) -> Layout {
        let grid = Grid::new(picture, Routes::new(picture));
        let ports = Ports::new(picture, &grid);
        let paths: Vec<Path> =
            picture.links.iter().enumerate().map(|(index, link)| path(picture, &grid, &ports, index, link)).collect();
        let labels = labels(picture, &grid, &paths);
        Layout {
            width: grid.width,
            height: grid.height,
            headers: grid.columns.iter().map(|&(x, width)| Point { x: x + width / 2.0, y: grid.header }).collect(),
            boxes: grid.boxes,
            paths,
            labels,
            legend: Point { x: MARGIN, y: grid.height - 18.0 },
        }
    }
}

/// Columns, rows, gutters and channels.
struct Grid {
    routes: Routes,
    width: f64,
    height: f64,
    /// Left edge and width.
    columns: Vec<(f64, f64)>,
    /// Left edge and width.
    gutters: Vec<(f64, f64)>,
    /// Top and height.
    channels: Vec<(f64, f64)>,
    /// Baseline of thread names.
    header: f64,
    boxes: Vec<Rect>,
}

impl Grid {
    fn new(picture: &Picture, routes: Routes) -> Grid {
        let count = picture.columns.len();
        let text_width = |text: &str| text.chars().count() as f64 * CHARACTER + 22.0;
        let column_width = |column: usize| {
            let cells =
                picture.nodes.iter().filter(|node| matches!(node.place, Place::Cell { column: c, .. } if c == column));
            let width =
                |node: &Node| text_width(&node.text).max(node.remark.chars().count() as f64 * SMALL_CHARACTER + 22.0);
            cells.map(width).fold(text_width(&picture.columns[column]).max(96.0), f64::max)
        };
        let gutter_width = |gutter: usize| {
            let lanes = (routes.halves[2 * gutter] + routes.halves[2 * gutter + 1]) as f64 * LANE;
            let outer = gutter == 0 || gutter == count;
            match (outer, routes.crossed[gutter]) {
                (true, _) => lanes + if lanes > 0.0 { 14.0 } else { 0.0 },
                (false, true) => 90.0 + lanes,
                (false, false) => 40.0 + lanes,
            }
        };
        let (mut columns, mut gutters, mut x) = (Vec::new(), Vec::new(), MARGIN);
        for index in 0..=count {
            gutters.push((x, gutter_width(index)));
            x += gutter_width(index);
            if index < count {
                columns.push((x, column_width(index)));
                x += column_width(index);
            }
        }
        let titles = [&picture.title, &picture.subtitle].map(|text| text.chars().count() as f64 * 8.2);
        let wanted = titles[0].max(titles[1]).max(legend_width(picture)) + 2.0 * MARGIN;
        let width = (x + MARGIN).max(wanted);
        // A narrow graph is centred under its title.
        let shift = (width - x - MARGIN) / 2.0;
        columns.iter_mut().chain(gutters.iter_mut()).for_each(|(x, _)| *x += shift);

        let tops: Vec<usize> =
            (0..picture.nodes.len()).filter(|&node| matches!(picture.nodes[node].place, Place::Top(_))).collect();
        let mut y = TITLE_HEIGHT;
        let top_y = y;
        let mut channels = Vec::new();
        if !tops.is_empty() {
            y += INIT_HEIGHT;
            let height = 16.0 + routes.channels[0] as f64 * LANE;
            channels.push((y, height));
            y += height;
        } else {
            channels.push((y, 0.0));
        }
        let header = y + HEADER_HEIGHT - 12.0;
        y += HEADER_HEIGHT;
        let mut row_tops = Vec::new();
        let row_count = rows(picture);
        for row in 0..row_count {
            row_tops.push(y);
            y += NODE_HEIGHT;
            let lanes = routes.channels[row + 1] as f64 * LANE;
            let height = if row + 1 == row_count && lanes == 0.0 { 8.0 } else { 30.0 + lanes };
            channels.push((y, height));
            y += height;
        }
        let height = y + LEGEND_HEIGHT + picture.notes.len() as f64 * 18.0;

        // Something can go wrong before any thread does anything: then there are no columns.
        let left = columns.first().map_or(MARGIN, |&(x, _)| x);
        let right = columns.last().map_or(width - MARGIN, |&(x, width)| x + width);
        let boxes = picture
            .nodes
            .iter()
            .map(|node| match node.place {
                Place::Cell { column, row } => {
                    let (x, width) = columns[column];
                    Rect { x, y: row_tops[row], width, height: NODE_HEIGHT }
                }
                Place::Top(index) => {
                    let width = text_width(&node.text);
                    let centre = left + (right - left) * (index as f64 + 0.5) / tops.len() as f64;
                    Rect { x: centre - width / 2.0, y: top_y, width, height: INIT_HEIGHT }
                }
            })
            .collect();
        Grid { routes, width, height, columns, gutters, channels, header, boxes }
    }

    /// The x coordinate of a lane of a half gutter; lanes fill it from its column outwards.
    fn gutter_x(&self, half: usize, lane: usize) -> f64 {
        let gutter = half / 2;
        let (x, width) = self.gutters[gutter];
        let step = (lane as f64 + 0.5) * LANE;
        let outer = gutter == 0 || gutter == self.columns.len();
        let lanes = self.routes.halves[half] as f64 * LANE;
        let other = self.routes.halves[half ^ 1] as f64 * LANE;
        let slack = if outer { 8.0 } else { (width - lanes - other) / 2.0 };
        if half.is_multiple_of(2) { x + slack + step } else { x + width - slack - step }
    }

    fn channel_y(&self, channel: usize, lane: usize) -> f64 {
        let (y, height) = self.channels[channel];
        y + (height - self.routes.channels[channel] as f64 * LANE) / 2.0 + (lane as f64 + 0.5) * LANE
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Side {
    Left,
    Right,
    Bottom,
}

/// Where each edge touches its events: those that share a side are spread
/// over it, in the order of where they come from.
struct Ports {
    starts: Vec<Point>,
    ends: Vec<Point>,
}

impl Ports {
    fn new(picture: &Picture, grid: &Grid) -> Ports {
        let nowhere = Point { x: 0.0, y: 0.0 };
        let mut ports = Ports { starts: vec![nowhere; picture.links.len()], ends: vec![nowhere; picture.links.len()] };
        // (node, side, sort key, link, is it the start?)
        let mut touches: Vec<(usize, Side, f64, usize, bool)> = Vec::new();
        for (index, link) in picture.links.iter().enumerate() {
            let (start, end) = sides(picture, grid, index, link);
            let centre = |node: usize| grid.boxes[node].y + grid.boxes[node].height / 2.0;
            let (start_key, end_key) = match grid.routes.routes[index] {
                Route::Around { first, channel, last } => {
                    let y = grid.channel_y(channel.track, channel.lane);
                    let x = grid.gutter_x(last.track, last.lane);
                    (if first.is_some() { y } else { x }, y)
                }
                _ => (centre(link.to), centre(link.from)),
            };
            if grid.routes.routes[index] != Route::Down {
                touches.push((link.from, start, start_key, index, true));
                touches.push((link.to, end, end_key, index, false));
            }
        }
        touches.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(a.3.cmp(&b.3)));
        for group in touches.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for (position, &(node, side, _, link, is_start)) in group.iter().enumerate() {
                let rect = grid.boxes[node];
                let room = if side == Side::Bottom { rect.width } else { rect.height } - 10.0;
                let step = (room / group.len() as f64).min(12.0);
                let offset = (position as f64 - (group.len() as f64 - 1.0) / 2.0) * step;
                let (middle_x, middle_y) = (rect.x + rect.width / 2.0, rect.y + rect.height / 2.0);
                let point = match side {
                    Side::Left => Point { x: rect.x, y: middle_y + offset },
                    Side::Right => Point { x: rect.x + rect.width, y: middle_y + offset },
                    Side::Bottom => Point { x: middle_x + offset, y: rect.y + rect.height },
                };
                if is_start { ports.starts[link] = point } else { ports.ends[link] = point }
            }
        }
        ports
    }
}

fn sides(picture: &Picture, grid: &Grid, index: usize, link: &Link) -> (Side, Side) {
    let column = |node: usize| match picture.nodes[node].place {
        Place::Cell { column, .. } => column,
        Place::Top(_) => 0,
    };
    let (a, b) = (column(link.from), column(link.to));
    let facing = |half: usize| if half.is_multiple_of(2) { Side::Right } else { Side::Left };
    match grid.routes.routes[index] {
        Route::Down => (Side::Bottom, Side::Bottom),
        Route::Across if a < b => (Side::Right, Side::Left),
        Route::Across => (Side::Left, Side::Right),
        Route::Beside(lane) => (facing(lane.track), facing(lane.track)),
        Route::Around { first: Some(first), last, .. } => (facing(first.track), facing(last.track)),
        Route::Around { first: None, last, .. } => (Side::Bottom, facing(last.track)),
    }
}

fn path(picture: &Picture, grid: &Grid, ports: &Ports, index: usize, link: &Link) -> Path {
    let (start, end) = (ports.starts[index], ports.ends[index]);
    let at = |x: f64, y: f64| Point { x, y };
    match grid.routes.routes[index] {
        Route::Down => {
            let (from, to) = (grid.boxes[link.from], grid.boxes[link.to]);
            let x = from.x + from.width / 2.0;
            // Dots stand for events that are not shown: the line stops short of them.
            let gap = |node: usize| if picture.nodes[node].kind == NodeKind::Gap { 8.0 } else { 0.0 };
            Path::Polyline(vec![at(x, from.y + from.height - gap(link.from)), at(x, to.y + gap(link.to))])
        }
        Route::Across => {
            let reach = (end.x - start.x) * 0.42;
            Path::Curve([start, at(start.x + reach, start.y), at(end.x - reach, end.y), end])
        }
        Route::Beside(lane) => {
            let x = grid.gutter_x(lane.track, lane.lane);
            Path::Polyline(vec![start, at(x, start.y), at(x, end.y), end])
        }
        Route::Around { first, channel, last } => {
            let y = grid.channel_y(channel.track, channel.lane);
            let x = grid.gutter_x(last.track, last.lane);
            let mut points = vec![start];
            match first {
                Some(first) => {
                    let out = grid.gutter_x(first.track, first.lane);
                    points.extend([at(out, start.y), at(out, y)]);
                }
                None => points.push(at(start.x, y)),
            }
            points.extend([at(x, y), at(x, end.y), end]);
            Path::Polyline(points)
        }
    }
}

/// A spot on each edge, as far as possible from other edges and labels.
fn labels(picture: &Picture, grid: &Grid, paths: &[Path]) -> Vec<Point> {
    let samples: Vec<Vec<Point>> =
        paths.iter().map(|path| (0..=40).map(|i| path.point(f64::from(i) / 40.0)).collect()).collect();
    let mut placed: Vec<Point> = Vec::new();
    for (index, path) in paths.iter().enumerate() {
        let link = &picture.links[index];
        let returns = |other: &Link| (other.from, other.to) == (link.to, link.from);
        let twin = picture.links.iter().position(returns).map(|twin| &paths[twin]);
        let candidate = |t: f64| {
            let Point { x, y } = path.point(t);
            match twin {
                _ if link.kind == Relation::Po => Point { x: x + BESIDE, y },
                // Two lines side by side: each has its label on the far side of the other.
                Some(twin) => away(Point { x, y }, twin.point(1.0 - t)),
                None => Point { x, y },
            }
        };
        let score = |t: f64| {
            let spot = candidate(t);
            let others = samples.iter().enumerate().filter(|&(other, _)| other != index).flat_map(|(_, points)| points);
            let clearance = others.map(|point| distance(*point, spot)).fold(24.0, f64::min);
            let crowding = placed.iter().map(|label| distance(*label, spot)).fold(30.0, f64::min);
            let hidden = grid.boxes.iter().any(|rect| rect.distance(spot) < 9.0);
            // Arrowheads, those of other edges too, are not to be written over.
            let heads = paths.iter().map(|path| distance(path.point(1.0), spot)).fold(HEAD, f64::min);
            clearance + 2.0 * crowding + 4.0 * heads - (t - 0.5).abs() * 12.0 - if hidden { 100.0 } else { 0.0 }
        };
        // Beside the ends of a line are events.
        let spots = if twin.is_some() { 7..=13 } else { 2..=18 };
        let best = spots.map(|i| f64::from(i) / 20.0).max_by(|&a, &b| score(a).total_cmp(&score(b)));
        placed.push(candidate(best.unwrap_or(0.5)));
    }
    placed
}

/// A point right beside another one, on the side that is not towards `other`.
fn away(point: Point, other: Point) -> Point {
    let apart = distance(point, other).max(1.0);
    Point { x: point.x + (point.x - other.x) / apart * BESIDE, y: point.y + (point.y - other.y) / apart * BESIDE }
}

/// The entries of the legend: each kind of edge in use, with its text and its width.
pub(super) fn legend_entries(picture: &Picture) -> Vec<(Relation, String, f64)> {
    let used = |kind: &Relation| picture.links.iter().any(|link| link.kinds().any(|other| other == *kind));
    let entry = |kind: Relation| {
        let text = explanation(kind);
        let width = 27.0 + text.len() as f64 * 6.4 + 12.0;
        (kind, text, width)
    };
    picture.relations().into_iter().filter(used).map(entry).collect()
}

fn legend_width(picture: &Picture) -> f64 {
    let entries: f64 = legend_entries(picture).iter().map(|(.., width)| width).sum();
    picture.notes.iter().map(|note| note.chars().count() as f64 * 6.4).fold(entries, f64::max)
}

fn distance(a: Point, b: Point) -> f64 {
    (a.x - b.x).hypot(a.y - b.y)
}

impl Rect {
    /// How far outside it a point lies; 0 within.
    fn distance(&self, point: Point) -> f64 {
        let dx = (self.x - point.x).max(point.x - self.x - self.width).max(0.0);
        let dy = (self.y - point.y).max(point.y - self.y - self.height).max(0.0);
        dx.hypot(dy)
    }
}

impl Path {
    /// The point a part `t` of the way along, from 0 to 1.
    pub(super) fn point(&self, t: f64) -> Point {
        match self {
            Path::Curve([a, b, c, d]) => {
                let s = 1.0 - t;
                let mix = |a: f64, b: f64, c: f64, d: f64| {
                    s * s * s * a + 3.0 * s * s * t * b + 3.0 * s * t * t * c + t * t * t * d
                };
                Point { x: mix(a.x, b.x, c.x, d.x), y: mix(a.y, b.y, c.y, d.y) }
            }
            Path::Polyline(points) => {
                let lengths: Vec<f64> = points.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
                let mut rest = t * lengths.iter().sum::<f64>();
                for (pair, length) in points.windows(2).zip(lengths) {
                    if rest <= length && length > 0.0 {
                        let part = rest / length;
                        return Point {
                            x: pair[0].x + (pair[1].x - pair[0].x) * part,
                            y: pair[0].y + (pair[1].y - pair[0].y) * part,
                        };
                    }
                    rest -= length;
                }
                *points.last().expect("a path has points")
            }
        }
    }
}
