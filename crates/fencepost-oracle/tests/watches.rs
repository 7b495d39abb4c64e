//! A monitor that watches one write says about it what the monitor of everything says, wherever in
//! a run it starts: after every step of random SC runs.

use std::collections::BTreeMap;

use crate::classes::{Classes, KINDS, kind_of};
use crate::common::{Walk, Walked};
use crate::shapes::shape;
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_ir::Program;
use fencepost_model::models::{ra, rc20};
use fencepost_model::monitor::Accepts;
use fencepost_model::packed::Layout;
use fencepost_model::rel::Rel;
use fencepost_model::{Attempt, AttemptKind, Graph, Model, Monitor, PlainKind, Shape, StaleKind, Step, Watch};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;

/// A monitor with its state.
struct Follower {
    monitor: Box<dyn Monitor>,
    state: Vec<u64>,
}

impl Follower {
    fn new(model: &dyn Model, shape: &Shape, watch: Watch) -> Self {
        let mut layout = Layout::new();
        let monitor = model.monitor(&Shape { watch, ..shape.clone() }, &mut layout).expect("a model with a monitor");
        Follower { monitor, state: vec![0; layout.words()] }
    }

    fn start(&mut self) {
        self.monitor.start(&mut self.state);
    }

    fn violated(&self, thread: ThreadId, attempt: &Attempt<'_>) -> bool {
        self.monitor.violated(&self.state, thread, attempt)
    }
}

/// Watches for uses of one overwritten value.
struct StaleWatch {
    loc: LocId,
    class: Option<usize>,
    by: StaleKind,
    /// Does it learn who knows the last write only from a write that comes after the one it begins
    /// with?
    waits: bool,
    follower: Follower,
    begun: bool,
    /// Does it know who knows the last write?
    started: bool,
}

impl StaleWatch {
    fn step(&mut self, thread: ThreadId, step: &Step) {
        let Follower { monitor, state } = &mut self.follower;
        let writes = step.loc == self.loc && step.kind != AttemptKind::Read;
        let makes_stale = match self.by {
            StaleKind::Read => writes,
            // Nobody may write between an update and the write it reads.
            StaleKind::Write => writes && step.kind == AttemptKind::Write,
        };
        let begins = makes_stale && self.class.is_none_or(|class| class == step.current);
        if begins {
            state.fill(0);
            (self.begun, self.started) = (true, false);
        }
        if !self.begun {
            return;
        }
        if writes && begins != self.waits {
            monitor.start(state);
            self.started = true;
        }
        monitor.step(state, thread, step);
    }

    /// Asserts that it says what `everything` says; whether that is a violation.
    fn compare(&self, everything: &Follower, thread: ThreadId) -> bool {
        let accepts = self.class.map_or(Accepts::Any, Accepts::Only);
        let mut violated = false;
        for kind in KINDS.into_iter().filter(|kind| (*kind == AttemptKind::Read) == (self.by == StaleKind::Read)) {
            for mode in [Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc] {
                let attempt = Attempt { kind, loc: self.loc, mode, accepts };
                let found = self.begun && self.follower.violated(thread, &attempt);
                let wanted = everything.violated(thread, &attempt) && (self.started || !self.waits);
                assert_eq!(found, wanted, "{attempt:?} by {thread:?}, waits: {}", self.waits);
                violated |= found;
            }
        }
        assert!(!violated || self.follower.monitor.is_within_reach(&self.follower.state, thread));
        violated
    }
}

/// Watches for races with the latest plain write, or with the latest plain read of one thread
/// since.
struct PlainWatch {
    loc: LocId,
    first: (PlainKind, Option<ThreadId>),
    follower: Follower,
    begun: bool,
}

impl PlainWatch {
    fn plain(&mut self, thread: ThreadId, loc: LocId, kind: PlainKind) {
        if loc != self.loc {
            return;
        }
        let (first, of) = self.first;
        if kind == first && of.is_none_or(|of| of == thread) {
            self.follower.state.fill(0);
            self.follower.start();
            self.follower.monitor.plain(&mut self.follower.state, thread, loc, kind);
            self.begun = true;
        } else if kind == PlainKind::Write {
            // Whoever is ordered after the write is ordered after what comes before it.
            self.begun = false;
        }
    }

    fn is_race(&self, thread: ThreadId, kind: PlainKind) -> bool {
        let conflicts = self.first.0 == PlainKind::Write || kind == PlainKind::Write;
        let Follower { monitor, state } = &self.follower;
        self.begun && conflicts && monitor.is_race(state, thread, self.loc, kind)
    }
}

/// How often something was found, to know that the test tests it.
#[derive(Default, Debug)]
struct Counts {
    /// Stale writes: how they are used, whether their values are told apart, whether the watch
    /// waited.
    stale: BTreeMap<(StaleKind, bool, bool), u64>,
    races: u64,
}

struct Watched<'a> {
    walk: Walk<'a>,
    classes: Classes,
    everything: Follower,
    stale: Vec<StaleWatch>,
    plain: Vec<PlainWatch>,
}

