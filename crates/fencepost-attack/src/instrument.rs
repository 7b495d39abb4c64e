//! Attacks as a program: the instrumentation of §8 and App. D of the paper, over `Program`s.
//!
//! Every thread gets up to four copies of its code.
//!
//! - In the *normal* copy it runs under SC until the attacker has taken its last access.
//! - From there it can go on only where it depends on that access, in the *dependent* copy: a read
//!   of something written since, a write of something read or written since. For this, the
//!   dependent copy leaves marks: `seen_x` when x is accessed, `stored_x` when it is written.
//! - At a store that can be delayed, the thread may become the attacker and go on in the *attacker*
//!   copy. There delayed values are in `late_x` while `held_x` is set, and nothing that needs empty
//!   buffers can be passed.
//!
//! A helper that accesses the location whose store was delayed first (`target_x`) closes the cycle
//! and fails an assertion.
//!
//! Every step of the paper's listings that belongs to one instruction is one atomic section here,
//! so the program has as many resting points as the original. Where the paper has values it cannot
//! compare with other values (a pair of value and "delayed"), we have a bit beside the value.

mod attacker;
mod helper;
mod mirror;
mod only_zero;
mod thread;

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, Pc, ThreadId};
use fencepost_ir::{Location, LocationKind, Program, ProgramBuilder};
use fencepost_model::{Buffers, Model};
use fencepost_verdict::Site;

use crate::attack::Attack;
use crate::delays::Delays;
use crate::flow::{self, Use, Users, locations, use_of};
use mirror::{Mirror, Names};

/// What an instruction of an instrumented program means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Bookkeeping.
    Ours,
    /// Asks whether a light fence covers a delayed store.
    Covers,
    /// The instruction of the original.
    Original(Pc),
    /// The store goes to the buffer.
    Delayed(Pc),
    /// The read is from the buffer.
    Early(Pc),
}

/// A program that fails an assertion under SC iff one of certain attacks on another is feasible.
#[derive(Clone, Debug)]
pub struct Instrumented {
    pub(crate) program: Program,
    /// For every thread and instruction.
    pub(crate) meanings: Vec<Vec<Meaning>>,
    /// The buffers of the machine.
    pub(crate) buffers: Buffers,
    /// For every location that holds delayed values, the location they are meant for.
    pub(crate) late: Vec<Option<LocId>>,
}

impl Instrumented {
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The instruction of the original that the one at `site` stands for.
    pub fn original(&self, site: Site) -> Option<Site> {
        match self.meanings[site.thread.index()][site.pc.index()] {
            Meaning::Ours | Meaning::Covers => None,
            Meaning::Original(pc) | Meaning::Delayed(pc) | Meaning::Early(pc) => Some(Site { pc, ..site }),
        }
    }
}

/// Everything that the threads' code refers to.
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) model: &'a dyn Model,
    pub(crate) delays: Delays,
    /// The stores that attacks begin with.
    pub(crate) delayed: BTreeSet<(ThreadId, Pc)>,
    /// The accesses that attacks end with.
    pub(crate) lasts: BTreeSet<(ThreadId, Pc)>,
    pub(crate) users: Users,
    /// Has the attacker taken its last access?
    pub(crate) last: LocId,
    /// Is there an attacker? Only where several threads could be.
    pub(crate) attacking: Option<LocId>,
    pub(crate) seen: Mirror,
    pub(crate) stored: Mirror,
    pub(crate) target: Mirror,
    /// Names of registers that no thread has: scratch, fenced, depends, hits.
    pub(crate) registers: [String; 4],
}

/// What belongs to one thread.
pub(crate) struct Belongings {
    /// If it can be the attacker.
    pub(crate) buffer: Option<Buffer>,
    /// What it has marked first in the section that it is in.
    pub(crate) own: Mirror,
}

/// Where an attacker's delayed stores are.
pub(crate) struct Buffer {
    pub(crate) held: Mirror,
    pub(crate) late: Mirror,
}

