//! A random walk in the SC runs of a program, with its execution graph.

use fencepost_base::ids::ThreadId;
use fencepost_ir::Program;
use fencepost_model::models::ra::{Ra, hb};
use fencepost_oracle::interpreter::Rest;
use fencepost_oracle::system::{Configuration, Memory, Step, System};
use fencepost_testkit::random::Random;
use fencepost_verdict::{Run, RunStep, Site};

/// An SC run, and where it has led.
pub(crate) struct Walk<'a> {
    pub(crate) system: System<'a>,
    pub(crate) configuration: Configuration,
    pub(crate) run: Run,
}

impl<'a> Walk<'a> {
    pub(crate) fn new(program: &'a Program) -> Self {
        let system = System::new(program, &Ra);
        Walk { system, configuration: system.initial(), run: Run::default() }
    }

    pub(crate) fn site(&self, thread: ThreadId) -> Site {
        Site { thread, pc: self.configuration.threads[thread.index()].pc }
    }

    /// One random step, if there is one; the step of memory, if it was one.
    pub(crate) fn step(&mut self, random: &mut Random) -> Option<Option<Step>> {
        enum Next {
            Access(Step),
            Choice(ThreadId, u32),
        }
        let mut possible = Vec::new();
        for thread in self.system.program().thread_ids() {
            let state = &self.configuration.threads[thread.index()];
            let rest = self.system.interpreter().rest(thread, state);
            let choices = self.system.interpreter().choices(thread, state, &rest);
            possible.extend(choices.iter().map(|&(choice, _)| Next::Choice(thread, choice)));
            let steps = self.system.steps(Memory::Scg, &self.configuration, thread);
            possible.extend(steps.into_iter().map(Next::Access));
        }
        if possible.is_empty() {
            return None;
        }
        match possible.swap_remove(random.below(possible.len())) {
            Next::Access(step) => {
                let site = self.site(step.thread);
                self.run.steps.push(RunStep { site, label: Some(step.label), choice: None });
                self.configuration = step.after.clone();
                Some(Some(step))
            }
            Next::Choice(thread, choice) => {
                let site = self.site(thread);
                self.run.steps.push(RunStep { site, label: None, choice: Some(choice) });
                let state = &self.configuration.threads[thread.index()];
                let rest: Rest = self.system.interpreter().rest(thread, state);
                let after = self.system.interpreter().choose(thread, state, &rest, choice);
                self.configuration.threads[thread.index()] = after.expect("one of the choices");
                Some(None)
            }
        }
    }

    /// Has the run two conflicting plain accesses that hb does not order? Then robustness is lost already, and
    /// hb_SC has edges that the monitor, which knows atomic locations only, cannot know.
    pub(crate) fn has_race(&self) -> bool {
        let graph = &self.configuration.graph;
        let hb = hb(graph);
        let conflicting = |a, b| {
            let (one, other) = (graph.label(a), graph.label(b));
            one.is_nonatomic() && one.loc() == other.loc() && (one.is_write() || other.is_write())
        };
        graph.ids().any(|a| graph.ids().any(|b| a < b && conflicting(a, b) && !hb.contains(a, b) && !hb.contains(b, a)))
    }
}
