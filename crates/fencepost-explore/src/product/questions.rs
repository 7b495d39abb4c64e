//! What is asked of a state: could the next access of some thread leave SC, is there a race?

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_ir::CasStrength;
use fencepost_model::monitor::Accepts;
use fencepost_model::{Attempt, AttemptKind, Monitor, PlainKind, StaleKind};
use fencepost_verdict::{ScFailureKind, Site};

use super::{Product, eval_failure, site};
use crate::compile::{Access, AccessKind, Code, Mixed, as_value};
use crate::system::Finding;
use crate::watches::{WatchKind, Watched, how_of, plain_kind};

impl Product {
    /// Is this a read that may be stale, in a search that lets it be?
    pub(super) fn is_tainted_read(&self, state: &[u64], t: usize, access: &Access, label: &Label) -> bool {
        if self.threads[t].taints.is_none() || access.plain || !access.kind.is_speculative() {
            return false;
        }
        let ([Some(monitor), _], Label::Read { loc, mode, .. }) = (self.monitors(state), *label) else { return false };
        let attempt = Attempt { kind: AttemptKind::Read, loc, mode, accepts: Accepts::Any };
        monitor.violated(state, ThreadId::from_index(t), &attempt)
    }

    /// Could this access, about to be made by thread `t`, leave SC?
    pub(super) fn is_stale(
        &self,
        monitor: &dyn Monitor,
        state: &[u64],
        t: usize,
        access: &Access,
    ) -> Result<bool, ScFailureKind> {
        self.any_attempt(state, t, access, |attempt| monitor.violated(state, ThreadId::from_index(t), attempt))
    }

    /// Is there an attempt `test` holds of among those the access of thread `t` can make, whatever
    /// SC memory says?
    fn any_attempt(
        &self,
        state: &[u64],
        t: usize,
        access: &Access,
        test: impl Fn(&Attempt<'_>) -> bool,
    ) -> Result<bool, ScFailureKind> {
        let loc = Self::locate(&access.target, state)?;
        let class = |code: &Code| Ok(self.class(loc, as_value(code.eval(state).map_err(eval_failure)?)));
        let holds = |kind: AttemptKind, accepts: Accepts<'_>| {
            let mode = match kind {
                AttemptKind::Read => access.kind.read_mode(),
                AttemptKind::Write | AttemptKind::Rmw => access.kind.write_mode(),
            };
            let mode = mode.expect("an access makes only such attempts");
            test(&Attempt { kind, loc, mode, accepts })
        };
        let speculating = self.threads[t].taints.is_some();
        let update = |class: Option<usize>| class.is_some_and(|c| holds(AttemptKind::Rmw, Accepts::Only(c)));
        Ok(match &access.kind {
            AccessKind::Load(_) => !speculating && holds(AttemptKind::Read, Accepts::Any),
            AccessKind::Store(code, _) => {
                code.eval(state).map_err(eval_failure)?;
                holds(AttemptKind::Write, Accepts::Any)
            }
            AccessKind::Update(_, operand, _) => {
                operand.eval(state).map_err(eval_failure)?;
                holds(AttemptKind::Rmw, Accepts::Any)
            }
            AccessKind::FenceUpdate => holds(AttemptKind::Rmw, Accepts::Any),
            AccessKind::Cas { expected, desired, strength, .. } => {
                desired.eval(state).map_err(eval_failure)?;
                let expected = class(expected)?;
                let failing = match (strength, expected) {
                    (CasStrength::Strong, Some(c)) => Accepts::AllBut(c),
                    (CasStrength::Strong, None) | (CasStrength::Weak, _) => Accepts::Any,
                };
                let may_fail_stale = !(speculating && *strength == CasStrength::Weak);
                may_fail_stale && holds(AttemptKind::Read, failing) || update(expected)
            }
            AccessKind::BlockingCas { expected, desired, .. } => {
                desired.eval(state).map_err(eval_failure)?;
                update(class(expected)?)
            }
            AccessKind::Wait(any_of, _) => {
                let classes = self.classes[loc.index()].as_ref().expect("waits are on atomic locations");
                let mut accepted = vec![0u64; classes.representatives().len().div_ceil(64)];
                for (cmp, code) in any_of {
                    let operand = code.eval(state).map_err(eval_failure)?;
                    for (class, &value) in classes.representatives().iter().enumerate() {
                        if cmp.holds(i64::from(value), operand) {
                            accepted[class / 64] |= 1 << (class % 64);
                        }
                    }
                }
                holds(AttemptKind::Read, Accepts::Classes(&accepted))
            }
        })
    }

