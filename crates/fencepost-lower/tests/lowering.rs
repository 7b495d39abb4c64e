//! What constructs mean, as instructions.

use crate::common::program;
use fencepost_base::ids::{LocId, Pc, RegId};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{BinaryOp, CmpOp, Expr, Op, Place};
use fencepost_lower::{Language, load};

/// The instructions of the first thread, its final halt left out.
fn ops(language: Language, text: &str) -> Vec<Op> {
    let program = program(language, text);
    let mut ops: Vec<Op> = program.threads()[0].code.iter().map(|instr| instr.op.clone()).collect();
    assert_eq!(ops.pop(), Some(Op::Halt));
    ops
}

fn fp(body: &str) -> Vec<Op> {
    let head = "domain 4; const N = 2; global x, y, a[3]; nonatomic d;";
    ops(Language::Fp, &format!("{head} thread t {{ local r, s; {body} }}"))
}

fn tpl(body: &str) -> Vec<Op> {
    ops(Language::Tpl, &format!("max_value 3; global x, y; na d; fn t {{ local r, s; {body} }}"))
}

const R: RegId = RegId(0);
const X: Place = Place::Fixed(LocId(0));

fn reg() -> Box<Expr> {
    Box::new(Expr::Reg(R))
}

fn number(value: i64) -> Box<Expr> {
    Box::new(Expr::Const(value))
}

fn cmp(op: CmpOp, value: i64) -> Expr {
    Expr::Binary(BinaryOp::Cmp(op), reg(), number(value))
}

fn assign(value: Expr) -> Op {
    Op::Assign { dst: R, value }
}

fn set(value: i64) -> Op {
    assign(Expr::Const(value))
}

#[test]
fn arithmetic_wraps_in_fp_only() {
    let sum = Expr::Binary(BinaryOp::Add, reg(), number(1));
    assert_eq!(fp("r = r + 1;"), [assign(Expr::Wrap(Box::new(sum.clone())))]);
    assert_eq!(fp("r = int(r + 1);"), [assign(sum.clone())]);
    assert_eq!(tpl("r = r + 1;"), [assign(sum)]);
    assert_eq!(fp("r = r % N;"), [assign(Expr::Binary(BinaryOp::Rem, reg(), number(2)))]);
    assert_eq!(fp("r = r < 4;"), [assign(cmp(CmpOp::Lt, 4))]);
    assert_eq!(tpl("r = -1;"), [set(-1)]);
}

#[test]
fn precedence_is_that_of_c() {
    let inner = Expr::Binary(BinaryOp::Cmp(CmpOp::Eq), number(1), number(1));
    let outer = Expr::Binary(BinaryOp::BitAnd, reg(), Box::new(inner));
    assert_eq!(tpl("assert(r & 1 == 1);"), [Op::Assert { cond: outer }]);
}

#[test]
fn left_out_orders_have_their_defaults() {
    let ops_of = |ops: Vec<Op>| format!("{ops:?}");
    assert_eq!(
        fp("r = x.load(); x.store(1); x.fadd(1); x.bcas(0, 1); wait(x == 1);"),
        fp("r = x.load(acq); x.store(1, rel); x.fadd(1, acqrel); x.bcas(0, 1, acqrel); wait(x == 1, acq);")
    );
    let relaxed = ops_of(tpl("r = x.load(); x.store(1); r = FADD(x, 1); BCAS(x, 0, 1); wait(x, 1);"));
    assert_eq!(relaxed.matches("order: Rlx").count(), 5, "{relaxed}");
}

#[test]
fn failure_orders_follow_success_orders() {
    let pair = |text: &str| match fp(&format!("x.cas(0, 1, {text});")).pop() {
        Some(Op::Cas { success, failure, .. }) => (success, failure),
        other => panic!("{other:?}"),
    };
    assert_eq!(pair("acqrel"), (RmwOrder::AcqRel, ReadOrder::Acq));
    assert_eq!(pair("rel"), (RmwOrder::Rel, ReadOrder::Rlx));
    assert_eq!(pair("acq"), (RmwOrder::Acq, ReadOrder::Acq));
    assert_eq!(pair("rlx"), (RmwOrder::Rlx, ReadOrder::Rlx));
    assert_eq!(pair("sc"), (RmwOrder::Sc, ReadOrder::Sc));
    assert_eq!(pair("rel, sc"), (RmwOrder::Rel, ReadOrder::Sc));
}

