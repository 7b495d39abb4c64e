//! One automaton to code.

use fencepost_base::diag::Diagnostic;
use fencepost_base::effort::Effort;
use fencepost_base::ids::Pc;
use fencepost_base::order::{FenceOrder, ReadOrder, WriteOrder};
use fencepost_base::source::Span;
use fencepost_ir::{BinaryOp, CmpOp, Expr, Instr, Op, Origin, Place};
use fencepost_syntax::messages::Messages;

use super::memory::Memory;
use super::values::{Range, Set, Values};
use super::{Act, Edge, Machine, binary};

/// A control state, with the lock or without: twice the state, and one more if the lock is held.
type Node = usize;

/// What is still to be emitted.
enum Todo<'a> {
    /// A node, unless it is there already.
    Node(Node),
    /// What has this label: a transition to a node.
    Arm(usize, &'a Edge, Node),
}

pub(super) struct Code<'a> {
    machine: &'a Machine<'a>,
    thread: usize,
    values: &'a Values,
    range: Range,
    memory: &'a Memory,
    /// Can the thread come from a node to a place outside of sections?
    can_leave: Vec<bool>,
    code: Vec<Instr>,
    /// Where a label is. The first labels are nodes; jumps go to labels until all is done.
    labels: Vec<Option<usize>>,
}

impl<'a> Code<'a> {
    pub(super) fn new(
        machine: &'a Machine<'a>,
        thread: usize,
        values: &'a Values,
        range: Range,
        memory: &'a Memory,
    ) -> Self {
        let mut code = Code {
            machine,
            thread,
            values,
            range,
            memory,
            can_leave: Vec::new(),
            code: Vec::new(),
            labels: vec![None; 2 * machine.states],
        };
        code.can_leave = code.leavable();
        code
    }

    /// The node a transition leads to; nothing if it can never be taken.
    fn target(&self, edge: &Edge, held: bool) -> Option<Node> {
        let held = match edge.act {
            Act::Lock if held => return None,
            Act::Unlock if !held => return None,
            Act::Lock => true,
            Act::Unlock => false,
            _ => held,
        };
        let possible =
            self.values.is_reachable(self.thread, edge.from) && self.values.is_reachable(self.thread, edge.to);
        possible.then_some(2 * edge.to + usize::from(held))
    }

