//! Watch one stale write at a time.
//!
//! Papers: the monitors of Lahav and Margalit, PLDI 2019 (§5) and Margalit and Lahav, POPL 2021
//! (§5), taken apart.
//!
//! **Sum instead of product.** A monitor is a table with a column for every value class of every
//! location, and no step mixes columns. So a program with a monitor is a program with many small
//! monitors that do not see each other. Their product is what makes the state space large. We
//! search their *sum* instead.
//!
//! **What is guessed.** A run that leaves SC does so at a thread, because of two writes to a
//! location x: `w`, and `v`, which `w` overwrote. The thread is hb_SC-aware of `w`. In the model it
//! is not aware of any write later than `v`, and it accepts the value of `v`. So the search walks
//! the SC runs without any monitor and guesses, at a write to x, that it is `w`. From then on it
//! carries one column of the monitor, the *watch*.
//!
//! **When a guess is given up.** A guess is dropped in three cases:
//!
//! - A value of `v`'s class is overwritten again. Either the thread in question is not hb_SC-aware
//!   of that; then the same happens in a run without it. Or the later guess is as good.
//! - No thread has `v` still within reach and could use it in its next access to x.
//! - Nothing that a thread with `v` within reach can do before its next access to x orders more in
//!   SC than in the model. Then such a thread becomes hb_SC-aware of `w` only by becoming aware of
//!   it in the model.
//!
//! Races under a model that remembers plain accesses are found in the same way: guess the first of
//! the two.
//!
//! Sound and complete. A column after a write to its location does not depend on what was in it
//! before. The writes within reach of a thread are a suffix of the modification order, so the last
//! guess of a class sees what all see. `tests/reductions.rs` of the test kit compares with the
//! whole monitor.

use fencepost_analysis::classes::Classes;
use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_ir::CasStrength;
use fencepost_model::packed::{Layout, Region, Slot, bits_for};
use fencepost_model::{Model, Monitor, PlainKind, RaceRule, Shape, StaleKind, Watch};

use crate::compile::{Access, AccessKind, Code, CompiledThread, Mixed, as_value};

/// Most watches; a program that needs more is better off with the whole monitor.
const MOST_WATCHES: usize = 1 << 12;
/// To a monitor that follows one write: the class of what that one has written.
pub(crate) const FOLLOWED: usize = 0;
/// The class of what all others have written.
pub(crate) const OTHER: usize = 1;
/// Most watches times instructions: something is kept for each of both.
const MOST_KEPT: usize = 1 << 24;

/// All watches, and where the state of the current one is kept.
pub(crate) struct Watches {
    all: Vec<Watched>,
    /// For every location, the watches of it.
    of: Vec<Vec<u32>>,
    /// One more than the number of the current watch; 0 while nothing is watched yet.
    current: Slot,
    races: RaceRule,
    /// The location that SC fences update.
    fence: Option<LocId>,
}

/// A watch.
pub(crate) struct Watched {
    pub(crate) kind: WatchKind,
    pub(crate) loc: LocId,
    /// Is the location accessed plainly and by atomic operations?
    pub(crate) is_mixed: bool,
    pub(crate) monitor: Box<dyn Monitor>,
    /// The bits of the monitor.
    pub(crate) columns: Region,
    /// What the threads can do, as far as their code goes; and what they can do before their next
    /// SC fence.
    ahead: [Vec<Ahead>; 2],
}

/// What a thread can do, from every instruction on.
struct Ahead {
    /// Can the next access to the location be one that uses the watched write?
    hope: Vec<bool>,
    /// Can it, before its next access to the location, do something that orders more in SC than in
    /// the model?
    leaks: Vec<bool>,
}

/// What is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchKind {
    /// An overwritten value, of one class or of any.
    Stale {
        class: Option<usize>,
        by: StaleKind,
        /// Can there be later writes to the location that begin no better watch? Values may be told
        /// apart, and nobody can write between a write and an update of it.
        lasting: bool,
    },
    /// An overwritten value that is in the state: the one write that held it is followed, and none
    /// after it (see `product::onward`).
    Overwritten(StaleKind),
    /// An access that may race: a plain one, or an atomic one of a location that is accessed in both
    /// ways.
    After(PlainKind, Mixed),
}