#[test]
fn tpl_orders_are_halves() {
    let order = |text: &str| match tpl(&format!("r = CAS(x, 0, 1, {text});")).pop() {
        Some(Op::Cas { success, failure, .. }) => (success, failure),
        other => panic!("{other:?}"),
    };
    assert_eq!(order("rlx, rel"), (RmwOrder::Rel, ReadOrder::Rlx));
    assert_eq!(order("acq, rlx"), (RmwOrder::Acq, ReadOrder::Acq));
    assert_eq!(order("acq, rel"), (RmwOrder::AcqRel, ReadOrder::Acq));
    let locks = tpl("lock(x); unlock(x);");
    assert!(matches!(locks[0], Op::BlockingCas { order: RmwOrder::Acq, .. }));
    assert!(matches!(locks[1], Op::Store { order: WriteOrder::Rel, .. }));
    let fences = tpl("fence; fence(seq_cst); fence(upd); fence(acq_rel);");
    let orders: Vec<_> = fences.iter().map(|op| if let Op::Fence { order } = op { *order } else { panic!() }).collect();
    assert_eq!(orders, [FenceOrder::Sc, FenceOrder::Sc, FenceOrder::Sc, FenceOrder::AcqRel]);
}

#[test]
fn waits_compare_one_location() {
    let wait = |ops: Vec<Op>| match ops.into_iter().next() {
        Some(Op::Wait { dst, condition, .. }) => (dst, condition.any_of),
        other => panic!("{other:?}"),
    };
    assert_eq!(wait(fp("wait(1 < x);")), (None, vec![(CmpOp::Gt, Expr::Const(1))]));
    assert_eq!(
        wait(fp("r = wait(x == 1 || x >= r);")),
        (Some(R), vec![(CmpOp::Eq, Expr::Const(1)), (CmpOp::Ge, Expr::Reg(R))])
    );
    let sum = Expr::Wrap(Box::new(Expr::Binary(BinaryOp::Add, reg(), number(1))));
    assert_eq!(
        wait(tpl("r = wait(x, 9, r, r + 1);")),
        (Some(R), vec![(CmpOp::Eq, Expr::Const(1)), (CmpOp::Eq, Expr::Reg(R)), (CmpOp::Eq, sum)])
    );
}

#[test]
fn conditions_are_inverted_rather_than_jumped_over() {
    let branch = |cond, target| Op::Branch { cond, target: Pc(target) };
    let jump = |target| Op::Jump { target: Pc(target) };
    assert_eq!(fp("if (r == 1) { r = 2; }"), [branch(cmp(CmpOp::Ne, 1), 2), set(2)]);
    assert_eq!(fp("if (r == 1) { r = 2; } else { r = 3; }"), [branch(cmp(CmpOp::Ne, 1), 3), set(2), jump(4), set(3)]);
    assert_eq!(fp("l: if (r == 1) goto l;"), [branch(cmp(CmpOp::Eq, 1), 0)]);
    assert_eq!(
        fp("while (r < 3) { r = 1; if (r == 2) break; continue; }"),
        [branch(cmp(CmpOp::Ge, 3), 4), set(1), branch(cmp(CmpOp::Eq, 2), 4), jump(0)]
    );
    assert_eq!(fp("while (true) { r = 1; }"), [set(1), jump(0)]);
    assert_eq!(fp("do { r = 1; } while (r == 1);"), [set(1), branch(cmp(CmpOp::Eq, 1), 0)]);
    assert_eq!(
        fp("choose { r = 1; } or { } or { r = 2; }"),
        [Op::Choose { targets: vec![Pc(1), Pc(4), Pc(3)] }, set(1), jump(4), set(2)]
    );
    assert_eq!(fp("l: choose { goto l; } or { goto m; } m:"), [Op::Choose { targets: vec![Pc(0), Pc(1)] }]);
    assert_eq!(fp("again: goto again;"), [jump(0)]);
}

