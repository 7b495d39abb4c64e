//! Threads as functions: one statement for an instruction, on the line it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use fencepost_base::ids::{Pc, RegId};
use fencepost_base::order::{FenceOrder, Mode, ReadOrder, RmwOrder};
use fencepost_base::source::{SourceFile, Span};
use fencepost_ir::{CasStrength, CmpOp, Expr, Op, Place, Program, RmwFunction, Thread, WaitCondition};

use super::expr::{Scope, bare};
use super::memory::{self, Variable};
use super::names::{Taken, VariableId, variable, variable_of};
use super::quoted;
use super::support::Needs;
use crate::infix::{Infix as _, Unsupported};

/// Largest domain in which the values that a condition admits are counted.
const COUNTABLE: u64 = 1 << 12;

/// Writes one thread.
pub(crate) struct Writer<'a> {
    program: &'a Program,
    source: &'a SourceFile,
    memory: &'a BTreeMap<VariableId, Variable>,
    thread: &'a Thread,
    registers: Vec<String>,
    /// Instructions that can be executed: the end of a loop that never ends cannot.
    reachable: BTreeSet<usize>,
    /// Instructions that are jumped to.
    labels: BTreeSet<usize>,
    pub(crate) needs: Needs,
    out: String,
    /// The number that the compiler gives to the next line, since a directive has set it.
    line: Option<usize>,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(
        program: &'a Program,
        source: &'a SourceFile,
        memory: &'a BTreeMap<VariableId, Variable>,
        thread: &'a Thread,
        mut taken: Taken,
    ) -> Self {
        let registers = thread.registers.iter().map(|register| taken.claim(&register.name)).collect();
        let reachable = memory::reachable(thread, vec![0]);
        let jumps = reachable.iter().flat_map(|&pc| {
            let op = &thread.code[pc].op;
            let jumps = matches!(op, Op::Jump { .. } | Op::Branch { .. } | Op::Choose { .. });
            let successors = if jumps { op.successors(Pc::from_index(pc)) } else { Vec::new() };
            successors.into_iter().map(Pc::index).filter(move |&next| next != pc + 1)
        });
        let labels = jumps.collect();
        let (needs, out) = (Needs::default(), String::new());
        Writer { program, source, memory, thread, registers, reachable, labels, needs, out, line: None }
    }

    /// The function.
    pub(crate) fn function(mut self, name: &str) -> Result<(String, Needs), Unsupported> {
        let first = self.thread.code.first().map_or(0, |instr| instr.origin.span.start);
        let line = self.source.position(first as usize).line;
        let _ = writeln!(self.out, "#line {line} {}", quoted(self.source.name()));
        self.line = Some(line);
        self.plain(&format!("static void *{name}(void) {{"));
        self.declarations();
        for pc in self.reachable.clone() {
            let instr = &self.thread.code[pc];
            let statement = self.statement(pc, &instr.op, instr.origin.span)?;
            self.emit(pc, instr.origin.span, &statement);
        }
        if !self.out.ends_with("return NULL;\n") {
            self.plain("  return NULL;");
        }
        self.plain("}");
        Ok((self.out, self.needs))
    }

    fn plain(&mut self, text: &str) {
        self.out += text;
        self.out += "\n";
        self.line = self.line.map(|line| line + 1);
    }

    fn emit(&mut self, pc: usize, span: Span, statement: &str) {
        let label = if self.labels.contains(&pc) { format!("L{pc}:") } else { String::new() };
        if statement.is_empty() && label.is_empty() {
            return;
        }
        let line = self.source.position(span.start as usize).line;
        if self.line != Some(line) {
            let _ = writeln!(self.out, "#line {line}");
            self.line = Some(line);
        }
        let statement = if statement.is_empty() { ";" } else { statement };
        match label.is_empty() {
            true => self.plain(&format!("  {statement}")),
            false => self.plain(&format!("{label} {statement}")),
        }
    }

    /// Registers are volatile: a load whose value is not used is still a load.
    fn declarations(&mut self) {
        let (mut set, mut read): (BTreeSet<RegId>, BTreeSet<RegId>) = Default::default();
        for op in self.ops() {
            set.extend(op.dst());
            op.for_each_expr(&mut |expr| expr.for_each_register(&mut |reg| read.extend([reg])));
        }
        let kind = match self.program.domain() {
            0..=0x100 => "uint8_t",
            0x101..=0x1_0000 => "uint16_t",
            _ => "int64_t",
        };
        for &reg in set.union(&read) {
            let (name, init) = (&self.registers[reg.index()], self.thread.registers[reg.index()].init);
            let unused = if read.contains(&reg) { String::new() } else { format!(" (void){name};") };
            self.plain(&format!("  volatile {kind} {name} = {init};{unused}"));
        }
        let jumps_back = |&pc: &usize| {
            let op = &self.thread.code[pc].op;
            op.successors(Pc::from_index(pc)).iter().any(|next| next.index() <= pc)
        };
        let polls = |op: &Op| matches!(op, Op::Wait { condition, .. } if self.simple(condition).is_none());
        if self.reachable.iter().any(jumps_back) || self.ops().any(polls) {
            self.plain("  long fp_steps = 0;");
        }
    }

    /// What the thread can do.
    fn ops(&self) -> impl Iterator<Item = &'a Op> {
        self.reachable.iter().map(|&pc| &self.thread.code[pc].op)
    }

    /// The statement, on one line; empty if there is nothing to do.
    fn statement(&mut self, pc: usize, op: &Op, span: Span) -> Result<String, Unsupported> {
        let mut text = String::new();
        if let Some(fails) = self.scope().compute(|scope| scope.fails(op))? {
            self.needs.fails = true;
            let what = format!("division by zero or index out of range: {}", self.source.slice_on_one_line(span));
            let _ = write!(text, "if ({}) FP_FAIL({}); ", bare(&fails), quoted(&what));
        }
        text += &self.effect(pc, op, span)?;
        Ok(text)
    }

    fn effect(&mut self, pc: usize, op: &Op, span: Span) -> Result<String, Unsupported> {
        Ok(match op {
            Op::Assign { dst, value } => format!("{} = {};", self.register(*dst), bare(&self.value(value)?)),
            Op::Nondet { dst, low, high } => {
                self.needs.chooses = true;
                let (low, high) = (self.value(low)?, self.value(high)?);
                format!(
                    "if ({low} > {high}) return NULL; {} = {low} + fp_choose({high} - {low} + 1);",
                    self.register(*dst)
                )
            }
            Op::Jump { target } => self.jump(pc, target.index()),
            Op::Branch { cond, target } => {
                let jump = self.jump(pc, target.index());
                if jump.is_empty() { jump } else { format!("if ({}) {{ {jump} }}", bare(&self.integer(cond)?)) }
            }
            Op::Choose { targets } => self.choose(pc, targets),
            Op::Assume { cond } | Op::Bound { cond } => {
                format!("if (!{}) return NULL;", enclosed(&self.integer(cond)?))
            }
            Op::Assert { cond } => {
                self.needs.fails = true;
                let what = format!("failed: {}", self.source.slice_on_one_line(span));
                format!("if (!{}) FP_FAIL({});", enclosed(&self.integer(cond)?), quoted(&what))
            }
            Op::Verify { value } => format!("(void){};", enclosed(&self.integer(value)?)),
            Op::Load { dst, place, order } => {
                let load = format!("atomic_load_explicit(&{}, {})", self.place(place)?, read(*order));
                self.result(*dst, place, &load)
            }
            Op::Store { place, value, order } => {
                let value = self.kept(place, value)?;
                format!("atomic_store_explicit(&{}, {value}, {});", self.place(place)?, mode((*order).into()))
            }
            Op::Update { dst, place, function, operand, order } => {
                let operand = self.kept(place, operand)?;
                let place_text = self.place(place)?;
                let update =
                    format!("atomic_{}_explicit(&{place_text}, {operand}, {})", name_of(*function), rmw(*order));
                self.result(*dst, place, &update)
            }
            Op::Cas { dst, place, expected, desired, success, failure, strength } => {
                if !allows(*success, *failure) {
                    return Err(Unsupported::new(format!(
                        "a compare-and-swap that fails with order `{failure}` and succeeds with `{success}`: C asks that \
                         failure is no stronger"
                    )));
                }
                let strength = match strength {
                    CasStrength::Strong => "strong",
                    CasStrength::Weak => "weak",
                };
                let cell = self.variable(place).cell;
                let set =
                    dst.map(|dst| format!(" {} = {};", self.register(dst), cell.value("fp_old"))).unwrap_or_default();
                format!(
                    "{{ uint{}_t fp_old = {}; atomic_compare_exchange_{strength}_explicit(&{}, &fp_old, {}, {}, {});{set} }}",
                    cell.bits,
                    self.kept(place, expected)?,
                    self.place(place)?,
                    self.kept(place, desired)?,
                    rmw(*success),
                    read(*failure)
                )
            }
            Op::Wait { dst, place, condition, order } => self.wait(*dst, place, condition, *order)?,
            Op::BlockingCas { place, expected, desired, order } => {
                self.needs.waits = true;
                format!(
                    "fencepost_bcas_{}(&{}, {}, {}, {});",
                    self.variable(place).cell.bits,
                    self.place(place)?,
                    self.kept(place, expected)?,
                    self.kept(place, desired)?,
                    rmw(*order)
                )
            }
            Op::PlainLoad { dst, place } => format!("{} = {};", self.register(*dst), self.place(place)?),
            Op::PlainStore { place, value } => format!("{} = {};", self.place(place)?, bare(&self.value(value)?)),
            Op::Fence { order } => format!("atomic_thread_fence({});", fence(*order)),
            // It orders stores in models with store buffers; C has nothing like it.
            Op::LightFence { .. } => String::new(),
            Op::Enter | Op::Leave => return Err(Unsupported::new("an atomic section: C has none")),
            Op::Halt => "return NULL;".into(),
        })
    }

    /// Goes on at `target`.
    fn jump(&mut self, pc: usize, target: usize) -> String {
        if target == pc + 1 {
            return String::new();
        }
        if target > pc {
            return format!("goto L{target};");
        }
        self.needs.loops = true;
        format!("fp_again(&fp_steps); goto L{target};")
    }

    fn choose(&mut self, pc: usize, targets: &[Pc]) -> String {
        self.needs.chooses = true;
        let mut text = format!("switch (fp_choose({})) {{ ", targets.len());
        for (number, target) in targets.iter().enumerate() {
            let case = if number + 1 == targets.len() { "default".into() } else { format!("case {number}") };
            let jump = self.jump(pc, target.index());
            let _ = write!(text, "{case}: {} ", if jump.is_empty() { "break;" } else { &jump });
        }
        text + "}"
    }

    fn wait(
        &mut self,
        dst: Option<RegId>,
        place: &Place,
        condition: &WaitCondition,
        order: ReadOrder,
    ) -> Result<String, Unsupported> {
        let (bits, order) = (self.variable(place).cell.bits, read(order));
        let target = self.place(place)?;
        match self.simple(condition) {
            Some((CmpOp::Eq, value)) => {
                self.needs.waits = true;
                let kept = self.kept(place, &value)?;
                let set = match dst {
                    Some(dst) => format!(" {} = {};", self.register(dst), bare(&self.value(&value)?)),
                    None => String::new(),
                };
                Ok(format!("fencepost_wait_{bits}(&{target}, {kept}, {order});{set}"))
            }
            Some((_, value)) => {
                self.needs.waits = true;
                let kept = self.kept(place, &value)?;
                Ok(self.result(dst, place, &format!("fencepost_wait_ne_{bits}(&{target}, {kept}, {order})")))
            }
            None => {
                self.needs.loops = true;
                let load = self.variable(place).cell.value(&format!("atomic_load_explicit(&{target}, {order})"));
                let comparison = |(cmp, right): &(CmpOp, Expr)| {
                    Ok(format!("fp_seen {} {}", cmp.symbol().as_str(), self.integer(right)?))
                };
                let comparisons = condition.any_of.iter().map(comparison).collect::<Result<Vec<_>, Unsupported>>()?;
                let set = dst.map(|dst| format!("{} = fp_seen; ", self.register(dst))).unwrap_or_default();
                Ok(format!(
                    "for (;;) {{ const int64_t fp_seen = {load}; if ({}) {{ {set}break; }} fp_again(&fp_steps); }}",
                    comparisons.join(" || ")
                ))
            }
        }
    }

    /// The one value that is waited for, or the one that is not, if the condition is of that kind:
    /// others are unknown to `fencepost.h`.
    fn simple(&self, condition: &WaitCondition) -> Option<(CmpOp, Expr)> {
        let domain = self.program.domain();
        if let [(cmp @ (CmpOp::Eq | CmpOp::Ne), right)] = condition.any_of.as_slice() {
            let term = self.scope().compute(|scope| scope.integer(right)).ok()?;
            return (term.low >= 0 && term.high < domain as i64).then(|| (*cmp, right.clone()));
        }
        let known = |(cmp, right): &(CmpOp, Expr)| Some((*cmp, right.as_constant(domain)?));
        let known: Vec<(CmpOp, i64)> = condition.any_of.iter().map(known).collect::<Option<_>>()?;
        if domain > COUNTABLE {
            return None;
        }
        let admitted = |value: &i64| known.iter().any(|&(cmp, right)| cmp.holds(*value, right));
        let (yes, no): (Vec<i64>, Vec<i64>) = (0..domain as i64).partition(admitted);
        match (yes.as_slice(), no.as_slice()) {
            ([value], _) => Some((CmpOp::Eq, Expr::Const(*value))),
            (_, [value]) => Some((CmpOp::Ne, Expr::Const(*value))),
            _ => None,
        }
    }

    /// `dst = access`
    fn result(&self, dst: Option<RegId>, place: &Place, access: &str) -> String {
        match dst {
            Some(dst) => format!("{} = {};", self.register(dst), self.variable(place).cell.value(access)),
            None => format!("(void){access};"),
        }
    }

    fn scope(&self) -> Scope<'_> {
        Scope { program: self.program, registers: &self.registers, wide: false }
    }

    fn register(&self, reg: RegId) -> &str {
        &self.registers[reg.index()]
    }

    fn variable(&self, place: &Place) -> &'a Variable {
        &self.memory[&variable_of(self.program, place)]
    }

    fn place(&self, place: &Place) -> Result<String, Unsupported> {
        let index = match place {
            Place::Fixed(loc) => variable(self.program, *loc).1.map(|index| index.to_string()),
            Place::Element { index, .. } => Some(bare(&self.integer(index)?).to_string()),
        };
        Ok(memory::element(self.variable(place), index.as_deref()))
    }

    fn integer(&self, expr: &Expr) -> Result<String, Unsupported> {
        Ok(self.scope().compute(|scope| scope.integer(expr))?.text)
    }

    fn value(&self, expr: &Expr) -> Result<String, Unsupported> {
        Ok(self.scope().compute(|scope| scope.value(expr))?.text)
    }

    /// What memory holds when it holds the value of an expression.
    fn kept(&self, place: &Place, expr: &Expr) -> Result<String, Unsupported> {
        let value = self.value(expr)?;
        let cell = self.variable(place).cell;
        Ok(if cell.shift == 0 { bare(&value).into() } else { cell.keep(&value) })
    }
}

