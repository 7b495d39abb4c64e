//! Random small programs, the same for the same seed everywhere.
//!
//! Every kind of instruction of the IR occurs. Each program draws its own mixture of them first, so
//! that there are also programs of stores and loads only, of updates only, and so on; uniformly
//! mixed programs are all alike. The same goes for orders ([`Palette`]). A third of the programs
//! are *dense*: a cycle of accesses, each of them repeated (`dense`). Programs are loop-free
//! unless loops are asked for. They are small enough for the oracle to enumerate their execution
//! graphs: few accesses altogether.

use std::ops::RangeInclusive;

use fencepost_base::ids::{ArrayId, LocId, Pc, RegId};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{
    CasStrength, CmpOp, Expr, Instr, Op, Origin, Place, Program, ProgramBuilder, Register, RmwFunction, WaitCondition,
};

use crate::random::Random;

mod dense;
mod exprs;
mod memory;
mod orders;

use memory::{Memory, Own};
pub use orders::Palette;

/// What programs to generate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of threads.
    pub threads: RangeInclusive<usize>,
    /// Number of accesses of one thread.
    pub accesses: RangeInclusive<usize>,
    /// Greatest number of accesses of all threads.
    pub total_accesses: usize,
    /// Size of the domain.
    pub domain: RangeInclusive<usize>,
    /// May there be loops?
    pub loops: bool,
    /// The orders; each program draws its palette if none is given.
    pub palette: Option<Palette>,
    /// May there be non-atomic locations?
    pub plain: bool,
    /// May threads have the code of others?
    pub copies: bool,
    /// May threads have locations of their own?
    pub private: bool,
    /// May there be light fences that make a difference?
    pub light: bool,
    /// May there be atomic sections?
    pub sections: bool,
    /// May there be bounds?
    pub bounds: bool,
    /// Is the program dense? Drawn if it is not said.
    pub dense: Option<bool>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 2..=4,
            accesses: 1..=4,
            total_accesses: 8,
            domain: 2..=4,
            loops: false,
            palette: None,
            plain: true,
            copies: false,
            private: false,
            light: false,
            sections: false,
            bounds: false,
            dense: None,
        }
    }
}

/// The kinds of access.
#[derive(Clone, Copy)]
enum Kind {
    Load,
    Store,
    Update,
    Cas,
    Wait,
    BlockingCas,
    Fence,
    LightFence,
    Plain,
}

/// The kinds of statement besides accesses.
#[derive(Clone, Copy)]
enum Local {
    Assign,
    Nondet,
    Choose,
    If,
    Loop,
    Assume,
    Assert,
    Silent,
    Bound,
}

/// The program of this seed.
pub fn program(seed: u64, options: &Options) -> Program {
    let mut random = Random::new(seed);
    let domain = random.within(&options.domain) as u64;
    let mut builder = ProgramBuilder::new(Some(format!("generated {seed}")), domain);
    // Numbers of its own, so that what else there is does not depend on it.
    if options.dense.unwrap_or_else(|| Random::new(!seed).chance(33)) {
        return dense_program(random, builder, domain, options);
    }
    let memory = Memory::declare(&mut random, &mut builder, domain, options.plain);
    let palette = options.palette.clone().unwrap_or_else(|| Palette::draw(&mut random));
    let mixture = Mixture::draw(&mut random, &memory, palette, options);
    let count = random.within(&options.threads).min(random.within(&options.threads));
    let mut left = options.total_accesses.max(count);
    let mut threads: Vec<(Vec<Register>, Vec<Instr>)> = Vec::new();
    for index in 0..count {
        let reserve = count - index - 1;
        let accesses = random.within(&options.accesses).max(random.within(&options.accesses)).min(left - reserve);
        left -= accesses;
        let copied = options.copies && index > 0 && random.chance(60);
        let thread = if copied {
            let (mut registers, code) = random.pick(&threads);
            // The same code need not start in the same way.
            if random.chance(35) {
                registers.iter_mut().for_each(|register| register.init = random.below(domain as usize) as u32);
            }
            (registers, code)
        } else {
            let own = (options.private && random.chance(50)).then(|| memory::own(&mut random, &mut builder, index));
            let mut thread = Writer::new(&mut random, &memory, &mixture, domain);
            thread.own = own;
            thread.accesses(accesses, 2);
            thread.emit(Op::Halt);
            thread.finish()
        };
        builder.thread(format!("t{index}"), thread.0.clone(), thread.1.clone());
        threads.push(thread);
    }
    builder.build().expect("generated programs are well-formed")
}

