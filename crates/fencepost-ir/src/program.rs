//! Programs: threads of instructions over registers and shared locations.

use std::ops::Range;

use fencepost_base::ids::{ArrayId, LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_base::source::Span;

use crate::condition::{Condition, Observable};
use crate::expr::{self, CmpOp, Expr};

/// Least number of values where those of a program cannot be bounded.
pub const WIDE_DOMAIN: u64 = 1 << 16;

/// A concurrent program. Made by [`crate::ProgramBuilder`], which guarantees:
/// every index is in range, every jump lands in its thread's code, no thread
/// runs off the end of its code, atomic operations name atomic places and
/// plain ones non-atomic places, initial values are in the domain, and every
/// instruction that can be reached is either inside an atomic section, on all
/// ways to it, or outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(crate) name: Option<String>,
    pub(crate) domain: u64,
    pub(crate) locations: Vec<Location>,
    pub(crate) arrays: Vec<Array>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) fence_location: Option<LocId>,
    /// For every thread with sections and every instruction: is it inside one? Empty for other
    /// threads.
    pub(crate) sections: Vec<Vec<bool>>,
    pub(crate) condition: Option<Condition>,
    pub(crate) numbering: Numbering,
}

/// What values stand for, where it is not the number that they are. Only litmus tests have such.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbering {
    /// So many values at the upper end of the domain stand for negative numbers.
    pub negatives: Value,
    /// The value that stands for the address of the first location; those of the others follow it.
    pub addresses: Option<Value>,
}

/// A shared location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// As in the source; `a[2]` for an array element.
    pub name: String,
    /// Initial value.
    pub init: Value,
    /// How it may be accessed.
    pub kind: LocationKind,
}

/// How a location may be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LocationKind {
    /// By atomic operations; in litmus tests by plain loads and stores as well.
    Atomic,
    /// By plain loads and stores.
    NonAtomic,
    /// By `fence(sc)` only, in models where that is a read-modify-write.
    Fence,
}

/// An array: `len` consecutive locations from `base`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// As in the source.
    pub name: String,
    /// First element.
    pub base: LocId,
    /// Number of elements.
    pub len: u32,
}

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// As in the source; `worker[2]` for a copy of a replicated thread.
    pub name: String,
    /// Registers.
    pub registers: Vec<Register>,
    /// Code; control starts at 0 and falls through to the next instruction.
    pub code: Vec<Instr>,
    /// How many of it there are.
    pub copies: Copies,
}

/// How many threads there are of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copies {
    /// One.
    One,
    /// Any number of them, but at least so many. A program with such a thread stands for a program
    /// for each number: no engine takes it as it is, see [`Program::with_copies`].
    Any {
        /// The least number, at least 1.
        least: u32,
    },
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Register {
    /// As in the source, made unique where a procedure was inlined several times.
    pub name: String,
    /// Initial value.
    pub init: Value,
}

/// One instruction and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instr {
    /// What it does.
    pub op: Op,
    /// Where it is written.
    pub origin: Origin,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Origin {
    /// The statement.
    pub span: Span,
    /// The call in the thread's own text, when the statement is in a procedure.
    pub called_from: Option<Span>,
}

/// A shared location, possibly chosen at run time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A fixed location.
    Fixed(LocId),
    /// An array element; an index out of range is a run-time error.
    Element {
        /// The array.
        array: ArrayId,
        /// The index, as an integer (not reduced).
        index: Expr,
    },
}

/// How a read-modify-write computes what it writes from what it read and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RmwFunction {
    /// `fadd`
    Add,
    /// `fsub`
    Sub,
    /// `fand`
    And,
    /// `for`
    Or,
    /// `fxor`
    Xor,
    /// `xchg`: the operand itself.
    Exchange,
}

/// May a compare-and-swap fail although the value is the expected one?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CasStrength {
    /// No.
    Strong,
    /// Yes.
    Weak,
}

/// What a `wait` waits for: that one of these comparisons holds of the value read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WaitCondition {
    /// `value ⋈ expression`, expressions as integers (not reduced). Not empty.
    pub any_of: Vec<(CmpOp, Expr)>,
}