/// What a step may mean to the current watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The monitor, if any, takes it like any other step.
    Step,
    /// It does not concern the monitor.
    Silent,
    /// This watch begins with it.
    Begin(u32),
}

impl Watches {
    /// The watches of a program of this `shape` whose locations have these `classes`; none if they
    /// are too many, or there is nothing to watch.
    pub(crate) fn new(
        threads: &[CompiledThread],
        classes: &[Option<std::sync::Arc<Classes>>],
        model: &dyn Model,
        shape: &Shape,
        layout: &mut Layout,
    ) -> Option<Watches> {
        let races = model.monitor(shape, &mut Layout::new())?.races();
        let kinds = kinds(threads, classes, shape, races);
        Self::of(kinds, races, threads, classes, model, shape, layout)
    }

    /// Those of single writes, whose values are in the state. `races` is the rule of the model, here
    /// and below.
    pub(crate) fn of_writes(
        threads: &[CompiledThread],
        races: RaceRule,
        model: &dyn Model,
        shape: &Shape,
        layout: &mut Layout,
    ) -> Option<Watches> {
        let no_classes = vec![None; shape.classes.len()];
        let kinds = writes(&accesses_by_location(threads, shape), shape);
        Self::of(kinds, races, threads, &no_classes, model, shape, layout)
    }

    /// Those of accesses that may race, under a model that remembers them.
    pub(crate) fn of_races(
        threads: &[CompiledThread],
        races: RaceRule,
        model: &dyn Model,
        shape: &Shape,
        layout: &mut Layout,
    ) -> Option<Watches> {
        let no_classes = vec![None; shape.classes.len()];
        let accesses = accesses_by_location(threads, shape);
        let kinds = (0..accesses.len()).flat_map(|loc| racing(LocId::from_index(loc), &accesses[loc], shape)).collect();
        Self::of(kinds, races, threads, &no_classes, model, shape, layout)
    }

    fn of(
        kinds: Vec<(LocId, WatchKind)>,
        races: RaceRule,
        threads: &[CompiledThread],
        classes: &[Option<std::sync::Arc<Classes>>],
        model: &dyn Model,
        shape: &Shape,
        layout: &mut Layout,
    ) -> Option<Watches> {
        let code: usize = threads.iter().map(|thread| thread.steps.len()).sum();
        if kinds.len() > MOST_WATCHES || kinds.len().saturating_mul(code) > MOST_KEPT {
            return None;
        }
        let current = layout.slot(bits_for(kinds.len() as u64 + 1));
        let program = layout.clone();
        let leaking = leaking(threads, model, classes.len());
        let mut mixed = vec![false; classes.len()];
        for access in threads.iter().flat_map(CompiledThread::accesses).filter(|access| access.mixed.is_some()) {
            mixed[access.target.locations()].fill(true);
        }
        let mut of = vec![Vec::new(); classes.len()];
        let mut all = Vec::new();
        for (loc, kind) in kinds {
            let watch = match kind {
                WatchKind::Stale { class, by, lasting } => Watch::Stale { loc, class, by, lasting },
                WatchKind::Overwritten(by) => Watch::Stale { loc, class: Some(FOLLOWED), by, lasting: true },
                WatchKind::After(..) => Watch::Plain(loc),
            };
            let mut columns = program.clone();
            let monitor = model.monitor(&Shape { watch, ..shape.clone() }, &mut columns)?;
            layout.cover(&columns);
            let own = columns.since(&program);
            of[loc.index()].push(all.len() as u32);
            let ahead = [false, true].map(|fences| {
                let ahead = |thread| Ahead {
                    hope: hope(thread, loc, kind, classes, fences),
                    leaks: leaks(thread, loc, &leaking, model, fences),
                };
                threads.iter().map(ahead).collect()
            });
            all.push(Watched { kind, loc, is_mixed: mixed[loc.index()], monitor, columns: own, ahead });
        }
        let fence = threads.iter().flat_map(CompiledThread::accesses).find_map(Access::fence_location);
        Some(Watches { all, of, current, races, fence })
    }

    /// For none, and then for every watch in the order of their numbers, its monitor.
    pub(crate) fn monitors(&self) -> impl Iterator<Item = Option<&dyn Monitor>> {
        std::iter::once(None).chain(self.all.iter().map(|watched| Some(watched.monitor.as_ref())))
    }

