//! Observational replay: which reads of a run are tainted, and who uses them.
//!
//! Paper: POPL 2021, Def. 4.13, Def. 4.14 and Fig. 4 (SC_T). A load (or a
//! weak compare-and-swap that fails) is tainted when the thread is hb_SC-aware
//! of the last write but the model, in which tainted reads read nothing, lets
//! it have an older predecessor. What is assigned from a tainted register is
//! tainted; a tainted value that decides a branch, an assertion or a blocking
//! access, or is written, is a witness.
//!
//! Literal: a tainted SC read keeps its place in the order of SC accesses.

use std::borrow::Cow;
use std::collections::BTreeMap;

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_ir::{Op, Program};
use fencepost_model::models::sc::{Sc, hb_sc};
use fencepost_model::{EventId, Graph, Model as _};
use fencepost_verdict::{Run, Site, Violation, ViolationKind};

use super::{Replay, ReplayError, error, show};
use crate::dependency::{all_inputs, is_speculative};
use crate::interpreter::{Access, ThreadState};

/// T and ψ of SC_T, as far as they matter.
pub(super) struct Taints {
    /// T, with the old values that each read could have had.
    reads: BTreeMap<EventId, Vec<Value>>,
    /// For every thread, the registers that depend on a tainted read, and on which.
    registers: Vec<BTreeMap<RegId, EventId>>,
    /// The first local instruction that a tainted value decided.
    used: Option<(Site, EventId)>,
}

impl Taints {
    pub(super) fn new(program: &Program) -> Self {
        let registers = vec![BTreeMap::new(); program.threads().len()];
        Taints { reads: BTreeMap::new(), registers, used: None }
    }

    /// A tainted read that the instruction's operands depend on.
    fn used_by(&self, thread: ThreadId, op: &Op) -> Option<EventId> {
        all_inputs(op).iter().find_map(|reg| self.registers[thread.index()].get(reg).copied())
    }
}

