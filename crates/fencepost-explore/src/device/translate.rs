//! A compiled program with its watches, as a text and data for a device.
//!
//! The text has one function for the local steps of each thread, one for the labels of each access,
//! and one for the stale writes that the access could use. Whatever depends on the watch is data:
//! monitors as masks ([`effects`](super::effects)), fields of states, rows, symmetries.
//!
//! It does what `product` does, function by function: `labels`, `any_attempt`, `meanings`,
//! `finish`, `has_hope`, `inspect`. What is not translated, with the reason, is in [`untranslated`].

mod code;

use std::collections::HashMap;
use std::fmt::Write;

use fencepost_base::ids::{LocId, ThreadId};
use fencepost_base::order::Mode;
use fencepost_model::monitor::Accepts;
use fencepost_model::packed::Slot;
use fencepost_model::{Attempt, AttemptKind, Monitor, PlainKind, RaceRule, StaleKind, Step as MonitorStep, Whose};

use self::code::{get, set};
use super::effects::{Bits, Effect, Mask};
use crate::compile::{Access, AccessKind, Mixed, Step};
use crate::product::{Monitoring, Product};
use crate::search::Goal;
use crate::system::System;
use crate::watches::{WatchKind, Watched, Watches};

/// Most words of a state: they are kept in registers.
const MOST_WORDS: usize = 8;
/// Values of a location whose classes are looked up; those of greater ones are searched for.
const VALUES_IN_TABLE: u64 = 1 << 10;
/// Fewest bits for the number of a layer, if they are to be those that a state can spare.
const FEWEST_TAG_BITS: u32 = 18;
/// Most bits that are of use for it.
const MOST_TAG_BITS: u32 = 32;

/// What every program has in common.
const COMMON: &str = include_str!("kernel.h");

/// A program for a device.
pub(super) struct Translated {
    pub(super) text: String,
    pub(super) data: Vec<u64>,
    /// Words of an entry of the table.
    pub(super) entry: usize,
    /// The greatest tag: layers beyond have none.
    pub(super) last_tag: u64,
}

/// Why a search is left to the processor.
type Refused = String;

/// What is refused, and why: monitors that are not taken apart into watches, and what comes after a
/// stale step, have states of many more bits.
fn untranslated(product: &Product) -> Option<Refused> {
    if product.words() > MOST_WORDS {
        return Some(format!("a state has {} words, and a device takes {MOST_WORDS}", product.words()));
    }
    match product.monitoring() {
        Monitoring::Nothing | Monitoring::Watching(_) => None,
        Monitoring::Everything(_) => Some("the search carries the whole monitor".into()),
        Monitoring::Onward(_) => Some("the search goes on after a stale step".into()),
    }
}

/// Translates; `wide` says whether the device swaps 128 bits at once.
pub(super) fn translate(product: &Product, goal: Goal, wide: bool) -> Result<Translated, Refused> {
    match untranslated(product) {
        Some(reason) => Err(reason),
        None => Translator::new(product).run(goal, wide),
    }
}

/// Thread, kind and order of a step that the monitor is told of.
type How = (usize, AttemptKind, Mode);

struct Translator<'a> {
    product: &'a Product,
    watches: Option<&'a Watches>,
    words: usize,
    /// Numbers of what monitors are told.
    hows: Vec<How>,
    data: Vec<u64>,
    /// What is in the data already, and where.
    pool: HashMap<Vec<u64>, u64>,
    /// `#define`s, and the functions.
    names: String,
    code: String,
}

impl<'a> Translator<'a> {
    fn new(product: &'a Product) -> Self {
        let watches = match product.monitoring() {
            Monitoring::Watching(watches) => Some(watches),
            _ => None,
        };
        Translator {
            product,
            watches,
            words: product.words(),
            hows: Vec::new(),
            // Where 0 is: nothing lies there.
            data: vec![0],
            pool: HashMap::new(),
            names: String::new(),
            code: String::new(),
        }
    }