    /// From which nodes can a section be ended?
    fn leavable(&self) -> Vec<bool> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.machine.states];
        let mut leavable: Vec<bool> = (0..2 * self.machine.states).map(|node| node % 2 == 0).collect();
        let mut open = Vec::new();
        for edge in &self.machine.edges {
            match self.target(edge, true) {
                Some(target) if target % 2 == 1 => before[edge.to].push(edge.from),
                Some(_) if !leavable[2 * edge.from + 1] => {
                    leavable[2 * edge.from + 1] = true;
                    open.push(edge.from);
                }
                _ => {}
            }
        }
        while let Some(state) = open.pop() {
            for &from in &before[state] {
                if !std::mem::replace(&mut leavable[2 * from + 1], true) {
                    open.push(from);
                }
            }
        }
        leavable
    }

    /// The transitions that can be taken at a node, with where they lead.
    fn ways(&self, node: Node) -> Vec<(&'a Edge, Node)> {
        let machine = self.machine;
        let edges = machine.leaving[node / 2].iter().map(|&edge| &machine.edges[edge]);
        edges
            .filter_map(|edge| Some((edge, self.target(edge, node % 2 == 1)?)))
            .filter(|&(_, target)| self.can_leave[target])
            .collect()
    }

    /// The instructions; some of them, if the effort is exhausted.
    pub(super) fn emit(mut self, messages: &mut Messages, effort: &Effort<'_>) -> Vec<Instr> {
        self.warn_of_endless_sections(messages);
        let mut open = vec![Todo::Node(2 * self.machine.initial)];
        while let Some(todo) = open.pop() {
            let mut next = match todo {
                Todo::Node(node) => Some(node),
                Todo::Arm(label, edge, target) => {
                    self.labels[label] = Some(self.code.len());
                    self.act(edge, messages);
                    self.go(edge, target)
                }
            };
            while let Some(node) = next.filter(|&node| self.labels[node].is_none() && effort.step(size_of::<Instr>())) {
                next = self.node(node, &mut open, messages);
            }
        }
        let place = |label: &mut Pc| {
            if let Some(pc) = self.labels[label.index()] {
                *label = Pc::from_index(pc);
            }
        };
        for instr in &mut self.code {
            match &mut instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => place(target),
                Op::Choose { targets } => targets.iter_mut().for_each(place),
                _ => {}
            }
        }
        self.code
    }

    fn warn_of_endless_sections(&self, messages: &mut Messages) {
        for edge in self.machine.edges.iter().filter(|edge| matches!(edge.act, Act::Lock)) {
            if self.target(edge, false).is_some_and(|target| !self.can_leave[target]) {
                let problem = Diagnostic::warning(edge.span, "no `unlock` can be reached after this `lock`");
                messages.push(problem.label("the thread waits here for ever"));
            }
        }
    }

    fn push(&mut self, op: Op, span: Span) {
        self.code.push(Instr { op, origin: Origin { span, called_from: None } });
    }

    /// Emits what happens at a node. Returns the node to come next in the code; what else has to be
    /// there is put into `open`.
    fn node(&mut self, node: Node, open: &mut Vec<Todo<'a>>, messages: &mut Messages) -> Option<Node> {
        self.labels[node] = Some(self.code.len());
        let ways = self.ways(node);
        let Some((&(last, after), others)) = ways.split_last() else {
            // Nothing can be done: outside of sections, since a section that cannot be ended is not
            // entered.
            self.push(Op::Halt, self.machine.name.span);
            return None;
        };
        let conds: Option<Vec<&Expr>> = ways
            .iter()
            .map(|(edge, _)| match &edge.act {
                Act::Check(cond) => Some(cond),
                _ => None,
            })
            .collect();
        let (exclusive, exhaustive) = match conds {
            Some(conds) if !others.is_empty() => self.values.exclusive(self.thread, node / 2, &conds),
            _ => (false, false),
        };
        if exclusive {
            for &(edge, target) in others {
                if let Act::Check(cond) = &edge.act {
                    let cond = self.integer(cond, edge, messages);
                    self.push(Op::Branch { cond, target: Pc::from_index(target) }, edge.span);
                    open.push(Todo::Node(target));
                }
            }
        } else if !others.is_empty() {
            self.choice(&ways, open);
            return None;
        }
        if !(exclusive && exhaustive) {
            self.act(last, messages);
        }
        self.go(last, after)
    }

    /// Emits a choice between transitions.
    fn choice(&mut self, ways: &[(&'a Edge, Node)], open: &mut Vec<Todo<'a>>) {
        let mut targets = Vec::with_capacity(ways.len());
        let first = open.len();
        for &(edge, target) in ways {
            if matches!(edge.act, Act::Noop) {
                targets.push(Pc::from_index(target));
                open.push(Todo::Node(target));
            } else {
                targets.push(Pc::from_index(self.labels.len()));
                open.push(Todo::Arm(self.labels.len(), edge, target));
                self.labels.push(None);
            }
        }
        open[first..].reverse();
        self.push(Op::Choose { targets }, ways[0].0.span);
    }

    /// Goes to `target` after a transition: by a jump if its code is there already, otherwise it is
    /// to come next.
    fn go(&mut self, edge: &Edge, target: Node) -> Option<Node> {
        if self.labels[target].is_none() {
            return Some(target);
        }
        self.push(Op::Jump { target: Pc::from_index(target) }, edge.span);
        None
    }

    /// Emits what a transition does.
    fn act(&mut self, edge: &Edge, messages: &mut Messages) {
        match &edge.act {
            Act::Read { dst, address } => {
                if let Some(place) = self.place(address, edge, messages) {
                    self.push(Op::Load { dst: Some(*dst), place, order: ReadOrder::Rlx }, edge.span);
                }
            }
            Act::Write { value, address } => {
                let value = self.value(value, edge, messages);
                if let Some(place) = self.place(address, edge, messages) {
                    self.push(Op::Store { place, value, order: WriteOrder::Rlx }, edge.span);
                }
            }
            Act::Local { dst, value } => {
                let value = self.value(value, edge, messages);
                self.push(Op::Assign { dst: *dst, value }, edge.span);
            }
            Act::Check(cond) => {
                let cond = self.integer(cond, edge, messages);
                self.push(Op::Assume { cond }, edge.span);
            }
            Act::Fence => self.push(Op::Fence { order: FenceOrder::Sc }, edge.span),
            Act::Lock => self.push(Op::Enter, edge.span),
            Act::Unlock => self.push(Op::Leave, edge.span),
            Act::Noop => {}
        }
    }

    /// The place at an address; emits what must be true of the address.
    fn place(&mut self, address: &Expr, edge: &Edge, messages: &mut Messages) -> Option<Place> {
        let possible = self.values.integers(self.thread, edge.from, address);
        let address = self.integer(address, edge, messages);
        let (place, cond) = self.memory.place(&address, &possible)?;
        if let Some(cond) = cond {
            self.push(Op::Bound { cond }, edge.span);
        }
        Some(place)
    }

    /// An expression that becomes a value; emits what must be true for it to be one.
    fn value(&mut self, expr: &Expr, edge: &Edge, messages: &mut Messages) -> Expr {
        let Range { low, high } = self.range;
        let value = self.integer(expr, edge, messages);
        let (least, greatest) = match self.values.integers(self.thread, edge.from, expr) {
            Set::Of(set) => (set.first().copied().unwrap_or(low), set.last().copied().unwrap_or(high)),
            Set::Any => self.interval(expr, edge.from).unwrap_or((low, high)),
        };
        let above = (least < low).then(|| compare(CmpOp::Ge, &value, low));
        let below = (greatest > high).then(|| compare(CmpOp::Le, &value, high));
        let cond = above.into_iter().chain(below).reduce(|left, right| binary(BinaryOp::And, left, right));
        if let Some(cond) = cond {
            self.push(Op::Bound { cond }, edge.span);
        }
        value
    }

    /// An expression over what registers hold. A negative integer is held as the value it is
    /// reduced to.
    fn integer(&self, expr: &Expr, edge: &Edge, messages: &mut Messages) -> Expr {
        if self.interval(expr, edge.from).is_none() {
            let problem = Diagnostic::error(edge.span, "an intermediate result can have more than 64 bits");
            messages.push(problem.help("compute it in several steps, with `local`"));
        }
        self.read(expr, edge.from)
    }

    fn read(&self, expr: &Expr, state: usize) -> Expr {
        match expr {
            Expr::Reg(register) if self.values.can_be_negative(self.thread, state, *register) => {
                let negative = compare(CmpOp::Gt, expr, self.range.high);
                let domain = Expr::Const(self.range.domain() as i64);
                binary(BinaryOp::Sub, expr.clone(), binary(BinaryOp::Mul, negative, domain))
            }
            Expr::Const(_) | Expr::Reg(_) => expr.clone(),
            Expr::Unary(op, operand) => Expr::Unary(*op, Box::new(self.read(operand, state))),
            Expr::Binary(op, left, right) => binary(*op, self.read(left, state), self.read(right, state)),
            Expr::Wrap(operand) => Expr::Wrap(Box::new(self.read(operand, state))),
        }
    }

    /// Bounds of an expression in a state; nothing if a part of it may not fit into 64 bits.
    fn interval(&self, expr: &Expr, state: usize) -> Option<(i64, i64)> {
        expr.interval(&|register| match self.values.integers(self.thread, state, &Expr::Reg(register)) {
            Set::Of(set) => Some((*set.first()?, *set.last()?)),
            Set::Any => Some((self.range.low, self.range.high)),
        })
    }
}

fn compare(cmp: CmpOp, expr: &Expr, bound: i64) -> Expr {
    binary(BinaryOp::Cmp(cmp), expr.clone(), Expr::Const(bound))
}