#[test]
fn a_constant_index_is_a_fixed_location() {
    assert_eq!(fp("a[N].load();"), [Op::Load { dst: None, place: Place::Fixed(LocId(4)), order: ReadOrder::Acq }]);
    assert!(matches!(fp("a[r].load();")[0], Op::Load { place: Place::Element { .. }, .. }));
    assert_eq!(
        fp("lwfence(a, x);"),
        [Op::LightFence { locations: Some(vec![LocId(2), LocId(3), LocId(4), LocId(0)]) }]
    );
    assert_eq!(fp("lwfence;"), [Op::LightFence { locations: None }]);
}

#[test]
fn plain_accesses_are_assignments() {
    let d = Place::Fixed(LocId(5));
    assert_eq!(fp("d = r + 0; r = d;")[1], Op::PlainLoad { dst: R, place: d.clone() });
    assert_eq!(fp("d = r;"), [Op::PlainStore { place: d, value: Expr::Reg(R) }]);
}

#[test]
fn procedures_are_inlined_with_fresh_names() {
    let text = "global x, l[2];
        proc lock(l) { again: choose { l.bcas(0, 1); } or { goto again; } }
        proc add(l, v) { local old; lock(l); old = l.load(); l.store(old + v); }
        thread t[2] { local old; add(x, old); add(l[me], old); lock(l[0]); }";
    let program = program(Language::Fp, text);
    let thread = &program.threads()[1];
    assert_eq!(thread.name, "t[1]");
    let names: Vec<&str> = thread.registers.iter().map(|register| register.name.as_str()).collect();
    assert_eq!(names, ["old", "v", "old_2", "v_2", "old_3"]);
    let origin = thread.code.iter().find(|instr| matches!(instr.op, Op::BlockingCas { .. })).unwrap().origin;
    assert_eq!(&text[origin.span.range()], "l.bcas(0, 1)");
    assert_eq!(&text[origin.called_from.unwrap().range()], "add(x, old)");
    let places: Vec<&Place> = thread.code.iter().filter_map(|instr| instr.op.place()).collect();
    assert_eq!(places.iter().filter(|place| ***place == Place::Fixed(LocId(2))).count(), 3);
}

#[test]
fn a_constant_argument_needs_no_register() {
    let program = program(Language::Fp, "global x; proc put(l, v) { l.store(v); } thread t { put(x, 1 + 1); }");
    assert!(program.threads()[0].registers.is_empty());
    assert!(matches!(&program.threads()[0].code[0].op, Op::Store { place, value: Expr::Const(2), .. } if *place == X));
}

#[test]
fn a_local_of_a_procedure_starts_at_zero_in_every_call() {
    let program = program(
        Language::Fp,
        "global x; proc count(l) { local n; n = n + 1; l.store(n); } thread t { while (true) { count(x); } }",
    );
    assert_eq!(program.threads()[0].code[0].op, set(0));
}

#[test]
fn initial_values_of_registers() {
    let text = "domain 4; thread t { local r = 1, s = 2 + 3; r = 0; local q = 3; while (1) { local p = 2; p = q; } }";
    let program = program(Language::Fp, text);
    let inits: Vec<u32> = program.threads()[0].registers.iter().map(|register| register.init).collect();
    assert_eq!(inits, [1, 1, 0, 0]);
    let origin = program.threads()[0].code[1].origin;
    assert_eq!(&text[origin.span.range()], "q = 3");
}

#[test]
fn for_is_while_with_a_step() {
    let with_for = fp("for (r = 0; r < 3; r = r + 1) { if (r == 1) continue; if (r == 2) break; x.store(1); }");
    let with_while = fp(
        "r = 0; l: if (r >= 3) goto m; if (r == 1) goto n; if (r == 2) goto m; x.store(1); n: r = r + 1; goto l; m:",
    );
    assert_eq!(with_for, with_while);
    assert_eq!(fp("for (;;) { r = 1; }"), fp("while (1) { r = 1; }"));
    assert_eq!(fp("for (; r < 3;) { r = 1; }"), fp("while (r < 3) { r = 1; }"));
    assert_eq!(fp("for (r = x.load(); r; r = y.load()) skip;").len(), 4);
}