    /// Would the access use what is watched, if that is within reach? None if it does not come into
    /// question, and later accesses do.
    pub(super) fn uses_watched(&self, watched: &Watched, state: &[u64], t: usize, access: &Access) -> Option<bool> {
        let here = Self::locate(&access.target, state).is_ok_and(|loc| loc == watched.loc);
        match watched.kind {
            _ if !here => None,
            WatchKind::After(..) => watched.kind.concerns(access, None).then_some(true),
            WatchKind::Overwritten(by) => Some(self.overwritten(state, access, watched.loc, by).next().is_some()),
            WatchKind::Stale { class, by, .. } => {
                let uses = self.any_attempt(state, t, access, |attempt| {
                    let kind = match attempt.kind {
                        AttemptKind::Read => StaleKind::Read,
                        AttemptKind::Write | AttemptKind::Rmw => StaleKind::Write,
                    };
                    kind == by && class.map_or(attempt.accepts == Accepts::Any, |c| attempt.accepts.contains(c))
                });
                Some(uses.unwrap_or(false))
            }
        }
    }

    /// The access thread `t` is about to make, if it rests at one.
    pub(super) fn next_access(&self, state: &[u64], t: usize) -> Option<(u32, &Access)> {
        let thread = &self.threads[t];
        let pc = thread.pc.get(state) as u32;
        thread.access(pc).filter(|access| !access.private).map(|access| (pc, access))
    }

    /// The plain accesses that threads are about to make.
    fn plain_accesses(&self, state: &[u64]) -> Vec<(LocId, PlainKind, Site)> {
        let mut plain = Vec::new();
        for t in 0..self.threads.len() {
            if let Some((pc, access)) = self.next_access(state, t).filter(|(_, access)| access.plain)
                && let Ok([Some(label), _]) = self.labels(state, access)
            {
                plain.push((label.loc().expect("accesses have locations"), plain_kind(&label), site(t, pc)));
            }
        }
        plain
    }

    /// Pairs of conflicting plain accesses that are enabled at once.
    pub(super) fn races_of_enabled(&self, state: &[u64]) -> Vec<Finding> {
        let plain = self.plain_accesses(state);
        let mut races = Vec::new();
        for (i, &(loc, kind, here)) in plain.iter().enumerate() {
            let conflicts = |&&(other, theirs, _): &&(LocId, PlainKind, Site)| {
                other == loc && (theirs == PlainKind::Write || kind == PlainKind::Write)
            };
            races.extend(plain[..i].iter().filter(conflicts).map(|&(_, _, there)| Finding::Race(there, here)));
        }
        races
    }

    /// A plain access that an earlier one is not ordered before.
    pub(super) fn race_with_past(&self, monitor: &dyn Monitor, state: &[u64]) -> Option<Finding> {
        let mut plain = self.plain_accesses(state).into_iter();
        plain
            .find(|&(loc, kind, site)| monitor.is_race(state, site.thread, loc, kind))
            .map(|(_, _, site)| Finding::LateRace(site))
    }

    /// Accesses that conflict with the one that is watched, one of them plain, and are not ordered
    /// after it.
    pub(super) fn races_with_watched<'a>(
        &'a self,
        watched: &'a Watched,
        (first, how): (PlainKind, Mixed),
        state: &'a [u64],
    ) -> impl Iterator<Item = Finding> + 'a {
        let is_race = move |thread: ThreadId, label: &Label| {
            let conflicts = first == PlainKind::Write || label.is_write();
            let acquires = label.value_read().is_some() && label.mode().acquires();
            label.loc() == Some(watched.loc)
                && conflicts
                && match (how, how_of(label)) {
                    (Mixed::Atomic, Mixed::Atomic) => false,
                    (_, Mixed::Plain) => watched.monitor.is_race(state, thread, watched.loc, plain_kind(label)),
                    (Mixed::Plain, Mixed::Atomic) => watched.monitor.is_unordered(state, thread, watched.loc, acquires),
                }
        };
        (0..self.threads.len()).filter_map(move |t| {
            let (pc, access) = self.next_access(state, t)?;
            let concerned = access.may_access(watched.loc) && (access.plain || access.mixed.is_some());
            let labels = if concerned { self.labels(state, access).ok()? } else { return None };
            let races = labels.iter().flatten().any(|label| is_race(ThreadId::from_index(t), label));
            races.then(|| Finding::LateRace(site(t, pc)))
        })
    }

    /// An access that could use a stale write; only at `loc`, if given.
    pub(super) fn stale_access(&self, monitor: &dyn Monitor, state: &[u64], loc: Option<LocId>) -> Option<Finding> {
        (0..self.threads.len()).find_map(|t| {
            let (pc, access) = self.next_access(state, t)?;
            let concerned = access.how() == Mixed::Atomic && loc.is_none_or(|loc| access.may_access(loc));
            let concerned = concerned
                && loc.is_none_or(|loc| Self::locate(&access.target, state).is_ok_and(|target| target == loc));
            (concerned && self.is_stale(monitor, state, t, access) == Ok(true)).then(|| Finding::Stale(site(t, pc)))
        })
    }
}
