//! The monitors of C and C++ against the axioms, on random SC runs without a program: after every
//! step, for every thread, location, kind of access, order and stale value. Some reads are tainted:
//! what they have read does not count. The runs are dense in SC accesses and SC fences.

use std::collections::BTreeSet;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode};
use fencepost_model::models::cpp20::Cpp20;
use fencepost_model::models::rc20::Rc20;
use fencepost_model::models::sc::hb_sc;
use fencepost_model::monitor::Accepts;
use fencepost_model::packed::Layout;
use fencepost_model::rel::Rel;
use fencepost_model::{Attempt, AttemptKind, EventId, FenceMeaning, Graph, Model, Monitor, Shape, Step, ThreadShape};
use fencepost_testkit::random::Random;
use fencepost_testkit::{in_parallel, repetitions};

const KINDS: [AttemptKind; 3] = [AttemptKind::Read, AttemptKind::Write, AttemptKind::Rmw];
/// An access that is not SC may do what a relaxed one may.
const ASKED: [Mode; 2] = [Mode::Rlx, Mode::Sc];

/// The orders that an access of each kind can have.
fn modes(kind: AttemptKind) -> &'static [Mode] {
    match kind {
        AttemptKind::Read => &[Mode::Rlx, Mode::Acq, Mode::Sc],
        AttemptKind::Write => &[Mode::Rlx, Mode::Rel, Mode::Sc],
        AttemptKind::Rmw => &[Mode::Rlx, Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc],
    }
}

fn label(kind: AttemptKind, loc: LocId, mode: Mode, read: Value, written: Value) -> Label {
    match kind {
        AttemptKind::Read => Label::Read { loc, value: read, mode },
        AttemptKind::Write => Label::Write { loc, value: written, mode },
        AttemptKind::Rmw => Label::Rmw { loc, read, written, mode },
    }
}

struct Run<'a> {
    model: &'a dyn Model,
    threads: usize,
    locations: usize,
    values: usize,
    graph: Graph,
    tainted: BTreeSet<EventId>,
    monitor: Box<dyn Monitor>,
    state: Vec<u64>,
}

/// How often something happened, to know that the test tests it.
#[derive(Default, Debug)]
struct Counts {
    steps: u64,
    tainted: u64,
    violations: [u64; 3],
    /// Steps that coherence permits and S does not.
    out_of_order: u64,
}

impl<'a> Run<'a> {
    fn new(model: &'a dyn Model, random: &mut Random) -> Self {
        let (threads, locations, values) = (2 + random.below(3), 1 + random.below(3), 2 + random.below(2));
        let everything = ThreadShape { acquire_fence: true, release_fence: true };
        let shape = Shape {
            threads: vec![everything; threads],
            relaxed_writes: false,
            sc_accesses: true,
            sc_fences: true,
            ..Shape::simple(threads, vec![values; locations])
        };
        let mut layout = Layout::new();
        let monitor = model.monitor(&shape, &mut layout).expect("a monitor");
        let mut state = vec![0; layout.words()];
        monitor.start(&mut state);
        let graph = Graph::initial(&vec![0; locations]);
        Run { model, threads, locations, values, graph, tainted: BTreeSet::new(), monitor, state }
    }

    fn value(&self, write: EventId) -> Value {
        self.graph.label(write).value_written().expect("a write")
    }

    fn fence(&mut self, thread: ThreadId, order: FenceOrder) {
        let mode = order.into();
        self.graph.add(thread, Label::Fence { mode }, None, None);
        self.monitor.fence(&mut self.state, thread, mode);
    }

    fn access(&mut self, thread: ThreadId, kind: AttemptKind, loc: LocId, mode: Mode, written: Value, taint: bool) {
        let last = self.graph.last_write(loc);
        let read = self.value(last);
        let event = self.graph.add(thread, label(kind, loc, mode, read, written), Some(last), None);
        let step = Step { kind, loc, mode, current: read as usize };
        if taint {
            self.tainted.insert(event);
            self.monitor.tainted_read(&mut self.state, thread, &step);
        } else {
            self.monitor.step(&mut self.state, thread, &step);
        }
    }

    /// Is the thread hb_SC-aware of the last write?
    fn is_aware(&self, hb_sc: &Rel, thread: ThreadId, loc: LocId) -> bool {
        let last = self.graph.last_write(loc);
        let is_of = |e: EventId| self.graph.event(e).thread == Some(thread);
        self.graph.is_init(last) || is_of(last) || hb_sc.reaches(last, is_of)
    }