/// Instructions. Values are expressions reduced into the domain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `dst = value`
    Assign {
        /// Result.
        dst: RegId,
        /// Value.
        value: Expr,
    },
    /// `dst` becomes any value from `low` to `high`, both included; blocks when there is none.
    Nondet {
        /// Result.
        dst: RegId,
        /// Least value.
        low: Expr,
        /// Greatest value.
        high: Expr,
    },
    /// Continue at `target`.
    Jump {
        /// Next instruction.
        target: Pc,
    },
    /// Continue at `target` if `cond` is not 0, else at the next instruction.
    Branch {
        /// Condition.
        cond: Expr,
        /// Next instruction if it holds.
        target: Pc,
    },
    /// Continue at any one of `targets` (not empty).
    Choose {
        /// Possible next instructions.
        targets: Vec<Pc>,
    },
    /// Stops the thread unless `cond` holds.
    Assume {
        /// Condition.
        cond: Expr,
    },
    /// Fails (and stops the thread) unless `cond` holds.
    Assert {
        /// Condition.
        cond: Expr,
    },
    /// The program is modelled only while `cond` holds: where it does not, the thread stops, and
    /// the search is incomplete.
    Bound {
        /// Condition.
        cond: Expr,
    },
    /// Asks that `value` does not depend on a possibly stale read (observational robustness);
    /// otherwise does nothing.
    Verify {
        /// Value.
        value: Expr,
    },
    /// Atomic load.
    Load {
        /// Result.
        dst: Option<RegId>,
        /// Place.
        place: Place,
        /// Order.
        order: ReadOrder,
    },
    /// Atomic store.
    Store {
        /// Place.
        place: Place,
        /// Value.
        value: Expr,
        /// Order.
        order: WriteOrder,
    },
    /// Fetch-and-op or exchange; `dst` receives the old value.
    Update {
        /// Result.
        dst: Option<RegId>,
        /// Place.
        place: Place,
        /// What is written.
        function: RmwFunction,
        /// Operand.
        operand: Expr,
        /// Order.
        order: RmwOrder,
    },
    /// Compare-and-swap; `dst` receives the value read. A failed one is a read.
    Cas {
        /// Result.
        dst: Option<RegId>,
        /// Place.
        place: Place,
        /// Value that lets it succeed.
        expected: Expr,
        /// Value written then.
        desired: Expr,
        /// Order of success.
        success: RmwOrder,
        /// Order of failure.
        failure: ReadOrder,
        /// May it fail spuriously?
        strength: CasStrength,
    },
    /// Blocks until a value satisfying `condition` can be read, and reads it.
    Wait {
        /// Result.
        dst: Option<RegId>,
        /// Place.
        place: Place,
        /// Condition.
        condition: WaitCondition,
        /// Order.
        order: ReadOrder,
    },
    /// Blocks until the compare-and-swap can succeed, and performs it.
    BlockingCas {
        /// Place.
        place: Place,
        /// Value waited for.
        expected: Expr,
        /// Value written.
        desired: Expr,
        /// Order.
        order: RmwOrder,
    },
    /// Plain load from a non-atomic place.
    PlainLoad {
        /// Result.
        dst: RegId,
        /// Place.
        place: Place,
    },
    /// Plain store to a non-atomic place.
    PlainStore {
        /// Place.
        place: Place,
        /// Value.
        value: Expr,
    },
    /// A fence.
    Fence {
        /// Order.
        order: FenceOrder,
    },
    /// Orders earlier stores to these locations (`None`: to all), in models with store buffers per
    /// location.
    LightFence {
        /// Locations.
        locations: Option<Vec<LocId>>,
    },
    /// Begins an atomic section: what follows up to [`Op::Leave`] happens in one go, between two
    /// steps of other threads, or not at all. While no way through it can be completed, the thread
    /// waits here.
    Enter,
    /// Ends an atomic section.
    Leave,
    /// The thread is done.
    Halt,
}

impl Program {
    /// The name given in the source.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Number of values; values are `0..domain`.
    pub fn domain(&self) -> u64 {
        self.domain
    }

    /// Reduces an integer into the domain.
    pub fn reduce(&self, integer: i64) -> Value {
        expr::reduce(integer, self.domain)
    }

    /// The number that a value stands for; that of an address means nothing.
    pub fn number(&self, value: Value) -> i64 {
        let is_negative = u64::from(value) + u64::from(self.numbering.negatives) >= self.domain;
        i64::from(value) - if is_negative { self.domain as i64 } else { 0 }
    }

    /// The location whose address a value is.
    pub fn address(&self, value: Value) -> Option<LocId> {
        let index = value.checked_sub(self.numbering.addresses?)? as usize;
        let location = self.locations.get(index)?;
        (location.kind != LocationKind::Fence).then(|| LocId::from_index(index))
    }

    /// A value as litmus tests write it: a number, or the name of the location that it is the
    /// address of.
    pub fn value_text(&self, value: Value) -> String {
        match self.address(value) {
            Some(loc) => self.location(loc).name.clone(),
            None => self.number(value).to_string(),
        }
    }