/// A program that fails an assertion iff one of `attacks` on `program` is feasible under `model`,
/// an attacker delaying `delays` stores. (Of two attacks by one thread, the store of one with the
/// last access of the other is tried too.)
pub fn instrument(program: &Program, model: &dyn Model, attacks: &[Attack], delays: Delays) -> Instrumented {
    // Where there is one buffer for all, whatever is behind a delayed store is delayed.
    let delays = if model.buffers() == Some(Buffers::Total) { Delays::Many } else { delays };
    let name = program.name().map(|name| format!("{name}, attacked"));
    // A bit needs two values.
    let mut builder = ProgramBuilder::new(name, program.domain().max(2));
    let mut names = Names::of(program);
    copy_locations(program, &mut builder);
    let users = Users::of(program);
    let count = program.locations().iter().filter(|location| location.kind != LocationKind::Fence).count();
    let shared: Vec<bool> = (0..count).map(|loc| users.is_shared(loc)).collect();
    let attackers: BTreeSet<ThreadId> = attacks.iter().map(|attack| attack.thread).collect();
    let mut targets = vec![false; count];
    let delayed: BTreeSet<(ThreadId, Pc)> = attacks.iter().map(|attack| (attack.thread, attack.store)).collect();
    for &(thread, store) in &delayed {
        let place = program.instr(thread, store).op.place().expect("a store has a place");
        targets[locations(program, place)].fill(true);
    }
    let bit = |builder: &mut ProgramBuilder, name: String| builder.location(name, 0, LocationKind::Atomic);
    let context = Context {
        program,
        model,
        delays,
        delayed,
        lasts: attacks.iter().map(|attack| (attack.thread, attack.last)).collect(),
        last: bit(&mut builder, names.fresh("last")),
        attacking: (attackers.len() > 1).then(|| bit(&mut builder, names.fresh("attacking"))),
        seen: Mirror::new(program, &mut builder, &mut names, "seen", &shared),
        stored: Mirror::new(program, &mut builder, &mut names, "stored", &shared),
        target: Mirror::new(program, &mut builder, &mut names, "target", &targets),
        registers: ["scratch", "fenced", "depends", "hits"].map(|name| names.fresh(name)),
        users,
    };
    let mut belongings = Vec::new();
    for thread in program.thread_ids() {
        let mut mirror = |what: &str, wanted: &[bool]| {
            Mirror::new(program, &mut builder, &mut names, &format!("{what}{}", thread.0), wanted)
        };
        let delayed = delayed_locations(&context, thread, count);
        let buffer = attackers
            .contains(&thread)
            .then(|| Buffer { held: mirror("held", &delayed), late: mirror("late", &delayed) });
        let own = mirror("own", &locations_in_sections(&context, thread, count));
        belongings.push(Belongings { buffer, own });
    }
    let mut meanings = Vec::new();
    for (thread, belongings) in program.thread_ids().zip(&belongings) {
        let (registers, code, means) = thread::code(&context, thread, belongings);
        let original = program.thread(thread);
        builder.threads(original.name.clone(), registers, code, original.copies);
        meanings.push(means);
    }
    let instrumented = builder.build().unwrap_or_else(|error| panic!("an instrumented program is a program: {error}"));
    let mut late = vec![None; instrumented.locations().len()];
    for buffer in belongings.iter().filter_map(|belongings| belongings.buffer.as_ref()) {
        for (original, mirrored) in buffer.late.pairs() {
            late[mirrored.index()] = Some(original);
        }
    }
    let buffers = model.buffers().unwrap_or(Buffers::Total);
    Instrumented { program: instrumented, meanings, buffers, late }
}

/// The locations of the original, under the same numbers; all atomic, since what races is no
/// question here.
fn copy_locations(program: &Program, builder: &mut ProgramBuilder) {
    let locations = program.locations();
    let mut loc = 0;
    let mut arrays = program.arrays().iter().peekable();
    while loc < locations.len() {
        let Location { name, init, kind } = &locations[loc];
        match arrays.next_if(|array| array.base.index() == loc) {
            Some(array) => {
                let elements = &locations[loc..loc + array.len as usize];
                let inits: Vec<_> = elements.iter().map(|location| location.init).collect();
                builder.array(array.name.clone(), &inits, LocationKind::Atomic);
                loc += elements.len();
            }
            None => {
                // The hidden location of fences comes last, and nobody accesses it under store
                // buffers.
                if *kind != LocationKind::Fence {
                    builder.location(name.clone(), *init, LocationKind::Atomic);
                }
                loc += 1;
            }
        }
    }
}

/// The locations whose stores `thread` may delay.
fn delayed_locations(context: &Context<'_>, thread: ThreadId, count: usize) -> Vec<bool> {
    let mut delayed = vec![false; count];
    let mut add = |pc: Pc| {
        let op = &context.program.instr(thread, pc).op;
        if let (Use::Store, Some(place)) = (use_of(op), op.place()) {
            for loc in locations(context.program, place).filter(|&loc| context.users.is_shared(loc)) {
                delayed[loc] = true;
            }
        }
    };
    let stores = || context.delayed.range((thread, Pc(0))..=(thread, Pc(u32::MAX))).map(|&(_, store)| store);
    stores().for_each(&mut add);
    if context.delays == Delays::Many {
        flow::beyond(context.program, thread, stores()).into_iter().for_each(&mut add);
    }
    delayed
}

/// The shared locations that `thread` accesses in its sections.
fn locations_in_sections(context: &Context<'_>, thread: ThreadId, count: usize) -> Vec<bool> {
    let mut accessed = vec![false; count];
    for (pc, instr) in context.program.thread(thread).code.iter().enumerate() {
        if let Some(place) = instr.op.place().filter(|_| context.program.is_in_section(thread, Pc::from_index(pc))) {
            for loc in locations(context.program, place).filter(|&loc| context.users.is_shared(loc)) {
                accessed[loc] = true;
            }
        }
    }
    accessed
}