    fn run(mut self, goal: Goal, wide: bool) -> Result<Translated, Refused> {
        let threads = self.product.threads();
        for (t, thread) in threads.iter().enumerate() {
            for access in thread.accesses().filter(|access| !access.private && !access.plain) {
                for (kind, mode) in steps_of(access) {
                    if !self.hows.contains(&(t, kind, mode)) {
                        self.hows.push((t, kind, mode));
                    }
                }
            }
        }
        self.places();
        self.classes();
        self.symmetries();
        self.watching()?;
        for t in 0..threads.len() {
            self.thread(t);
        }
        self.dispatch();
        let count = self.watches.map_or(0, |watches| watches.all().len());
        let watch = self.watches.map(Watches::slot).filter(|_| count > 0);
        let (get, set) = match watch {
            Some(slot) => (get(slot), set("s", slot, "k")),
            None => ("0ull".into(), String::new()),
        };
        let (tag, entry, last_tag) = self.tag(wide);
        let flag = |on: bool| u8::from(on);
        let mut text =
            String::from("typedef unsigned long long u64;\ntypedef long long i64;\ntypedef unsigned int u32;\n");
        for (name, value) in [
            ("W", self.words),
            ("T", threads.len()),
            ("LOCATIONS", self.product.memory().len()),
            ("HOWS", self.hows.len()),
            ("WATCHES", count),
        ] {
            let _ = writeln!(text, "#define {name} {value}");
        }
        for (name, value) in [
            ("HOPE", self.product.gives_up_hope()),
            ("LEAVES_SC", goal == Goal::LeaveSc),
            ("ASSERTIONS_ONLY", goal == Goal::Assertion),
            ("MONITORED_RACES", self.watches.is_some_and(|watches| watches.races() == RaceRule::Monitored)),
            ("SECTIONS", threads.iter().flat_map(|thread| &thread.steps).any(|step| matches!(step, Step::Enter))),
            ("FENCED", self.watches.is_some_and(|watches| watches.fence().is_some())),
        ] {
            let _ = writeln!(text, "#define {name} {}", flag(value));
        }
        let _ = writeln!(text, "#define WATCH(s) ({get})\n#define SET_WATCH(s, k) {set}");
        text += &tag;
        text += &self.names;
        text += COMMON;
        text += &self.code;
        Ok(Translated { text, data: self.data, entry, last_tag })
    }

    /// Where the tag is: in the bits that a state can spare, or in a word of its own; and whether a
    /// device can swap the whole entry.
    fn tag(&self, wide: bool) -> (String, usize, u64) {
        let spare = (0..self.words).map(|word| (64 - self.product.free_from(word), word)).max();
        let Some((bits, word)) = spare.filter(|&(bits, _)| bits > FEWEST_TAG_BITS) else {
            return (String::new(), self.words + 1, u64::from(u32::MAX));
        };
        // The highest bit locks.
        let (mask, shift) = ((1u64 << (bits - 1).min(MOST_TAG_BITS)) - 1, 64 - bits);
        let mut text = format!("#define TAG_WORD {word}\n#define TAG_SHIFT {shift}\n#define TAG_MASK {mask}ull\n");
        if self.words == 1 || self.words == 2 && wide {
            text += "#define WHOLE\n";
        }
        (text, self.words, mask)
    }

    /// Puts words into the data, under a name of the text.
    fn table(&mut self, name: &str, words: &[u64]) {
        let _ = writeln!(self.names, "#define D_{name} {}", self.data.len());
        self.data.extend(words);
    }

    /// Where these words are in the data.
    fn keep(&mut self, words: Vec<u64>) -> u64 {
        if let Some(&at) = self.pool.get(&words) {
            return at;
        }
        let at = self.data.len() as u64;
        self.data.extend(&words);
        self.pool.insert(words, at);
        at
    }

    /// Fields of threads and locations.
    fn places(&mut self) {
        let product = self.product;
        let threads = product.threads();
        let pcs = threads.iter().flat_map(|thread| {
            let [word, shift, mask] = place(thread.pc);
            [word, shift, mask, thread.steps.len() as u64]
        });
        self.table("PCS", &pcs.collect::<Vec<u64>>());
        let mut first = 0;
        let firsts = threads.iter().map(|thread| {
            first += thread.steps.len() as u64;
            first - thread.steps.len() as u64
        });
        self.table("FIRSTS", &firsts.collect::<Vec<u64>>());
        let _ = writeln!(self.names, "#define INSTRUCTIONS {first}");
        self.table("MEMORY", &product.memory().iter().flat_map(|&slot| place(slot)).collect::<Vec<u64>>());
        let dead = threads.iter().flat_map(|thread| &thread.dead).flat_map(|dead| self.mask(dead));
        let dead: Vec<u64> = dead.collect();
        self.table("DEAD", &dead);
        let steps = || threads.iter().flat_map(|thread| &thread.steps);
        let enters: Vec<u64> = steps().map(|step| u64::from(matches!(step, Step::Enter))).collect();
        let leaves: Vec<u64> = steps().map(|step| u64::from(matches!(step, Step::Leave))).collect();
        self.table("ENTERS", &enters);
        self.table("LEAVES", &leaves);
        let registers: Vec<u64> = threads.iter().flat_map(|thread| self.mask(&thread.registers)).collect();
        self.table("REGISTERS", &registers);
    }

