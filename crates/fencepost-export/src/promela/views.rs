//! Knowledge that travels along happens-before, as rows of stale values that are not ruled out.
//!
//! Source: Margalit and Lahav, "Verifying Observational Robustness against a C11-Style Memory
//! Model", POPL 2021, §5.2, Algorithms 1–5: the current, acquire and release views of threads and
//! what the last write of a location passes on.
//!
//! Acquire views are there only for threads with acquire fences and relaxed reads, release views
//! only for those with release fences and relaxed writes; the others that write relaxed share one.

use fencepost_base::order::Mode;
use fencepost_model::AttemptKind;

use super::bits::{Columns, Row};
use super::encoding::Step;
use super::shape::Shape;

/// Views that travel along happens-before.
pub(crate) struct Views {
    /// V^c, of every thread.
    pub(crate) current: Vec<Row>,
    /// V^a, of threads that have a use for it.
    pub(crate) acquire: Vec<Option<Row>>,
    /// V^r, of threads that have a use for it.
    pub(crate) release: Vec<Option<Row>>,
    /// V^r of threads that never released anything.
    pub(crate) nothing: Option<Row>,
    /// V^w, of tracked locations.
    pub(crate) location: Vec<Option<Row>>,
}

impl Views {
    pub(crate) fn new(shape: &Shape, layout: &Columns, name: &str) -> Self {
        let row = |kind: &str, number: usize| layout.row(&format!("{name}_{kind}{number}"));
        let threads = || shape.threads.iter().enumerate();
        let releases_nothing = shape.threads.iter().any(|thread| thread.releases_nothing);
        Views {
            current: threads().map(|(t, _)| row("c", t)).collect(),
            acquire: threads().map(|(t, thread)| thread.acquire_fence.then(|| row("a", t))).collect(),
            release: threads().map(|(t, thread)| thread.release_fence.then(|| row("r", t))).collect(),
            nothing: releases_nothing.then(|| layout.row(&format!("{name}_none"))),
            location: rows_of(&shape.tracked, &|x| row("w", x)),
        }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &Row> {
        let fenced = self.acquire.iter().chain(&self.release).chain([&self.nothing]).flatten();
        self.current.iter().chain(fenced).chain(self.location.iter().flatten())
    }

    /// The current and acquire view of a thread.
    pub(crate) fn mine(&self, t: usize) -> impl Iterator<Item = &Row> {
        std::iter::once(&self.current[t]).chain(&self.acquire[t])
    }

    /// All views but those of a thread itself, and of one location.
    pub(crate) fn others(&self, t: usize, except: Option<usize>) -> impl Iterator<Item = &Row> {
        let threads = (0..self.current.len()).filter(move |&other| other != t).flat_map(|other| self.mine(other));
        let locations = self.location.iter().enumerate().filter(move |&(y, _)| Some(y) != except);
        let passed_on = self.release.iter().chain([&self.nothing]).flatten();
        threads.chain(passed_on).chain(locations.filter_map(|(_, row)| row.as_ref()))
    }

    /// Alg. 1 and 2, lines 4–7.
    pub(crate) fn read(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let Some(location) = &self.location[step.loc.index()] else { return Vec::new() };
        let acquire = self.acquire[t].iter().flat_map(|acquire| acquire.narrow(location));
        let current = if step.mode.acquires() { self.current[t].narrow(location) } else { Vec::new() };
        acquire.chain(current).collect()
    }

    /// Alg. 3.
    pub(crate) fn fence(&self, t: usize, mode: Mode) -> Vec<String> {
        let mut statements = Vec::new();
        if let (true, Some(acquire)) = (mode.acquires(), &self.acquire[t]) {
            statements.extend(self.current[t].copy(acquire));
        }
        if let (true, Some(release)) = (mode.releases(), &self.release[t]) {
            statements.extend(release.copy(&self.current[t]));
        }
        statements
    }

    /// Alg. 4 and 5, lines 3–8: what a write passes on. An update continues a release sequence.
    pub(crate) fn pass_on(&self, t: usize, step: &Step<'_>) -> Vec<String> {
        let Some(location) = &self.location[step.loc.index()] else { return Vec::new() };
        let released = || self.release[t].as_ref().or(self.nothing.as_ref());
        let Some(from) = (if step.mode.releases() { Some(&self.current[t]) } else { released() }) else {
            return Vec::new();
        };
        if step.kind == AttemptKind::Rmw { location.narrow(from) } else { location.copy(from) }
    }
}

/// A row for every location that is wanted.
pub(crate) fn rows_of(wanted: &[bool], row: &dyn Fn(usize) -> Row) -> Vec<Option<Row>> {
    wanted.iter().enumerate().map(|(x, &wanted)| wanted.then(|| row(x))).collect()
}
