//! Programs whose values have no bound that is known.
//!
//! Such a program is modelled in a wide domain. Where a result leaves the domain, the run ends
//! ([`Op::Bound`]), and then the answer of a search is `unknown`. But a search may not get that
//! far: states grow with every value on the way, often with the square of their number, and take
//! all memory first. Violations are shallow, and shortest runs come first. So unless the user says
//! how many states are worth it, a search gives up after some, and says which values it is about.

use fencepost_ir::{Op, Place, Program, WIDE_DOMAIN};
use fencepost_verdict::{Budget, Outcome, Reason, Verdict};

/// States worth looking at when there is no end in sight.
const WORTH_A_SEARCH: u64 = 1 << 21;
/// Names to be told.
const MOST_NAMES: usize = 4;

/// What a search may take, if the program has no bound and the user sets none.
pub(crate) fn patience<'a>(program: &Program, budget: &Budget<'a>) -> Budget<'a> {
    match budget.max_states == u64::MAX && has_no_bound(program) {
        true => Budget { max_states: WORTH_A_SEARCH, ..*budget },
        false => *budget,
    }
}

/// Says why the search gave up, if it is for that limit.
pub(crate) fn explain(program: &Program, budget: &Budget<'_>, mut outcome: Outcome) -> Outcome {
    let limited = patience(program, budget).max_states != budget.max_states;
    if let (true, Verdict::Unknown(Reason::States(limit))) = (limited, &outcome.verdict) {
        let names = unbounded(program);
        let listed: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
        let others = if names.len() > MOST_NAMES { " and others" } else { "" };
        let values = format!("no bound is known for the values of {}{others}", listed.join(", "));
        let reason = Reason::Unbounded(format!("{values}, and nothing was found in the first {limit} states"));
        outcome.verdict = Verdict::Unknown(reason);
    }
    outcome
}

fn has_no_bound(program: &Program) -> bool {
    let mut ops = program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op);
    program.domain() >= WIDE_DOMAIN && ops.any(|op| matches!(op, Op::Bound { .. }))
}

/// What is set right behind a bound: registers and places, each once, in the order of the program.
fn unbounded(program: &Program) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for thread in program.threads() {
        for (pc, _) in thread.code.iter().enumerate().filter(|(_, instr)| matches!(instr.op, Op::Bound { .. })) {
            let next = thread.code[pc..].iter().map(|instr| &instr.op).find(|op| !matches!(op, Op::Bound { .. }));
            let name = match (next.and_then(Op::place), next.and_then(Op::dst)) {
                (Some(Place::Fixed(loc)), _) => program.location(*loc).name.clone(),
                (Some(Place::Element { array, .. }), _) => program.array(*array).name.clone(),
                (None, Some(register)) => thread.registers[register.index()].name.clone(),
                (None, None) => continue,
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Question;
    use fencepost_lower::{Language, load};
    use fencepost_model::models::tso::Tso;

    /// A counter, and somebody who looks at it before raising a flag.
    const COUNTER: &str = "
        thread counts initial q0
        transition q0 q1 read r 0 transition q1 q2 write + r 1 0 transition q2 q0 read s 1 end
        thread looks initial q0 transition q0 q1 read r 0 transition q1 q2 write 1 1 end";

    #[test]
    fn what_has_no_bound_is_searched_for_a_while() {
        let program = load(Language::Txt, COUNTER).program.expect("a program");
        let unlimited = Budget::unlimited();
        assert_eq!(patience(&program, &unlimited).max_states, WORTH_A_SEARCH);
        let limited = Budget { max_states: 1_000, ..Budget::unlimited() };
        assert_eq!(patience(&program, &limited).max_states, 1_000);
        let outcome = Question::new(&program, &Tso).robustness(&limited).expect("no internal error");
        assert!(matches!(outcome.verdict, Verdict::Unknown(Reason::States(1_000))), "the limit is the user's");
        let given_up = Outcome { verdict: Verdict::Unknown(Reason::States(WORTH_A_SEARCH)), ..outcome };
        match explain(&program, &unlimited, given_up).verdict {
            Verdict::Unknown(Reason::Unbounded(text)) => assert_eq!(
                text,
                "no bound is known for the values of `mem[0]`, and nothing was found in the first 2097152 states"
            ),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_has_one_is_searched_to_the_end() {
        let text = COUNTER.replace("write + r 1 0", "write & + r 1 3 0");
        let program = load(Language::Txt, &text).program.expect("a program");
        assert_eq!(patience(&program, &Budget::unlimited()).max_states, u64::MAX);
        let outcome = Question::new(&program, &Tso).robustness(&Budget::unlimited()).expect("no internal error");
        assert!(matches!(outcome.verdict, Verdict::Holds), "{:?}", outcome.verdict);
    }
}