    fn mask(&self, slots: &[Slot]) -> Mask {
        let mut mask = vec![0; self.words];
        for slot in slots {
            let [word, shift, bits] = place(*slot);
            mask[word as usize] |= bits << shift;
        }
        mask
    }

    /// The class of every value of every location, and a member of each class.
    fn classes(&mut self) {
        let product = self.product;
        let (mut of, mut members) = (Vec::new(), Vec::new());
        for loc in (0..product.memory().len()).map(LocId::from_index) {
            let Some(classes) = product.classes_of(loc) else {
                of.push(0);
                members.push(0);
                continue;
            };
            let class = |class: Option<usize>| class.map_or(u64::MAX, |class| class as u64);
            let values = VALUES_IN_TABLE.min(product.domain() as u64);
            let mut record = vec![values];
            record.extend((0..values).map(|value| class(classes.of(value as u32))));
            record.push(classes.starts.len() as u64);
            record.extend(classes.starts.iter().map(|&start| u64::from(start)));
            record.extend(classes.class.iter().map(|&number| class(number)));
            of.push(self.keep(record));
            let representatives = classes.representatives().iter().map(|&value| u64::from(value));
            let count = classes.representatives().len() as u64;
            members.push(self.keep(std::iter::once(count).chain(representatives).collect()));
        }
        self.table("CLASSES", &of);
        self.table("MEMBERS", &members);
    }

    /// For every watch and none, which states are the same, and what of the monitor belongs to each
    /// thread.
    fn symmetries(&mut self) {
        let product = self.product;
        let mut lists = Vec::new();
        for symmetry in product.symmetries() {
            let mut list = vec![symmetry.groups().len() as u64];
            for members in symmetry.groups() {
                list.extend([members.len() as u64, members[0].len() as u64]);
                list.extend(members.iter().flatten().flat_map(|&slot| place(slot)));
            }
            lists.push(self.keep(list));
        }
        self.table("SYMMETRY", &lists);
        let mut lists = Vec::new();
        for rows in product.rows() {
            let mut list = vec![0; self.words * product.threads().len()];
            for (t, row) in rows.iter().enumerate() {
                row.parts().iter().for_each(|&(word, bits)| list[t * self.words + word as usize] |= bits);
            }
            lists.push(self.keep(list));
        }
        self.table("ROWS", &lists);
    }

    /// All watches, and groups of those whose monitors do the same.
    fn watching(&mut self) -> Result<(), Refused> {
        let Some(watches) = self.watches else { return Ok(()) };
        let mut groups: Vec<(&Watched, u64)> = Vec::new();
        let mut fields = Vec::new();
        let none = u64::MAX;
        for watched in watches.all() {
            let group = groups.iter().position(|(first, _)| is_like(first, watched));
            let group = group.unwrap_or_else(|| {
                groups.push((watched, 0));
                groups.len() - 1
            });
            groups[group].1 += 1;
            if groups[group].1 > 1 {
                self.compare(groups[group].0, watched)?;
            }
            let [by, class, lasting, first_writes, first_plain] = match watched.kind {
                WatchKind::Stale { class, by, lasting } => {
                    let by = if by == StaleKind::Read { 0 } else { 1 };
                    [by, class.map_or(none, |class| class as u64), u64::from(lasting), 0, 0]
                }
                WatchKind::After(first, how) => {
                    [2, none, 0, u64::from(first == PlainKind::Write), u64::from(how == Mixed::Plain)]
                }
                WatchKind::Overwritten(_) => unreachable!("only what goes on after a stale step watches these"),
            };
            let mixed = u64::from(watched.is_mixed);
            fields.extend([group as u64, watched.loc.0.into(), by, class, lasting, mixed, first_writes, first_plain]);
        }
        self.table("WATCHES", &fields);
        let (mut ends, mut list) = (vec![0], Vec::new());
        for loc in 0..self.product.memory().len() {
            list.extend(watches.at(LocId::from_index(loc)).map(|(number, _)| u64::from(number) + 1));
            ends.push(list.len() as u64);
        }
        self.table("OF", &ends);
        self.table("LIST", &list);
        self.table("AHEAD", &self.ahead(watches));
        let groups: Vec<&Watched> = groups.into_iter().map(|(watched, _)| watched).collect();
        self.monitors(watches, &groups)
    }

