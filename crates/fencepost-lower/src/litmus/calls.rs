//! The functions of `<stdatomic.h>`.

use fencepost_base::diag::Diagnostic;
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_base::source::Span;
use fencepost_ir::{CasStrength, Expr as IrExpr, LocationKind, Op, RmwFunction, UnaryOp};
use fencepost_syntax::ast::litmus::{Expr, ExprKind, Procedure};
use fencepost_syntax::ast::{BinaryOp, Name};
use fencepost_syntax::messages::suggestion;

use super::addresses::Addresses;
use super::code::{Code, Want, equal};
use super::globals::Globals;
use super::places::Shared;
use super::walk::{each_subexpr, without_casts};

/// The functions, without `_explicit`, and their arguments.
const FUNCTIONS: &[(&str, &str)] = &[
    ("atomic_load", "an address"),
    ("atomic_store", "an address and a value"),
    ("atomic_exchange", "an address and a value"),
    ("atomic_fetch_add", "an address and a value"),
    ("atomic_fetch_sub", "an address and a value"),
    ("atomic_fetch_and", "an address and a value"),
    ("atomic_fetch_or", "an address and a value"),
    ("atomic_fetch_xor", "an address and a value"),
    ("atomic_compare_exchange_strong", "an address, the address of the expected value and a value"),
    ("atomic_compare_exchange_weak", "an address, the address of the expected value and a value"),
    ("atomic_flag_test_and_set", "an address"),
    ("atomic_flag_clear", "an address"),
    ("atomic_thread_fence", "an order"),
    ("lock", "the address of a mutex"),
    ("unlock", "the address of a mutex"),
    ("assert", "a condition"),
];

/// Other names of functions: those of `<threads.h>`, and abbreviations that herd knows.
const ALIASES: &[(&str, &str)] = &[
    ("mtx_lock", "lock"),
    ("mtx_unlock", "unlock"),
    ("SCAS", "atomic_compare_exchange_strong"),
    ("WCAS", "atomic_compare_exchange_weak"),
];

/// An order, as C calls it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Relaxed,
    Consume,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

const ORDERS: &[(&str, Order)] = &[
    ("memory_order_relaxed", Order::Relaxed),
    ("memory_order_consume", Order::Consume),
    ("memory_order_acquire", Order::Acquire),
    ("memory_order_release", Order::Release),
    ("memory_order_acq_rel", Order::AcqRel),
    ("memory_order_seq_cst", Order::SeqCst),
];

/// What `op=` does to an atomic variable.
pub(super) fn rmw_function(op: BinaryOp) -> Option<RmwFunction> {
    Some(match op {
        BinaryOp::Add => RmwFunction::Add,
        BinaryOp::Sub => RmwFunction::Sub,
        BinaryOp::BitAnd => RmwFunction::And,
        BinaryOp::BitOr => RmwFunction::Or,
        BinaryOp::BitXor => RmwFunction::Xor,
        _ => return None,
    })
}

/// Parameters that are the first argument of an atomic operation are atomic, however they are
/// declared. So is everything that such an operation may reach through an address.
pub(super) fn find_atomics(procedure: &Procedure, globals: &mut Globals, addresses: &Addresses) {
    let is_param = |name: &str| procedure.params.iter().any(|param| param.name.text == name);
    each_subexpr(procedure, &mut |expr| {
        let ExprKind::Call(function, args) = &expr.kind else { return };
        let Some(address) = args.first().filter(|_| is_atomic_function(&function.text)) else { return };
        let mut address = without_casts(address);
        while let ExprKind::Binary(BinaryOp::Add, array, _) = &address.kind {
            address = without_casts(array);
        }
        match &address.kind {
            ExprKind::Name(name) if is_param(name) => globals.make_atomic(name, expr.span),
            ExprKind::Address(name) if is_param(&name.text) => globals.make_atomic(&name.text, expr.span),
            _ => addresses.names().for_each(|name| globals.make_atomic(name, expr.span)),
        }
    });
}

/// So many arguments, from the first on, say where an access goes.
pub(super) fn addresses_among(function: &str) -> usize {
    match canonical(function) {
        name if name.starts_with("atomic_compare_exchange") => 2,
        name => usize::from(is_atomic_function(name)),
    }
}

