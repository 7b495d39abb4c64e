//! Small changes to a program: an order made stronger, a fence more. Laws
//! about memory models say what such a change can and cannot do.

use fencepost_base::ids::{LocId, Pc, RegId, ThreadId};
use fencepost_base::order::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{
    Array, BinaryOp, CasStrength, CmpOp, Condition, Expr, Formula, Instr, Location, LocationKind, Observable, Op,
    Origin, Place, Program, Quantifier, Register,
};

use crate::random::Random;
use crate::shrink::Parts;

/// The programs in which the order of one access is stronger: the next stronger ones, and SC.
pub fn strengthened(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for (thread, pc) in sites(program) {
        for op in stronger(&program.instr(thread, pc).op) {
            let mut parts = Parts::of(program);
            parts.threads[thread.index()].code[pc.index()].op = op;
            found.extend(parts.build());
        }
    }
    found
}

/// The program in which every instruction is replaced.
pub fn replaced(program: &Program, replacement: impl Fn(ThreadId, &Op) -> Op) -> Program {
    let mut parts = Parts::of(program);
    for (thread, code) in program.thread_ids().zip(parts.threads.iter_mut().map(|thread| &mut thread.code)) {
        code.iter_mut().for_each(|instr| instr.op = replacement(thread, &instr.op));
    }
    parts.build().expect("still well-formed")
}

/// The programs with one more fence of this order, before some instruction.
pub fn fenced(program: &Program, order: FenceOrder) -> Vec<Program> {
    let with_fence = |(thread, pc): (ThreadId, Pc)| {
        let mut parts = Parts::of(program);
        insert(&mut parts.threads[thread.index()].code, pc, Op::Fence { order });
        parts.build()
    };
    sites(program).filter_map(with_fence).collect()
}

/// The program in which some loads and stores of atomic locations are plain, as litmus tests can
/// have them.
pub fn partly_plain(program: &Program, random: &mut Random) -> Program {
    let mut parts = Parts::of(program);
    for instr in parts.threads.iter_mut().flat_map(|thread| &mut thread.code) {
        let plain = match &instr.op {
            Op::Load { dst: Some(dst), place, .. } => Op::PlainLoad { dst: *dst, place: place.clone() },
            Op::Store { place, value, .. } => Op::PlainStore { place: place.clone(), value: value.clone() },
            _ => continue,
        };
        if random.below(3) == 0 {
            instr.op = plain;
        }
    }
    parts.build().expect("still well-formed")
}

/// The program with a vacuous `assert(r == r)` after every load and every weak compare-and-swap, r
/// being its result (POPL 2021, Lemma 4.20: then observational robustness is robustness).
pub fn asserting_reads(program: &Program) -> Program {
    let mut parts = Parts::of(program);
    for thread in &mut parts.threads {
        let mut pc = 0;
        while pc < thread.code.len() {
            if let Op::Load { dst, .. } | Op::Cas { dst, strength: CasStrength::Weak, .. } = &mut thread.code[pc].op {
                let register = *dst.get_or_insert_with(|| {
                    thread.registers.push(Register { name: format!("unused{pc}"), init: 0 });
                    RegId::from_index(thread.registers.len() - 1)
                });
                let result = || Box::new(Expr::Reg(register));
                let cond = Expr::Binary(BinaryOp::Cmp(CmpOp::Eq), result(), result());
                // Behind the load; jumps there need not assert anything, but may.
                insert(&mut thread.code, Pc::from_index(pc + 1), Op::Assert { cond });
            }
            pc += 1;
        }
    }
    parts.build().expect("still well-formed")
}

/// The program in which threads assert, where they end, that their registers do not have some
/// values all together.
pub fn asserting_ends(program: &Program, random: &mut Random) -> Program {
    let (mut parts, domain) = (Parts::of(program), program.domain() as usize);
    for thread in &mut parts.threads {
        let ends: Vec<usize> = (0..thread.code.len()).filter(|&pc| thread.code[pc].op == Op::Halt).collect();
        if random.chance(25) {
            continue;
        }
        let mut differs = |register: usize| {
            let (register, value) = (Expr::Reg(RegId::from_index(register)), Expr::Const(random.below(domain) as i64));
            Expr::Binary(BinaryOp::Cmp(CmpOp::Ne), Box::new(register), Box::new(value))
        };
        let all = (0..thread.registers.len()).map(&mut differs);
        let Some(cond) = all.reduce(|one, other| Expr::Binary(BinaryOp::Or, Box::new(one), Box::new(other))) else {
            continue;
        };
        for pc in ends.into_iter().rev() {
            insert(&mut thread.code, Pc::from_index(pc), Op::Assert { cond: cond.clone() });
        }
    }
    parts.build().expect("still well-formed")
}