    /// All watches.
    pub(crate) fn all(&self) -> &[Watched] {
        &self.all
    }

    /// Where the number of the current watch plus one is kept.
    pub(crate) fn slot(&self) -> Slot {
        self.current
    }

    /// The location that SC fences update.
    pub(crate) fn fence(&self) -> Option<LocId> {
        self.fence
    }

    /// How races are found.
    pub(crate) fn races(&self) -> RaceRule {
        self.races
    }

    /// The number of the current watch plus one, or 0.
    pub(crate) fn number(&self, state: &[u64]) -> usize {
        self.current.get(state) as usize
    }

    /// The current watch.
    pub(crate) fn current(&self, state: &[u64]) -> Option<&Watched> {
        self.number(state).checked_sub(1).map(|watch| &self.all[watch])
    }

    /// Calls `visit` with everything a step of this label may mean; `current` is the class of the
    /// value before it.
    pub(crate) fn meanings(
        &self,
        state: &[u64],
        label: &Label,
        current: Option<usize>,
        mut visit: impl FnMut(Meaning),
    ) {
        let Some(loc) = label.loc() else { return visit(Meaning::Step) };
        match self.current(state) {
            None => {
                visit(Meaning::Silent);
                for &watch in &self.of[loc.index()] {
                    let kind = self.all[watch as usize].kind;
                    if kind.starts_with(label, current) {
                        visit(Meaning::Begin(watch));
                    }
                }
            }
            Some(watched) if watched.loc != loc => visit(Meaning::Step),
            // Another access that may race is one that the monitor need not know of, unless it is
            // atomic and tells others something. After a plain write no earlier access matters.
            Some(Watched { kind: WatchKind::After(..), is_mixed: true, .. }) => visit(Meaning::Step),
            Some(Watched { kind: WatchKind::After(..), .. }) => {
                if !label.is_write() {
                    visit(Meaning::Silent);
                }
            }
            Some(watched) => {
                if !label.is_write() || watched.kind.is_lasting() && !watched.kind.starts_with(label, current) {
                    visit(Meaning::Step);
                }
            }
        }
    }

    /// The watches of a location, by their numbers.
    pub(crate) fn at(&self, loc: LocId) -> impl Iterator<Item = (u32, &Watched)> {
        self.of[loc.index()].iter().map(|&watch| (watch, &self.all[watch as usize]))
    }

    /// Forgets the current watch; `columns` is what any of the monitors keeps.
    pub(crate) fn end(&self, state: &mut [u64], columns: &Region) {
        self.current.set(state, 0);
        columns.clear(state);
    }

    /// Would the current watch be given up if somebody wrote `loc`, whatever is written?
    pub(crate) fn forbids_writes(&self, state: &[u64], loc: LocId) -> bool {
        self.current(state).is_some_and(|watched| watched.loc == loc && !watched.kind.is_lasting())
    }

    /// Makes `watch` the current one; there was none, so nothing is known yet.
    pub(crate) fn begin(&self, state: &mut [u64], watch: u32) {
        self.current.set(state, u64::from(watch) + 1);
        self.all[watch as usize].monitor.start(state);
    }
}

impl Watched {
    /// From every instruction of a thread on, up to its next SC fence or not: can its next access to
    /// the location use the watched write, and can it before that do what may leak?
    pub(crate) fn ahead(&self, up_to_fence: usize, t: usize) -> (&[bool], &[bool]) {
        let Ahead { hope, leaks } = &self.ahead[up_to_fence][t];
        (hope, leaks)
    }

    /// A class of values of `loc`: the watched one, or another.
    pub(crate) fn current(&self, loc: LocId, watched: bool) -> usize {
        match self.kind {
            WatchKind::Stale { class: Some(class), .. } if loc == self.loc && watched => class,
            WatchKind::Stale { class: Some(0), .. } if loc == self.loc => 1,
            _ => 0,
        }
    }