/// Is its first argument the address of an atomic variable? A mutex is one, too.
fn is_atomic_function(name: &str) -> bool {
    let name = canonical(name);
    (name.starts_with("atomic_") && name != "atomic_thread_fence") || matches!(name, "lock" | "unlock")
}

/// Is its result what was at the address?
pub(super) fn returns_content(name: &str) -> bool {
    ["atomic_load", "atomic_exchange", "atomic_fetch_"].iter().any(|prefix| name.starts_with(prefix))
}

fn canonical(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |&(_, function)| function)
}

/// Is there an `assert`?
pub(super) fn has_assertions(procedure: &Procedure) -> bool {
    let mut found = false;
    each_subexpr(procedure, &mut |expr| {
        found |= matches!(&expr.kind, ExprKind::Call(name, _) if name.text == "assert");
    });
    found
}

impl Code<'_, '_> {
    pub(super) fn call(&mut self, name: &Name, args: &[Expr], span: Span, want: Want) -> IrExpr {
        let (base, is_explicit) = match name.text.strip_suffix("_explicit") {
            Some(base) => (base, true),
            None => (canonical(&name.text), false),
        };
        let known = FUNCTIONS.iter().find(|(function, _)| *function == base);
        let has_orders = base.starts_with("atomic_") && base != "atomic_thread_fence";
        let Some((_, takes)) = known.filter(|_| !is_explicit || has_orders) else {
            return self.unknown_function(name);
        };
        let is_swap = base.starts_with("atomic_compare_exchange");
        let values = match base {
            "atomic_load" | "assert" | "lock" | "unlock" | "atomic_flag_test_and_set" | "atomic_flag_clear" => 1,
            "atomic_thread_fence" => 0,
            _ if is_swap => 3,
            _ => 2,
        };
        let orders = match base {
            "atomic_thread_fence" => 1,
            _ => usize::from(is_explicit) * if is_swap { 2 } else { 1 },
        };
        if args.len() != values + orders {
            let and = match orders {
                1 if values > 0 => ", and an order",
                2 => ", and two orders",
                _ => "",
            };
            return self.error(span, format!("`{}` takes {takes}{and}", name.text), "");
        }
        let (values, orders) = args.split_at(values);
        match (base, values) {
            ("assert", [cond]) => {
                let cond = self.value(cond, Want::Value);
                self.emit(Op::Assert { cond });
                IrExpr::Const(0)
            }
            ("atomic_thread_fence", _) => {
                self.fence(&orders[0]);
                IrExpr::Const(0)
            }
            ("lock" | "unlock", [mutex]) => self.mutex(mutex, base == "lock"),
            ("atomic_load", [address]) => self.atomic_load(address, orders.first(), want),
            ("atomic_flag_test_and_set", [address]) => {
                let set = Expr { kind: ExprKind::Int(1), span };
                self.update("atomic_exchange", address, &set, orders.first(), want)
            }
            ("atomic_flag_clear", [address]) => {
                let clear = Expr { kind: ExprKind::Int(0), span };
                self.atomic_store(address, &clear, orders.first())
            }
            ("atomic_store", [address, value]) => self.atomic_store(address, value, orders.first()),
            (_, [address, operand]) => self.update(base, address, operand, orders.first(), want),
            (_, [address, expected, desired]) => {
                let strength = if base.ends_with("weak") { CasStrength::Weak } else { CasStrength::Strong };
                self.compare_exchange([address, expected, desired], orders, strength, want)
            }
            _ => unreachable!("the number of arguments is checked"),
        }
    }

    fn unknown_function(&mut self, name: &Name) -> IrExpr {
        let word = name.text.as_str();
        let known = || suggestion(word, FUNCTIONS.iter().map(|(function, _)| *function));
        let help = match (word, known()) {
            ("atomic_init", _) => "the initial state says how locations begin: `{ x = 1; }`".to_owned(),
            ("atomic_signal_fence", _) => "it orders nothing between threads and can be left out".to_owned(),
            (_, Some(other)) => format!("did you mean `{other}`?"),
            (_, None) => "the functions of <stdatomic.h> that access memory are known".to_owned(),
        };
        self.error(name.span, format!("there is no function `{word}`"), &help)
    }

