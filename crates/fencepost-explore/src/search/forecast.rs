//! How many states there will be: an estimate.
//!
//! Layers grow, and then shrink again. With k of D layers behind us, the paths to a state of the next
//! one are about as many as there are ways to distribute its steps over the threads, and so are those
//! from it to the end. So the size of layer k is modelled as c (k + 1)^a (D - k)^a, where c and a
//! are fitted to the layers that are known, the last ones counting most.
//!
//! D is not known. It is estimated before the search, by another search that keeps only a *beam* of a
//! few states of every layer and stops when it meets nothing that it has not seen. It samples: states
//! whose hashes are least. Where threads loop, it may go on for too long. So D is also bounded by a
//! trend: how the growth from layer to layer has changed.

use std::collections::{BTreeMap, HashSet};
use std::hash::BuildHasher as _;

use fencepost_verdict::Forecast;

use super::Search;
use crate::system::{Expansion, System};

/// States of a layer that the beam keeps.
const BEAM: usize = 1 << 8;
/// States that the beam looks at, at most.
const MOST: usize = 1 << 18;
/// Fewer states are no basis for a forecast.
pub(super) const FEWEST: u64 = 500;
/// Layers that are not known are at least this part of those that are.
const REST: f64 = 0.1;
/// There are not more layers than this times as many as the trend says.
const TRUST: f64 = 2.0;
/// The trend is not followed further than this times the layers that are known.
const FURTHEST: f64 = 60.0;
/// The logarithm of the largest layer there is.
const LARGEST: f64 = 43.0;

impl<S: System> Search<'_, S> {
    /// Tells how many states there will be.
    pub(super) fn forecast(&self) {
        let Some(tell) = self.budget.forecast else { return };
        let sizes = self.visited.sizes();
        let known: u64 = sizes.iter().sum();
        if known >= FEWEST {
            tell(Forecast { known, expected: expected(&sizes, self.horizon) });
        }
    }

    /// How many layers there will be, roughly.
    pub(super) fn horizon(&self) -> usize {
        let hasher = foldhash::fast::FixedState::default();
        let mut start = self.system.initial().state;
        self.system.canonical(&mut start);
        let mut seen: HashSet<u64> = HashSet::new();
        let mut out = Expansion::new(self.system.words());
        let mut beam = vec![start];
        let mut layers = 0;
        while !beam.is_empty() && seen.len() < MOST && self.in_time().is_ok() {
            layers += 1;
            let mut next: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
            for state in &beam {
                out.clear();
                for t in 0..self.system.threads() {
                    self.system.expand(state, t, &mut out);
                }
                for step in 0..out.len() {
                    let target = out.target_mut(step);
                    self.system.canonical(target);
                    let hash = hasher.hash_one(&*target);
                    if seen.insert(hash) {
                        next.insert(hash, target.to_vec());
                        if next.len() > BEAM {
                            next.pop_last();
                        }
                    }
                }
            }
            beam = next.into_values().collect();
        }
        layers
    }
}

/// The sum of all layers, of which some are known, if there are about `horizon`.
fn expected(sizes: &[u64], horizon: usize) -> u64 {
    let known: f64 = sizes.iter().map(|&size| size as f64).sum();
    let count = sizes.len() as f64;
    let trend = trend(sizes).map_or(f64::INFINITY, |trend| TRUST * trend);
    let all = (horizon as f64).min(trend).max(count * (1.0 + REST)).ceil();
    // In logarithms, the model is a straight line.
    let at = |layer: f64| (layer + 1.0).ln() + (all - layer).max(0.5).ln();
    let points: Vec<Point> = (0_u32..)
        .zip(sizes)
        .filter(|(_, size)| **size > 0)
        .map(|(layer, &size)| {
            let layer = f64::from(layer);
            Point { weight: layer + 1.0, x: at(layer), y: (size as f64).ln() }
        })
        .collect();
    let fitted = line(&points);
    // How far the last layer is from the model matters less and less.
    let last = count - 1.0;
    let off = sizes.last().map_or(0.0, |&size| (size.max(1) as f64).ln()) - fitted(at(last));
    let mut total = known;
    let mut layer = count;
    while layer < all {
        let fades = (all - 1.0 - layer) / (all - last);
        total += (fitted(at(layer)) + off * fades).min(LARGEST).exp();
        layer += 1.0;
    }
    total as u64
}

/// In which layer nothing is left, if the growth of layers goes on to change as it has in the last
/// half of them; none if it does not fall.
fn trend(sizes: &[u64]) -> Option<f64> {
    let count = sizes.len();
    let from = count - (count / 2).max(4).min(count);
    let growth = |layer: usize| Point {
        weight: (sizes[layer] as f64).sqrt(),
        x: layer as f64 - 0.5,
        y: (sizes[layer].max(1) as f64 / sizes[layer - 1].max(1) as f64).ln(),
    };
    let points: Vec<Point> = (from.max(1)..count).map(growth).collect();
    let fitted = line(&points);
    if points.len() < 4 || fitted(1.0) >= fitted(0.0) {
        return None;
    }
    let mut size = (*sizes.last()? as f64).ln();
    let mut layer = count as f64;
    while size >= 0.0 && layer < FURTHEST * count as f64 {
        size += fitted(layer - 0.5);
        layer += 1.0;
    }
    Some(layer - 1.0)
}

struct Point {
    weight: f64,
    x: f64,
    y: f64,
}

/// The line with the least squares of distances, weighted.
fn line(points: &[Point]) -> impl Fn(f64) -> f64 {
    let weight: f64 = points.iter().map(|point| point.weight).sum();
    let mean = |of: &dyn Fn(&Point) -> f64| points.iter().map(|point| point.weight * of(point)).sum::<f64>() / weight;
    let (x, y) = (mean(&|point| point.x), mean(&|point| point.y));
    let spread = mean(&|point| (point.x - x) * (point.x - x));
    let slope = if spread > 0.0 { mean(&|point| (point.x - x) * (point.y - y)) / spread } else { 0.0 };
    move |at| y + slope * (at - x)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads of 30 steps each, none of which waits for another: how many states there are with
    /// each number of steps.
    fn product() -> Vec<u64> {
        (0..4).fold(vec![1], |sizes: Vec<u64>, _| {
            let size = |layer: usize| (0..=30).filter_map(|own| sizes.get(layer.checked_sub(own)?)).sum();
            (0..sizes.len() + 30).map(size).collect()
        })
    }

    #[test]
    fn independent_threads_are_forecast() {
        let sizes = product();
        let all: u64 = sizes.iter().sum();
        assert_eq!((sizes.len(), all), (121, 31_u64.pow(4)));
        for known in 20..=sizes.len() {
            let expected = expected(&sizes[..known], sizes.len());
            assert!(expected / 3 < all && all < expected * 3, "{expected} of {all} from {known} layers");
        }
        // With a horizon that is too far away, the trend helps.
        let expected = expected(&sizes[..90], 1_000);
        assert!(expected < 3 * all, "{expected} of {all}");
    }

    #[test]
    fn what_is_known_is_expected() {
        for sizes in [vec![1], vec![1, 0], vec![3; 40], vec![1, 1_000, 1]] {
            let known: u64 = sizes.iter().sum();
            assert!(expected(&sizes, 0) >= known);
        }
    }
}