    /// For every watch and instruction: bits 0 to 2 hope, leaks, and hope at a next instruction;
    /// bits 3 to 5 the same up to the next SC fence; bit 6 whether it may access the watched
    /// location, bit 7 whether it could use what is watched.
    fn ahead(&self, watches: &Watches) -> Vec<u64> {
        let mut words = Vec::new();
        for watched in watches.all() {
            for (t, thread) in self.product.threads().iter().enumerate() {
                for pc in 0..thread.steps.len() {
                    let mut bits = 0;
                    for fenced in 0..2 {
                        let (hope, leaks) = watched.ahead(fenced, t);
                        let next = thread.next[pc].iter().any(|&next| hope[next as usize]);
                        let three = u64::from(hope[pc]) | u64::from(leaks[pc]) << 1 | u64::from(next) << 2;
                        bits |= three << (3 * fenced);
                    }
                    if let Some(access) = thread.access(pc as u32).filter(|access| access.may_access(watched.loc)) {
                        let concerned =
                            matches!(watched.kind, WatchKind::After(..)) && watched.kind.concerns(access, None);
                        bits |= 1 << 6 | u64::from(concerned) << 7;
                    }
                    words.push(bits);
                }
            }
        }
        words
    }

    /// Monitors as masks, one for every group.
    fn monitors(&mut self, watches: &Watches, groups: &[&Watched]) -> Result<(), Refused> {
        let threads = self.product.threads().len();
        let [mut start, mut plain, mut steps, mut fences] = [const { Vec::new() }; 4];
        let [mut violated, mut races, mut unordered] = [const { Vec::new() }; 3];
        let [mut reach, mut unfenced, mut leaks] = [const { Vec::new() }; 3];
        for watched in groups {
            let monitor = watched.monitor.as_ref();
            let bits = Bits::new(self.words, watched.columns.parts());
            start.push(self.effect(&bits, |state| monitor.start(state))?);
            for t in (0..threads).map(ThreadId::from_index) {
                for kind in [PlainKind::Read, PlainKind::Write] {
                    let is_after = matches!(watched.kind, WatchKind::After(..));
                    let tell = |state: &mut [u64]| monitor.plain(state, t, watched.loc, kind);
                    plain.push(if is_after { self.effect(&bits, tell)? } else { 0 });
                    let is_race = |state: &[u64]| monitor.is_race(state, t, watched.loc, kind);
                    races.push(if is_after { self.question(&bits, is_race)? } else { 0 });
                }
                for acquires in [false, true] {
                    let is_unordered = |state: &[u64]| monitor.is_unordered(state, t, watched.loc, acquires);
                    let asked = matches!(watched.kind, WatchKind::After(..)) && watched.is_mixed;
                    unordered.push(if asked { self.question(&bits, is_unordered)? } else { 0 });
                }
                for mode in FENCES {
                    fences.push(self.effect(&bits, |state| monitor.fence(state, t, mode))?);
                }
                reach.push(self.question(&bits, |state| monitor.is_within_reach(state, t))?);
            }
            for (t, kind, mode) in self.hows.clone() {
                let t = ThreadId::from_index(t);
                for loc in (0..self.product.memory().len()).map(LocId::from_index) {
                    let told = self.product.classes_of(loc).is_some() && self.can(t, kind, mode, loc);
                    for same in [false, true] {
                        // Elsewhere classes make no difference.
                        let current = watched.current(loc, same);
                        let step =
                            |state: &mut [u64]| monitor.step(state, t, &MonitorStep { kind, loc, mode, current });
                        steps.push(if told { self.effect(&bits, step)? } else { 0 });
                    }
                }
                let asked = match watched.kind {
                    WatchKind::Stale { class, by, .. } if mode != Mode::Na && by == used(kind) => {
                        Some(class.map_or(Accepts::Any, Accepts::Only))
                    }
                    _ => None,
                };
                let attempt = |accepts| Attempt { kind, loc: watched.loc, mode, accepts };
                violated.push(match asked {
                    Some(accepts) => self.question(&bits, |state| monitor.violated(state, t, &attempt(accepts)))?,
                    None => 0,
                });
            }
            unfenced.push(match watches.fence() {
                Some(fence) => self.question(&bits, |state| !monitor.is_passed_on(state, fence))?,
                None => 0,
            });
            leaks.push(self.leaks(&bits, monitor)?);
        }
        for (name, words) in [
            ("START", start),
            ("PLAIN", plain),
            ("STEPS", steps),
            ("FENCES", fences),
            ("VIOLATED", violated),
            ("RACES", races),
            ("UNORDERED", unordered),
            ("REACH", reach),
            ("UNFENCED", unfenced),
            ("LEAKS", leaks),
        ] {
            self.table(name, &words);
        }
        Ok(())
    }