/// A cycle of accesses, each of them repeated.
fn dense_program(mut random: Random, mut builder: ProgramBuilder, domain: u64, options: &Options) -> Program {
    let (memory, plans) = dense::plan(&mut random, &mut builder, options);
    let palette = options.palette.clone().unwrap_or_else(|| Palette::draw(&mut random));
    let mixture = Mixture::draw(&mut random, &memory, palette, options);
    let most = options.total_accesses / plans.len();
    for (index, plan) in plans.iter().enumerate() {
        let mut thread = Writer::new(&mut random, &memory, &mixture, domain);
        thread.thicken(plan, most, options);
        thread.emit(Op::Halt);
        let (registers, code) = thread.finish();
        builder.thread(format!("t{index}"), registers, code);
    }
    builder.build().expect("generated programs are well-formed")
}

/// How often each kind of statement occurs.
struct Mixture {
    accesses: Vec<(usize, Kind)>,
    locals: Vec<(usize, Local)>,
    palette: Palette,
    /// In a hundred: a local statement before an access.
    local: usize,
    /// In a hundred: an atomic section before an access.
    section: usize,
}

impl Mixture {
    fn draw(random: &mut Random, memory: &Memory, palette: Palette, options: &Options) -> Self {
        let loops = options.loops;
        let mut weight = |percent: usize, most: usize| if random.chance(percent) { 1 + random.below(most) } else { 0 };
        let plain = if memory.plain.is_empty() && memory.plain_array.is_none() { 0 } else { 3 };
        let accesses = vec![
            (1 + weight(85, 6), Kind::Load),
            (1 + weight(85, 6), Kind::Store),
            (weight(35, 5), Kind::Update),
            (weight(25, 4), Kind::Cas),
            (weight(25, 3), Kind::Wait),
            (weight(15, 2), Kind::BlockingCas),
            (weight(25, 3), Kind::Fence),
            (plain, Kind::Plain),
            (if options.light { weight(60, 5) } else { 0 }, Kind::LightFence),
        ];
        let locals = vec![
            (weight(50, 3), Local::Assign),
            (weight(30, 2), Local::Nondet),
            (weight(40, 2), Local::Choose),
            (1 + weight(60, 3), Local::If),
            (if loops { 4 } else { 0 }, Local::Loop),
            (weight(20, 2), Local::Assume),
            (weight(20, 2), Local::Assert),
            (weight(10, 1), Local::Silent),
            (if options.bounds { 1 } else { 0 }, Local::Bound),
        ];
        let local = if loops { 40 } else { weight(80, 40) };
        Mixture { accesses, locals, palette, local, section: if options.sections { 30 } else { 0 } }
    }
}

/// Writes the code of one thread.
struct Writer<'a> {
    random: &'a mut Random,
    memory: &'a Memory,
    mixture: &'a Mixture,
    domain: u64,
    registers: Vec<Register>,
    code: Vec<Op>,
    /// The place of the latest access.
    latest: Option<Place>,
    /// A place that threads with other code have no access to.
    own: Option<Own>,
    /// Is this an atomic section?
    inside: bool,
}

