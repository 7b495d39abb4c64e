//! From a run of an instrumented program to a computation of the original on the store-buffer
//! machine.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_ir::{Op, Program};
use fencepost_model::Buffers;
use fencepost_verdict::{BufferStep, Computation, Delay, Run, RunStep, Site};

use crate::flow::{Use, Users, locations, use_of};
use crate::instrument::{Instrumented, Meaning};

impl Instrumented {
    /// What a `run` of the instrumented program to the failing assertion says about `original`;
    /// none if no store is delayed in it, which is not such a run.
    pub fn lift(&self, original: &Program, run: &Run) -> Option<Delay> {
        let users = Users::of(original);
        let mut attack: Option<(Site, Site)> = None;
        let mut steps = Vec::new();
        let mut buffered: Vec<(ThreadId, LocId)> = Vec::new();
        // Is there a light fence in the buffer? Only the attacker asks.
        let mut fenced = false;
        for step in &run.steps {
            let thread = step.site.thread;
            let meaning = self.meanings[thread.index()][step.site.pc.index()];
            fenced |= meaning == Meaning::Covers && matches!(step.label, Some(Label::Read { value: 1, .. }));
            let (Meaning::Original(pc) | Meaning::Delayed(pc) | Meaning::Early(pc)) = meaning else { continue };
            let op = &original.instr(thread, pc).op;
            let site = Site { thread, pc };
            let label = step.label.map(|label| self.original_label(op, label));
            let is_attackers = attack.is_some_and(|(store, _)| store.thread == thread);
            // A store that is nobody else's business is not in the instrumented program's buffer,
            // but it is in the machine's if it has to be: where there is one queue for all, or
            // behind a light fence.
            let must_wait = self.buffers == Buffers::Total || fenced;
            let is_shared =
                |op: &Op| op.place().is_some_and(|place| locations(original, place).any(|loc| users.is_shared(loc)));
            let delayed = matches!(meaning, Meaning::Delayed(_))
                || (is_attackers && use_of(op) == Use::Store && !is_shared(op) && must_wait);
            if let (true, Some(loc)) = (delayed, label.and_then(|label| label.loc())) {
                buffered.push((thread, loc));
            }
            match &mut attack {
                None if delayed => attack = Some((site, site)),
                Some((_, passed)) if is_attackers && is_shared(op) && matches!(meaning, Meaning::Original(_)) => {
                    *passed = site;
                }
                _ => {}
            }
            steps.push(BufferStep::Execute { step: RunStep { site, label, choice: step.choice }, delayed });
        }
        steps.extend(buffered.into_iter().map(|(thread, loc)| BufferStep::Commit { thread, loc }));
        attack.map(|(store, passed)| Delay { store, passed, computation: Computation { steps } })
    }

    /// The label that the original has where the instrumented program has `label`.
    fn original_label(&self, op: &Op, label: Label) -> Label {
        let original = |loc: LocId| self.late[loc.index()].unwrap_or(loc);
        let plain = matches!(op, Op::PlainLoad { .. } | Op::PlainStore { .. });
        let mode = |mode| if plain { Mode::Na } else { mode };
        match label {
            Label::Read { loc, value, mode: m } => Label::Read { loc: original(loc), value, mode: mode(m) },
            Label::Write { loc, value, .. } => {
                let written = match op {
                    Op::Store { order, .. } => (*order).into(),
                    _ => Mode::Na,
                };
                Label::Write { loc: original(loc), value, mode: written }
            }
            other => other,
        }
    }
}