impl Replay<'_> {
    fn op(&self, site: Site) -> &Op {
        &self.interpreter.program().instr(site.thread, site.pc).op
    }

    /// Does the model permit the graph?
    pub(super) fn permits(&self, graph: &Graph) -> bool {
        match &self.taints {
            None => self.model.permits(graph),
            Some(taints) => self.model.permits_doubting(graph, &|id| taints.reads.contains_key(&id)),
        }
    }

    /// The graph as the race rule is shown it: in an observational replay tainted reads read nothing.
    pub(super) fn believed<'g>(&self, graph: &'g Graph) -> Cow<'g, Graph> {
        match &self.taints {
            None => Cow::Borrowed(graph),
            Some(taints) => Cow::Owned(graph.without_reads(|id| taints.reads.contains_key(&id))),
        }
    }

    /// Is this a read that could be tainted?
    pub(super) fn taintable(&self, site: Site, label: &Label) -> bool {
        self.taints.is_some() && is_speculative(self.op(site), label)
    }

    /// The old values that a read at `site` could have in the model and not under SC.
    pub(super) fn tainting_values(&self, site: Site, access: &Access) -> Vec<Value> {
        let last = self.graph.last_write(access.loc);
        let is_own = |e: EventId| self.graph.event(e).thread == Some(site.thread);
        if !hb_sc(&self.graph).reaches(last, is_own) {
            return Vec::new();
        }
        let writes = self.graph.writes(access.loc);
        let mut values = Vec::new();
        for &w in writes[..writes.len() - 1].iter().rev() {
            for (label, _) in self.enabled(site.thread, access, w) {
                let mut graph = self.graph.clone();
                graph.add(site.thread, label, Some(w), Some(site.pc));
                if matches!(label, Label::Read { .. }) && self.permits(&graph) && !Sc.permits(&graph) {
                    values.push(self.value_of(w));
                }
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    }

    /// Taints or clears the register that the access at `site` has set.
    pub(super) fn note_read(&mut self, site: Site, event: EventId, stale: Vec<Value>) {
        let dst = self.op(site).dst();
        let Some(taints) = &mut self.taints else { return };
        let registers = &mut taints.registers[site.thread.index()];
        match dst {
            Some(dst) if !stale.is_empty() => _ = registers.insert(dst, event),
            Some(dst) => _ = registers.remove(&dst),
            None => {}
        }
        if !stale.is_empty() {
            taints.reads.insert(event, stale);
        }
    }

    /// The thread right after its access, before any local step.
    pub(super) fn after_access(&self, site: Site, label: &Label) -> ThreadState {
        let mut state = self.threads[site.thread.index()].clone();
        if let (Some(dst), Some(value)) = (self.op(site).dst(), label.value_read()) {
            state.registers[dst.index()] = value;
        }
        state.pc = Pc(site.pc.0 + 1);
        state
    }

    /// The thread right after its choice, before any local step.
    pub(super) fn after_choice(&mut self, site: Site, choice: u32) -> ThreadState {
        let mut state = self.threads[site.thread.index()].clone();
        match self.op(site).clone() {
            Op::Choose { targets } => state.pc = targets[choice as usize],
            Op::Nondet { dst, .. } => {
                state.registers[dst.index()] = choice;
                state.pc = Pc(site.pc.0 + 1);
                if let Some(taints) = &mut self.taints {
                    taints.registers[site.thread.index()].remove(&dst);
                }
            }
            _ => {}
        }
        state
    }

    /// Follows the local steps from `state`: assignments pass taints on, decisions must not depend
    /// on them.
    pub(super) fn spread_taint(&mut self, thread: ThreadId, state: ThreadState) {
        let Some(mut taints) = self.taints.take() else { return };
        let program = self.interpreter.program();
        let mut visit = |pc: Pc| {
            let op = &program.instr(thread, pc).op;
            let source = taints.used_by(thread, op);
            if let (Op::Assign { value, .. }, Some(read)) = (op, source)
                && value.can_fail(program.domain())
            {
                taints.used.get_or_insert((Site { thread, pc }, read));
            }
            match (op, source) {
                (Op::Assign { dst, .. }, Some(read)) => _ = taints.registers[thread.index()].insert(*dst, read),
                (Op::Assign { dst, .. }, None) => _ = taints.registers[thread.index()].remove(dst),
                (_, Some(read)) => _ = taints.used.get_or_insert((Site { thread, pc }, read)),
                (_, None) => {}
            }
        };
        let (end, _) = self.interpreter.settle_visiting(thread, state, &mut visit);
        // Where it stops counts too: a failing assertion, an assumption that does not hold, the
        // next access.
        visit(end.pc);
        self.taints = Some(taints);
    }

    pub(super) fn tainted_use(mut self, run: &Run, site: Site) -> Result<Violation, ReplayError> {
        // The searcher's thread may rest at a decision, which ours has gone past.
        self.pass_fences(site);
        let found = self.taints.as_ref().and_then(|taints| taints.used);
        let read = match found {
            Some((used, read)) if used == site => read,
            _ => {
                self.rest_at(site)?;
                let taints = self.taints.as_ref().expect("an observational replay");
                match taints.used_by(site.thread, self.op(site)) {
                    Some(read) => read,
                    None => return error(format!("{} uses no tainted value", show(site))),
                }
            }
        };
        let event = self.graph.event(read);
        let (Some(thread), Some(pc), Some(location)) = (event.thread, event.pc, event.label.loc()) else {
            return error("a tainted event that is no read of the program");
        };
        let stale_values = self.taints.as_ref().map(|taints| taints.reads[&read].clone()).unwrap_or_default();
        Ok(self.use_of(run, site, Site { thread, pc }, location, stale_values, read))
    }

    fn use_of(
        self,
        run: &Run,
        access: Site,
        read: Site,
        location: LocId,
        stale_values: Vec<Value>,
        culprit: EventId,
    ) -> Violation {
        Violation {
            kind: ViolationKind::TaintedUse,
            access,
            location,
            conflicting: read,
            stale_values,
            shape: None,
            run: run.clone(),
            graph: self.graph,
            culprit,
            cycle: None,
            delay: None,
        }
    }
}