/// The program in which threads fail where they come by at some places, each by its own assertion:
/// at once, or if a register has some value.
pub fn probing(program: &Program, random: &mut Random) -> Program {
    let (mut parts, domain) = (Parts::of(program), program.domain() as usize);
    for thread in &mut parts.threads {
        for pc in (0..thread.code.len()).rev().filter(|_| random.chance(35)).collect::<Vec<_>>() {
            let cond = match thread.registers.len() {
                count if count > 0 && random.chance(75) => {
                    let register = Expr::Reg(RegId::from_index(random.below(count)));
                    let value = Expr::Const(random.below(domain) as i64);
                    Expr::Binary(BinaryOp::Cmp(CmpOp::Ne), Box::new(register), Box::new(value))
                }
                _ => Expr::Const(0),
            };
            insert(&mut thread.code, Pc::from_index(pc), Op::Assert { cond });
        }
    }
    parts.build().expect("still well-formed")
}

/// The program in which a thread reads a non-atomic location where it failed at once, and the others
/// write it somewhere.
pub fn racing(program: &Program, random: &mut Random) -> Program {
    let mut parts = Parts::of(program);
    // It comes last, and the builder adds it again.
    parts.locations.retain(|location| location.kind != LocationKind::Fence);
    let place = Place::Fixed(LocId::from_index(parts.locations.len()));
    parts.locations.push(Location { name: "data".into(), init: 0, kind: LocationKind::NonAtomic });
    for thread in &mut parts.threads {
        let fails = |instr: &Instr| instr.op == Op::Assert { cond: Expr::Const(0) };
        if let Some(pc) = thread.code.iter().position(fails) {
            let dst = RegId::from_index(thread.registers.len());
            thread.registers.push(Register { name: "seen".into(), init: 0 });
            thread.code[pc].op = Op::PlainLoad { dst, place: place.clone() };
        } else {
            let pc = Pc::from_index(random.below(thread.code.len()));
            insert(&mut thread.code, pc, Op::PlainStore { place: place.clone(), value: Expr::Const(1) });
        }
    }
    parts.build().expect("still well-formed")
}

/// The program with a condition about some registers and locations.
pub fn with_condition(program: &Program, random: &mut Random) -> Program {
    let domain = program.domain() as usize;
    let registers = program.thread_ids().flat_map(|thread| {
        let count = program.thread(thread).registers.len();
        (0..count).map(move |register| Observable::Register(thread, RegId::from_index(register)))
    });
    let locations = (0..program.locations().len()).map(LocId::from_index);
    let is_visible = |loc: &LocId| program.location(*loc).kind != LocationKind::Fence;
    let all: Vec<Observable> = registers.chain(locations.filter(is_visible).map(Observable::Location)).collect();
    let formula = |random: &mut Random| {
        let mut atom = || Formula::Equals(random.pick(&all), random.below(domain) as u32);
        let (one, other) = (Box::new(atom()), Box::new(atom()));
        match random.below(4) {
            0 => *one,
            1 => Formula::Or(one, other),
            2 => Formula::Not(one),
            _ => Formula::And(one, other),
        }
    };
    let mut parts = Parts::of(program);
    parts.condition = Some(Condition {
        quantifier: random.pick(&[Quantifier::Exists, Quantifier::NotExists, Quantifier::Forall]),
        formula: formula(random),
        filter: random.chance(25).then(|| formula(random)),
        shown: vec![random.pick(&all)],
    });
    parts.build().expect("still well-formed")
}

/// Both programs at once: they share no location but that of SC fences.
///
/// # Panics
/// When their domains differ.
pub fn beside(left: &Program, right: &Program) -> Program {
    assert_eq!(left.domain(), right.domain(), "values mean the same in both");
    let mut parts = Parts::of(left);
    // It comes last, and the builder adds it again.
    parts.locations.retain(|location| location.kind != LocationKind::Fence);
    let (locations, arrays) = (parts.locations.len() as u32, parts.arrays.len() as u32);
    let renamed = |name: &str| format!("{name}'");
    for location in right.locations() {
        parts.locations.push(Location { name: renamed(&location.name), ..location.clone() });
    }
    for array in right.arrays() {
        let base = LocId(array.base.0 + locations);
        parts.arrays.push(Array { name: renamed(&array.name), base, len: array.len });
    }
    for mut thread in right.threads().iter().cloned() {
        thread.name = renamed(&thread.name);
        for place in thread.code.iter_mut().filter_map(|instr| place_mut(&mut instr.op)) {
            match place {
                Place::Fixed(loc) => loc.0 += locations,
                Place::Element { array, .. } => array.0 += arrays,
            }
        }
        parts.threads.push(thread);
    }
    parts.build().expect("still well-formed")
}

/// As `Op::place`, to change it.
fn place_mut(op: &mut Op) -> Option<&mut Place> {
    match op {
        Op::Load { place, .. }
        | Op::PlainLoad { place, .. }
        | Op::Store { place, .. }
        | Op::PlainStore { place, .. }
        | Op::Update { place, .. }
        | Op::Cas { place, .. }
        | Op::Wait { place, .. }
        | Op::BlockingCas { place, .. } => Some(place),
        _ => None,
    }
}