    /// What the definitions say of an access of this kind and order that takes a stale `value`, by
    /// a thread that is aware of the last write.
    fn literal(&self, thread: ThreadId, kind: AttemptKind, loc: LocId, mode: Mode, value: Value) -> bool {
        let writes = self.graph.writes(loc);
        writes[..writes.len() - 1].iter().filter(|&&w| self.value(w) == value).any(|&w| {
            let mut graph = self.graph.clone();
            graph.add(thread, label(kind, loc, mode, value, 0), Some(w), None);
            self.model.permits_doubting(&graph, &|e| self.tainted.contains(&e))
        })
    }

    fn compare(&self, seed: u64, counts: &mut Counts) {
        let hb_sc = hb_sc(&self.graph);
        let threads = (0..self.threads).map(ThreadId::from_index);
        for (thread, loc) in threads.flat_map(|t| (0..self.locations).map(move |x| (t, LocId::from_index(x)))) {
            let is_aware = self.is_aware(&hb_sc, thread, loc);
            for (index, kind) in KINDS.into_iter().enumerate() {
                for value in 0..self.values {
                    let literal = |mode| is_aware && self.literal(thread, kind, loc, mode, value as Value);
                    let answers = ASKED.map(literal);
                    counts.violations[index] += u64::from(answers[0]);
                    counts.out_of_order += u64::from(answers[0] && !answers[1]);
                    for (mode, literal) in ASKED.into_iter().zip(answers) {
                        let attempt = Attempt { kind, loc, mode, accepts: Accepts::Only(value) };
                        assert_eq!(
                            literal,
                            self.monitor.violated(&self.state, thread, &attempt),
                            "{} {seed}: {attempt:?} of {thread:?} after {:#?}\ntainted: {:?}",
                            self.model.name(),
                            self.graph,
                            self.tainted
                        );
                    }
                }
            }
        }
    }
}

fn compare(model: &dyn Model, seed: u64) -> Counts {
    let mut random = Random::new(seed);
    let mut run = Run::new(model, &mut random);
    let mut counts = Counts::default();
    let (fences, sc, updates) =
        (random.pick(&[0, 10, 25, 40]), random.pick(&[15, 40, 70, 100]), random.pick(&[0, 15, 35]));
    let taints = random.pick(&[0, 0, 20]);
    let has_sc_fences = model.fence(FenceOrder::Sc) == FenceMeaning::Event;
    for _ in 0..6 + random.below(16) {
        run.compare(seed, &mut counts);
        counts.steps += 1;
        let thread = ThreadId::from_index(random.below(run.threads));
        if random.chance(fences) {
            let order = match random.chance(sc) && has_sc_fences {
                true => FenceOrder::Sc,
                false => random.pick(&[FenceOrder::Acq, FenceOrder::Rel, FenceOrder::AcqRel]),
            };
            run.fence(thread, order);
            continue;
        }
        let kind = match random.chance(updates) {
            true => AttemptKind::Rmw,
            false => random.pick(&[AttemptKind::Read, AttemptKind::Write]),
        };
        let mode = if random.chance(sc * 6 / 10) { Mode::Sc } else { random.pick(modes(kind)) };
        let loc = LocId::from_index(random.below(run.locations));
        let taint = kind == AttemptKind::Read && random.chance(taints);
        counts.tainted += u64::from(taint);
        run.access(thread, kind, loc, mode, random.below(run.values) as Value, taint);
    }
    counts
}

#[test]
fn monitors_are_the_axioms() {
    for (model, runs) in [(&Cpp20 as &dyn Model, repetitions(2_000)), (&Rc20, repetitions(500))] {
        let all = in_parallel(0..runs, |seed| compare(model, seed));
        let mut sum = Counts::default();
        for counts in all {
            sum.steps += counts.steps;
            sum.tainted += counts.tainted;
            sum.out_of_order += counts.out_of_order;
            sum.violations.iter_mut().zip(counts.violations).for_each(|(sum, more)| *sum += more);
        }
        assert!(sum.steps > 5 * runs && sum.tainted > runs / 10 && sum.out_of_order > runs / 2, "{sum:?}");
        assert!(sum.violations.iter().all(|&count| count > runs), "{sum:?}");
    }
}
