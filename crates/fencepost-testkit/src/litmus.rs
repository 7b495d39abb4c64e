//! Litmus tests of the PLDI 2019 paper, built by hand, with the paper's
//! verdicts on release/acquire (§2.3, §3).

use fencepost_base::ids::{LocId, Pc, RegId, Value};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{
    BinaryOp, CasStrength, CmpOp, Expr, Instr, LocationKind, Op, Origin, Place, Program, ProgramBuilder, Register,
    RmwFunction, WaitCondition,
};

/// A program over locations `x`, `y`, … (`atomic` of them, then `nonatomic` more), all 0 at first.
pub fn program(name: &str, domain: u64, atomic: usize, nonatomic: usize, threads: Vec<Vec<Op>>) -> Program {
    let mut builder = ProgramBuilder::new(Some(name.into()), domain);
    for index in 0..atomic + nonatomic {
        let letter = b"xyzuvw"[index % 6] as char;
        let kind = if index < atomic { LocationKind::Atomic } else { LocationKind::NonAtomic };
        builder.location(format!("{letter}{}", index / 6).trim_end_matches('0'), 0, kind);
    }
    for (index, mut ops) in threads.into_iter().enumerate() {
        ops.push(Op::Halt);
        let mut count = 0;
        let mut mention = |reg: RegId| count = count.max(reg.index() + 1);
        for op in &ops {
            op.dst().into_iter().for_each(&mut mention);
            op.for_each_expr(&mut |expr| expr.for_each_register(&mut mention));
        }
        let registers = (0..count).map(|r| Register { name: format!("r{r}"), init: 0 }).collect();
        let code = ops.into_iter().map(|op| Instr { op, origin: Origin::default() }).collect();
        builder.thread(format!("t{index}"), registers, code);
    }
    builder.build().expect("a well-formed litmus test")
}

fn at(loc: u32) -> Place {
    Place::Fixed(LocId(loc))
}

/// `loc := value`
pub fn store(loc: u32, value: Value) -> Op {
    Op::Store { place: at(loc), value: Expr::Const(i64::from(value)), order: WriteOrder::Rel }
}

/// `reg := loc`
pub fn load(reg: u32, loc: u32) -> Op {
    Op::Load { dst: Some(RegId(reg)), place: at(loc), order: ReadOrder::Acq }
}

/// `reg := CAS(loc, expected → desired)`
pub fn cas(reg: u32, loc: u32, expected: Value, desired: Value) -> Op {
    Op::Cas {
        dst: Some(RegId(reg)),
        place: at(loc),
        expected: Expr::Const(i64::from(expected)),
        desired: Expr::Const(i64::from(desired)),
        success: RmwOrder::AcqRel,
        failure: ReadOrder::Acq,
        strength: CasStrength::Strong,
    }
}

/// `FADD(loc, operand)`
pub fn fadd(loc: u32, operand: Value) -> Op {
    let operand = Expr::Const(i64::from(operand));
    Op::Update { dst: None, place: at(loc), function: RmwFunction::Add, operand, order: RmwOrder::AcqRel }
}

/// `wait(loc = value)`
pub fn wait(loc: u32, value: Value) -> Op {
    let condition = WaitCondition { any_of: vec![(CmpOp::Eq, Expr::Const(i64::from(value)))] };
    Op::Wait { dst: None, place: at(loc), condition, order: ReadOrder::Acq }
}

/// `BCAS(loc, expected → desired)`
pub fn bcas(loc: u32, expected: Value, desired: Value) -> Op {
    let (expected, desired) = (Expr::Const(i64::from(expected)), Expr::Const(i64::from(desired)));
    Op::BlockingCas { place: at(loc), expected, desired, order: RmwOrder::AcqRel }
}

/// `fence(sc)`
pub fn fence() -> Op {
    Op::Fence { order: FenceOrder::Sc }
}

/// A plain store.
pub fn plain_store(loc: u32, value: Value) -> Op {
    Op::PlainStore { place: at(loc), value: Expr::Const(i64::from(value)) }
}

