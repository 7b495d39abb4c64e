//! What a run does after an access has used an overwritten value, compared with what it does after
//! the same access has used the value that counts.
//!
//! Both runs have the same seed, so they are the same up to the access. From there on they are
//! compared step by step, as long as the same threads execute the same instructions in the same
//! order. Whatever differs in one of these steps, differs because of the access: nothing else was
//! different before. Two differences are worth telling:
//!
//! - the step accesses another address: the value has reached an address or an index;
//! - it writes another value to an atomic variable: others may read what the value has made of it.
//!
//! When the instructions differ, the comparison ends. That a branch is taken, or not taken, because
//! of an old value is what most correct uses of one look like.
//!
//! Not seen: values of plain writes, accesses of library functions that are not instrumented, and
//! plain accesses of other threads than the one that has used the value.
//!
//! A program may depend on more than its threads: on the time, on where its memory lies. So a
//! difference counts only if it is there again when both runs are made once more (`confirms`).
//! Memory lies elsewhere each time. What lies in a file is known by its place in that file; of
//! other large numbers, which may be addresses, only what the place of a page does not change is
//! compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use fencepost_finding::{Effect, Frame, Memory, Thread, value_text};
use fencepost_protocol::record::{self, ADDRESS_BITS, HEADER, Op, RECORD, Record};

use crate::process::Process;
use crate::stream::Module;
use crate::symbols::Symbols;

/// Steps that are kept.
const STEPS: usize = 1 << 14;
/// Numbers from here on may be addresses.
const ADDRESSES: u64 = 1 << 32;
/// What of an address is the same wherever its page is.
const WITHIN_PAGE: u64 = 0xfff;

/// What a run does after the access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequel {
    /// Records before the access.
    before: usize,
    /// The access.
    access: Step,
    /// It has used an overwritten value.
    is_stale: bool,
    steps: Vec<Step>,
    /// The calls of each chain, innermost first.
    chains: BTreeMap<u64, Vec<Spot>>,
}

/// What a thread does.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    tid: u32,
    op: Op,
    success: bool,
    /// Where in the code.
    pc: Spot,
    /// The calls that led there.
    chain: u64,
    /// Where in memory.
    address: Spot,
    value: Spot,
    extra: Spot,
}

/// A number that may be an address, in a way that is the same in every run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Spot {
    /// In a file that is mapped.
    Module(Arc<str>, u64),
    /// Too small for an address.
    Number(u64),
    /// What is left of a large number.
    Large(u64),
}

/// A step that is another one after the overwritten value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    at: usize,
    with: Step,
    without: Step,
    /// The calls that lead there, innermost first.
    calls: Vec<Spot>,
}

impl Process {
    /// What it did after an access that was to use an overwritten value. None if there was none, or
    /// if the recorded run is not whole.
    pub fn sequel(&self, bytes: &[u8]) -> Option<Sequel> {
        let modules: Vec<(&Module, Arc<str>)> =
            self.modules().iter().map(|module| (module, module.path.as_str().into())).collect();
        let spot = |number: u64| {
            let inside = modules.iter().find(|(module, _)| (module.start..module.end).contains(&number));
            match inside {
                Some((module, path)) => Spot::Module(path.clone(), number.wrapping_sub(module.bias)),
                None if number < ADDRESSES => Spot::Number(number),
                None => Spot::Large(number & WITHIN_PAGE),
            }
        };
        let count = usize::try_from(record::used(bytes)?).ok()? / RECORD;
        let records = bytes.get(HEADER..)?.chunks_exact(RECORD).take(count).map(Record::read);
        let mut records: Vec<Record> = records.collect::<Option<_>>()?;
        // Records that were reserved and are not written have no time.
        records.retain(|record| record.time != 0);
        records.sort_by_key(|record| record.time);
        let mut chains: BTreeMap<u64, Vec<Spot>> = BTreeMap::new();
        for record in records.extract_if(.., |record| record.op == Op::Call) {
            let calls = chains.entry(record.address).or_default();
            // Two threads may have recorded the same.
            if calls.len() as u64 == record.extra {
                calls.push(spot(record.value));
            }
        }
        // That a location is seen for the first time is nothing that a thread does.
        records.retain(|record| record.op != Op::Reset);
        let step = |record: &Record| Step {
            tid: record.tid,
            op: record.op,
            success: record.success,
            pc: spot(record.pc & ((1 << ADDRESS_BITS) - 1)),
            chain: record.pc >> ADDRESS_BITS,
            address: spot(record.address),
            value: spot(record.value),
            extra: spot(record.extra),
        };
        let before = records.iter().position(|record| record.op == Op::Stale)?;
        let (access, is_stale) = (step(&records[before]), records[before].success);
        // An access that has not used an overwritten value has a record of its own.
        let rest = records[before + 1..].iter().skip(usize::from(!is_stale));
        Some(Sequel { before, access, is_stale, steps: rest.take(STEPS).map(step).collect(), chains })
    }
}