fn sites(program: &Program) -> impl Iterator<Item = (ThreadId, Pc)> + '_ {
    let code = |thread: ThreadId| 0..program.thread(thread).code.len();
    program.thread_ids().flat_map(move |thread| code(thread).map(move |pc| (thread, Pc::from_index(pc))))
}

/// Inserts an instruction; jumps to the one behind it go through it.
pub(crate) fn insert(code: &mut Vec<Instr>, pc: Pc, op: Op) {
    let move_target = |target: &mut Pc| {
        if *target > pc {
            target.0 += 1;
        }
    };
    for instr in code.iter_mut() {
        match &mut instr.op {
            Op::Jump { target } | Op::Branch { target, .. } => move_target(target),
            Op::Choose { targets } => targets.iter_mut().for_each(move_target),
            _ => {}
        }
    }
    code.insert(pc.index(), Instr { op, origin: Origin::default() });
}

fn stronger_reads(order: ReadOrder) -> &'static [ReadOrder] {
    match order {
        ReadOrder::Rlx => &[ReadOrder::Acq, ReadOrder::Sc],
        ReadOrder::Acq => &[ReadOrder::Sc],
        ReadOrder::Sc => &[],
    }
}

fn stronger_writes(order: WriteOrder) -> &'static [WriteOrder] {
    match order {
        WriteOrder::Rlx => &[WriteOrder::Rel, WriteOrder::Sc],
        WriteOrder::Rel => &[WriteOrder::Sc],
        WriteOrder::Sc => &[],
    }
}

fn stronger_rmws(order: RmwOrder) -> &'static [RmwOrder] {
    match order {
        RmwOrder::Rlx => &[RmwOrder::Acq, RmwOrder::Rel, RmwOrder::AcqRel, RmwOrder::Sc],
        RmwOrder::Acq | RmwOrder::Rel => &[RmwOrder::AcqRel, RmwOrder::Sc],
        RmwOrder::AcqRel => &[RmwOrder::Sc],
        RmwOrder::Sc => &[],
    }
}

/// The instruction with a stronger order.
fn stronger(op: &Op) -> Vec<Op> {
    let with = |change: &dyn Fn(&mut Op)| {
        let mut op = op.clone();
        change(&mut op);
        op
    };
    let reads = |order: ReadOrder| {
        stronger_reads(order).iter().map(move |&stronger| {
            with(&|op| {
                if let Op::Load { order, .. } | Op::Wait { order, .. } | Op::Cas { failure: order, .. } = op {
                    *order = stronger;
                }
            })
        })
    };
    let rmws = |order: RmwOrder| {
        stronger_rmws(order).iter().map(move |&stronger| {
            with(&|op| {
                if let Op::Update { order, .. } | Op::BlockingCas { order, .. } | Op::Cas { success: order, .. } = op {
                    *order = stronger;
                }
            })
        })
    };
    match op {
        Op::Load { order, .. } | Op::Wait { order, .. } => reads(*order).collect(),
        Op::Update { order, .. } | Op::BlockingCas { order, .. } => rmws(*order).collect(),
        Op::Cas { success, failure, .. } => rmws(*success).chain(reads(*failure)).collect(),
        Op::Store { place, value, order } => stronger_writes(*order)
            .iter()
            .map(|&order| Op::Store { place: place.clone(), value: value.clone(), order })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn a_fence_is_one_instruction_more_and_jumps_still_land() {
        for seed in 0..100 {
            let program = generate::program(seed, &generate::Options { loops: true, ..Default::default() });
            let fenced = fenced(&program, FenceOrder::Acq);
            assert_eq!(fenced.len(), program.size(), "a fence before every instruction");
            assert!(fenced.iter().all(|fenced| fenced.size() == program.size() + 1));
        }
    }

    #[test]
    fn programs_beside_each_other_do_not_meet() {
        for seed in 0..100 {
            let options = generate::Options { domain: 3..=3, ..Default::default() };
            let (left, right) = (generate::program(seed, &options), generate::program(!seed, &options));
            let both = beside(&left, &right);
            assert_eq!(both.size(), left.size() + right.size());
            let fences = |program: &Program| usize::from(program.fence_location().is_some());
            let locations = |program: &Program| program.locations().len() - fences(program);
            assert_eq!(locations(&both), locations(&left) + locations(&right));
            for (thread, pc) in sites(&both) {
                if let Some(Place::Fixed(loc)) = both.instr(thread, pc).op.place() {
                    assert_eq!(loc.index() < locations(&left), thread.index() < left.threads().len());
                }
            }
        }
    }

    #[test]
    fn nothing_is_stronger_than_sc() {
        let sc = generate::Options { palette: Some(generate::Palette::SC), plain: false, ..Default::default() };
        assert!((0..100).all(|seed| strengthened(&generate::program(seed, &sc)).is_empty()));
    }
}
