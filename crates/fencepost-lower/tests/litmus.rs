//! What C litmus tests mean.

mod common;

use common::program;
use fencepost_base::ids::{LocId, RegId, ThreadId};
use fencepost_base::order::{ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{Expr, Formula, LocationKind, Observable, Op, Place, Program, Quantifier, RmwFunction};
use fencepost_lower::Language;

/// A test with one thread and three shared variables; `d` is not atomic.
fn test(body: &str) -> Program {
    program(Language::Litmus, &format!("C t\n{{ x = 1; }}\nP0 (atomic_int* x, int* d, int* y) {{ {body} }}\n"))
}

fn ops(body: &str) -> Vec<Op> {
    test(body).threads()[0].code.iter().map(|instr| instr.op.clone()).collect()
}

fn at(loc: u32) -> Place {
    Place::Fixed(LocId(loc))
}

const R: RegId = RegId(0);

#[test]
fn accesses_have_the_orders_of_c() {
    let load = |order| Op::Load { dst: Some(R), place: at(0), order };
    assert_eq!(ops("int r = atomic_load_explicit(x, memory_order_relaxed);")[0], load(ReadOrder::Rlx));
    assert_eq!(ops("int r = atomic_load(x);")[0], load(ReadOrder::Sc));
    assert_eq!(ops("int r; r = *x;")[0], load(ReadOrder::Sc), "an atomic variable by its name");
    assert_eq!(ops("int r = *d;")[0], Op::PlainLoad { dst: R, place: at(1) });
    let store = Op::Store { place: at(0), value: Expr::Const(1), order: WriteOrder::Sc };
    assert_eq!(ops("*x = 1;")[0], store);
    let add = |dst| Op::Update {
        dst,
        place: at(0),
        function: RmwFunction::Add,
        operand: Expr::Const(2),
        order: RmwOrder::Sc,
    };
    assert_eq!(ops("*x += 2;")[0], add(None), "one step");
    assert_eq!(ops("int r = atomic_fetch_add(x, 2);")[0], add(Some(R)));
    assert_eq!(ops("*d += 2;").len(), 3, "two accesses and the end");
}

#[test]
fn an_operation_makes_a_variable_atomic() {
    let kinds = |body: &str| test(body).locations().iter().map(|location| location.kind).collect::<Vec<_>>();
    use LocationKind::{Atomic, NonAtomic};
    assert_eq!(kinds(""), [Atomic, NonAtomic, NonAtomic]);
    assert_eq!(kinds("atomic_store(y, 1);"), [Atomic, NonAtomic, Atomic]);
}

#[test]
fn an_atomic_variable_may_be_accessed_plainly() {
    let text = "C t\n{}\nP0 (int* y) { atomic_store(y, 1); int r = *y; *y = 2; }\nP1 (atomic_int* y) { *y = 3; }\n";
    let mixed = program(Language::Litmus, text);
    let ops =
        |thread: u32| mixed.thread(ThreadId(thread)).code.iter().map(|instr| instr.op.clone()).collect::<Vec<_>>();
    assert_eq!(mixed.locations()[0].kind, LocationKind::Atomic);
    assert_eq!(
        ops(0)[1..3],
        [Op::PlainLoad { dst: R, place: at(0) }, Op::PlainStore { place: at(0), value: Expr::Const(2) },]
    );
    assert_eq!(ops(1)[0], Op::Store { place: at(0), value: Expr::Const(3), order: WriteOrder::Sc });
    assert!(mixed.has_mixed_accesses());
    assert!(!test("*d = 1; *x = 1;").has_mixed_accesses());
}

#[test]
fn a_mutex_is_a_variable() {
    let text = "C t\n{}\nP0 (mtx_t* m) { mtx_lock(m); unlock(m); }\n";
    let program = program(Language::Litmus, text);
    let ops: Vec<Op> = program.thread(ThreadId(0)).code.iter().map(|instr| instr.op.clone()).collect();
    let (free, held) = (Expr::Const(0), Expr::Const(1));
    let lock = Op::BlockingCas { place: at(0), expected: free.clone(), desired: held, order: RmwOrder::Acq };
    assert_eq!(ops[..2], [lock, Op::Store { place: at(0), value: free, order: WriteOrder::Rel }]);
}

#[test]
fn what_herd_reads_besides() {
    let of = |text: &str| program(Language::Litmus, text);
    let long = of("C t\n{}\nP0 (atomic_int* x, int* e) { int r = atomic_compare_exchange_strong(x, e, 1); }\n");
    let short = of("C t\n{}\nP0 (atomic_int* x, int* e) { int r = SCAS(x, e, 1); }\n");
    let code =
        |program: &Program| program.thread(ThreadId(0)).code.iter().map(|instr| instr.op.clone()).collect::<Vec<_>>();
    assert_eq!(code(&long), code(&short));
    let typed = of("C t\n{ int x = ATOMIC_INIT(3); }\nvoid P0 (atomic<int>* x) { }\nvoid* P1 (__int128* z) { }\n");
    assert_eq!((typed.locations()[0].init, typed.locations()[0].kind), (3, LocationKind::Atomic));
    let asks = |condition: &str| {
        let program = of(&format!("C t\n{{}}\nP0 (atomic_int* x, atomic_int* y) {{ }}\n{condition}\n"));
        let condition = program.condition().map(|condition| condition.text(&program));
        condition.expect("a condition")
    };
    assert_eq!(asks("(x=1)"), "exists ([x]=1)");
    assert_eq!(asks("final x=1"), "exists ([x]=1)");
    assert_eq!(asks("regions: x:PROP, y:PROP\n~exists x=1"), "~exists ([x]=1)");
    assert_eq!(asks("forall x=1 /\\ y=1;"), "forall ([x]=1 /\\ [y]=1)");
    assert_eq!(asks(""), "forall (true)");
    // `=>` binds tighter than the other two connectives, less than negation, and to the right.
    let same = |text: &str, other: &str| assert_eq!(asks(text), asks(other), "{text}");
    same("exists (x=1 /\\ y=1 => x=0 \\/ y=0)", "exists ((x=1 /\\ (y=1 => x=0)) \\/ y=0)");
    same("exists (~x=1 => y=1 => x=0)", "exists ((~(x=1)) => (y=1 => x=0))");
    assert_ne!(asks("exists ((x=1 => y=1) => x=0)"), asks("exists (x=1 => y=1 => x=0)"));
    let asserting = of("C t\n{}\nP0 (atomic_int* x) { assert(*x == 0); }\n");
    assert!(asserting.condition().is_none(), "there is something to verify already");
}

#[test]
fn every_constant_has_a_value() {
    assert_eq!(test("int r = 6;").domain(), 7);
    assert_eq!(test("int r = 6; r = r + 1;").domain(), 8 * 256);
    let negative = test("int r = -3;");
    assert_eq!(negative.domain(), 8);
    let of = |text: &str| program(Language::Litmus, text);
    let asked = of("C t\n{ x = -1; }\nP0 (atomic_int* x) { int r = *x < 0; }\nexists (x=-1 /\\ 0:r!=0)\n");
    let condition = asked.condition().expect("a condition");
    assert_eq!(asked.locations()[0].init, asked.domain() - 1);
    assert_eq!(condition.number(&asked, asked.domain() - 1), -1);
    assert_eq!(condition.text(&asked), "exists ([x]=-1 /\\ not (0:r=0))");
}

#[test]
fn what_is_right_of_and_is_not_always_accessed() {
    let loads = |body: &str| ops(body).iter().filter(|op| matches!(op, Op::Load { .. })).count();
    assert_eq!(loads("int r = *x == 1 && *x == 2;"), 2);
    let jumps = ops("int r = *x == 1 && *x == 2;").iter().filter(|op| matches!(op, Op::Branch { .. })).count();
    assert_eq!(jumps, 1);
    assert!(test("if (*x) { *d = 1; } else if (*d) *d = 2;").is_loop_free());
    assert!(!test("while (*x == 0) { }").is_loop_free());
    assert!(!test("do { if (*x) break; } while (1);").is_loop_free());
}

#[test]
fn conditions_are_resolved() {
    let text = "C n\n{ }\nP0 (atomic_int* x) { int a = 1; }\nP1 (atomic_int* x) { int b = *x; }\n\
                locations [0:a;]\nfilter (true)\n~exists (1:b=1 \\/ x=2)\n";
    let program = program(Language::Litmus, text);
    let condition = program.condition().expect("a condition");
    let (a, b) = (Observable::Register(ThreadId(0), R), Observable::Register(ThreadId(1), R));
    let x = Observable::Location(LocId(0));
    assert_eq!(program.name(), Some("n"));
    assert_eq!(condition.quantifier, Quantifier::NotExists);
    assert_eq!(condition.observed(), [a, b, x]);
    let or = Formula::Or(Box::new(Formula::Equals(b, 1)), Box::new(Formula::Equals(x, 2)));
    assert_eq!(condition.formula, or);
    assert!(or.holds(&|what| u32::from(what == b)) && !or.holds(&|_| 0));
}