    /// All locations, the hidden one of `fence(sc)` included.
    pub fn locations(&self) -> &[Location] {
        &self.locations
    }

    /// One location.
    pub fn location(&self, loc: LocId) -> &Location {
        &self.locations[loc.index()]
    }

    /// All arrays.
    pub fn arrays(&self) -> &[Array] {
        &self.arrays
    }

    /// One array.
    pub fn array(&self, array: ArrayId) -> &Array {
        &self.arrays[array.index()]
    }

    /// Is it an array only for the sake of accesses through addresses, a variable with a name of
    /// its own? Then an index out of range is a value that is no address.
    pub fn is_alone(&self, array: ArrayId) -> bool {
        let array = self.array(array);
        array.len == 1 && self.location(array.base).name == array.name
    }

    /// All threads.
    pub fn threads(&self) -> &[Thread] {
        &self.threads
    }

    /// One thread.
    pub fn thread(&self, thread: ThreadId) -> &Thread {
        &self.threads[thread.index()]
    }

    /// Identifiers of all threads.
    pub fn thread_ids(&self) -> impl Iterator<Item = ThreadId> + use<> {
        (0..self.threads.len()).map(ThreadId::from_index)
    }

    /// One instruction.
    pub fn instr(&self, thread: ThreadId, pc: Pc) -> &Instr {
        &self.threads[thread.index()].code[pc.index()]
    }

    /// The location that `fence(sc)` updates in models where it is a
    /// read-modify-write; present when the program has such a fence.
    pub fn fence_location(&self) -> Option<LocId> {
        self.fence_location
    }

    /// Does no thread ever jump backwards? Then every run is finite.
    pub fn is_loop_free(&self) -> bool {
        self.threads.iter().all(|thread| {
            thread
                .code
                .iter()
                .enumerate()
                .all(|(pc, instr)| instr.op.successors(Pc::from_index(pc)).iter().all(|next| next.index() > pc))
        })
    }

    /// The least number of copies that a thread of any number of copies may have; none if the program
    /// has no such thread.
    pub fn least_copies(&self) -> Option<u32> {
        let least = |thread: &Thread| match thread.copies {
            Copies::One => None,
            Copies::Any { least } => Some(least),
        };
        self.threads.iter().filter_map(least).max()
    }

    /// The program in which each thread of any number of copies is `number` threads, `worker[0]` and
    /// so on.
    pub fn with_copies(&self, number: u32) -> Program {
        self.expanded(|_| (number, false))
    }

    /// The program in which one copy of each thread of any number of copies is a thread of its own,
    /// and comes before the others, of which there is any number.
    pub fn with_one_apart(&self) -> Program {
        self.expanded(|_| (1, true))
    }

    /// Each thread of any number of copies becomes so many single ones, and then perhaps itself.
    fn expanded(&self, copies: impl Fn(&Thread) -> (u32, bool)) -> Program {
        let mut expanded = Program { threads: Vec::new(), sections: Vec::new(), ..self.clone() };
        for (thread, sections) in self.threads.iter().zip(&self.sections) {
            let (singles, others) = match thread.copies {
                Copies::One => (0, true),
                Copies::Any { .. } => copies(thread),
            };
            for copy in 0..singles {
                let name = format!("{}[{copy}]", thread.name);
                expanded.threads.push(Thread { name, copies: Copies::One, ..thread.clone() });
                expanded.sections.push(sections.clone());
            }
            if others {
                expanded.threads.push(thread.clone());
                expanded.sections.push(sections.clone());
            }
        }
        expanded
    }

    /// Is there an atomic section?
    pub fn has_sections(&self) -> bool {
        self.sections.iter().any(|sections| !sections.is_empty())
    }

    /// Is there a plain access of an atomic location? Only litmus tests have such.
    pub fn has_mixed_accesses(&self) -> bool {
        self.mixed_locations().contains(&true)
    }

    /// For every location: is it atomic, and can a plain access go there?
    pub fn mixed_locations(&self) -> Vec<bool> {
        let mut mixed = vec![false; self.locations.len()];
        for instr in self.threads.iter().flat_map(|thread| &thread.code) {
            let locations = match &instr.op {
                Op::PlainLoad { place, .. } | Op::PlainStore { place, .. } => self.locations_of(place),
                _ => continue,
            };
            mixed[locations].fill(true);
        }
        let is_atomic = self.locations.iter().map(|location| location.kind == LocationKind::Atomic);
        mixed.iter_mut().zip(is_atomic).for_each(|(mixed, is_atomic)| *mixed &= is_atomic);
        mixed
    }

