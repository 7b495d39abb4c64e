//! Orders that are said to make no difference make none, by definition; and programs whose orders
//! are strong enough are as safe as strong release/acquire says, plain accesses and fences included.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_analysis::promotion::Promotion;
use fencepost_base::order::FenceOrder;
use fencepost_check::{Engine, Question};
use fencepost_ir::{Op, Program};
use fencepost_model::models::MODELS;
use fencepost_model::{Model, SafeIf};
use fencepost_oracle::finals;
use fencepost_testkit::edit::{asserting_ends, fenced, replaced};
use fencepost_testkit::generate::{self, Options, Palette};
use fencepost_testkit::random::Random;
use fencepost_testkit::{everything, in_parallel, repetitions};
use fencepost_verdict::Budget;

/// States ⟨q, G⟩ that are enough for nearly all of the programs.
const LIMIT: u64 = 6_000;

/// The models in which orders matter.
fn with_orders() -> impl Iterator<Item = &'static dyn Model> {
    MODELS.iter().copied().filter(|model| model.declaration().repairs.orders)
}

/// The program with some more fences of this order.
fn more_fenced(mut program: Program, order: FenceOrder, count: usize, random: &mut Random) -> Program {
    for _ in 0..count {
        let mut more = fenced(&program, order);
        program = more.swap_remove(random.below(more.len()));
    }
    program
}

#[test]
fn promoted_orders_make_no_difference() {
    let (changed, compared) = (AtomicU64::new(0), AtomicU64::new(0));
    let seeds = repetitions(1_500);
    in_parallel(0..seeds, |seed| {
        let seed = seed + (71 << 32);
        let mut random = Random::new(seed);
        let options = Options { private: seed % 4 != 0, plain: seed % 3 == 0, total_accesses: 7, ..Options::default() };
        let program = asserting_ends(&generate::program(seed, &options), &mut random);
        let promotion = Promotion::of(&program);
        let promoted = replaced(&program, |thread, op| promotion.promoted(thread, op));
        if promoted == program {
            return;
        }
        changed.fetch_add(1, Ordering::Relaxed);
        let observed = everything(&program);
        for model in with_orders() {
            let [before, after] =
                [&program, &promoted].map(|program| finals(program, model, &observed, LIMIT, &|| false));
            let (Ok(before), Ok(after)) = (before, after) else { continue };
            compared.fetch_add(1, Ordering::Relaxed);
            let seen = |found: &fencepost_oracle::Finals| {
                // A race is anything: how much else is found does not matter.
                let executions = found.race.is_none().then(|| found.executions.clone());
                (found.race.is_some(), executions, found.race.is_some() || found.failure.is_some())
            };
            let texts = || [&program, &promoted].map(fencepost_lower::print).join("\n");
            assert_eq!(seen(&before), seen(&after), "seed {seed}, {}:\n{}", model.name(), texts());
        }
    });
    let (changed, compared) = (changed.into_inner(), compared.into_inner());
    assert!(changed * 10 > seeds && compared > changed, "{changed} of {seeds} changed, {compared} compared");
}

/// Coverability of release/acquire programs, most with plain accesses, fences of all kinds, and
/// relaxed accesses that may be promoted.
#[test]
fn synchronised_programs_are_as_safe_as_under_sra() {
    let (answers, safe) = (AtomicU64::new(0), AtomicU64::new(0));
    let seeds = repetitions(1_500);
    in_parallel(0..seeds, |seed| {
        let seed = seed + (72 << 32);
        let mut random = Random::new(seed);
        let palette = Some(if seed % 4 == 0 { Palette::WITHOUT_SC } else { Palette::RELEASE_ACQUIRE });
        let private = seed % 4 == 0;
        let options = Options { palette, private, total_accesses: 6, ..Options::default() };
        let program = asserting_ends(&generate::program(seed, &options), &mut random);
        let program = more_fenced(program, FenceOrder::Sc, (seed % 5) as usize, &mut random);
        let orders = [FenceOrder::Acq, FenceOrder::Rel, FenceOrder::AcqRel];
        let program = more_fenced(program, orders[random.below(3)], (seed % 2) as usize, &mut random);
        for model in with_orders() {
            assert_eq!(model.declaration().causal.safe, SafeIf::SynchronisedAndWritesDoNotRace);
            let Ok(found) = finals(&program, model, &[], LIMIT, &|| false) else { continue };
            let budget = Budget { max_states: 20_000, ..Budget::unlimited() };
            let answer = Question::new(&program, model).by(Engine::Coverability).safety(&budget);
            let answer = answer.unwrap_or_else(|error| panic!("seed {seed}, {}: {error}", model.name()));
            let Ok(verified) = answer.result else { continue };
            let is_safe = found.race.is_none() && found.failure.is_none();
            let text = || fencepost_lower::print(&program);
            assert_eq!(verified.holds(None), is_safe, "seed {seed}, {}:\n{}", model.name(), text());
            answers.fetch_add(1, Ordering::Relaxed);
            let ops = || program.threads().iter().flat_map(|thread| thread.code.iter().map(|instr| &instr.op));
            let is_plain = |op: &Op| matches!(op, Op::PlainLoad { .. } | Op::PlainStore { .. });
            let is_fence = |op: &Op| matches!(op, Op::Fence { order: FenceOrder::Sc });
            safe.fetch_add(u64::from(is_safe && ops().any(is_plain) && ops().any(is_fence)), Ordering::Relaxed);
        }
    });
    let (answers, safe) = (answers.into_inner(), safe.into_inner());
    assert!(answers * 10 > seeds && safe > 10, "{answers} answers, {safe} of them safe with plain accesses and fences");
}
