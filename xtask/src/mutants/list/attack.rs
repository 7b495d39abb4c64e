//! The attacks: what they leave out, how they are built into a program.

use super::{Mutant, attack};

const ATTACKS: &str = "crates/fencepost-attack/src/attack.rs";
const DELAYS: &str = "crates/fencepost-attack/src/delays.rs";
const FLOW: &str = "crates/fencepost-attack/src/flow.rs";
const ATTACKER: &str = "crates/fencepost-attack/src/instrument/attacker.rs";
const HELPER: &str = "crates/fencepost-attack/src/instrument/helper.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    attack("attacks: stores are never last", ATTACKS, "buffers == Buffers::PerLocation", "buffers == Buffers::Total"),
    attack(
        "attacks: threads with another start are the same",
        ATTACKS,
        "register.init).collect()",
        "register.init.min(0)).collect()",
    ),
    attack("delays: one is enough whoever waits", DELAYS, "true => Delays::OneLocation", "true => Delays::One"),
    attack(
        "delays: nobody waits in a section",
        DELAYS,
        "Op::Wait { .. } | Op::BlockingCas { .. }) || in_section()",
        "Op::Wait { .. } | Op::BlockingCas { .. }) && !in_section()",
    ),
    attack(
        "delays: stores behind a delayed one to the same location overtake it",
        ATTACKER,
        "self.if_set(held.clone(), *delayed);",
        "",
    ),
    attack(
        "attacks: every light fence rules out every store behind it",
        FLOW,
        "stored.clone().all(|loc| covers.contains(LocId::from_index(loc)))",
        "!stored.is_empty()",
    ),
    attack(
        "attacks: barriers leave buffers as they are",
        FLOW,
        "Op::Fence { order: FenceOrder::Sc } | Op::Enter => Use::Barrier,",
        "Op::Fence { order: FenceOrder::Acq } | Op::Enter => Use::Barrier,",
    ),
    attack(
        "attacks: the attacker does not look into its buffer",
        ATTACKER,
        "self.if_set(held, early);",
        "self.load_bit(held);",
    ),
    attack(
        "attacks: light fences delay nothing",
        ATTACKER,
        "self.asm.emit(Op::Branch { cond: Expr::Reg(self.fenced), target: delayed.target() });",
        "",
    ),
    attack(
        "attacks: there are several attackers",
        ATTACKER,
        "if let Some(attacking) = self.context.attacking {",
        "if let Some(attacking) = self.context.attacking.filter(|_| false) {",
    ),
    attack(
        "attacks: a last store counts as a load",
        ATTACKER,
        "(use_of(op) == Use::Store).then_some(&self.context.stored)",
        "(use_of(op) == Use::Rmw).then_some(&self.context.stored)",
    ),
    attack(
        "attacks: helpers depend on reading what was read",
        HELPER,
        "self.await_bit(if writes { seen.clone() } else { stored.clone() }, 1)",
        "self.await_bit(seen.clone(), 1)",
    ),
    attack("attacks: writes of helpers leave no marks", HELPER, "self.set(stored, 1);", "self.set(stored, 0);"),
    attack(
        "attacks: any access of a helper is success",
        HELPER,
        "self.load_bit(target);",
        "self.set(target, 1);\n            self.assign(self.scratch, Expr::Const(1));",
    ),
    attack(
        "attacks: failed compare-and-swaps of helpers write",
        HELPER,
        "self.touch_as(dependence, false, place, pc, &[(read, Meaning::Original(pc))]);",
        "self.touch_as(dependence, true, place, pc, &[(read, Meaning::Original(pc))]);",
    ),
    attack(
        "attacks: sections are judged before they are complete",
        HELPER,
        "if !in_section && target.is_some() {",
        "if target.is_some() {",
    ),
    attack(
        "attacks: sections need not depend on the attacker",
        HELPER,
        "self.asm.emit(Op::Assume { cond: Expr::Reg(self.depends) });",
        "self.assign(self.depends, Expr::Const(0));",
    ),
    attack("attacks: sections depend on themselves", HELPER, "self.if_set(own, end);", "self.load_bit(own);"),
];