impl<'a> Writer<'a> {
    fn new(random: &'a mut Random, memory: &'a Memory, mixture: &'a Mixture, domain: u64) -> Self {
        let count = random.within(&(1..=2));
        let registers = (0..count)
            .map(|index| {
                let init = if random.chance(85) { 0 } else { random.below(domain as usize) as u32 };
                Register { name: format!("r{index}"), init }
            })
            .collect();
        Writer { random, memory, mixture, domain, registers, code: Vec::new(), latest: None, own: None, inside: false }
    }

    fn finish(self) -> (Vec<Register>, Vec<Instr>) {
        let code = self.code.into_iter().map(|op| Instr { op, origin: Origin::default() }).collect();
        (self.registers, code)
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.push(op);
        self.code.len() - 1
    }

    fn here(&self) -> Pc {
        Pc::from_index(self.code.len())
    }

    /// Statements with so many accesses altogether, nested at most so deep.
    fn accesses(&mut self, count: usize, depth: usize) {
        let mut left = count;
        while left > 0 {
            if self.mixture.section > 0 && !self.inside && self.random.chance(self.mixture.section) {
                left -= self.section(left, depth);
            } else if self.random.chance(self.mixture.local) {
                left -= self.local(left, depth);
            } else {
                left -= self.access(left);
            }
        }
        if self.random.chance(self.mixture.local) {
            self.local(0, 0);
        }
    }

    /// An atomic section with some of the `left` accesses; how many.
    fn section(&mut self, left: usize, depth: usize) -> usize {
        let inside = 1 + self.random.below(left.min(3));
        self.emit(Op::Enter);
        self.inside = true;
        self.accesses(inside, depth);
        self.inside = false;
        self.emit(Op::Leave);
        inside
    }

    /// One access, or a usual combination of several; how many it was.
    fn access(&mut self, left: usize) -> usize {
        let kind = self.random.weighted(&self.mixture.accesses);
        if matches!(kind, Kind::Plain) && left >= 2 && !self.memory.atomic.is_empty() && self.random.chance(85) {
            return self.guarded_plain(left);
        }
        let op = match kind {
            Kind::Load => {
                let dst = self.optional_register();
                Op::Load { dst, place: self.place(), order: self.read_order() }
            }
            Kind::Store => {
                let order = self.write_order();
                Op::Store { place: self.place(), value: self.value(), order }
            }
            Kind::Update => {
                let function = self.random.pick(&[
                    RmwFunction::Add,
                    RmwFunction::Sub,
                    RmwFunction::And,
                    RmwFunction::Or,
                    RmwFunction::Xor,
                    RmwFunction::Exchange,
                ]);
                let (dst, place, operand) = (self.optional_register(), self.place(), self.value());
                Op::Update { dst, place, function, operand, order: self.rmw_order() }
            }
            Kind::Cas => Op::Cas {
                dst: self.optional_register(),
                place: self.place(),
                expected: self.value(),
                desired: self.value(),
                success: self.rmw_order(),
                failure: self.read_order(),
                strength: self.random.pick(&[CasStrength::Strong, CasStrength::Weak]),
            },
            Kind::Wait => {
                let (dst, place) = (self.optional_register(), self.place());
                Op::Wait { dst, place, condition: self.wait_condition(), order: self.read_order() }
            }
            Kind::BlockingCas => Op::BlockingCas {
                place: self.place(),
                expected: self.value(),
                desired: self.value(),
                order: self.rmw_order(),
            },
            Kind::Fence => Op::Fence { order: self.random.weighted(self.mixture.palette.fences) },
            Kind::LightFence => self.light_fence(),
            Kind::Plain => self.plain(),
        };
        self.emit_fenced(op);
        1
    }

    /// An access, and what fences the palette has around it.
    fn emit_fenced(&mut self, op: Op) {
        let fence = self.random.chance(self.mixture.palette.fenced);
        let (before, after) = match &op {
            Op::Load { order: ReadOrder::Rlx, .. } | Op::Wait { order: ReadOrder::Rlx, .. } => (false, fence),
            Op::Store { order: WriteOrder::Rlx, .. } => (fence, false),
            Op::Update { order: RmwOrder::Rlx, .. }
            | Op::Cas { success: RmwOrder::Rlx, .. }
            | Op::BlockingCas { order: RmwOrder::Rlx, .. } => (fence && self.random.chance(50), fence),
            _ => (false, false),
        };
        if before {
            self.emit(Op::Fence { order: FenceOrder::Rel });
        }
        self.emit(op);
        if after {
            self.emit(Op::Fence { order: FenceOrder::Acq });
        }
    }

