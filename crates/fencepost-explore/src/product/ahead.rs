//! What threads do next, as far as it concerns others: what persistent sets are made from.

use fencepost_base::event::Label;
use fencepost_base::ids::LocId;

use super::{Monitoring, Product};
use crate::ample::Next;
use crate::compile::{Access, AccessKind, Step};

impl Product {
    /// What thread `t` does next, as far as it concerns others.
    pub(super) fn next(&self, state: &[u64], t: usize) -> (Next, u32) {
        let thread = &self.threads[t];
        let pc = thread.pc.get(state) as u32;
        let next = match thread.steps.get(pc as usize) {
            None => Next::Nothing,
            Some(Step::Access(access)) if access.fence_location().is_some() && self.passes_fences(state) => Next::Fence,
            Some(Step::Access(access)) => self.next_access_of(state, access),
            Some(Step::Enter) => Next::Section,
            Some(_) => Next::Local,
        };
        (next, pc)
    }

    /// What an access that a thread is about to make is to others. This is asked of every thread in
    /// every state, so nothing is evaluated that does not matter.
    fn next_access_of(&self, state: &[u64], access: &Access) -> Next {
        let Ok(loc) = Self::locate(&access.target, state) else { return Next::Local };
        if let Monitoring::Onward(onward) = &self.monitoring
            && onward.may_stray_at(state, loc)
        {
            // It may take a stale step, which reads, whatever SC memory says.
            let labels = self.labels(state, access).unwrap_or_default();
            return Next::Access { loc, writes: labels.iter().flatten().any(Label::is_write) };
        }
        let decided = match &access.kind {
            AccessKind::Load(_) => Some(false),
            AccessKind::Store(..) | AccessKind::Update(..) | AccessKind::FenceUpdate => Some(true),
            AccessKind::Cas { .. } | AccessKind::Wait(..) | AccessKind::BlockingCas { .. } => None,
        };
        match decided {
            Some(_) if access.private => Next::Local,
            Some(true) if self.forbids_writes(state, loc) => Next::Nothing,
            Some(writes) => Next::Access { loc, writes },
            None => match self.labels(state, access) {
                Ok(labels) if access.private => {
                    if labels == [None, None] {
                        Next::Nothing
                    } else {
                        Next::Local
                    }
                }
                Ok([None, None]) => Next::Blocked(loc),
                Ok(labels) => self.next_of(state, loc, labels),
                Err(_) => Next::Local,
            },
        }
    }

    /// Would the current watch be given up if somebody wrote `loc`?
    fn forbids_writes(&self, state: &[u64], loc: LocId) -> bool {
        match &self.monitoring {
            Monitoring::Watching(watches) => watches.forbids_writes(state, loc),
            Monitoring::Onward(onward) => onward.forbids_writes(state, loc),
            Monitoring::Nothing | Monitoring::Everything(_) => false,
        }
    }

    /// What an access to `loc` with these labels is to others.
    fn next_of(&self, state: &[u64], loc: LocId, labels: [Option<Label>; 2]) -> Next {
        let mut labels = labels.iter().flatten();
        let (any, all) = (labels.clone().any(Label::is_write), labels.all(Label::is_write));
        match self.forbids_writes(state, loc) {
            // The watch would be given up: this thread does nothing more here.
            true if all => Next::Nothing,
            forbidden => Next::Access { loc, writes: any && !forbidden },
        }
    }
}
