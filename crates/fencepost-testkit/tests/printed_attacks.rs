//! What `export --to attacks` prints for the programs of `litmus/trencher` and `litmus/buffers`
//! gives the answer that was explored. A section that ends in several places is printed as a choice
//! of sections: whoever chooses one that cannot be completed waits, possibly for ever, but every
//! run that ends the section is still there, and so is every failing assertion.

use fencepost_attack::{attacks, instrument};
use fencepost_check::{Options, enough_delays};
use fencepost_explore::{End, find_failing_assertion};
use fencepost_ir::{Op, Program};
use fencepost_lower::Language;
use fencepost_model::models;
use fencepost_testkit::corpus;
use fencepost_verdict::Budget;

/// States of a search that is compared with another.
const SOME_STATES: u64 = 50_000;

fn fails(program: &Program) -> Option<bool> {
    let budget = Budget { max_states: SOME_STATES, ..Budget::unlimited() };
    match find_failing_assertion(program, Options::default(), &budget).end {
        End::Failed => Some(true),
        End::Exhausted => Some(false),
        End::Found(_) | End::GaveUp(_) => None,
    }
}

fn has_several_ends(program: &Program) -> bool {
    let count = |wanted: &Op| {
        program.threads().iter().flat_map(|thread| &thread.code).filter(|instr| instr.op == *wanted).count()
    };
    count(&Op::Leave) > count(&Op::Enter)
}

#[test]
fn printed_attacks_give_the_same_answer() {
    let (mut feasible, mut infeasible, mut choices) = (0, 0, 0);
    let files = corpus::files().into_iter();
    for file in files.filter(|file| file.name.starts_with("trencher/") || file.name.starts_with("buffers/")) {
        let program = file.read().expect("a program").program;
        for model in models::checkable().filter(|model| model.buffers().is_some()) {
            let explored = instrument(&program, model, &attacks(&program, model), enough_delays(&program, model));
            let text = fencepost_export::attacks::export(&program, model).expect("a model with store buffers");
            let again = fencepost_lower::load(Language::Fp, &text).program.expect("what is printed can be read");
            if let (Some(before), Some(after)) = (fails(explored.program()), fails(&again)) {
                assert_eq!(before, after, "{}, {}", file.name, model.name());
                *(if before { &mut feasible } else { &mut infeasible }) += 1;
                choices += usize::from(has_several_ends(explored.program()));
            }
        }
    }
    assert!(
        feasible > 20 && infeasible > 20 && choices > 20,
        "{feasible} feasible, {infeasible} not; {choices} programs have sections with several ends"
    );
}
