//! Laws of reading and printing, on samples and generated programs.

use crate::common::program;
use fencepost_base::ids::{ArrayId, LocId, Pc, RegId};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{
    BinaryOp, CasStrength, CmpOp, Expr, Instr, LocationKind, Op, Origin, Place, Program, ProgramBuilder, Register,
    RmwFunction, UnaryOp, WaitCondition,
};
use fencepost_lower::{Deref, Language, Reading, load, load_as, print};
use proptest::prelude::*;

const FP: &str = include_str!("../../fencepost-syntax/tests/samples/everything.fp");
const TPL: &str = include_str!("../../fencepost-syntax/tests/samples/everything.tpl");
const LITMUS: &str = include_str!("../../fencepost-syntax/tests/samples/everything.litmus");

/// Everything but spans; thread names as the printer would spell them.
#[derive(Debug, PartialEq)]
struct Shape {
    name: Option<String>,
    domain: u64,
    locations: Vec<fencepost_ir::Location>,
    arrays: Vec<fencepost_ir::Array>,
    threads: Vec<(String, Vec<Register>, Vec<Op>)>,
}

/// The printer knows arrays only: `node[1].next` comes back as `node_next[1]`.
fn without_structs(location: &fencepost_ir::Location) -> fencepost_ir::Location {
    let name = match location.name.split_once("].") {
        Some((element, field)) => format!("{}]", element.replacen('[', &format!("_{field}["), 1)),
        None => location.name.replace('.', "_"),
    };
    fencepost_ir::Location { name, ..location.clone() }
}

/// The shape of a program.
fn shape(program: &Program) -> Shape {
    Shape {
        name: program.name().map(str::to_owned),
        domain: program.domain(),
        locations: program.locations().iter().map(without_structs).collect(),
        arrays: program
            .arrays()
            .iter()
            .map(|array| fencepost_ir::Array { name: array.name.replace('.', "_"), ..array.clone() })
            .collect(),
        threads: program
            .threads()
            .iter()
            .map(|thread| {
                let name = thread.name.replace('[', "_").replace(']', "");
                (name, thread.registers.clone(), thread.code.iter().map(|instr| instr.op.clone()).collect())
            })
            .collect(),
    }
}

#[test]
fn samples_print_and_read_back() {
    for (language, text) in [(Language::Fp, FP), (Language::Tpl, TPL), (Language::Litmus, LITMUS)] {
        // In `.fp` no location is accessed both plainly and atomically.
        let reading = Reading { deref: Some(Deref::SeqCst) };
        let original = load_as(language, text, reading).program.expect("a program");
        let printed = print(&original);
        let again = program(Language::Fp, &printed);
        // `fn proc` needs another name in `.fp`.
        let renamed = format!("{:#?}", shape(&original)).replace("\"proc\"", "\"proc_\"");
        assert_eq!(renamed, format!("{:#?}", shape(&again)), "{printed}");
        assert_eq!(printed, print(&again));
    }
}

#[test]
fn a_translated_tree_means_the_same() {
    let translated = fencepost_syntax::print::print(&fencepost_syntax::parse(Language::Tpl, TPL).file);
    let (original, again) = (program(Language::Tpl, TPL), program(Language::Fp, &translated));
    let ops = |program: &Program| -> Vec<usize> { program.threads().iter().map(|thread| thread.code.len()).collect() };
    assert_eq!(ops(&original), ops(&again), "{translated}");
    assert_eq!(original.locations(), again.locations());
}

#[test]
fn formatting_does_not_change_the_program() {
    for (language, text) in [(Language::Fp, FP), (Language::Tpl, TPL)] {
        let formatted = fencepost_syntax::format::format(language, text).unwrap();
        assert_eq!(shape(&program(language, text)), shape(&program(language, &formatted)));
    }
}

#[test]
fn spans_are_statements_of_the_text() {
    let loaded = program(Language::Fp, FP);
    for thread in loaded.threads() {
        for instr in &thread.code {
            let slice = &FP[instr.origin.span.range()];
            assert!(!slice.is_empty() && !slice.ends_with(';'), "{slice:?}");
        }
    }
}