impl<'a> Watched<'a> {
    fn new(program: &'a Program, model: &'static dyn Model, hb: fn(&Graph) -> Rel, classes: Classes) -> Self {
        let shape = shape(program, classes.counts(), false);
        let mut everything = Follower::new(model, &shape, Watch::Everything);
        everything.start();
        let (mut stale, mut plain) = (Vec::new(), Vec::new());
        for loc in (0..shape.classes.len()).map(LocId::from_index) {
            let count = shape.classes[loc.index()];
            for class in (0..count).map(Some).chain((count > 0).then_some(None)) {
                for by in [StaleKind::Read, StaleKind::Write] {
                    // Whatever overwrites a value that somebody could read begins to watch for any
                    // value.
                    let may_wait = class.is_some() || by == StaleKind::Write;
                    for waits in std::iter::once(false).chain(may_wait.then_some(true)) {
                        let follower = Follower::new(model, &shape, Watch::Stale { loc, class, by, lasting: false });
                        stale.push(StaleWatch { loc, class, by, waits, follower, begun: false, started: false });
                    }
                }
            }
            let readers = shape.plain[loc.index()].iter().map(|&thread| (PlainKind::Read, Some(thread)));
            for first in readers.chain((count == 0).then_some((PlainKind::Write, None))) {
                let follower = Follower::new(model, &shape, Watch::Plain(loc));
                plain.push(PlainWatch { loc, first, follower, begun: false });
            }
        }
        Watched { walk: Walk::new(program, model, hb), classes, everything, stale, plain }
    }

    /// All monitors.
    fn followers(&mut self) -> impl Iterator<Item = &mut Follower> {
        let stale = self.stale.iter_mut().filter(|watch| watch.begun).map(|watch| &mut watch.follower);
        let plain = self.plain.iter_mut().filter(|watch| watch.begun).map(|watch| &mut watch.follower);
        std::iter::once(&mut self.everything).chain(stale).chain(plain)
    }

    /// One step of walk and monitors; whether there was one, and no race.
    fn step(&mut self, random: &mut Random) -> bool {
        let before = self.walk.configuration.graph.clone();
        match self.walk.step(random) {
            None => return false,
            Some(Walked::Choice(..)) => {}
            Some(Walked::Fence(thread, labels)) => {
                for mode in labels.iter().map(Label::mode) {
                    self.followers().for_each(|Follower { monitor, state }| monitor.fence(state, thread, mode));
                }
            }
            Some(Walked::Access(step)) => {
                let (kind, mode, loc) = (kind_of(&step.label), step.label.mode(), step.label.loc().expect("an access"));
                let thread = step.thread;
                if self.walk.system.is_nonatomic(loc) {
                    let kind = if step.label.is_write() { PlainKind::Write } else { PlainKind::Read };
                    self.everything.monitor.plain(&mut self.everything.state, thread, loc, kind);
                    self.plain.iter_mut().for_each(|watch| watch.plain(thread, loc, kind));
                    return !self.walk.has_race();
                }
                let old = before.label(before.last_write(loc)).value_written().expect("a write");
                let current = self.classes.get(loc, old).expect("an atomic location");
                let step = Step { kind, loc, mode, current };
                self.everything.monitor.step(&mut self.everything.state, thread, &step);
                self.stale.iter_mut().for_each(|watch| watch.step(thread, &step));
                for PlainWatch { follower, .. } in self.plain.iter_mut().filter(|watch| watch.begun) {
                    follower.monitor.step(&mut follower.state, thread, &step);
                }
            }
        }
        true
    }

    fn compare(&self, counts: &mut Counts) {
        for thread in self.walk.system.program().thread_ids() {
            for watch in &self.stale {
                let found = watch.compare(&self.everything, thread);
                let kind = (watch.by, watch.class.is_some(), watch.waits);
                *counts.stale.entry(kind).or_default() += u64::from(found);
            }
            // Only those who access a location plainly have a column in the monitor of everything.
            let own = self.plain.iter().filter(|watch| watch.first == (PlainKind::Read, Some(thread)));
            for loc in own.map(|watch| watch.loc) {
                for kind in [PlainKind::Read, PlainKind::Write] {
                    let found = self.plain.iter().any(|watch| watch.loc == loc && watch.is_race(thread, kind));
                    let wanted = self.everything.monitor.is_race(&self.everything.state, thread, loc, kind);
                    assert_eq!(found, wanted, "{kind:?} of {loc:?} by {thread:?}");
                    counts.races += u64::from(found);
                }
            }
        }
    }
}

fn follow(model: &'static dyn Model, hb: fn(&Graph) -> Rel) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..repetitions(10_000) {
        let (loops, length) = if seed % 3 == 0 { (true, 30) } else { (false, 20) };
        let program = generate::program(seed, &Options { loops, total_accesses: 12, ..Options::default() });
        let mut random = Random::new(!seed);
        let classes = Classes::new(&program, |value| value as usize);
        let mut watched = Watched::new(&program, model, hb, classes);
        for _ in 0..length {
            watched.compare(&mut counts);
            if !watched.step(&mut random) {
                break;
            }
        }
    }
    assert!(counts.stale.len() == 7 && counts.stale.values().all(|&count| count > 25), "{counts:?}");
    counts
}

#[test]
fn ra() {
    follow(&ra::Ra, ra::hb);
}

#[test]
fn rc20() {
    let counts = follow(&rc20::Rc20, rc20::hb);
    assert!(counts.races > 50, "{counts:?}");
}
