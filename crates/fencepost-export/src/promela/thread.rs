//! Threads as proctypes.

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt::Write as _;

use fencepost_analysis::liveness;
use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_ir::{Expr, Op, Program, Thread};
use fencepost_model::packed::bits_for;
use fencepost_model::{FenceMeaning, Model, PlainKind};

use super::encoding::Encoding;
use super::expr::Scope;
use super::names::{Names, declare};
use super::stmt::{self, Rest, Stmt};
use super::{Options, Unsupported, check_size, rest, shape};
use crate::infix::{any, spell};

/// Instructions times registers up to which it is known which registers are dead.
const LARGEST_ANALYSIS: usize = 1 << 22;
/// What an update writes, when it also remembers what it read.
pub(crate) const WRITTEN: &str = "written";

/// What all threads share.
pub(crate) struct Context<'a> {
    pub(crate) program: &'a Program,
    pub(crate) model: &'a dyn Model,
    pub(crate) names: &'a Names,
    pub(crate) encoding: Option<&'a dyn Encoding>,
    pub(crate) observational: bool,
    /// Is `fence(sc)` a step? It is not if nobody could notice it.
    fence_is_step: bool,
    /// For every thread, the plain accesses that it may be about to make and that could race; empty
    /// unless races are states in which two such accesses are enabled.
    pub(crate) announced: Vec<Vec<(LocId, PlainKind)>>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        program: &'a Program,
        model: &'a dyn Model,
        options: Options,
        names: &'a Names,
        encoding: Option<&'a dyn Encoding>,
    ) -> Self {
        let fences = |thread: &&Thread| thread.code.iter().any(|instr| is_full_fence(model, &instr.op));
        let announced = match encoding {
            Some(encoding) if encoding.races_are_states() => announced(program),
            _ => vec![Vec::new(); program.threads().len()],
        };
        Context {
            program,
            model,
            names,
            encoding,
            observational: options.observational,
            fence_is_step: encoding.is_some() && program.threads().iter().filter(fences).count() > 1,
            announced,
        }
    }

    /// The memory.
    pub(crate) fn declarations(&self) -> Vec<String> {
        let keeps_old = |op: &Op| matches!(op, Op::Update { dst: Some(_), .. } | Op::Cas { dst: Some(_), .. });
        let mut instrs = self.program.threads().iter().flat_map(|thread| &thread.code);
        let written = instrs.any(|instr| keeps_old(&instr.op)).then(|| format!("hidden int {WRITTEN}"));
        let memory = self.program.locations().iter().enumerate();
        let memory =
            memory.filter_map(|(loc, location)| self.names.location(LocId::from_index(loc)).declaration(location.init));
        written.into_iter().chain(memory).collect()
    }

    /// Is the instruction one that a thread rests at?
    fn is_step(&self, op: &Op) -> bool {
        match op {
            Op::Fence { .. } => self.fence_is_step && is_full_fence(self.model, op),
            _ => op.place().is_some(),
        }
    }
}

pub(crate) fn is_full_fence(model: &dyn Model, op: &Op) -> bool {
    matches!(op, Op::Fence { order } if model.fence(*order) == FenceMeaning::HiddenRmw)
}

/// For every thread, its plain accesses that conflict with another thread's.
fn announced(program: &Program) -> Vec<Vec<(LocId, PlainKind)>> {
    let contested = shape::contested(program);
    let of_thread = |thread: &Thread| {
        let mut accesses = Vec::new();
        for (kind, place) in thread.code.iter().filter_map(|instr| shape::plain(&instr.op)) {
            for loc in shape::locations(program, place).filter(|&loc| !contested[loc].is_empty()) {
                let access = (LocId::from_index(loc), kind);
                if !accesses.contains(&access) {
                    accesses.push(access);
                }
            }
        }
        accesses
    };
    program.threads().iter().map(of_thread).collect()
}

/// What is learnt while a thread is written.
struct Tally {
    /// Rests that have to be written too.
    open: Vec<Rest>,
    /// The greatest number of ends of one step.
    most_ends: usize,
}

/// One way for a thread to go on from where it rests.
pub(crate) struct Alternative {
    /// All of these must hold.
    pub(crate) guards: Vec<String>,
    pub(crate) body: Vec<Stmt>,
}

impl Alternative {
    /// Does it always go, do nothing, and lead back to the instruction at `pc`, where it begins?
    fn is_idle_at(&self, pc: u32) -> bool {
        self.guards.is_empty() && matches!(self.body.as_slice(), [Stmt::Rest(Rest::At(end))] if *end == pc)
    }
}

/// Where a thread starts, when its first local computation is done.
pub(crate) struct Start {
    pub(crate) rest: Rest,
    pub(crate) registers: Vec<Value>,
    pub(crate) failed: bool,
}