impl Sequel {
    /// Has the access used an overwritten value?
    pub fn is_stale(&self) -> bool {
        self.is_stale
    }

    /// What is worth telling of this run, if `other` is the same without the overwritten value. Steps
    /// of the runtime are none of the program.
    pub(crate) fn difference(&self, other: &Sequel, symbols: &mut dyn Symbols) -> Option<Difference> {
        let is_same_access = self.access.is_like(&other.access) && self.access.address == other.access.address;
        if self.before != other.before || !is_same_access || !self.is_stale || other.is_stale {
            return None;
        }
        let pairs = || self.steps.iter().zip(&other.steps);
        // Where both stand at the same instruction, although they may go on differently.
        let alike = pairs().take_while(|(with, without)| with.goes_on_like(without)).count() + 1;
        let mut compared = pairs().take(alike).enumerate();
        let (at, (with, without)) = compared
            .find(|(_, (with, without))| with.is_like(without) && with.differs(without) && !with.is_ours(symbols))?;
        let calls = self.chains.get(&with.chain).cloned().unwrap_or_default();
        // Chains need not have the same numbers in other runs.
        let [with, without] = [with, without].map(|step| Step { chain: 0, ..step.clone() });
        Some(Difference { at, with, without, calls })
    }
}

impl Step {
    /// Does the same thread execute the same instruction, or do the same with the same lock?
    fn is_like(&self, other: &Step) -> bool {
        (self.tid, self.op, &self.pc) == (other.tid, other.op, &other.pc)
            && (self.accesses() || self.address == other.address)
    }

    /// The same, with the same success?
    fn goes_on_like(&self, other: &Step) -> bool {
        self.is_like(other) && self.success == other.success
    }

    /// Does it access memory?
    fn accesses(&self) -> bool {
        self.op.writes(true) || matches!(self.op, Op::Load | Op::Wait | Op::Read | Op::Write | Op::Stale)
    }

    /// Is it a step of the runtime that watches the program?
    fn is_ours(&self, symbols: &mut dyn Symbols) -> bool {
        Frame::blamed(&self.pc.frames(symbols)).is_some_and(Frame::is_runtime)
    }

    fn differs(&self, other: &Step) -> bool {
        self.goes_elsewhere(other) || self.writes_otherwise(other)
    }

    fn goes_elsewhere(&self, other: &Step) -> bool {
        self.accesses() && self.address != other.address
    }

    /// An update that finds another value is no news: that was written by somebody before.
    fn writes_otherwise(&self, other: &Step) -> bool {
        let finds_the_same = self.op == Op::Store || self.extra == other.extra;
        let writes = self.op.writes(self.success) && other.op.writes(other.success);
        writes && finds_the_same && self.value != other.value
    }
}

/// Is the difference there again, in two more runs?
pub(crate) fn confirms(difference: &Difference, stale: &Sequel, current: &Sequel, symbols: &mut dyn Symbols) -> bool {
    stale.difference(current, symbols).as_ref() == Some(difference)
}

/// A difference with names.
#[derive(Clone, Debug, PartialEq)]
pub struct PassedOn {
    /// What the value has reached.
    pub effect: Effect,
    /// In words.
    pub message: String,
    /// Whose step it is.
    pub thread: Thread,
    /// Where.
    pub stack: Vec<Frame>,
}