    /// What an atomic operation accesses.
    fn address(&mut self, address: &Expr) -> Option<Shared> {
        let shared = self.shared(address)?;
        debug_assert!(shared.kinds().all(|kind| kind == LocationKind::Atomic), "the address of an atomic operation");
        Some(shared)
    }

    /// A mutex is 0 while nobody holds it; locking waits for that.
    fn mutex(&mut self, mutex: &Expr, is_lock: bool) -> IrExpr {
        let Some(shared) = self.address(mutex) else { return IrExpr::Const(0) };
        self.access(&shared, |place, _| {
            let (free, held) = (IrExpr::Const(0), IrExpr::Const(1));
            match is_lock {
                true => Op::BlockingCas { place, expected: free, desired: held, order: RmwOrder::Acq },
                false => Op::Store { place, value: free, order: WriteOrder::Rel },
            }
        });
        IrExpr::Const(0)
    }

    fn atomic_load(&mut self, address: &Expr, order: Option<&Expr>, want: Want) -> IrExpr {
        let (shared, order) = (self.address(address), self.read_order(order, "a load"));
        let (Some(shared), Some(order)) = (shared, order) else { return IrExpr::Const(0) };
        let dst = self.destination(want);
        self.access(&shared, |place, _| Op::Load { dst, place, order });
        self.result(dst)
    }

    fn atomic_store(&mut self, address: &Expr, value: &Expr, order: Option<&Expr>) -> IrExpr {
        let shared = self.address(address);
        let value = self.value(value, Want::Value);
        let order = match self.order(order) {
            None => None,
            Some(Order::Relaxed) => Some(WriteOrder::Rlx),
            Some(Order::Release) => Some(WriteOrder::Rel),
            Some(Order::SeqCst) => Some(WriteOrder::Sc),
            Some(_) => self.wrong_order(order, "a store", "relaxed, release or seq_cst"),
        };
        if let (Some(shared), Some(order)) = (shared, order) {
            self.access(&shared, |place, _| Op::Store { place, value: value.clone(), order });
        }
        IrExpr::Const(0)
    }

    fn update(&mut self, base: &str, address: &Expr, operand: &Expr, order: Option<&Expr>, want: Want) -> IrExpr {
        let function = match base {
            "atomic_fetch_add" => RmwFunction::Add,
            "atomic_fetch_sub" => RmwFunction::Sub,
            "atomic_fetch_and" => RmwFunction::And,
            "atomic_fetch_or" => RmwFunction::Or,
            "atomic_fetch_xor" => RmwFunction::Xor,
            _ => RmwFunction::Exchange,
        };
        let shared = self.address(address);
        let operand = self.value(operand, Want::Value);
        let (Some(shared), Some(order)) = (shared, self.rmw_order(order)) else { return IrExpr::Const(0) };
        let dst = self.destination(want);
        self.access(&shared, |place, _| Op::Update { dst, place, function, operand: operand.clone(), order });
        self.result(dst)
    }