#[test]
fn a_register_of_a_loop_ends_with_it() {
    let text = "global x; thread t { local i; for (local j = 0; j < 2; j = j + 1) { x.store(j); }
        for (local j = 1; ; ) { x.store(j); } }";
    let program = program(Language::Fp, text);
    let names: Vec<&str> = program.threads()[0].registers.iter().map(|register| register.name.as_str()).collect();
    assert_eq!(names, ["i", "j", "j_2"]);
}

#[test]
fn procedures_return_values() {
    let head = "domain 4; global x; proc get(l) { local v; v = l.load(); if (v == 1) { return 2; } return v; }
        proc put(v) { if (v == 0) return; x.store(v); }";
    let body = |text: &str| ops(Language::Fp, &format!("{head} thread t {{ local r; {text} }}"));
    // A jump to the end that is the last instruction is left out.
    assert_eq!(
        body("r = get(x);"),
        ops(
            Language::Fp,
            "domain 4; global x; thread t { local r, v; v = x.load(); if (v == 1) { r = 2; goto end; } r = v; end: }"
        )
    );
    // Nobody wants the result.
    assert_eq!(body("get(x);").iter().filter(|op| matches!(op, Op::Assign { .. })).count(), 0);
    // The call can come in the middle.
    assert_eq!(body("r = get(x); r = get(x);").iter().filter(|op| matches!(op, Op::Load { .. })).count(), 2);
    assert_eq!(
        body("put(r); put(0);"),
        ops(
            Language::Fp,
            "domain 4; global x; thread t { local r, v; v = r; if (v == 0) goto l; x.store(v); l: if (0 == 0) goto m;
             x.store(0); m: }"
        )
    );
    // A thread that returns ends.
    assert_eq!(fp("if (r) return; x.store(1);"), fp("if (r) goto end; x.store(1); end:"));
}

#[test]
fn a_result_belongs_to_the_call() {
    let text = "global x; proc p(l) { return 1; } proc q(l) { local v; v = p(l); return v + 1; }
        thread t { local r; r = q(x); }";
    let program = program(Language::Fp, text);
    let last = &program.threads()[0].code[1];
    assert_eq!(&text[last.origin.span.range()], "return v + 1");
    assert_eq!(&text[last.origin.called_from.unwrap().range()], "r = q(x)");
}

#[test]
fn structs_are_locations() {
    let text = "domain 8; struct node[2] { global next = 1, prev = {2, 3}; nonatomic value = 4; }
        struct q { global head = 5, slot[2] = {6, 7}; }
        proc follow(n) { local r; r = n.next.load(); return r; }
        thread t { local r; r = node[1].prev.load(); r = q.head.load(); r = q.slot[r].load(); r = follow(node[r]);
                   r = follow(node[0]); node[r].value = r; lwfence(node[1]); }";
    let program = program(Language::Fp, text);
    let locations: Vec<(&str, u32)> =
        program.locations().iter().map(|location| (location.name.as_str(), location.init)).collect();
    assert_eq!(
        locations,
        [
            ("node[0].next", 1),
            ("node[1].next", 1),
            ("node[0].prev", 2),
            ("node[1].prev", 3),
            ("node[0].value", 4),
            ("node[1].value", 4),
            ("q.head", 5),
            ("q.slot[0]", 6),
            ("q.slot[1]", 7),
        ]
    );
    let places: Vec<Place> = program.threads()[0].code.iter().filter_map(|instr| instr.op.place().cloned()).collect();
    let element = |array| Place::Element { array: fencepost_base::ids::ArrayId(array), index: Expr::Reg(R) };
    let fixed = |loc| Place::Fixed(LocId(loc));
    assert_eq!(places, [fixed(3), fixed(6), element(3), element(0), fixed(0), element(2)]);
    let fence = Op::LightFence { locations: Some(vec![LocId(1), LocId(3), LocId(5)]) };
    assert!(program.threads()[0].code.iter().any(|instr| instr.op == fence));
}