    /// May one of `threads`, resting at `pcs`, still use the watched write? `accepts` answers for
    /// an access to the location that a thread is about to make; none if it does not come into
    /// question, and later accesses do.
    pub(crate) fn has_hope(
        &self,
        state: &[u64],
        threads: &[CompiledThread],
        fence: Option<LocId>,
        accepts: impl Fn(usize, &Access) -> Option<bool>,
    ) -> bool {
        // Fences synchronise: once one has the watched write out of reach, so have all that follow.
        let fenced = fence.is_some_and(|fence| self.monitor.is_passed_on(state, fence));
        let ahead = &self.ahead[usize::from(fenced)];
        let resting = || {
            let within_reach =
                |&(t, _): &(usize, &CompiledThread)| self.monitor.is_within_reach(state, ThreadId::from_index(t));
            threads
                .iter()
                .enumerate()
                .filter(within_reach)
                .map(|(t, thread)| (t, thread, thread.pc.get(state) as usize))
        };
        let leaks = |(t, _, pc): (usize, &CompiledThread, usize)| ahead[t].leaks.get(pc) == Some(&true);
        let uses = |(t, thread, pc): (usize, &CompiledThread, usize)| {
            ahead[t].hope.get(pc) == Some(&true)
                && match thread.access(pc as u32) {
                    Some(access) if access.may_access(self.loc) => accepts(t, access)
                        .unwrap_or_else(|| thread.next[pc].iter().any(|&next| ahead[t].hope[next as usize])),
                    _ => true,
                }
        };
        resting().any(uses)
            && (matches!(self.kind, WatchKind::After(..)) || resting().any(leaks) || self.monitor.has_leaked(state))
    }
}

impl WatchKind {
    /// Does the watch go on when its location is written again, unless a better one begins then?
    fn is_lasting(self) -> bool {
        matches!(self, WatchKind::Stale { lasting: true, .. })
    }

    /// Does the watch begin with a step of this label?
    pub(crate) fn starts_with(self, label: &Label, current: Option<usize>) -> bool {
        match self {
            WatchKind::Stale { class, by, .. } => {
                let qualifies = is_overwriting(label, by);
                qualifies && (class.is_none() || class == current)
            }
            WatchKind::Overwritten(by) => is_overwriting(label, by),
            WatchKind::After(kind, how) => (kind, how) == (plain_kind(label), how_of(label)),
        }
    }

    /// Could this access, if it goes to the watched location, use what is watched?
    pub(crate) fn concerns(self, access: &Access, classes: Option<&Classes>) -> bool {
        match self {
            WatchKind::After(first, how) => {
                let is_plain = how == Mixed::Plain || access.how() == Mixed::Plain;
                is_plain && (first == PlainKind::Write || !access.only_reads())
            }
            // There are only fences at the location of fences, which never overtake each other.
            WatchKind::Overwritten(StaleKind::Read) => access.reads(),
            WatchKind::Overwritten(StaleKind::Write) => !access.only_reads() && access.fence_location().is_none(),
            WatchKind::Stale { class: None, by, .. } => asks_for_any(access, by),
            WatchKind::Stale { class: Some(class), by, .. } => {
                let classes = classes.expect("atomic locations have classes");
                let alone = classes.representatives().len() == 1;
                (alone && asks_for_any(access, by)) || asks_for(access, by, class, classes)
            }
        }
    }
}

/// Can a step of this label begin a watch of what it overwrites? Nobody may write between an update
/// and the write it reads.
fn is_overwriting(label: &Label, by: StaleKind) -> bool {
    match by {
        StaleKind::Read => label.is_write(),
        StaleKind::Write => matches!(label, Label::Write { .. }),
    }
}

/// Does this step write?
pub(crate) fn plain_kind(label: &Label) -> PlainKind {
    if label.is_write() { PlainKind::Write } else { PlainKind::Read }
}

/// Is this step plain?
pub(crate) fn how_of(label: &Label) -> Mixed {
    if label.is_nonatomic() { Mixed::Plain } else { Mixed::Atomic }
}

/// Does it use a stale write, of whatever value? (Fences do, but there are only fences at their
/// location.)
fn asks_for_any(access: &Access, by: StaleKind) -> bool {
    match by {
        StaleKind::Read => {
            matches!(access.kind, AccessKind::Load(_) | AccessKind::Cas { strength: CasStrength::Weak, .. })
        }
        StaleKind::Write => matches!(access.kind, AccessKind::Store(..) | AccessKind::Update(..)),
    }
}