impl Difference {
    /// With names.
    pub fn named(&self, symbols: &mut dyn Symbols) -> PassedOn {
        let Difference { with, without, calls, .. } = self;
        let mut stack = Vec::new();
        for pc in [&with.pc].into_iter().chain(calls) {
            match pc.frames(symbols) {
                frames if frames.is_empty() => break,
                frames => stack.extend(frames),
            }
        }
        let place = Frame::blamed(&stack).map_or_else(String::new, |frame| format!(" at {}", frame.summary()));
        let verb = match with.op {
            Op::Read => "read",
            Op::Write => "write",
            Op::Load | Op::Wait => "load",
            Op::Store => "store",
            _ => "update",
        };
        let names = [with, without].map(|step| step.address.variable(symbols));
        let (effect, message) = if with.goes_elsewhere(without) {
            let where_to = match &names {
                [Some(with), Some(without)] => format!("`{with}` instead of `{without}`"),
                _ => "another address than otherwise".into(),
            };
            (Effect::Address, format!("the {verb}{place} goes to {where_to}"))
        } else {
            let [variable, _] = names;
            let to = if with.op == Op::Store { "to" } else { "of" };
            let variable = variable.map_or_else(String::new, |name| format!(" {to} `{name}`"));
            let values = match (&with.value, &without.value) {
                (Spot::Number(with), Spot::Number(without)) => {
                    format!("{} instead of {}", value_text(*with), value_text(*without))
                }
                _ => "another value than otherwise".into(),
            };
            (Effect::Value, format!("the {verb}{variable}{place} writes {values}"))
        };
        PassedOn { effect, message, thread: Thread { tid: with.tid.into(), name: None }, stack }
    }
}

impl Spot {
    /// The functions that return there; none if it is in no file.
    fn frames(&self, symbols: &mut dyn Symbols) -> Vec<Frame> {
        match self {
            // The call is before the address it returns to.
            Spot::Module(path, offset) => symbols.frames(path, offset.saturating_sub(1)),
            Spot::Number(_) | Spot::Large(_) => Vec::new(),
        }
    }

    fn variable(&self, symbols: &mut dyn Symbols) -> Option<String> {
        let Spot::Module(path, offset) = self else { return None };
        let variable = symbols.variable(path, *offset)?;
        let memory = Memory::Global {
            name: variable.name,
            size: variable.size,
            address: variable.address,
            module: path.to_string(),
        };
        memory.place_of(*offset).name
    }
}

#[cfg(test)]
mod tests {
    use fencepost_finding::{Effect, Frame};
    use fencepost_protocol::Order;
    use fencepost_protocol::record::{HEADER, MAGIC, Op, RECORD, Record};

    use super::{Sequel, confirms};
    use crate::process::Process;
    use crate::stream::{Message, Module, Modules};
    use crate::symbols::{NoSymbols, Symbols, Variable};

    const CODE: u64 = 0x5000_0000_0000;

    fn record(op: Op, offset: u64, address: u64, value: u64) -> Record {
        let (order, success) = (Order::Relaxed, true);
        Record { time: 0, address, value, pc: CODE + offset, extra: 0, tid: 2, op, order, failure: order, success }
    }