/// A plain load.
pub fn plain_load(reg: u32, loc: u32) -> Op {
    Op::PlainLoad { dst: RegId(reg), place: at(loc) }
}

/// `if (reg ⋈ value) goto target`
pub fn branch(reg: u32, cmp: CmpOp, value: Value, target: u32) -> Op {
    let (left, right) = (Expr::Reg(RegId(reg)), Expr::Const(i64::from(value)));
    Op::Branch { cond: Expr::Binary(BinaryOp::Cmp(cmp), Box::new(left), Box::new(right)), target: Pc(target) }
}

/// The tests, each with whether it is robust against release/acquire.
pub fn all() -> Vec<(Program, bool)> {
    let (x, y, z) = (0, 1, 2);
    let spin = |loc| vec![load(0, loc), branch(0, CmpOp::Ne, 1, 1)];
    let test = |robust: bool, name: &str, atomic: usize, nonatomic: usize, threads: Vec<Vec<Op>>| {
        (program(name, 3, atomic, nonatomic, threads), robust)
    };
    vec![
        test(false, "SB", 2, 0, vec![vec![store(x, 1), load(0, y)], vec![store(y, 1), load(0, x)]]),
        test(true, "MP", 2, 0, vec![vec![store(x, 1), store(y, 1)], vec![load(0, y), load(1, x)]]),
        test(
            false,
            "IRIW",
            2,
            0,
            vec![vec![store(x, 1)], vec![load(0, x), load(1, y)], vec![load(0, y), load(1, x)], vec![store(y, 1)]],
        ),
        test(
            false,
            "2+2W",
            2,
            0,
            vec![vec![store(x, 1), store(y, 2), load(0, y)], vec![store(y, 1), store(x, 2), load(0, x)]],
        ),
        test(false, "2+2W without reads", 2, 0, vec![vec![store(x, 1), store(y, 2)], vec![store(y, 1), store(x, 2)]]),
        test(true, "2RMW", 1, 0, vec![vec![cas(0, x, 0, 1)], vec![cas(0, x, 0, 1)]]),
        test(
            true,
            "SB+RMWs",
            3,
            0,
            vec![vec![store(x, 1), fadd(z, 0), load(0, y)], vec![store(y, 1), fadd(z, 0), load(0, x)]],
        ),
        test(
            true,
            "SB+fences",
            2,
            0,
            vec![vec![store(x, 1), fence(), load(0, y)], vec![store(y, 1), fence(), load(0, x)]],
        ),
        test(false, "SB+fence", 2, 0, vec![vec![store(x, 1), fence(), load(0, y)], vec![store(y, 1), load(0, x)]]),
        test(
            false,
            "SB+RMWs to different locations",
            4,
            0,
            vec![vec![store(x, 1), fadd(z, 0), load(0, y)], vec![store(y, 1), fadd(3, 0), load(0, x)]],
        ),
        test(true, "BAR with wait", 2, 0, vec![vec![store(x, 1), wait(y, 1)], vec![store(y, 1), wait(x, 1)]]),
        test(
            false,
            "BAR with loops",
            2,
            0,
            vec![[vec![store(x, 1)], spin(y)].concat(), [vec![store(y, 1)], spin(x)].concat()],
        ),
        test(false, "BAR for the old value", 2, 0, vec![vec![store(x, 1), wait(y, 0)], vec![store(y, 1), wait(x, 0)]]),
        test(true, "MP, plain", 1, 1, vec![vec![plain_store(y, 1), store(x, 1)], vec![wait(x, 1), plain_load(0, y)]]),
        test(
            false,
            "MP, plain and unguarded",
            1,
            1,
            vec![vec![plain_store(y, 1), store(x, 1)], vec![load(0, x), plain_load(0, y)]],
        ),
        test(
            true,
            "lock",
            1,
            1,
            vec![
                vec![bcas(x, 0, 1), plain_store(y, 1), store(x, 0)],
                vec![bcas(x, 0, 1), plain_load(0, y), store(x, 0)],
            ],
        ),
        test(true, "lone plain load", 0, 1, vec![vec![plain_load(0, x)], vec![plain_load(0, x)]]),
    ]
}
