//! The transition system of one thread, instruction by instruction.

use fencepost_base::event::Label;
use fencepost_base::ids::{ArrayId, LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::{FenceOrder, Mode, ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{
    BinaryOp, CasStrength, CmpOp, Expr, Instr, LocationKind, Op, Origin, Place, Program, ProgramBuilder, Register,
    RmwFunction, WaitCondition,
};
use fencepost_model::models::ra::Ra;
use fencepost_oracle::interpreter::{Interpreter, Rest, ThreadState};
use fencepost_verdict::ScFailureKind;

const T: ThreadId = ThreadId(0);
const X: LocId = LocId(0);

fn at_x() -> Place {
    Place::Fixed(X)
}

fn constant(value: i64) -> Expr {
    Expr::Const(value)
}

fn reg(index: u32) -> Expr {
    Expr::Reg(RegId(index))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(op, Box::new(left), Box::new(right))
}

/// One thread over domain 5 with registers r0 = 0 and r1 = 2, location x, an array a of two, and a
/// non-atomic d.
fn program(mut ops: Vec<Op>) -> Program {
    ops.push(Op::Halt);
    let mut builder = ProgramBuilder::new(None, 5);
    builder.location("x", 0, LocationKind::Atomic);
    builder.array("a", &[0, 0], LocationKind::Atomic);
    builder.location("d", 0, LocationKind::NonAtomic);
    let registers = [0, 2].map(|init| Register { name: format!("r{init}"), init }).to_vec();
    builder.thread("t", registers, ops.into_iter().map(|op| Instr { op, origin: Origin::default() }).collect());
    builder.build().expect("well-formed")
}

fn rest(ops: Vec<Op>) -> (ThreadState, Rest) {
    let program = program(ops);
    let interpreter = Interpreter::new(&program, &Ra);
    let state = interpreter.initial(T);
    let rest = interpreter.rest(T, &state);
    (state, rest)
}

/// The labels of one access when the predecessor has value `old`, each with the value of r0
/// afterwards.
fn labels(op: Op, old: Value) -> Vec<(Label, Value)> {
    let program = program(vec![op]);
    let interpreter = Interpreter::new(&program, &Ra);
    let state = interpreter.initial(T);
    let Rest::Access(access) = interpreter.rest(T, &state) else { panic!("an access") };
    let after = |(label, after): (Label, ThreadState)| {
        assert_eq!(after.pc, Pc(1));
        (label, after.registers[0])
    };
    interpreter.labels(T, &state, &access, old).into_iter().map(after).collect()
}

fn read(value: Value, mode: Mode) -> Label {
    Label::Read { loc: X, value, mode }
}

fn rmw(read: Value, written: Value, mode: Mode) -> Label {
    Label::Rmw { loc: X, read, written, mode }
}

#[test]
fn accesses_have_their_labels() {
    let dst = Some(RegId(0));
    let load = Op::Load { dst, place: at_x(), order: ReadOrder::Acq };
    assert_eq!(labels(load, 3), [(read(3, Mode::Acq), 3)]);
    let value = binary(BinaryOp::Sub, constant(0), constant(1));
    let store = Op::Store { place: at_x(), value, order: WriteOrder::Sc };
    assert_eq!(labels(store, 3), [(Label::Write { loc: X, value: 4, mode: Mode::Sc }, 0)]);
    let load = Op::PlainLoad { dst: RegId(0), place: Place::Fixed(LocId(3)) };
    assert_eq!(labels(load, 2), [(Label::Read { loc: LocId(3), value: 2, mode: Mode::Na }, 2)]);
    let store = Op::PlainStore { place: Place::Fixed(LocId(3)), value: reg(1) };
    assert_eq!(labels(store, 4), [(Label::Write { loc: LocId(3), value: 2, mode: Mode::Na }, 0)]);
    assert_eq!(labels(Op::Fence { order: FenceOrder::Sc }, 0)[0].0.loc(), Some(LocId(4)));
}

#[test]
fn updates_evaluate_their_operand_before() {
    for (function, written) in [
        (RmwFunction::Add, 0),
        (RmwFunction::Sub, 1),
        (RmwFunction::And, 2),
        (RmwFunction::Or, 3),
        (RmwFunction::Xor, 1),
        (RmwFunction::Exchange, 2),
    ] {
        // The operand register is also the result.
        let op = Op::Update { dst: Some(RegId(1)), place: at_x(), function, operand: reg(1), order: RmwOrder::AcqRel };
        assert_eq!(labels(op, 3), [(rmw(3, written, Mode::AcqRel), 0)], "{function:?}");
    }
    // An operand is a value of the domain, also where that makes a difference.
    let op =
        Op::Update { dst: None, place: at_x(), function: RmwFunction::Or, operand: constant(6), order: RmwOrder::Rlx };
    assert_eq!(labels(op, 2), [(rmw(2, 3, Mode::Rlx), 0)]);
}

#[test]
fn a_weak_compare_and_swap_may_always_fail() {
    let cas = |strength| Op::Cas {
        dst: Some(RegId(0)),
        place: at_x(),
        expected: constant(6),
        desired: constant(3),
        success: RmwOrder::Rel,
        failure: ReadOrder::Rlx,
        strength,
    };
    let (success, failure) = (rmw(1, 3, Mode::Rel), read(1, Mode::Rlx));
    assert_eq!(labels(cas(CasStrength::Strong), 1), [(success, 1)]);
    assert_eq!(labels(cas(CasStrength::Weak), 1), [(success, 1), (failure, 1)]);
    for strength in [CasStrength::Strong, CasStrength::Weak] {
        assert_eq!(labels(cas(strength), 4), [(read(4, Mode::Rlx), 4)]);
    }
}

#[test]
fn blocking_instructions_block() {
    let wait = |any_of| Op::Wait {
        dst: Some(RegId(0)),
        place: at_x(),
        condition: WaitCondition { any_of },
        order: ReadOrder::Acq,
    };
    let either = wait(vec![(CmpOp::Eq, constant(1)), (CmpOp::Gt, reg(1))]);
    let accepted: Vec<Value> = (0..5).filter(|&old| !labels(either.clone(), old).is_empty()).collect();
    assert_eq!(accepted, [1, 3, 4]);
    assert_eq!(labels(either, 3), [(read(3, Mode::Acq), 3)]);
    // Compared as integers: 6 is no value of the domain, and above all of them.
    assert!((0..5).all(|old| labels(wait(vec![(CmpOp::Eq, constant(6))]), old).is_empty()));
    assert!((0..5).all(|old| !labels(wait(vec![(CmpOp::Lt, constant(6))]), old).is_empty()));
    let bcas = Op::BlockingCas { place: at_x(), expected: reg(1), desired: constant(0), order: RmwOrder::AcqRel };
    assert_eq!(labels(bcas.clone(), 2), [(rmw(2, 0, Mode::AcqRel), 0)]);
    assert!(labels(bcas, 1).is_empty());
}

#[test]
fn local_steps_run_to_a_point_of_rest() {
    let assign = Op::Assign { dst: RegId(0), value: binary(BinaryOp::Add, reg(1), constant(4)) };
    let fences = [FenceOrder::Acq, FenceOrder::Rel, FenceOrder::AcqRel].map(|order| Op::Fence { order });
    let light = Op::LightFence { locations: None };
    let mut ops = vec![assign, light, Op::Verify { value: reg(0) }];
    ops.extend(fences);
    let (state, end) = rest(ops);
    assert_eq!((state.registers[0], state.pc, end), (1, Pc(6), Rest::Halted));

    let (state, end) = rest(vec![Op::Assume { cond: reg(1) }, Op::Assume { cond: reg(0) }]);
    assert_eq!((state.pc, end), (Pc(1), Rest::Blocked));
    let (state, end) = rest(vec![Op::Assert { cond: reg(1) }, Op::Assert { cond: reg(0) }]);
    assert_eq!((state.pc, end), (Pc(1), Rest::Failed(ScFailureKind::Assertion)));
    let (_, end) = rest(vec![Op::Branch { cond: reg(1), target: Pc(2) }, Op::Assume { cond: reg(0) }]);
    assert_eq!(end, Rest::Halted);
}

#[test]
fn local_loops_end_or_diverge() {
    let count = |by| Op::Assign { dst: RegId(0), value: binary(BinaryOp::Add, reg(0), constant(by)) };
    let until = |end| Op::Branch { cond: binary(BinaryOp::Cmp(CmpOp::Ne), reg(0), constant(end)), target: Pc(0) };
    assert_eq!(rest(vec![count(2), until(1)]).1, Rest::Halted);
    assert_eq!(rest(vec![count(2), until(7)]).1, Rest::Diverging);
    assert_eq!(rest(vec![Op::Jump { target: Pc(0) }]).1, Rest::Diverging);
}

#[test]
fn choices_are_resolved_from_outside() {
    let ops = vec![Op::Choose { targets: vec![Pc(1), Pc(2)] }, Op::Assert { cond: reg(0) }];
    let program_of_choice = program(ops);
    let interpreter = Interpreter::new(&program_of_choice, &Ra);
    let state = interpreter.initial(T);
    let rest_there = interpreter.rest(T, &state);
    let after: Vec<(u32, Pc)> =
        interpreter.choices(T, &state, &rest_there).into_iter().map(|(i, s)| (i, s.pc)).collect();
    assert_eq!(after, [(0, Pc(1)), (1, Pc(2))]);
    assert_eq!(interpreter.choose(T, &state, &rest_there, 2), None);

    for (low, high, values) in [(1, 3, vec![1, 2, 3]), (3, 1, vec![]), (-1, 4, vec![4]), (4, 4, vec![4])] {
        let program = program(vec![Op::Nondet { dst: RegId(0), low: constant(low), high: constant(high) }]);
        let interpreter = Interpreter::new(&program, &Ra);
        let state = interpreter.initial(T);
        let rest_there = interpreter.rest(T, &state);
        let choices = interpreter.choices(T, &state, &rest_there);
        assert!(choices.iter().all(|(value, after)| after.registers[0] == *value));
        assert_eq!(choices.into_iter().map(|(value, _)| value).collect::<Vec<_>>(), values);
    }
}

#[test]
fn run_time_errors_stop_the_thread_where_they_happen() {
    let crash = || binary(BinaryOp::Div, constant(1), reg(0));
    let element = |index| Place::Element { array: ArrayId(0), index };
    let load = |index| Op::Load { dst: None, place: element(index), order: ReadOrder::Acq };
    let failure = |ops| match rest(ops) {
        (state, Rest::Failed(kind)) => (state.pc, kind),
        (_, rest) => panic!("{rest:?}"),
    };
    let skip = || Op::LightFence { locations: None };
    assert_eq!(failure(vec![skip(), Op::Assume { cond: crash() }]), (Pc(1), ScFailureKind::DivisionByZero));
    assert_eq!(rest(vec![Op::Verify { value: crash() }]).1, Rest::Halted, "nothing is evaluated");
    assert_eq!(failure(vec![load(crash())]), (Pc(0), ScFailureKind::DivisionByZero));
    let out_of_range = |index| ScFailureKind::IndexOutOfRange { index, length: 2 };
    assert_eq!(failure(vec![load(reg(1))]), (Pc(0), out_of_range(2)));
    assert_eq!(failure(vec![load(constant(-1))]), (Pc(0), out_of_range(-1)));
    let both = Op::Store { place: element(reg(1)), value: crash(), order: WriteOrder::Rel };
    assert_eq!(failure(vec![both]), (Pc(0), out_of_range(2)), "the index is evaluated first");
    let Rest::Access(access) = rest(vec![load(constant(1))]).1 else { panic!("an access") };
    assert_eq!(access.loc, LocId(2));
}