fn expr(registers: u32) -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        (-5i64..6).prop_map(Expr::Const),
        any::<i64>().prop_filter("printed as a sum", |&n| n != i64::MIN).prop_map(Expr::Const),
        (0..registers).prop_map(|reg| Expr::Reg(RegId(reg))),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let boxed = inner.prop_map(Box::new);
        let unary = prop::sample::select(&[UnaryOp::Neg, UnaryOp::Not, UnaryOp::BitNot][..]);
        let binary = prop::sample::select(
            &[
                BinaryOp::Add,
                BinaryOp::Sub,
                BinaryOp::Mul,
                BinaryOp::Div,
                BinaryOp::Rem,
                BinaryOp::BitAnd,
                BinaryOp::BitOr,
                BinaryOp::BitXor,
                BinaryOp::Shl,
                BinaryOp::Shr,
                BinaryOp::Cmp(CmpOp::Lt),
                BinaryOp::Cmp(CmpOp::Ne),
                BinaryOp::And,
                BinaryOp::Or,
            ][..],
        );
        prop_oneof![
            (unary, boxed.clone()).prop_map(|(op, operand)| Expr::Unary(op, operand)),
            (binary, boxed.clone(), boxed.clone()).prop_map(|(op, left, right)| Expr::Binary(op, left, right)),
            boxed.prop_map(Expr::Wrap),
        ]
    })
}

/// Two registers, four atomic locations (two of them an array), one that is not atomic, `len`
/// instructions.
fn op(len: u32) -> impl Strategy<Value = Op> {
    let e = || expr(2).boxed();
    let dst = || prop::option::of((0u32..2).prop_map(RegId));
    let place = prop_oneof![
        (0u32..4).prop_map(|loc| Place::Fixed(LocId(loc))),
        e().prop_filter("a constant index is a fixed location", |index| index.as_constant(4).is_none())
            .prop_map(|index| Place::Element { array: ArrayId(0), index }),
    ]
    .boxed();
    let read = || prop::sample::select(ReadOrder::ALL);
    let rmw = || prop::sample::select(RmwOrder::ALL);
    let target = move || (0..len).prop_map(Pc);
    let cmp = prop::sample::select(&[CmpOp::Eq, CmpOp::Ne, CmpOp::Ge][..]);
    let function = prop::sample::select(&[RmwFunction::Add, RmwFunction::Or, RmwFunction::Exchange][..]);
    prop_oneof![
        (0u32..2, e()).prop_map(|(dst, value)| Op::Assign { dst: RegId(dst), value }),
        (0u32..2, e(), e()).prop_map(|(dst, low, high)| Op::Nondet { dst: RegId(dst), low, high }),
        target().prop_map(|target| Op::Jump { target }),
        (e(), target()).prop_map(|(cond, target)| Op::Branch { cond, target }),
        prop::collection::vec(target(), 1..4).prop_map(|targets| Op::Choose { targets }),
        e().prop_map(|cond| Op::Assume { cond }),
        e().prop_map(|cond| Op::Assert { cond }),
        e().prop_map(|cond| Op::Bound { cond }),
        e().prop_map(|value| Op::Verify { value }),
        (dst(), place.clone(), read()).prop_map(|(dst, place, order)| Op::Load { dst, place, order }),
        (place.clone(), e(), prop::sample::select(WriteOrder::ALL)).prop_map(|(place, value, order)| Op::Store {
            place,
            value,
            order
        }),
        (dst(), place.clone(), function, e(), rmw()).prop_map(|(dst, place, function, operand, order)| Op::Update {
            dst,
            place,
            function,
            operand,
            order
        }),
        (dst(), place.clone(), e(), e(), rmw(), read(), any::<bool>()).prop_map(
            |(dst, place, expected, desired, success, failure, weak)| {
                let strength = if weak { CasStrength::Weak } else { CasStrength::Strong };
                Op::Cas { dst, place, expected, desired, success, failure, strength }
            }
        ),
        (dst(), place.clone(), prop::collection::vec((cmp, e()), 1..3), read()).prop_map(
            |(dst, place, any_of, order)| Op::Wait { dst, place, condition: WaitCondition { any_of }, order }
        ),
        (place, e(), e(), rmw()).prop_map(|(place, expected, desired, order)| Op::BlockingCas {
            place,
            expected,
            desired,
            order
        }),
        (0u32..2).prop_map(|dst| Op::PlainLoad { dst: RegId(dst), place: Place::Fixed(LocId(4)) }),
        e().prop_map(|value| Op::PlainStore { place: Place::Fixed(LocId(4)), value }),
        prop::sample::select(FenceOrder::ALL).prop_map(|order| Op::Fence { order }),
        prop::option::of(prop::collection::vec((0u32..5).prop_map(LocId), 1..3))
            .prop_map(|locations| Op::LightFence { locations }),
    ]
}