    fn read_order(&mut self) -> ReadOrder {
        self.random.pick(self.mixture.palette.reads)
    }

    fn write_order(&mut self) -> WriteOrder {
        self.random.pick(self.mixture.palette.writes)
    }

    fn rmw_order(&mut self) -> RmwOrder {
        self.random.pick(self.mixture.palette.rmws)
    }

    /// A light fence on all locations or on some.
    fn light_fence(&mut self) -> Op {
        let memory = self.memory;
        let mut listed: Vec<LocId> = memory.atomic.iter().chain(&memory.plain).copied().collect();
        listed.retain(|_| self.random.chance(50));
        let all = listed.is_empty() || self.random.chance(25);
        Op::LightFence { locations: (!all).then_some(listed) }
    }

    fn plain(&mut self) -> Op {
        let place = self.plain_place();
        match self.random.chance(50) {
            true => Op::PlainStore { place, value: self.value() },
            false => Op::PlainLoad { dst: self.register(), place },
        }
    }

    /// Plain accesses as people write them: published, consumed, or under a lock. Without, all
    /// would be races.
    fn guarded_plain(&mut self, left: usize) -> usize {
        let flag = Place::Fixed(self.random.pick(&self.memory.atomic));
        let one = Expr::Const(1);
        let plain = self.plain();
        // With orders or fences that make it right, or with those of the palette.
        let right = self.random.chance(60);
        let acquire = if right { ReadOrder::Acq } else { self.read_order() };
        let release = if right { WriteOrder::Rel } else { self.write_order() };
        match self.random.below(if left >= 3 { 4 } else { 3 }) {
            0 => {
                self.emit(plain);
                self.emit_fenced(Op::Store { place: flag, value: one, order: release });
                2
            }
            1 => {
                let condition = WaitCondition { any_of: vec![(CmpOp::Eq, one)] };
                self.emit_fenced(Op::Wait { dst: None, place: flag, condition, order: acquire });
                self.emit(plain);
                2
            }
            2 => {
                let dst = self.register();
                self.emit_fenced(Op::Load { dst: Some(dst), place: flag, order: acquire });
                let target = Pc(self.here().0 + 2);
                let differs = exprs::compare(CmpOp::Ne, Expr::Reg(dst), one);
                self.emit(Op::Branch { cond: differs, target });
                self.emit(plain);
                2
            }
            _ => {
                let order = if right { RmwOrder::AcqRel } else { self.rmw_order() };
                self.emit_fenced(Op::BlockingCas {
                    place: flag.clone(),
                    expected: Expr::Const(0),
                    desired: one,
                    order,
                });
                self.emit(plain);
                self.emit_fenced(Op::Store { place: flag, value: Expr::Const(0), order: release });
                3
            }
        }
    }

