//! Which way each edge takes, before any coordinate is known.
//!
//! Between the columns there are gutters, between the rows channels; no event
//! lies in either, so an edge that keeps to them runs through no event. Edges
//! that would overlap in a gutter or channel get lanes of their own.

use fencepost_finding::Relation;

use super::picture::{Link, Picture, Place};

/// The way of one edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    /// Straight down to the next event of the thread.
    Down,
    /// A curve from side to side, with no event in its way.
    Across,
    /// Along a lane of the gutter beside the column, and back to the same side.
    Beside(Lane),
    /// Along a gutter, a channel, and another gutter.
    Around {
        /// From the start; none for initialisation, which lies above all gutters.
        first: Option<Lane>,
        /// Across the columns.
        channel: Lane,
        /// To the end.
        last: Lane,
    },
}

/// A lane: which half gutter or channel, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) track: usize,
    pub(super) lane: usize,
}

/// All routes, and how many lanes each gutter and channel needs.
pub(super) struct Routes {
    /// One per link.
    pub(super) routes: Vec<Route>,
    /// Lanes of each half gutter. Gutters lie left of the first column, between columns and right
    /// of the last; the left half of one is for edges that touch the column left of it, so that
    /// such edges do not meet.
    pub(super) halves: Vec<usize>,
    /// Is there a curve across this gutter?
    pub(super) crossed: Vec<bool>,
    /// Lanes of each channel: above the columns, then below each row.
    pub(super) channels: Vec<usize>,
}

impl Routes {
    pub(super) fn new(picture: &Picture) -> Routes {
        let columns = picture.columns.len();
        let rows = rows(picture);
        let mut finder = Finder {
            picture,
            columns,
            halves: vec![Vec::new(); 2 * (columns + 1)],
            channels: vec![Vec::new(); rows + 1],
            crossed: vec![false; columns + 1],
        };
        let routes = picture.links.iter().map(|link| finder.route(link)).collect();
        Routes {
            routes,
            halves: finder.halves.iter().map(Vec::len).collect(),
            crossed: finder.crossed,
            channels: finder.channels.iter().map(Vec::len).collect(),
        }
    }
}

/// Number of rows.
pub(super) fn rows(picture: &Picture) -> usize {
    let row = |place| match place {
        Place::Cell { row, .. } => row + 1,
        Place::Top(_) => 0,
    };
    picture.nodes.iter().map(|node| row(node.place)).max().unwrap_or(0)
}

/// For every lane of a track, the stretches in use. Positions along a gutter
/// count channels and rows alternately, along a channel gutters and columns.
type Track = Vec<Vec<(usize, usize)>>;

struct Finder<'a> {
    picture: &'a Picture,
    columns: usize,
    halves: Vec<Track>,
    channels: Vec<Track>,
    crossed: Vec<bool>,
}

impl Finder<'_> {
    fn route(&mut self, link: &Link) -> Route {
        match (self.picture.nodes[link.from].place, self.picture.nodes[link.to].place) {
            _ if link.kind == Relation::Po => Route::Down,
            (Place::Cell { column: a, row: i }, Place::Cell { column: b, row: j }) if a == b => {
                // Outer gutters are empty, so the first and the last column use those.
                let gutter = if a == 0 { 0 } else { a + 1 };
                Route::Beside(allocate(&mut self.halves, half(gutter, a), 2 * i + 1, 2 * j + 1))
            }
            (Place::Cell { column: a, row: i }, Place::Cell { column: b, row: j }) => {
                if self.free_between(a, i, b, j) {
                    self.crossed[a.min(b) + 1..=a.max(b)].fill(true);
                    return Route::Across;
                }
                let (out, into) = if a < b { (a + 1, b) } else { (a, b + 1) };
                let channel = self.quietest_channel(i, j, out, into);
                let first = allocate(&mut self.halves, half(out, a), 2 * i + 1, 2 * channel);
                let last = allocate(&mut self.halves, half(into, b), 2 * channel, 2 * j + 1);
                let channel = allocate(&mut self.channels, channel, 2 * out, 2 * into);
                Route::Around { first: Some(first), channel, last }
            }
            (Place::Top(index), Place::Cell { column, row }) => {
                let tops = self.picture.nodes.iter().filter(|node| matches!(node.place, Place::Top(_))).count();
                let above = (2 * index + 1) * self.columns / tops.max(1);
                let gutter = match column {
                    0 => 0,
                    _ if column + 1 == self.columns => self.columns,
                    _ if above <= 2 * column => column,
                    _ => column + 1,
                };
                let last = allocate(&mut self.halves, half(gutter, column), 0, 2 * row + 1);
                let channel = allocate(&mut self.channels, 0, above, 2 * gutter);
                Route::Around { first: None, channel, last }
            }
            (_, Place::Top(_)) => Route::Down,
        }
    }

    /// Is there no event in the columns between two cells, at the heights a curve would cross?
    fn free_between(&self, a: usize, i: usize, b: usize, j: usize) -> bool {
        let (left, right) = (a.min(b), a.max(b));
        let (top, bottom) = (i.min(j), i.max(j));
        !self.picture.nodes.iter().any(|node| match node.place {
            Place::Cell { column, row } => column > left && column < right && row >= top && row <= bottom,
            Place::Top(_) => false,
        })
    }

    /// The channel between two rows that needs the fewest lanes then.
    fn quietest_channel(&self, i: usize, j: usize, out: usize, into: usize) -> usize {
        let between = if i == j { i + 1..=i + 1 } else { i.min(j) + 1..=i.max(j) };
        let (from, to) = ((2 * out).min(2 * into), (2 * out).max(2 * into));
        between
            .min_by_key(|&channel| (free_lane(&self.channels[channel], from, to), channel.abs_diff(i)))
            .expect("there is a channel below every row")
    }
}

/// The half of a gutter that touches a column.
fn half(gutter: usize, column: usize) -> usize {
    2 * gutter + usize::from(gutter <= column)
}

fn allocate(tracks: &mut [Track], track: usize, from: usize, to: usize) -> Lane {
    let (from, to) = (from.min(to), from.max(to));
    let lanes = &mut tracks[track];
    let lane = free_lane(lanes, from, to);
    if lane == lanes.len() {
        lanes.push(Vec::new());
    }
    lanes[lane].push((from, to));
    Lane { track, lane }
}

/// The first lane with nothing between `from` and `to`.
fn free_lane(lanes: &Track, from: usize, to: usize) -> usize {
    let free = |lane: &Vec<(usize, usize)>| lane.iter().all(|&(start, end)| end < from || to < start);
    lanes.iter().position(free).unwrap_or(lanes.len())
}