#[test]
fn domains_and_initial_values() {
    let domain = |language, text| program(language, text).domain();
    assert_eq!(domain(Language::Fp, "thread t { }"), 256);
    assert_eq!(domain(Language::Fp, "const N = 3; domain N * 2; thread t { }"), 6);
    assert_eq!(domain(Language::Fp, "domain 2147483648; thread t { }"), 1 << 31);
    assert_eq!(domain(Language::Tpl, "fn t { }"), 255);
    assert_eq!(domain(Language::Tpl, "max_value 7; fn t { }"), 8);
    let program = program(Language::Fp, "domain 4; global a[2] = 3, b[2] = {1, 2}, c = 6; thread t { }");
    let inits: Vec<u32> = program.locations().iter().map(|location| location.init).collect();
    assert_eq!(inits, [3, 3, 1, 2, 2]);
}

#[test]
fn huge_or_deep_inlining_ends_in_an_error() {
    let mut chain = String::from("global x; proc p0() { x.store(1); }\n");
    for i in 1..5000 {
        chain += &format!("proc p{i}() {{ p{}(); }}\n", i - 1);
    }
    chain += "thread t { p4999(); }";
    let loaded = load(Language::Fp, &chain);
    assert!(loaded.program.is_none());
    assert!(loaded.diagnostics[0].message.contains("nest more than"), "{:?}", loaded.diagnostics[0]);
    // A bomb that produces no instruction at all.
    let mut empty = String::from("proc p0() { }\n");
    for i in 1..40 {
        empty += &format!("proc p{i}() {{ p{0}(); p{0}(); p{0}(); }}\n", i - 1);
    }
    empty += "thread t { p39(); }";
    assert!(load(Language::Fp, &empty).program.is_none());
}

#[test]
fn what_is_as_deep_as_allowed_is_handled() {
    let sum = format!("r = 1{};", " + 1".repeat(490));
    let parens = format!("r = {}1{};", "-(".repeat(95), ")".repeat(95));
    let blocks = format!("{} r = 1; {}", "while (r) { ".repeat(190), "}".repeat(190));
    let wait = format!("wait(x == 1{});", " || x == 1".repeat(450));
    for body in [sum, parens, blocks, wait] {
        let ops = fp(&body);
        assert!(!ops.is_empty());
        if let Op::Assign { value, .. } = &ops[0] {
            assert!(value.value(&[0, 0], 4).is_ok());
        }
    }
}

#[test]
fn languages_are_known_by_extension() {
    assert_eq!(Language::from_path("a/b.fp"), Some(Language::Fp));
    assert_eq!(Language::from_path("b.TPL"), Some(Language::Tpl));
    assert_eq!(Language::from_path("fp"), None);
}

#[test]
fn sections_are_bracketed_and_jumps_stay_inside() {
    let section = fp("while (1) { atomic { while (r == 0) { r = 1; if (s == 1) break; } bound(r < 3); } }");
    let jumps = section.iter().filter(|op| matches!(op, Op::Jump { .. } | Op::Branch { .. })).count();
    assert_eq!((section.first(), section[section.len() - 2].clone(), jumps), (Some(&Op::Enter), Op::Leave, 4));
    assert!(section.contains(&Op::Bound { cond: cmp(CmpOp::Lt, 3) }));
    assert_eq!(fp("atomic {}"), [Op::Enter, Op::Leave]);
    let calls = "domain 4; global x; proc p(l) { l: l.store(1); } thread t { atomic { p(x); p(x); } }";
    let program = program(Language::Fp, calls);
    let inside: Vec<bool> = (0..5).map(|pc| program.is_in_section(fencepost_base::ids::ThreadId(0), Pc(pc))).collect();
    assert_eq!(inside, [false, true, true, true, false]);
    assert!(program.has_sections());
}

/// What stands behind a `return` is not reached, unless there is a label to jump to.
#[test]
fn the_end_behind_a_return_is_not_reached() {
    let is_program = |body: &str| {
        let text = format!("global x; proc p(l) {{ local r; {body} }} thread t {{ local r; r = p(x); }}");
        load(Language::Fp, &text).program.is_some()
    };
    assert!(is_program("for (;;) { r = l.load(); if (r == 1) return 2; } fence(sc);"));
    assert!(is_program("return 2; fence(sc);"));
    assert!(!is_program("r = l.load(); if (r == 1) goto out; return 2; out: fence(sc);"));
    assert!(is_program("r = l.load(); if (r == 1) goto out; return 2; out: return 3;"));
}
