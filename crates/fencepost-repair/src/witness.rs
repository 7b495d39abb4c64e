//! A violation, carried over from one edited program to another.
//!
//! A violation is an SC run and a step that leaves SC. Edits change orders, make stores exchanges,
//! and put fences between steps; the other steps stay. So the run is walked again on the other
//! program, step by step. Each step is found by its place in the source, and fences are passed
//! where they are met. Then the oracle decides, on the axioms, whether it is a violation there.
//! Nothing is taken for granted: what comes out was replayed.

use fencepost_base::event::Label;
use fencepost_base::ids::{ThreadId, Value};
use fencepost_base::order::FenceOrder;
use fencepost_ir::Op;
use fencepost_model::{FenceMeaning, Model};
use fencepost_oracle::interpreter::{Interpreter, Rest, ThreadState};
use fencepost_oracle::replay;
use fencepost_verdict::{Candidate, Run, RunStep, Site, Violation, ViolationKind};

use crate::bench::{Edited, Key};

/// A violation, independent of the program it was found in.
#[derive(Clone)]
pub(crate) struct Witness {
    /// The model that permits it.
    pub(crate) model: &'static dyn Model,
    steps: Vec<Step>,
    kind: ViolationKind,
    access: (ThreadId, Key),
    conflicting: (ThreadId, Key),
}

#[derive(Clone, Debug)]
struct Step {
    thread: ThreadId,
    key: Key,
    label: Option<Label>,
    choice: Option<u32>,
    fence: bool,
}

/// When a fence is passed that the run does not mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pace {
    /// When the thread goes on.
    Late,
    /// As soon as the thread gets there.
    Early,
}

impl Witness {
    pub(crate) fn new(edited: &Edited, model: &'static dyn Model, violation: &Violation) -> Self {
        let at = |site: Site| (site.thread, edited.key(site));
        let visible = violation.run.steps.iter().filter(|step| step.label.is_some() || step.choice.is_some());
        let steps = visible.map(|step| Step {
            thread: step.site.thread,
            key: edited.key(step.site),
            label: step.label,
            choice: step.choice,
            fence: edited.is_fence(step.site),
        });
        Witness {
            model,
            steps: steps.collect(),
            kind: violation.kind,
            access: at(violation.access),
            conflicting: at(violation.conflicting),
        }
    }

    /// The same violation in another program, if it is one there.
    pub(crate) fn transplant(&self, edited: &Edited) -> Option<Violation> {
        paces(edited, self.model).iter().find_map(|&pace| self.at_pace(edited, pace))
    }

    /// The instructions that the run passes in another program, if there is such a run: edits
    /// elsewhere hardly concern it.
    pub(crate) fn passes(&self, edited: &Edited) -> Option<Vec<Site>> {
        let mut passed = Vec::new();
        for &pace in paces(edited, self.model) {
            let mut walk = self.walk(edited, pace)?;
            for (thread, key) in [self.access, self.conflicting] {
                let site = edited.site(thread, key)?;
                passed.push(site);
                // Whether it is to be reached depends on the kind of violation.
                let _ = walk.arrive(site);
            }
            passed.append(&mut walk.passed);
        }
        Some(passed)
    }

    /// The run, in another program.
    fn walk<'a>(&self, edited: &'a Edited, pace: Pace) -> Option<Walk<'a>> {
        let mut walk = Walk::new(edited, self.model, pace);
        for step in &self.steps {
            walk.step(step)?;
        }
        Some(walk)
    }

    fn at_pace(&self, edited: &Edited, pace: Pace) -> Option<Violation> {
        let mut walk = self.walk(edited, pace)?;
        let access = edited.site(self.access.0, self.access.1)?;
        let confirmed = |candidate| replay(&edited.program, self.model, &candidate).ok();
        match self.kind {
            ViolationKind::StaleRead | ViolationKind::StaleWrite | ViolationKind::StaleRmw => {
                walk.arrive(access)?;
                confirmed(Candidate::Stale { run: walk.run, site: access })
            }
            ViolationKind::DataRace => {
                walk.arrive(access)?;
                // The other access is next, or was made long ago.
                let late = Candidate::LateRace { run: walk.run.clone(), site: access };
                let both = edited.site(self.conflicting.0, self.conflicting.1).and_then(|other| {
                    walk.arrive(other)?;
                    confirmed(Candidate::Race { run: walk.run, first: other, second: access })
                });
                both.or_else(|| confirmed(late))
            }
            ViolationKind::TaintedUse => None,
        }
    }
}

/// The paces that make a difference: when a fence is passed matters only if others can tell.
fn paces(edited: &Edited, model: &dyn Model) -> &'static [Pace] {
    let told = edited.program.fence_location().is_some() && model.fence(FenceOrder::Sc) == FenceMeaning::HiddenRmw;
    if told { &[Pace::Late, Pace::Early] } else { &[Pace::Late] }
}