/// May it use a stale write of this class, but not of every class?
fn asks_for(access: &Access, by: StaleKind, class: usize, classes: &Classes) -> bool {
    let representative = i64::from(classes.representatives()[class]);
    let constant = |code: &Code| match code {
        Code::Const(value) => Some(classes.of(as_value(*value)) == Some(class)),
        _ => None,
    };
    match (by, &access.kind) {
        (StaleKind::Read, AccessKind::Wait(any_of, _)) => any_of.iter().any(|(cmp, code)| match code {
            Code::Const(operand) => cmp.holds(representative, *operand),
            _ => true,
        }),
        (StaleKind::Read, AccessKind::Cas { strength: CasStrength::Strong, expected, .. }) => {
            constant(expected) != Some(true)
        }
        (StaleKind::Write, AccessKind::Cas { expected, .. } | AccessKind::BlockingCas { expected, .. }) => {
            constant(expected) != Some(false)
        }
        _ => false,
    }
}

/// What has to be watched: whatever some write can begin and some access can use.
fn kinds(
    threads: &[CompiledThread],
    classes: &[Option<std::sync::Arc<Classes>>],
    shape: &Shape,
    races: RaceRule,
) -> Vec<(LocId, WatchKind)> {
    let accesses = accesses_by_location(threads, shape);
    let mut kinds = Vec::new();
    for (loc, accesses) in accesses.iter().enumerate() {
        let id = LocId::from_index(loc);
        if races == RaceRule::Monitored {
            kinds.extend(racing(id, accesses, shape));
        }
        let mut add = |kind: WatchKind, starts: &dyn Fn(&Access) -> bool| {
            let used = accesses.iter().any(|access| kind.concerns(access, classes[loc].as_deref()));
            if used && accesses.iter().any(|access| starts(access)) {
                kinds.push((id, kind));
            }
        };
        if shape.classes[loc] == 0 {
            continue;
        }
        for by in [StaleKind::Read, StaleKind::Write] {
            let starts = |access: &Access| overwrites(access, by);
            let updates = by == StaleKind::Write && accesses.iter().any(|access| access.kind.updates());
            if shape.classes[loc] > 1 {
                add(WatchKind::Stale { class: None, by, lasting: updates }, &starts);
            }
            for class in 0..shape.classes[loc] {
                add(WatchKind::Stale { class: Some(class), by, lasting: updates || shape.classes[loc] > 1 }, &starts);
            }
        }
    }
    kinds
}

/// For every location, the accesses that may go there and concern others.
fn accesses_by_location<'a>(threads: &'a [CompiledThread], shape: &Shape) -> Vec<Vec<&'a Access>> {
    let mut accesses: Vec<Vec<&Access>> = vec![Vec::new(); shape.classes.len()];
    for access in threads.iter().flat_map(CompiledThread::accesses).filter(|access| !access.private) {
        access.target.locations().for_each(|loc| accesses[loc].push(access));
    }
    accesses
}

/// The accesses of `loc` that may race.
fn racing(loc: LocId, accesses: &[&Access], shape: &Shape) -> Vec<(LocId, WatchKind)> {
    let mut kinds = Vec::new();
    if shape.plain[loc.index()].is_empty() {
        return kinds;
    }
    for how in [Mixed::Plain, Mixed::Atomic] {
        for kind in [PlainKind::Write, PlainKind::Read] {
            let starts = |access: &Access| match kind {
                PlainKind::Write => !access.only_reads(),
                PlainKind::Read => access.reads(),
            };
            let watch = WatchKind::After(kind, how);
            let used = accesses.iter().any(|access| watch.concerns(access, None));
            if used && accesses.iter().any(|access| access.how() == how && starts(access)) {
                kinds.push((loc, watch));
            }
        }
    }
    kinds
}

/// Single writes that are overwritten.
fn writes(accesses: &[Vec<&Access>], shape: &Shape) -> Vec<(LocId, WatchKind)> {
    let mut kinds = Vec::new();
    for (loc, accesses) in accesses.iter().enumerate().filter(|(loc, _)| shape.classes[*loc] > 0) {
        for by in [StaleKind::Read, StaleKind::Write] {
            let kind = WatchKind::Overwritten(by);
            let used = accesses.iter().any(|access| kind.concerns(access, None));
            if used && accesses.iter().any(|access| overwrites(access, by)) {
                kinds.push((LocId::from_index(loc), kind));
            }
        }
    }
    kinds
}