/// A text with parentheses around the whole.
fn enclosed(text: &str) -> String {
    if bare(text) == text { format!("({text})") } else { text.into() }
}

fn name_of(function: RmwFunction) -> &'static str {
    match function {
        RmwFunction::Add => "fetch_add",
        RmwFunction::Sub => "fetch_sub",
        RmwFunction::And => "fetch_and",
        RmwFunction::Or => "fetch_or",
        RmwFunction::Xor => "fetch_xor",
        RmwFunction::Exchange => "exchange",
    }
}

/// Does C allow a compare-and-swap with these orders?
fn allows(success: RmwOrder, failure: ReadOrder) -> bool {
    match failure {
        ReadOrder::Rlx => true,
        ReadOrder::Acq => success != RmwOrder::Rlx,
        ReadOrder::Sc => success == RmwOrder::Sc,
    }
}

fn read(order: ReadOrder) -> &'static str {
    mode(order.into())
}

fn rmw(order: RmwOrder) -> &'static str {
    mode(order.into())
}

fn fence(order: FenceOrder) -> &'static str {
    mode(order.into())
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Na | Mode::Rlx => "memory_order_relaxed",
        Mode::Acq => "memory_order_acquire",
        Mode::Rel => "memory_order_release",
        Mode::AcqRel => "memory_order_acq_rel",
        Mode::Sc | Mode::Full => "memory_order_seq_cst",
    }
}
