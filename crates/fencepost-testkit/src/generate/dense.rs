//! Dense programs: a cycle that weak memory may close, with every access repeated.
//!
//! Thread `i` accesses location `i` and then location `i + 1`; the last one meets the first.
//! Programs drawn access by access rarely have such a cycle, and those that have one rarely repeat
//! its accesses. But some mistakes show only where all of this is frequent: several stores to one
//! location beside reads that wait for a certain value, repeated updates, and sections.

use fencepost_base::ids::LocId;
use fencepost_ir::{CasStrength, CmpOp, Expr, LocationKind, Op, Place, ProgramBuilder, RmwFunction, WaitCondition};

use super::memory::Memory;
use super::{Options, Writer};
use crate::random::Random;

/// The accesses of a thread: where, and whether they write.
pub(super) type Plan = Vec<(LocId, bool)>;

/// Declares the locations of a cycle and says what each thread accesses.
pub(super) fn plan(random: &mut Random, builder: &mut ProgramBuilder, options: &Options) -> (Memory, Vec<Plan>) {
    let threads = random.weighted(&[(7, 2), (3, 3)]).clamp(*options.threads.start(), *options.threads.end());
    let names = ["x", "y", "z"];
    let atomic: Vec<LocId> = (0..random.within(&(threads.min(3)..=3)))
        .map(|i| builder.location(names[i], 0, LocationKind::Atomic))
        .collect();
    let plans = (0..threads).map(|thread| {
        let at = |offset: usize| atomic[(thread + offset) % threads.min(atomic.len())];
        let mut plan = vec![(at(0), random.chance(60)), (at(1), random.chance(50))];
        // What the cycle does not need may be in its way.
        if random.chance(30) {
            plan.insert(1, (random.pick(&atomic), random.chance(60)));
        }
        plan
    });
    let mut plans: Vec<Plan> = plans.collect();
    // A location that nobody writes closes no cycle.
    for loc in &atomic {
        let mut accesses: Vec<_> = plans.iter_mut().flatten().filter(|(other, _)| other == loc).collect();
        if accesses.iter().all(|(_, writes)| !writes) {
            accesses.iter_mut().take(1).for_each(|(_, writes)| *writes = true);
        }
    }
    (Memory { atomic, atomic_array: None, plain: Vec::new(), plain_array: None }, plans)
}

impl Writer<'_> {
    /// The accesses of a plan, each up to three times, at most `most` altogether.
    pub(super) fn thicken(&mut self, plan: &Plan, mut most: usize, options: &Options) {
        for (index, &(loc, writes)) in plan.iter().enumerate() {
            let rest = plan.len() - index - 1;
            let times = self.random.weighted(&[(4, 1), (4, 2), (1, 3)]).min(most.saturating_sub(rest)).max(1);
            most = most.saturating_sub(times);
            let start = self.here();
            for _ in 0..times {
                let section = options.sections && self.random.chance(30);
                if section {
                    self.emit(Op::Enter);
                }
                self.repeated(&Place::Fixed(loc), writes);
                if section {
                    self.leave_section();
                }
            }
            if options.loops && self.random.chance(25) {
                let next = fencepost_base::ids::Pc(self.here().0 + 1);
                self.emit(Op::Choose { targets: vec![start, next] });
            }
            self.between(options);
        }
        // What a stale read does to a thread is seen by an assertion about it.
        if self.random.chance(40) {
            let cond = self.condition();
            self.emit(Op::Assert { cond });
        }
    }

    /// A section may go on only if what was read last is what it needs.
    fn leave_section(&mut self) {
        if self.random.chance(50) {
            let cond = self.condition();
            self.emit(Op::Assume { cond });
        }
        self.emit(Op::Leave);
    }

    fn repeated(&mut self, place: &Place, writes: bool) {
        let place = place.clone();
        let bit = |random: &mut Random| Expr::Const(i64::from(random.chance(75)));
        let old = Expr::Const(i64::from(self.random.chance(40)));
        let dst = self.optional_register();
        let op = match (writes, self.random.below(20)) {
            (true, 0..=14) => Op::Store { place, value: bit(self.random), order: self.write_order() },
            (true, 15..=16) => {
                let function = self.random.pick(&[RmwFunction::Add, RmwFunction::Exchange, RmwFunction::Or]);
                Op::Update { dst, place, function, operand: bit(self.random), order: self.rmw_order() }
            }
            (true, 17) => Op::Store { place, value: self.value(), order: self.write_order() },
            (_, 18) | (false, 17) => {
                Op::BlockingCas { place, expected: old, desired: bit(self.random), order: self.rmw_order() }
            }
            (_, 19) => Op::Cas {
                dst,
                place,
                expected: old,
                desired: bit(self.random),
                success: self.rmw_order(),
                failure: self.read_order(),
                strength: self.random.pick(&[CasStrength::Strong, CasStrength::Weak]),
            },
            (false, 0..=9) => {
                let condition = WaitCondition { any_of: vec![(CmpOp::Eq, old)] };
                Op::Wait { dst, place, condition, order: self.read_order() }
            }
            (_, _) => Op::Load { dst, place, order: self.read_order() },
        };
        // With a fence at every access nothing would be left to find.
        match self.random.chance(25) {
            true => self.emit_fenced(op),
            false => drop(self.emit(op)),
        }
    }

    /// What may stand between the accesses of a cycle: mostly nothing.
    fn between(&mut self, options: &Options) {
        match self.random.below(20) {
            0 | 1 => {
                let order = self.random.weighted(self.mixture.palette.fences);
                self.emit(Op::Fence { order });
            }
            2..=4 if options.light => {
                let fence = self.light_fence();
                self.emit(fence);
            }
            5 => drop(self.local(0, 0)),
            _ => {}
        }
    }
}
