//! A random walk in the SC runs of a program, with its execution graph.

use fencepost_base::event::Label;
use fencepost_base::ids::ThreadId;
use fencepost_ir::Program;
use fencepost_model::rel::Rel;
use fencepost_model::{Graph, Model};
use fencepost_oracle::interpreter::Rest;
use fencepost_oracle::system::{Configuration, Memory, Step, System};
use fencepost_testkit::random::Random;
use fencepost_verdict::{Run, RunStep, Site};

/// An SC run, and where it has led.
pub(crate) struct Walk<'a> {
    pub(crate) system: System<'a>,
    pub(crate) configuration: Configuration,
    pub(crate) run: Run,
    hb: fn(&Graph) -> Rel,
}

/// A step of the walk.
#[allow(clippy::large_enum_variant)]
pub(crate) enum Walked {
    Access(Step),
    Fence(ThreadId, Vec<Label>),
    Choice(ThreadId, u32),
}

impl<'a> Walk<'a> {
    /// At the beginning, with the fences of `model`, whose happens-before is `hb`.
    pub(crate) fn new(program: &'a Program, model: &'a dyn Model, hb: fn(&Graph) -> Rel) -> Self {
        let system = System::new(program, model);
        Walk { system, configuration: system.initial(), run: Run::default(), hb }
    }

    pub(crate) fn site(&self, thread: ThreadId) -> Site {
        Site { thread, pc: self.configuration.threads[thread.index()].pc }
    }

    /// One random step, if there is one.
    pub(crate) fn step(&mut self, random: &mut Random) -> Option<Walked> {
        let mut possible = Vec::new();
        for thread in self.system.program().thread_ids() {
            let state = &self.configuration.threads[thread.index()];
            let rest = self.system.interpreter().rest(thread, state);
            let choices = self.system.interpreter().choices(thread, state, &rest);
            possible.extend(choices.iter().map(|&(choice, _)| Walked::Choice(thread, choice)));
            if let Rest::Fence(labels) = rest {
                possible.push(Walked::Fence(thread, labels));
            }
            let steps = self.system.steps(Memory::Scg, &self.configuration, thread);
            possible.extend(steps.into_iter().map(Walked::Access));
        }
        if possible.is_empty() {
            return None;
        }
        let step = possible.swap_remove(random.below(possible.len()));
        match &step {
            Walked::Access(step) => {
                let site = self.site(step.thread);
                self.run.steps.push(RunStep { site, label: Some(step.label), choice: None });
                self.configuration = step.after.clone();
            }
            // Runs do not mention fences that are events.
            Walked::Fence(thread, labels) => {
                let thread = *thread;
                let state = &self.configuration.threads[thread.index()];
                self.configuration.threads[thread.index()] = self.system.interpreter().pass_fence(thread, state);
                for &label in labels {
                    self.configuration.graph.add(thread, label, None, None);
                }
                self.configuration.graph = self.configuration.graph.canonical();
            }
            &Walked::Choice(thread, choice) => {
                let site = self.site(thread);
                self.run.steps.push(RunStep { site, label: None, choice: Some(choice) });
                let state = &self.configuration.threads[thread.index()];
                let rest: Rest = self.system.interpreter().rest(thread, state);
                let after = self.system.interpreter().choose(thread, state, &rest, choice);
                self.configuration.threads[thread.index()] = after.expect("one of the choices");
            }
        }
        Some(step)
    }

    /// Has the run two conflicting plain accesses that hb does not order? Then robustness is lost
    /// already, and hb_SC has edges that the monitor, which knows atomic locations only, cannot
    /// know.
    pub(crate) fn has_race(&self) -> bool {
        let graph = &self.configuration.graph;
        let hb = (self.hb)(graph);
        let conflicting = |a, b| {
            let (one, other) = (graph.label(a), graph.label(b));
            one.is_nonatomic() && one.loc() == other.loc() && (one.is_write() || other.is_write())
        };
        graph.ids().any(|a| graph.ids().any(|b| a < b && conflicting(a, b) && !hb.contains(a, b) && !hb.contains(b, a)))
    }
}