    /// Do two monitors do the same that watch different classes of values?
    fn compare(&self, one: &Watched, other: &Watched) -> Result<(), Refused> {
        let same = |same: bool| {
            self.hows.iter().all(|&(t, kind, mode)| {
                let t = ThreadId::from_index(t);
                let bits = Bits::new(self.words, one.columns.parts());
                let effect = |watched: &Watched| {
                    let current = watched.current(watched.loc, same);
                    let step = MonitorStep { kind, loc: watched.loc, mode, current };
                    bits.effect(|state| watched.monitor.step(state, t, &step))
                };
                !self.can(t, kind, mode, one.loc) || effect(one) == effect(other)
            })
        };
        match one.columns == other.columns && same(false) && same(true) {
            true => Ok(()),
            false => Err(strange()),
        }
    }

    /// Can a thread take such a step there?
    fn can(&self, t: ThreadId, kind: AttemptKind, mode: Mode, loc: LocId) -> bool {
        let accesses = self.product.threads()[t.index()].accesses();
        let mut there = accesses.filter(|access| !access.private && !access.plain && access.may_access(loc));
        there.any(|access| steps_of(access).any(|step| step == (kind, mode)))
    }

    fn effect(&mut self, bits: &Bits, change: impl Fn(&mut [u64])) -> Result<u64, Refused> {
        let effect: Effect = bits.effect(change).ok_or_else(strange)?;
        let nothing = effect.parts.is_empty() && effect.keep.iter().all(|&word| word == u64::MAX);
        Ok(if nothing { 0 } else { self.keep(effect.words()) })
    }

    fn question(&mut self, bits: &Bits, question: impl Fn(&[u64]) -> bool) -> Result<u64, Refused> {
        let mask = bits.conjunction(question).map_err(|()| strange())?;
        Ok(mask.map_or(0, |mask| self.keep(mask)))
    }

    /// The questions of which one has to be answered by yes for the monitor to have leaked.
    fn leaks(&mut self, bits: &Bits, monitor: &dyn Monitor) -> Result<u64, Refused> {
        let mut list = Vec::new();
        for (row, whose) in monitor.aware() {
            let there = |state: &[u64]| match whose {
                Whose::Thread(t) => monitor.is_within_reach(state, t),
                Whose::Location(loc) => !monitor.is_passed_on(state, loc),
            };
            let question = self.question(bits, |state| row.test(state, 0) && there(state))?;
            list.extend((question != 0).then_some(question));
        }
        list.insert(0, list.len() as u64);
        Ok(self.keep(list))
    }
}

/// Fences that are events, by number.
const FENCES: [Mode; 4] = [Mode::Acq, Mode::Rel, Mode::AcqRel, Mode::Sc];

fn strange() -> Refused {
    "a monitor does more than masks can say".into()
}

/// Do two watches differ in nothing but the class of values?
fn is_like(one: &Watched, other: &Watched) -> bool {
    let kinds = match (one.kind, other.kind) {
        (WatchKind::Stale { class, by, lasting }, WatchKind::Stale { class: its, by: too, lasting: so }) => {
            class.is_some() == its.is_some() && by == too && lasting == so
        }
        (one, other) => one == other,
    };
    kinds && one.loc == other.loc && one.is_mixed == other.is_mixed
}

fn used(kind: AttemptKind) -> StaleKind {
    match kind {
        AttemptKind::Read => StaleKind::Read,
        AttemptKind::Write | AttemptKind::Rmw => StaleKind::Write,
    }
}

/// The steps that an access can be to a monitor.
fn steps_of(access: &Access) -> impl Iterator<Item = (AttemptKind, Mode)> + use<> {
    let kind = if matches!(access.kind, AccessKind::Store(..)) { AttemptKind::Write } else { AttemptKind::Rmw };
    let read = access.kind.read_mode().map(|mode| (AttemptKind::Read, mode));
    read.into_iter().chain(access.kind.write_mode().map(|mode| (kind, mode)))
}

fn place(slot: Slot) -> [u64; 3] {
    let (word, shift, mask) = slot.place();
    [word as u64, shift.into(), mask]
}