    fn compare_exchange(
        &mut self,
        [address, expected, desired]: [&Expr; 3],
        orders: &[Expr],
        strength: CasStrength,
        want: Want,
    ) -> IrExpr {
        let shared = self.address(address);
        let expected = self.read_expected(expected);
        let desired = self.value(desired, Want::Value);
        let success = self.rmw_order(orders.first());
        let failure = self.read_order(orders.get(1), "a compare-and-exchange that fails");
        let (Some(shared), Some((expected, target)), Some(success), Some(failure)) =
            (shared, expected, success, failure)
        else {
            return IrExpr::Const(0);
        };
        let read = self.temporary();
        let swap = |place, strength| Op::Cas {
            dst: Some(read),
            place,
            expected: expected.clone(),
            desired: desired.clone(),
            success,
            failure,
            strength,
        };
        let is_expected = equal(self.number_in(read), expected.clone());
        if want == Want::Nothing {
            self.access(&shared, |place, _| swap(place, strength));
            self.write_expected(target, read, IrExpr::Unary(UnaryOp::Not, Box::new(is_expected)));
            return IrExpr::Const(0);
        }
        let result = match want {
            Want::In(register) => register,
            _ => self.temporary(),
        };
        // What is expected may be in the register that gets the result.
        let succeeded = self.temporary();
        if strength == CasStrength::Strong {
            self.access(&shared, |place, _| swap(place, strength));
            self.emit(Op::Assign { dst: succeeded, value: is_expected });
        } else {
            // What was read does not tell whether it was exchanged.
            let (tries, fails, end) = (self.label(), self.label(), self.label());
            self.emit(Op::Choose { targets: vec![tries, fails] });
            self.place(tries);
            self.access(&shared, |place, _| swap(place, CasStrength::Strong));
            self.emit(Op::Assign { dst: succeeded, value: is_expected });
            self.emit(Op::Jump { target: end });
            self.place(fails);
            self.access(&shared, |place, _| Op::Load { dst: Some(read), place, order: failure });
            self.emit(Op::Assign { dst: succeeded, value: IrExpr::Const(0) });
            self.place(end);
        }
        self.write_expected(target, read, IrExpr::Unary(UnaryOp::Not, Box::new(IrExpr::Reg(succeeded))));
        self.emit(Op::Assign { dst: result, value: IrExpr::Reg(succeeded) });
        self.number_in(result)
    }

    fn fence(&mut self, order: &Expr) {
        let order = match self.order(Some(order)) {
            // It does nothing.
            None | Some(Order::Relaxed) => return,
            Some(Order::Consume | Order::Acquire) => FenceOrder::Acq,
            Some(Order::Release) => FenceOrder::Rel,
            Some(Order::AcqRel) => FenceOrder::AcqRel,
            Some(Order::SeqCst) => FenceOrder::Sc,
        };
        self.emit(Op::Fence { order });
    }

    // Orders.

    /// The order that is written; seq_cst if there is none.
    fn order(&mut self, expr: Option<&Expr>) -> Option<Order> {
        let Some(expr) = expr else { return Some(Order::SeqCst) };
        let word = if let ExprKind::Name(word) = &expr.kind { word.as_str() } else { "" };
        let Some(&(_, order)) = ORDERS.iter().find(|(name, _)| *name == word) else {
            let help = match suggestion(word, ORDERS.iter().map(|(name, _)| *name)) {
                Some(other) => format!("did you mean `{other}`?"),
                None => "orders are memory_order_relaxed, _acquire, _release, _acq_rel and _seq_cst".to_owned(),
            };
            self.error(expr.span, "expected an order", &help);
            return None;
        };
        if order == Order::Consume {
            let problem = Diagnostic::warning(expr.span, "memory_order_consume is taken to be memory_order_acquire");
            self.messages.push(problem);
        }
        Some(order)
    }

    fn wrong_order<T>(&mut self, order: Option<&Expr>, of_what: &str, possible: &str) -> Option<T> {
        let span = order.map_or_else(Span::default, |order| order.span);
        self.error(span, format!("{of_what} cannot have this order"), &format!("it can be {possible}"));
        None
    }

    fn read_order(&mut self, order: Option<&Expr>, of_what: &str) -> Option<ReadOrder> {
        match self.order(order)? {
            Order::Relaxed => Some(ReadOrder::Rlx),
            Order::Consume | Order::Acquire => Some(ReadOrder::Acq),
            Order::SeqCst => Some(ReadOrder::Sc),
            Order::Release | Order::AcqRel => self.wrong_order(order, of_what, "relaxed, acquire or seq_cst"),
        }
    }

    fn rmw_order(&mut self, order: Option<&Expr>) -> Option<RmwOrder> {
        Some(match self.order(order)? {
            Order::Relaxed => RmwOrder::Rlx,
            Order::Consume | Order::Acquire => RmwOrder::Acq,
            Order::Release => RmwOrder::Rel,
            Order::AcqRel => RmwOrder::AcqRel,
            Order::SeqCst => RmwOrder::Sc,
        })
    }
}