/// Can it begin a watch of what it overwrites? Nobody may write between an update and the write it
/// reads.
fn overwrites(access: &Access, by: StaleKind) -> bool {
    match by {
        StaleKind::Read => !access.only_reads(),
        StaleKind::Write => matches!(access.kind, AccessKind::Store(..)),
    }
}

/// For every instruction of `thread`: can its next access to `loc` use what is watched? An access
/// to the location puts the watched write out of reach, except that a plain one may come again.
fn hope(
    thread: &CompiledThread,
    loc: LocId,
    kind: WatchKind,
    classes: &[Option<std::sync::Arc<Classes>>],
    stop_at_fences: bool,
) -> Vec<bool> {
    backward(thread, |access, later| {
        if !access.may_access(loc) {
            return later && !(stop_at_fences && access.fence_location().is_some());
        }
        let surely = access.target.locations().len() == 1;
        let passes = match kind {
            WatchKind::After(..) if access.mixed.is_some() => true,
            WatchKind::After(PlainKind::Read, _) => !surely || access.only_reads(),
            _ => !surely,
        };
        kind.concerns(access, classes[loc.index()].as_deref()) || passes && later
    })
}

/// For every location, what an access of a thread that has the watched write of another location
/// within reach can do.
#[derive(Clone, Copy)]
struct Leaking {
    /// A read that acquires can tell it more about SC than about the model: somebody writes without
    /// releasing.
    reads: bool,
    /// So can an update that acquires: somebody reads, or writes, and does not update.
    updates: bool,
}

/// Which accesses can make a thread hb_SC-aware of a write, but not aware in the model of what that
/// write's thread knew?
///
/// A store learns, in SC, from all earlier accesses of its location, and in the model from none. A
/// read learns from the last write, in the model only if the one acquires and the other releases.
/// An update is a read, but it too learns in SC from earlier reads; where there are only updates
/// that acquire and release, SC and model agree.
fn leaking(threads: &[CompiledThread], model: &dyn Model, locations: usize) -> Vec<Leaking> {
    let mut leaking = vec![Leaking { reads: false, updates: false }; locations];
    for access in threads.iter().flat_map(CompiledThread::accesses).filter(|access| !access.private && !access.plain) {
        let releases = access.kind.write_mode().is_none_or(|mode| model.releases(mode));
        let only_updates =
            matches!(access.kind, AccessKind::Update(..) | AccessKind::BlockingCas { .. } | AccessKind::FenceUpdate);
        for loc in access.target.locations() {
            leaking[loc].reads |= !releases;
            leaking[loc].updates |= !releases || !only_updates;
        }
    }
    leaking
}

/// For every instruction of `thread`: is there, before an access to `loc`, one that may leak?
fn leaks(
    thread: &CompiledThread,
    loc: LocId,
    leaking: &[Leaking],
    model: &dyn Model,
    stop_at_fences: bool,
) -> Vec<bool> {
    let own = |access: &Access| {
        let somewhere = |may: fn(&Leaking) -> bool| leaking[access.target.locations()].iter().any(may);
        let acquires = |mode: Option<Mode>| mode.is_none_or(|mode| model.acquires(mode));
        let reads = access.kind.read_mode().is_some();
        let leaks = match &access.kind {
            AccessKind::Store(..) => true,
            kind if kind.updates() => !acquires(kind.write_mode()) || somewhere(|leaking| leaking.updates),
            _ => false,
        };
        !access.private
            && !access.plain
            && (leaks || reads && (!acquires(access.kind.read_mode()) || somewhere(|leaking| leaking.reads)))
    };
    backward(thread, |access, later| {
        let stops = access.may_access(loc) && access.target.locations().len() == 1
            || stop_at_fences && access.fence_location().is_some();
        !stops && (own(access) || later)
    })
}

/// Backward data-flow analysis: what holds before each instruction, if it holds after another
/// instruction that may follow, except that `at` decides for accesses, given what holds after them.
fn backward(thread: &CompiledThread, at: impl Fn(&Access, bool) -> bool) -> Vec<bool> {
    let mut before = vec![false; thread.steps.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for pc in (0..before.len()).rev() {
            let later = thread.next[pc].iter().any(|&next| before[next as usize]);
            let holds = thread.access(pc as u32).map_or(later, |access| at(access, later));
            changed |= holds != before[pc];
            before[pc] = holds;
        }
    }
    before
}
