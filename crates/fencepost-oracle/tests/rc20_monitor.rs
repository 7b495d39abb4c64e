//! RC20's monitor against its meaning on execution graphs, against the literal witnesses (POPL
//! 2021, Def. 4.5, with the rule of SC accesses), and against races (Def. 6.1), after every step of
//! random SC runs.

use crate::attempts::violated;
use crate::classes::{Classes, KINDS, kind_of};
use crate::common::{Walk, Walked};
use crate::shapes::shape;
use fencepost_base::ids::ThreadId;
use fencepost_ir::Program;
use fencepost_model::models::rc20::meaning::meaning;
use fencepost_model::models::rc20::monitor::ScM;
use fencepost_model::models::rc20::{Rc20, hb};
use fencepost_model::models::sc::Sc;
use fencepost_model::packed::Layout;
use fencepost_model::{Model, Monitor, PlainKind, Shape, Step};
use fencepost_oracle::witness::Conditions;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;

struct Monitored<'a> {
    walk: Walk<'a>,
    classes: Classes,
    shape: Shape,
    monitor: ScM,
    state: Vec<u64>,
}

/// How often something happened, to know that the test tests it.
#[derive(Default, Debug)]
struct Counts {
    steps: u64,
    fences: u64,
    violations: [u64; 3],
    /// Steps that only the order of SC accesses forbids.
    out_of_order: u64,
    races: u64,
}

impl<'a> Monitored<'a> {
    fn new(program: &'a Program, classes: Classes, generous: bool) -> Self {
        let mut layout = Layout::new();
        let shape = shape(program, classes.counts(), generous);
        let monitor = ScM::new(&shape, &mut layout);
        let mut state = vec![0; layout.words()];
        monitor.start(&mut state);
        Monitored { walk: Walk::new(program, &Rc20, hb), classes, shape, monitor, state }
    }

    /// One step of walk and monitor; whether there was one, and no race.
    fn step(&mut self, random: &mut Random, counts: &mut Counts) -> bool {
        let before = self.walk.configuration.graph.clone();
        counts.steps += 1;
        match self.walk.step(random) {
            None => return false,
            Some(Walked::Choice(..)) => {}
            Some(Walked::Fence(thread, labels)) => {
                counts.fences += 1;
                labels.iter().for_each(|label| self.monitor.fence(&mut self.state, thread, label.mode()));
            }
            Some(Walked::Access(step)) => {
                let (kind, mode, loc) = (kind_of(&step.label), step.label.mode(), step.label.loc().expect("an access"));
                if self.walk.system.is_nonatomic(loc) {
                    let plain = if step.label.is_write() { PlainKind::Write } else { PlainKind::Read };
                    self.monitor.plain(&mut self.state, step.thread, loc, plain);
                    return !self.walk.has_race();
                }
                let old = before.label(before.last_write(loc)).value_written().expect("a write");
                let current = self.classes.get(loc, old).expect("an atomic location");
                self.monitor.step(&mut self.state, step.thread, &Step { kind, loc, mode, current });
            }
        }
        true
    }

    fn compare_components(&self, seed: u64) {
        let graph = &self.walk.configuration.graph;
        let class_of = |loc, value| self.classes.get(loc, value).expect("an atomic location");
        let wanted = meaning(graph, &self.shape, class_of);
        let found = self.monitor.components(&self.state);
        assert!(wanted == found, "seed {seed}: {wanted:#?}\nis meant, the monitor has\n{found:#?}\nafter {graph:#?}");
    }

    /// The monitor's word about the next access of `thread`, for every kind of step.
    fn compare_verdicts(&self, seed: u64, thread: ThreadId, counts: &mut Counts) {
        let configuration = &self.walk.configuration;
        let Some(access) = self.walk.system.next_access(configuration, thread) else { return };
        let steps = self.walk.system.free_steps(configuration, thread);
        if access.is_plain() {
            let graph = &steps[0].after.graph;
            let event = graph.thread_events(thread).next_back().expect("the access");
            let kind = if access.is_store() { PlainKind::Write } else { PlainKind::Read };
            let monitored = self.monitor.is_race(&self.state, thread, access.loc, kind);
            assert_eq!(Rc20.race(graph, event).is_some(), monitored, "seed {seed}: {access:?} in {graph:#?}");
            counts.races += u64::from(monitored);
            return;
        }
        let conditions = Conditions::new(&configuration.graph);
        for step in &steps {
            let permitted = Rc20.permits(&step.after.graph);
            assert_eq!(conditions.permits(step), permitted, "seed {seed}: {step:?}");
            counts.out_of_order += u64::from(!permitted && conditions.is_coherent(step));
            if conditions.is_witness(step) {
                assert!(permitted && !Sc.permits(&step.after.graph), "seed {seed}: {step:?}");
            }
        }
        let domain = self.walk.system.program().domain();
        for (index, kind) in KINDS.into_iter().enumerate() {
            let literal = steps.iter().any(|step| kind_of(&step.label) == kind && conditions.is_witness(step));
            let monitored = violated(&self.monitor, &self.state, domain, thread, &access, kind);
            assert_eq!(
                literal, monitored,
                "seed {seed}: {kind:?} at {access:?} by {thread:?} after {configuration:#?}"
            );
            counts.violations[index] += u64::from(literal);
        }
    }
}

/// Short programs, and long runs of programs with loops.
fn options(seed: u64) -> (Options, usize) {
    match seed % 3 {
        0 => (Options { loops: true, total_accesses: 12, ..Options::default() }, 30),
        _ => (Options { total_accesses: 12, ..Options::default() }, 20),
    }
}

#[test]
fn the_monitor_means_what_it_says() {
    let mut counts = Counts::default();
    // The last one reads back, after a fence, its own plain write.
    for seed in (0..repetitions(6_000)).chain([116_820]) {
        let (options, length) = options(seed);
        let program = generate::program(seed, &options);
        let mut random = Random::new(!seed);
        let classes = Classes::new(&program, |value| value as usize);
        let mut monitored = Monitored::new(&program, classes, seed % 4 == 0);
        monitored.compare_components(seed);
        for _ in 0..length {
            for thread in program.thread_ids() {
                monitored.compare_verdicts(seed, thread, &mut counts);
            }
            if !monitored.step(&mut random, &mut counts) {
                break;
            }
            monitored.compare_components(seed);
        }
    }
    assert!(counts.steps > 5 * repetitions(6_000), "{counts:?}");
    assert!(counts.violations.iter().all(|&count| count > 30), "{counts:?}");
    assert!(counts.fences > 500 && counts.out_of_order > 50 && counts.races > 50, "{counts:?}");
}

#[test]
fn the_monitor_of_classes_is_the_monitor_of_values_seen_through_the_classes() {
    for seed in 0..repetitions(1_000) {
        let (options, length) = options(seed);
        let program = generate::program(seed, &options);
        let mut random = Random::new(!seed);
        let classes = 1 + random.below(program.domain() as usize);
        let classes = Classes::new(&program, |_| random.below(classes));
        let mut monitored = Monitored::new(&program, classes, seed % 4 == 0);
        for _ in 0..length {
            if !monitored.step(&mut random, &mut Counts::default()) {
                break;
            }
            monitored.compare_components(seed);
        }
    }
}