    /// What a process has done that did this, in this order.
    fn sequel(records: &[Record]) -> Option<Sequel> {
        let mut bytes = vec![0; HEADER];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&100u64.to_le_bytes());
        bytes[16..24].copy_from_slice(&(records.len() as u64).to_le_bytes());
        for (time, record) in records.iter().enumerate() {
            let mut line = [0; RECORD];
            let words = [time as u64 + 1, record.address, record.value, record.pc, record.extra];
            for (place, word) in line.chunks_exact_mut(8).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
            line[40..44].copy_from_slice(&record.tid.to_le_bytes());
            line[44..].copy_from_slice(&[record.op as u8, 0, 0, u8::from(record.success)]);
            bytes.extend(line);
        }
        let mut process = Process::default();
        let module = Module { path: "ring".into(), bias: CODE, start: CODE, end: CODE + 0x1_0000 };
        process.follow(Message::Modules(Modules { list: vec![module] }));
        process.sequel(&bytes)
    }

    /// The same access, and then this; with an overwritten value and without.
    fn both(with: &[Record], without: &[Record]) -> [Sequel; 2] {
        let load = |op, success| Record { success, ..record(op, 0x10, CODE + 0x4000, 1) };
        let before = record(Op::Store, 0x8, CODE + 0x4000, 7);
        let stale = [&[before, load(Op::Stale, true)], with].concat();
        let current = [&[before, load(Op::Stale, false), load(Op::Load, true)], without].concat();
        [stale, current].map(|records| sequel(&records).expect("a sequel"))
    }

    #[test]
    fn addresses_and_values_that_differ_are_told() {
        let read = |address| record(Op::Read, 0x20, address, 0);
        let [stale, current] = both(&[read(CODE + 0x5000)], &[read(CODE + 0x5008)]);
        assert!(stale.is_stale() && !current.is_stale());
        let difference = stale.difference(&current, &mut NoSymbols).expect("another address");
        assert_eq!(difference.named(&mut NoSymbols).effect, Effect::Address);
        assert!(confirms(&difference, &stale, &current, &mut NoSymbols));
        assert_eq!(current.difference(&stale, &mut NoSymbols), None);

        let store = |value| record(Op::Store, 0x20, CODE + 0x5000, value);
        let [stale, current] = both(&[store(3)], &[store(4)]);
        let named = stale.difference(&current, &mut NoSymbols).expect("another value").named(&mut NoSymbols);
        assert_eq!(named.effect, Effect::Value);
        assert!(named.message.ends_with("writes 3 instead of 4"), "{}", named.message);
        assert_eq!(named.thread.tid, 2);
    }

    /// Code up to an offset is the runtime's.
    struct Runtime(u64);

    impl Symbols for Runtime {
        fn frames(&mut self, module: &str, address: u64) -> Vec<Frame> {
            let function =
                if address < self.0 { "fencepost_runtime::intercept::threads::begin_posix" } else { "start" };
            vec![Frame { function: Some(function.into()), ..Frame::bare(module, address) }]
        }

        fn variable(&mut self, _: &str, _: u64) -> Option<Variable> {
            None
        }
    }

    #[test]
    fn what_the_runtime_does_is_nothing_that_the_program_does() {
        let read = |pc, slot| record(Op::Read, pc, CODE + 0x5000 + slot, 0);
        let [stale, current] = both(&[read(0x20, 0), read(0x40, 0)], &[read(0x20, 8), read(0x40, 8)]);
        let stack = |symbols: &mut Runtime| Some(stale.difference(&current, symbols)?.named(symbols).stack);
        let offset = |symbols: &mut Runtime| stack(symbols).map(|stack| stack[0].offset);
        assert_eq!(offset(&mut Runtime(0)), Some(0x1f));
        assert_eq!(offset(&mut Runtime(0x30)), Some(0x3f), "what comes after it counts");
        assert_eq!(offset(&mut Runtime(0x50)), None);
    }

    #[test]
    fn what_proves_nothing_is_not_told() {
        let store = |pc, value| record(Op::Store, pc, CODE + 0x5000, value);
        // The same; another way; what another write has left there; the same place of other memory.
        let update = |extra, value| Record { extra, ..record(Op::Rmw, 0x20, CODE + 0x5000, value) };
        let swap = |success, slot| Record { success, ..record(Op::CasStrong, 0x20, CODE + 0x5000 + slot, 1) };
        let [stale, current] = both(&[swap(false, 0)], &[swap(true, 8)]);
        let named = stale.difference(&current, &mut NoSymbols).expect("another address").named(&mut NoSymbols);
        assert_eq!(named.effect, Effect::Address);
        let heap = |base: u64| record(Op::Write, 0x20, base + 0x128, 0);
        for (with, without) in [
            (vec![store(0x20, 3)], vec![store(0x20, 3)]),
            (vec![store(0x20, 3)], vec![store(0x28, 4), store(0x20, 4)]),
            (vec![update(5, 6)], vec![update(6, 7)]),
            (vec![heap(0x7000_0000_0000)], vec![heap(0x7100_0000_0000)]),
            (vec![], vec![store(0x20, 3)]),
            // What fails takes another way from there.
            (vec![swap(false, 0), store(0x20, 3)], vec![swap(true, 0), store(0x20, 4)]),
        ] {
            let [stale, current] = both(&with, &without);
            assert_eq!(stale.difference(&current, &mut NoSymbols), None, "{with:?} {without:?}");
        }
        let difference = |with, without| {
            let [stale, current] = both(&[store(0x20, with)], &[store(0x20, without)]);
            (stale.difference(&current, &mut NoSymbols).expect("another value"), stale, current)
        };
        let (first, (_, stale, current)) = (difference(3, 4).0, difference(3, 5));
        assert!(!confirms(&first, &stale, &current, &mut NoSymbols), "the time of day, say");
    }

    #[test]
    fn runs_that_do_not_fit_are_not_compared() {
        let store = |value| record(Op::Store, 0x20, CODE + 0x5000, value);
        let [stale, current] = both(&[store(3)], &[store(4)]);
        let other = sequel(&[Record { success: false, ..record(Op::Stale, 0x10, CODE + 0x4000, 1) }]);
        assert_eq!(stale.difference(&other.expect("a sequel"), &mut NoSymbols), None);
        assert_eq!(stale.difference(&stale, &mut NoSymbols), None);
        assert_eq!(current.difference(&current, &mut NoSymbols), None);
        assert_eq!(sequel(&[store(3)]), None);
        assert_eq!(Process::default().sequel(b"nothing"), None);
    }
}