/// Writes one thread.
pub(crate) struct Writer<'a> {
    pub(crate) context: &'a Context<'a>,
    pub(crate) scope: Scope<'a>,
    pub(crate) thread: &'a Thread,
    pub(crate) t: usize,
    /// For every instruction: does the thread rest before it?
    pub(crate) rests: Vec<bool>,
    /// For every instruction, the registers that are dead before it: they are 0 when the thread
    /// rests there.
    pub(crate) dead: Vec<BTreeSet<RegId>>,
    /// For every register: can it depend on a stale read?
    pub(crate) taintable: Vec<bool>,
    start: Start,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(context: &'a Context<'a>, id: ThreadId) -> Result<Self, Unsupported> {
        let thread = context.program.thread(id);
        if thread.code.len().saturating_mul(thread.registers.len()) > LARGEST_ANALYSIS {
            return Err(Unsupported::new(format!("thread `{}` is too large", thread.name)));
        }
        let mut writer = Writer {
            context,
            scope: Scope { program: context.program, names: context.names, thread: id },
            thread,
            t: id.index(),
            rests: rest::rests(thread, |op| context.is_step(op)),
            dead: liveness::dead_registers(thread).into_iter().map(BTreeSet::from_iter).collect(),
            taintable: if context.observational { taintable(thread) } else { vec![false; thread.registers.len()] },
            start: Start { rest: Rest::End, registers: Vec::new(), failed: false },
        };
        writer.start = writer.first_run();
        Ok(writer)
    }

    /// Global variables: which plain access the thread is about to make.
    pub(crate) fn declarations(&self) -> Vec<String> {
        let announced = self.context.announced[self.t].len();
        if announced == 0 {
            return Vec::new();
        }
        let first = match self.start.rest {
            Rest::At(pc) | Rest::Choosing(pc) => self.first_announcement(pc, &self.start.registers),
            Rest::End => 0,
        };
        vec![declare(&about(self.t), bits_for(announced as u64 + 1), first)]
    }

    /// The proctype.
    pub(crate) fn proctype(&self) -> Result<String, Unsupported> {
        let mut written: BTreeMap<Rest, String> = BTreeMap::new();
        let mut tally = Tally { open: vec![self.start.rest], most_ends: 1 };
        while let Some(rest) = tally.open.pop() {
            let Rest::At(pc) = rest else { continue };
            if let Entry::Vacant(entry) = written.entry(rest) {
                let mut text = format!("{}: /* {} */\n", rest.label(), self.describe(pc));
                self.choice(&mut text, pc, 1, false, &mut tally)?;
                text += ";\n";
                entry.insert(text);
            }
        }
        let mut out = format!("active proctype t{}_{}() {{\n", self.t, spell(&self.thread.name));
        for declaration in self.locals(tally.most_ends) {
            let _ = writeln!(out, "  {declaration};");
        }
        match (self.start.failed, written.is_empty()) {
            (true, _) => out += "  FAIL\n",
            (false, true) => {}
            (false, false) => drop(writeln!(out, "  goto {};", self.start.rest.label())),
        }
        for text in written.values() {
            out += text;
            check_size(&out)?;
        }
        out += "end:\n  false\n}\n";
        Ok(out)
    }

    /// The alternatives before the instruction at `pc`, without a semicolon.
    fn choice(
        &self,
        out: &mut String,
        pc: u32,
        depth: usize,
        atomic: bool,
        tally: &mut Tally,
    ) -> Result<(), Unsupported> {
        let pad = "  ".repeat(depth);
        let mut alternatives = self.alternatives(pc)?;
        // SPIN rejects a step that does nothing and leads back to where it is, and nothing is lost
        // without it.
        alternatives.retain(|alternative| atomic || !alternative.is_idle_at(pc));
        let _ = writeln!(out, "{pad}if");
        if alternatives.is_empty() {
            let _ = writeln!(out, "{pad}:: false");
        }
        for alternative in &alternatives {
            self.alternative(out, alternative, depth, atomic, tally)?;
        }
        let _ = write!(out, "{pad}fi");
        check_size(out)
    }

    /// One of them. It is one step up to the next rest: what does not fit a `d_step` is in one
    /// `atomic` with it.
    fn alternative(
        &self,
        out: &mut String,
        alternative: &Alternative,
        depth: usize,
        atomic: bool,
        tally: &mut Tally,
    ) -> Result<(), Unsupported> {
        let mut ends = Vec::new();
        stmt::rests(&alternative.body, &mut ends);
        tally.most_ends = tally.most_ends.max(ends.len());
        let mut steps = String::new();
        let guard = (!alternative.guards.is_empty()).then(|| Stmt::Line(alternative.guards.join(" && ")));
        stmt::write(&mut steps, guard.as_slice(), &ends, depth + 2);
        stmt::write(&mut steps, &alternative.body, &ends, depth + 2);
        let pad = "  ".repeat(depth);
        let opens = !atomic && !matches!(ends.as_slice(), [Rest::At(_) | Rest::End]);
        let open = if opens { "atomic { " } else { "" };
        match (steps.is_empty(), atomic) {
            (true, true) => drop(writeln!(out, "{pad}::")),
            (true, false) => drop(writeln!(out, "{pad}:: {open}skip;")),
            (false, _) => drop(write!(out, "{pad}:: {open}d_step {{\n{steps}{pad}  }};\n")),
        }
        if let [end] = ends.as_slice() {
            self.end(out, *end, depth + 1, tally)?;
        } else {
            let _ = writeln!(out, "{pad}  if");
            for (number, end) in ends.into_iter().enumerate() {
                let reset = if number == 0 { "" } else { " next = 0;" };
                let _ = writeln!(out, "{pad}  :: next == {number} ->{reset}");
                self.end(out, end, depth + 2, tally)?;
                *out += "\n";
            }
            let _ = write!(out, "{pad}  fi");
        }
        *out += if opens { " }\n" } else { "\n" };
        Ok(())
    }

    /// What follows at the end of a way, without a semicolon.
    fn end(&self, out: &mut String, end: Rest, depth: usize, tally: &mut Tally) -> Result<(), Unsupported> {
        match end {
            Rest::Choosing(pc) => self.choice(out, pc, depth, true, tally),
            Rest::At(_) | Rest::End => {
                tally.open.push(end);
                let _ = write!(out, "{}goto {}", "  ".repeat(depth), end.label());
                Ok(())
            }
        }
    }

    fn locals(&self, most_ends: usize) -> Vec<String> {
        let mut locals = Vec::new();
        for (r, &init) in self.start.registers.iter().enumerate() {
            let reg = RegId::from_index(r);
            locals.extend(self.context.names.register(self.scope.thread, reg).declaration(init));
            locals.extend(self.taintable[r].then(|| declare(&taint(reg), 1, 0)));
        }
        if most_ends > 1 {
            locals.push(declare("next", bits_for(most_ends as u64), 0));
        }
        locals
    }

    /// The registers that may hold something while the thread rests before an instruction.
    pub(crate) fn live(&self, pc: u32) -> BTreeSet<RegId> {
        let dead = &self.dead[pc as usize];
        (0..self.thread.registers.len()).map(RegId::from_index).filter(|reg| !dead.contains(reg)).collect()
    }

    /// When one of the registers that the instruction uses depends on a stale read.
    pub(crate) fn uses_taint(&self, op: &Op) -> Option<String> {
        let mut used = BTreeSet::new();
        op.for_each_expr(&mut |expr: &Expr| expr.for_each_register(&mut |reg| used.extend([reg])));
        let tainted: Vec<String> = used.into_iter().filter(|reg| self.taintable[reg.index()]).map(taint).collect();
        any(tainted)
    }

    fn describe(&self, pc: u32) -> String {
        let op = &self.thread.code[pc as usize].op;
        let verb = match op {
            Op::Load { .. } | Op::PlainLoad { .. } => "load",
            Op::Store { .. } | Op::PlainStore { .. } => "store",
            Op::Update { function, .. } => function.as_str(),
            Op::Cas { .. } => "compare and swap",
            Op::Wait { .. } => "wait",
            Op::BlockingCas { .. } => "blocking compare and swap",
            Op::Fence { .. } => "fence",
            Op::Choose { .. } | Op::Nondet { .. } => "choose",
            _ => "go on",
        };
        let locations = op.place().map(|place| shape::locations(self.context.program, place));
        match locations.map(|locations| &self.context.program.locations()[locations]) {
            Some([location]) => format!("{verb} {}", location.name),
            Some([first, .., last]) => format!("{verb} {}..{}", first.name, last.name),
            _ => verb.into(),
        }
    }
}

/// The variable in which a thread says which plain access it is about to make.
pub(crate) fn about(t: usize) -> String {
    format!("about{t}")
}

/// The variable that says whether a register depends on a stale read.
pub(crate) fn taint(reg: RegId) -> String {
    format!("taint{}", reg.index())
}

/// Which registers can depend on a read that may be stale?
fn taintable(thread: &Thread) -> Vec<bool> {
    let mut taintable = vec![false; thread.registers.len()];
    loop {
        let before = taintable.clone();
        for op in thread.code.iter().map(|instr| &instr.op) {
            let Some(dst) = op.dst() else { continue };
            let mut uses = false;
            op.for_each_expr(&mut |expr| expr.for_each_register(&mut |reg| uses |= taintable[reg.index()]));
            taintable[dst.index()] |= match op {
                Op::Assign { .. } => uses,
                Op::Load { .. } => true,
                Op::Cas { strength, .. } => *strength == fencepost_ir::CasStrength::Weak,
                _ => false,
            };
        }
        if taintable == before {
            return taintable;
        }
    }
}