    /// A local statement, with some of the `left` accesses within it if it has a body; how many.
    fn local(&mut self, left: usize, depth: usize) -> usize {
        match self.random.weighted(&self.mixture.locals) {
            Local::Assign => {
                let op = Op::Assign { dst: self.register(), value: self.value() };
                self.emit(op);
                0
            }
            Local::Nondet => {
                let (dst, low, high) = (self.register(), self.value(), self.value());
                let low = if self.random.chance(70) { Expr::Const(0) } else { low };
                self.emit(Op::Nondet { dst, low, high });
                0
            }
            Local::Assume => {
                let cond = self.condition();
                self.emit(Op::Assume { cond });
                0
            }
            Local::Assert => {
                let cond = self.condition();
                self.emit(Op::Assert { cond });
                0
            }
            Local::Bound => {
                let cond = self.condition();
                self.emit(Op::Bound { cond });
                0
            }
            Local::Silent => {
                let value = self.value();
                let silent = [Op::Verify { value }, Op::LightFence { locations: None }];
                let op = self.random.pick(&silent);
                self.emit(op);
                0
            }
            Local::If | Local::Choose | Local::Loop if left == 0 || depth == 0 => 0,
            Local::If => {
                let cond = self.condition();
                let branch = self.emit(Op::Branch { cond, target: Pc(0) });
                self.alternatives(left, depth, |writer, second| {
                    let Op::Branch { target, .. } = &mut writer.code[branch] else { unreachable!("emitted above") };
                    *target = second;
                })
            }
            Local::Choose => {
                let choice = self.emit(Op::Choose { targets: Vec::new() });
                let first = self.here();
                self.alternatives(left, depth, |writer, second| {
                    writer.code[choice] = Op::Choose { targets: vec![first, second] };
                })
            }
            Local::Loop => {
                let start = self.here();
                let inside = 1 + self.random.below(left.min(3));
                self.accesses(inside, depth - 1);
                let cond = self.condition();
                let again = match self.random.chance(75) {
                    true => Op::Branch { cond, target: start },
                    false => Op::Choose { targets: vec![start, Pc(self.here().0 + 1)] },
                };
                self.emit(again);
                inside
            }
        }
    }

    /// Two blocks of code, one of them to be executed; `link` is told where the second starts.
    fn alternatives(&mut self, left: usize, depth: usize, link: impl FnOnce(&mut Self, Pc)) -> usize {
        let inside = 1 + self.random.below(left);
        let first = self.random.below(inside + 1);
        self.accesses(first, depth - 1);
        let jump = self.emit(Op::Jump { target: Pc(0) });
        let second = self.here();
        link(self, second);
        self.accesses(inside - first, depth - 1);
        self.code[jump] = Op::Jump { target: self.here() };
        inside
    }

    fn register(&mut self) -> RegId {
        RegId::from_index(self.random.below(self.registers.len()))
    }

    fn optional_register(&mut self) -> Option<RegId> {
        if self.random.chance(90) { Some(self.register()) } else { None }
    }

    fn place(&mut self) -> Place {
        if let Some(own) = self.own.filter(|_| self.random.chance(35)) {
            return own.place(self.random, self.registers.len());
        }
        let memory = self.memory;
        let mut draw = || Self::place_in(self.random, &memory.atomic, memory.atomic_array, self.registers.len());
        // Weak behaviour is about several locations: another one than last time is likelier.
        let (place, another) = (draw(), draw());
        let place = if self.latest.as_ref() == Some(&place) { another } else { place };
        self.latest = Some(place.clone());
        place
    }

    fn plain_place(&mut self) -> Place {
        let (memory, random) = (self.memory, &mut *self.random);
        Self::place_in(random, &memory.plain, memory.plain_array, self.registers.len())
    }

    fn place_in(random: &mut Random, fixed: &[LocId], array: Option<(ArrayId, u32)>, registers: usize) -> Place {
        match array {
            Some((array, len)) if fixed.is_empty() || random.chance(60) => {
                Place::Element { array, index: exprs::index(random, len, registers) }
            }
            _ => Place::Fixed(random.pick(fixed)),
        }
    }

    fn value(&mut self) -> Expr {
        exprs::value(self.random, self.domain, self.registers.len())
    }

    fn condition(&mut self) -> Expr {
        exprs::condition(self.random, self.domain, self.registers.len())
    }

    fn wait_condition(&mut self) -> WaitCondition {
        let count = if self.random.chance(80) { 1 } else { 2 };
        let any_of = (0..count)
            .map(|_| {
                let cmp = self.random.weighted(&exprs::COMPARISONS);
                (cmp, exprs::leaf(self.random, self.domain, self.registers.len()))
            })
            .collect();
        WaitCondition { any_of }
    }
}
