//! The monitor SCM against its meaning on execution graphs (Lemma 5.2 of the PLDI 2019 paper) and
//! against the literal witnesses of Thm 5.1 (Thm 5.3), after every step of random SC runs.

use crate::attempts::violated;
use crate::classes::{Classes, KINDS, kind_of};
use crate::common::{Walk, Walked};
use fencepost_base::ids::ThreadId;
use fencepost_ir::Program;
use fencepost_model::models::ra::meaning::meaning;
use fencepost_model::models::ra::monitor::Scm;
use fencepost_model::models::ra::{Ra, hb};
use fencepost_model::models::sc::Sc;
use fencepost_model::packed::Layout;
use fencepost_model::{Model, Monitor, Shape, Step};
use fencepost_oracle::theorem::Conditions;
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;

struct Monitored<'a> {
    walk: Walk<'a>,
    classes: Classes,
    monitor: Scm,
    state: Vec<u64>,
}

impl<'a> Monitored<'a> {
    fn new(program: &'a Program, classes: Classes) -> Self {
        let mut layout = Layout::new();
        let monitor = Scm::new(&Shape::simple(program.threads().len(), classes.counts()), &mut layout);
        let mut state = vec![0; layout.words()];
        monitor.start(&mut state);
        Monitored { walk: Walk::new(program, &Ra, hb), classes, monitor, state }
    }

    /// One step of walk and monitor; whether there was one, and no race.
    fn step(&mut self, random: &mut Random) -> bool {
        let before = self.walk.configuration.graph.clone();
        let Some(step) = self.walk.step(random) else { return false };
        if let Walked::Access(step) = step {
            let (kind, mode, loc) = (kind_of(&step.label), step.label.mode(), step.label.loc().expect("an access"));
            if self.walk.system.is_nonatomic(loc) {
                return !self.walk.has_race();
            }
            let old = before.label(before.last_write(loc)).value_written().expect("a write");
            let current = self.classes.get(loc, old).expect("an atomic location");
            self.monitor.step(&mut self.state, step.thread, &Step { kind, loc, mode, current });
        }
        true
    }

    fn compare_components(&self, seed: u64) {
        let threads = self.walk.system.program().threads().len();
        let graph = &self.walk.configuration.graph;
        let wanted = meaning(graph, threads, |loc, value| self.classes.get(loc, value));
        let found = self.monitor.components(&self.state);
        assert!(wanted == found, "seed {seed}: {wanted:#?}\nis meant, the monitor has\n{found:#?}\nafter {graph:#?}");
    }

    /// Thm 5.3, separately for every kind of step; how many were violations.
    fn compare_verdicts(&self, seed: u64, thread: ThreadId) -> [u64; 3] {
        let configuration = &self.walk.configuration;
        let mut violations = [0; 3];
        let Some(access) = self.walk.system.next_access(configuration, thread) else { return violations };
        if access.is_plain() {
            return violations;
        }
        let conditions = Conditions::new(&configuration.graph);
        let steps = self.walk.system.free_steps(configuration, thread);
        for step in &steps {
            // The steps of RAG and the axioms; what leaves SC, by edges and by the axioms. A
            // witness leaves SC, but not the other way round: the write that makes the cycle need
            // not be the last one any more.
            let permitted = Ra.permits(&step.after.graph);
            assert_eq!(conditions.rag_takes(step), permitted, "seed {seed}: {step:?}");
            if permitted {
                let forbidden = !Sc.permits(&step.after.graph);
                assert_eq!(conditions.is_aware_of_later_write(step), forbidden, "seed {seed}: {step:?}");
                assert!(forbidden || !conditions.is_witness(step), "seed {seed}: {step:?}");
            }
        }
        for (index, kind) in KINDS.into_iter().enumerate() {
            let of_kind = || steps.iter().filter(|step| kind_of(&step.label) == kind);
            let literal = of_kind().any(|step| conditions.is_witness(step));
            let domain = self.walk.system.program().domain();
            let monitored = violated(&self.monitor, &self.state, domain, thread, &access, kind);
            assert_eq!(
                literal, monitored,
                "seed {seed}: {kind:?} at {access:?} by {thread:?} after {configuration:#?}"
            );
            violations[index] += u64::from(literal);
        }
        violations
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
    let (mut steps, mut violations) = (0u64, [0u64; 3]);
    for seed in 0..repetitions(10_000) {
        let (options, length) = options(seed);
        let program = generate::program(seed, &options);
        let mut random = Random::new(!seed);
        let mut monitored = Monitored::new(&program, Classes::new(&program, |value| value as usize));
        monitored.compare_components(seed);
        for _ in 0..length {
            for thread in program.thread_ids() {
                let found = monitored.compare_verdicts(seed, thread);
                violations.iter_mut().zip(found).for_each(|(sum, new)| *sum += new);
            }
            if !monitored.step(&mut random) {
                break;
            }
            monitored.compare_components(seed);
            steps += 1;
        }
    }
    assert!(steps > 5 * repetitions(10_000), "only {steps} steps");
    assert!(violations.iter().all(|&count| count > 50), "violations by reads, writes and updates: {violations:?}");
}

#[test]
fn the_monitor_of_classes_is_the_monitor_of_values_seen_through_the_classes() {
    for seed in 0..repetitions(1_000) {
        let (options, length) = options(seed);
        let program = generate::program(seed, &options);
        let mut random = Random::new(!seed);
        let classes = 1 + random.below(program.domain() as usize);
        let classes = Classes::new(&program, |_| random.below(classes));
        let mut monitored = Monitored::new(&program, classes);
        for _ in 0..length {
            if !monitored.step(&mut random) {
                break;
            }
            monitored.compare_components(seed);
        }
    }
}