/// An SC run of an edited program, in the making.
struct Walk<'a> {
    edited: &'a Edited,
    interpreter: Interpreter<'a>,
    threads: Vec<ThreadState>,
    memory: Vec<Value>,
    run: Run,
    /// The instructions passed, fences included.
    passed: Vec<Site>,
    pace: Pace,
}

impl<'a> Walk<'a> {
    fn new(edited: &'a Edited, model: &'a dyn Model, pace: Pace) -> Self {
        let program = &edited.program;
        let interpreter = Interpreter::new(program, model);
        let threads = program.thread_ids().map(|thread| interpreter.initial(thread)).collect();
        let memory = program.locations().iter().map(|location| location.init).collect();
        let mut walk = Walk { edited, interpreter, threads, memory, run: Run::default(), passed: Vec::new(), pace };
        if pace == Pace::Early {
            program.thread_ids().for_each(|thread| walk.pass_fences(thread, None));
        }
        walk
    }

    fn site(&self, thread: ThreadId) -> Site {
        Site { thread, pc: self.threads[thread.index()].pc }
    }

    /// Passes fences and borders of sections up to `goal`, or all there are.
    fn pass_fences(&mut self, thread: ThreadId, goal: Option<Site>) {
        let edited = self.edited;
        let passes = |site: Site| edited.is_fence(site) || matches!(edited.op(site), Op::Enter | Op::Leave);
        while Some(self.site(thread)) != goal && passes(self.site(thread)) && self.pass_fence(thread).is_some() {}
    }

    fn pass_fence(&mut self, thread: ThreadId) -> Option<()> {
        self.passed.push(self.site(thread));
        let state = &self.threads[thread.index()];
        match self.interpreter.rest(thread, state) {
            // A replay passes those that are events of the thread alone by itself.
            Rest::Fence(_) | Rest::Enter(_) | Rest::Leave => {
                self.threads[thread.index()] = self.interpreter.pass_fence(thread, state);
                Some(())
            }
            Rest::Access(_) => self.access(thread, |_| true),
            _ => None,
        }
    }

    /// The thread comes to rest at `goal`, if only fences, and the ends of atomic sections, are in
    /// between.
    fn arrive(&mut self, goal: Site) -> Option<()> {
        let thread = goal.thread;
        loop {
            self.pass_fences(thread, Some(goal));
            if self.site(thread) == goal {
                return Some(());
            }
            let state = &self.threads[thread.index()];
            match self.interpreter.rest(thread, state) {
                Rest::Enter(_) | Rest::Leave => {
                    self.threads[thread.index()] = self.interpreter.pass_fence(thread, state);
                }
                _ => return None,
            }
        }
    }

    fn step(&mut self, step: &Step) -> Option<()> {
        let thread = step.thread;
        let goal = self.edited.site(thread, step.key);
        if step.fence {
            // It may not be there, or be passed already.
            if goal == Some(self.site(thread)) && self.edited.is_fence(self.site(thread)) {
                self.pass_fence(thread)?;
            }
        } else {
            self.arrive(goal?)?;
            match (step.label, step.choice) {
                (Some(label), _) => self.access(thread, |other| same_effect(&label, other))?,
                (None, Some(choice)) => self.choose(thread, choice)?,
                (None, None) => {}
            }
        }
        if self.pace == Pace::Early {
            self.pass_fences(thread, None);
        }
        Some(())
    }

    fn access(&mut self, thread: ThreadId, wanted: impl Fn(&Label) -> bool) -> Option<()> {
        let site = self.site(thread);
        let state = &self.threads[thread.index()];
        let Rest::Access(access) = self.interpreter.rest(thread, state) else { return None };
        let old = self.memory[access.loc.index()];
        let enabled = self.interpreter.labels(thread, state, &access, old);
        let (label, after) = enabled.into_iter().find(|(label, _)| wanted(label))?;
        if let Some(value) = label.value_written() {
            self.memory[access.loc.index()] = value;
        }
        self.threads[thread.index()] = after;
        self.passed.push(site);
        self.run.steps.push(RunStep { site, label: Some(label), choice: None });
        Some(())
    }

    fn choose(&mut self, thread: ThreadId, choice: u32) -> Option<()> {
        let site = self.site(thread);
        let state = &self.threads[thread.index()];
        let rest = self.interpreter.rest(thread, state);
        self.threads[thread.index()] = self.interpreter.choose(thread, state, &rest, choice)?;
        self.run.steps.push(RunStep { site, label: None, choice: Some(choice) });
        Some(())
    }
}

/// Do they do the same, whatever their orders? A store and an exchange of the same value do, for
/// everybody else.
fn same_effect(one: &Label, other: &Label) -> bool {
    let reads = !one.is_read() || !other.is_read() || one.value_read() == other.value_read();
    one.loc() == other.loc()
        && reads
        && one.value_written() == other.value_written()
        && one.is_write() == other.is_write()
}