/// The code with an atomic section around the instructions `from..to`; jumps across its borders
/// stop there.
fn with_section(mut ops: Vec<Op>, from: usize, to: usize) -> Vec<Op> {
    for (pc, op) in ops.iter_mut().enumerate() {
        let inside = |pc: usize| (from..to).contains(&pc);
        let stays = inside(pc);
        let aim = |target: &mut Pc| {
            *target = Pc::from_index(match (stays, inside(target.index())) {
                (true, false) => to + 1,
                (false, true) => from,
                _ => target.index() + usize::from(target.index() >= from) + usize::from(target.index() >= to),
            });
        };
        match op {
            Op::Jump { target } | Op::Branch { target, .. } => aim(target),
            Op::Choose { targets } => targets.iter_mut().for_each(aim),
            _ => {}
        }
    }
    ops.insert(to, Op::Leave);
    ops.insert(from, Op::Enter);
    ops
}

fn any_program() -> impl Strategy<Value = Program> {
    let code = (1u32..12).prop_flat_map(|len| prop::collection::vec(op(len), len as usize - 1));
    let section = prop::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>()));
    let thread = (code, section).prop_map(|(ops, section)| match section {
        None => ops,
        Some((from, to)) => {
            let (from, to) = (from.index(ops.len() + 1), to.index(ops.len() + 1));
            with_section(ops, from.min(to), from.max(to))
        }
    });
    prop::collection::vec(thread, 1..3).prop_map(|threads| {
        let mut builder = ProgramBuilder::new(Some("a \"name\"".into()), 4);
        builder.location("x", 1, LocationKind::Atomic);
        builder.array("a", &[0, 3], LocationKind::Atomic);
        builder.location("y", 0, LocationKind::Atomic);
        builder.location("d", 2, LocationKind::NonAtomic);
        for (index, ops) in threads.into_iter().enumerate() {
            let code = ops.into_iter().chain([Op::Halt]).map(|op| Instr { op, origin: Origin::default() }).collect();
            let register = |name: &str, init| Register { name: name.into(), init };
            builder.thread(format!("t[{index}]"), vec![register("r", 0), register("s", 2)], code);
        }
        builder.build().unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printing_then_reading_is_identity(original in any_program()) {
        let text = print(&original);
        let loaded = load(Language::Fp, &text);
        prop_assert!(loaded.program.is_some(), "{}\n{:#?}", text, loaded.diagnostics);
        prop_assert_eq!(shape(&loaded.program.unwrap()), shape(&original), "{}", text);
    }

    #[test]
    fn a_program_comes_exactly_without_errors(keep in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
        for sample in [FP, TPL, LITMUS] {
            // Leave out some lines: names vanish, braces too.
            let mut lines: Vec<&str> = sample.lines().collect();
            for index in &keep {
                let index = index.index(lines.len());
                lines.remove(index);
            }
            for &language in Language::ALL {
                let loaded = load(language, &lines.join("\n"));
                let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
                prop_assert_eq!(loaded.program.is_none(), errors);
                if let Some(program) = loaded.program.filter(|program| !program.has_mixed_accesses()) {
                    let printed = print(&program);
                    let again = load(Language::Fp, &printed);
                    prop_assert!(again.program.is_some(), "{}\n{:#?}", printed, again.diagnostics);
                    prop_assert_eq!(print(&again.program.unwrap()), printed);
                }
            }
        }
    }
}