    /// The locations that a place can be.
    fn locations_of(&self, place: &Place) -> Range<usize> {
        match place {
            Place::Fixed(loc) => loc.index()..loc.index() + 1,
            Place::Element { array, .. } => {
                let Array { base, len, .. } = self.array(*array);
                base.index()..base.index() + *len as usize
            }
        }
    }

    /// Is control inside an atomic section when it is at this instruction? It is at the section's
    /// [`Op::Leave`], and not yet at its [`Op::Enter`].
    pub fn is_in_section(&self, thread: ThreadId, pc: Pc) -> bool {
        self.sections[thread.index()].get(pc.index()).is_some_and(|&inside| inside)
    }

    /// What is asked about its final states.
    pub fn condition(&self) -> Option<&Condition> {
        self.condition.as_ref()
    }

    /// The name of something that is observed, as litmus tests write it: `0:r0`, `[x]`.
    pub fn observable(&self, what: Observable) -> String {
        match what {
            Observable::Register(thread, register) => {
                format!("{}:{}", thread.index(), self.thread(thread).registers[register.index()].name)
            }
            Observable::Location(loc) => format!("[{}]", self.location(loc).name),
        }
    }

    /// Number of instructions of all threads together.
    pub fn size(&self) -> usize {
        self.threads.iter().map(|thread| thread.code.len()).sum()
    }
}

impl RmwFunction {
    /// What is written, as an integer to be reduced.
    pub fn apply(self, old: Value, operand: i64) -> i64 {
        let old = i64::from(old);
        match self {
            RmwFunction::Add => old.wrapping_add(operand),
            RmwFunction::Sub => old.wrapping_sub(operand),
            RmwFunction::And => old & operand,
            RmwFunction::Or => old | operand,
            RmwFunction::Xor => old ^ operand,
            RmwFunction::Exchange => operand,
        }
    }

    /// The name of the method in `.fp`.
    pub fn as_str(self) -> &'static str {
        match self {
            RmwFunction::Add => "fadd",
            RmwFunction::Sub => "fsub",
            RmwFunction::And => "fand",
            RmwFunction::Or => "for",
            RmwFunction::Xor => "fxor",
            RmwFunction::Exchange => "xchg",
        }
    }
}

impl Op {
    /// The shared place this instruction accesses, if any.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Op::Load { place, .. }
            | Op::Store { place, .. }
            | Op::Update { place, .. }
            | Op::Cas { place, .. }
            | Op::Wait { place, .. }
            | Op::BlockingCas { place, .. }
            | Op::PlainLoad { place, .. }
            | Op::PlainStore { place, .. } => Some(place),
            _ => None,
        }
    }

    /// The register this instruction sets, if any.
    pub fn dst(&self) -> Option<RegId> {
        match self {
            Op::Assign { dst, .. } | Op::Nondet { dst, .. } | Op::PlainLoad { dst, .. } => Some(*dst),
            Op::Load { dst, .. } | Op::Update { dst, .. } | Op::Cas { dst, .. } | Op::Wait { dst, .. } => *dst,
            _ => None,
        }
    }

    /// Calls `visit` for every expression evaluated by this instruction.
    pub fn for_each_expr<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        if let Some(Place::Element { index, .. }) = self.place() {
            visit(index);
        }
        match self {
            Op::Assign { value, .. }
            | Op::Verify { value }
            | Op::Store { value, .. }
            | Op::PlainStore { value, .. }
            | Op::Update { operand: value, .. }
            | Op::Branch { cond: value, .. }
            | Op::Assume { cond: value }
            | Op::Assert { cond: value }
            | Op::Bound { cond: value } => visit(value),
            Op::Nondet { low, high, .. } => {
                visit(low);
                visit(high);
            }
            Op::Cas { expected, desired, .. } | Op::BlockingCas { expected, desired, .. } => {
                visit(expected);
                visit(desired);
            }
            Op::Wait { condition, .. } => condition.any_of.iter().for_each(|(_, expr)| visit(expr)),
            Op::Jump { .. }
            | Op::Choose { .. }
            | Op::Load { .. }
            | Op::PlainLoad { .. }
            | Op::Fence { .. }
            | Op::LightFence { .. }
            | Op::Enter
            | Op::Leave
            | Op::Halt => {}
        }
    }

    /// The instructions that may follow the one at `pc`.
    pub fn successors(&self, pc: Pc) -> Vec<Pc> {
        let next = Pc(pc.0 + 1);
        match self {
            Op::Jump { target } => vec![*target],
            Op::Branch { target, .. } => vec![*target, next],
            Op::Choose { targets } => targets.clone(),
            Op::Halt => Vec::new(),
            _ => vec![next],
        }
    }
}
