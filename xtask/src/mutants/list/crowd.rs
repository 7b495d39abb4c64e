//! Any number of copies of a thread.

use super::{Mutant, crowd};

const BACKWARD: &str = "crates/fencepost-crowd/src/backward.rs";
const CROWD: &str = "crates/fencepost-crowd/src/lib.rs";
const COPIES: &str = "crates/fencepost-check/src/copies.rs";
const FORWARD: &str = "crates/fencepost-crowd/src/forward.rs";
const NUMBERED: &str = "crates/fencepost-crowd/src/numbered.rs";
const STEPS: &str = "crates/fencepost-explore/src/product/crowd.rs";

pub(super) const MUTANTS: &[Mutant] = &[
    crowd(
        "crowd: no other copy takes a step",
        FORWARD,
        "if !can_be_there {",
        "if !can_be_there || !joined.is_empty() {",
    ),
    crowd(
        "crowd: two copies are never wrong",
        FORWARD,
        "(0..at).map(move |other| [present[other], present[at]])",
        "(at..at).map(move |other| [present[other], present[at]])",
    ),
    crowd(
        "crowd: nobody fails in a view",
        FORWARD,
        "self.seen.wrong |= self.wanted.is_some_and(|wanted| wanted.is_failure(fails));",
        "self.seen.wrong |= self.wanted.is_some_and(|wanted| wanted.is_failure(fails.filter(|_| false)));",
    ),
    crowd(
        "crowd: a watch begins for its writer only",
        NUMBERED,
        "let Some(renewal) = renewal else { return local };",
        "let Some(renewal) = renewal.filter(|_| false) else { return local };",
    ),
    crowd("crowd: who is in the view is seen by nobody beside it", FORWARD, "if looks || is_in_view {", "if looks {"),
    crowd(
        "crowd: others see nothing but the beginning of a watch",
        NUMBERED,
        "step.control != control || step.renewal.is_some()",
        "step.renewal.is_some()",
    ),
    crowd("crowd: two copies are no target", BACKWARD, "add(&[other, one], numbered);", "add(&[other], numbered);"),
    crowd(
        "crowd: failures are no targets",
        BACKWARD,
        "if wanted.is_failure(step.fails) {",
        "if wanted.is_failure(step.fails.filter(|_| false)) {",
    ),
    crowd(
        "crowd: before a watch copies were as they are in it",
        BACKWARD,
        "Some(renewal) => (kind, *self.before.get(&(renewal, kind, local))?),",
        "Some(_) => (kind, local),",
    ),
    crowd(
        "crowd: one copy is as good as two",
        BACKWARD,
        "let mut high = high.copies.iter();\n        low.copies.iter().all(|copy| high.by_ref().any(|other| other == copy))",
        "low.copies.iter().all(|copy| high.copies.contains(copy))",
    ),
    crowd(
        "crowd: one copy at a time, and nobody beside it",
        FORWARD,
        "let looks = self.at_a_time == 1 &&",
        "let looks = self.at_a_time == 0 &&",
    ),
    crowd(
        "crowd: exactly so many copies, and others",
        FORWARD,
        "Others::None => Ok(()),",
        "Others::None => self.arrive(control, copies).and_then(|()| self.meet(control, copies)),",
    ),
    crowd(
        "crowd: nothing happens with so many copies, nor with one more",
        FORWARD,
        "false => self.known = copies,",
        "false => self.known = copies + 1,",
    ),
    crowd(
        "crowd: the next number of copies is left out",
        FORWARD,
        "if copies > self.known\n",
        "if copies > self.known + 1\n",
    ),
    crowd(
        "crowd: one copy more than is needed",
        FORWARD,
        "true => return Ok(Some(Answer::With(self.known + 1..=copies))),",
        "true => return Ok(Some(Answer::With(copies + 1..=copies + 1))),",
    ),
    crowd(
        "crowd: as many copies as are enough are the smallest number",
        CROWD,
        "Answer::With(known + 1..=copies)),",
        "Answer::With(copies + 1..=copies + 1)),",
    ),
    crowd(
        "crowd: a turn that is too short is the last one",
        CROWD,
        "Err(Reason::States(_)) if max_states < all => Ok(None),",
        "Err(Reason::States(_)) if max_states > all => Ok(None),",
    ),
    crowd(
        "crowd: the attacker is one of the helpers",
        COPIES,
        "Answer::With(helpers) => Answer::With(helpers.start() + 1..=helpers.end() + 1),",
        "Answer::With(helpers) => Answer::With(helpers),",
    ),
    crowd(
        "crowd: there are as many helpers as copies",
        COPIES,
        "Wanted::Assertions, known - 1) {",
        "Wanted::Assertions, known) {",
    ),
    crowd("crowd: an answer rests on the least that was needed", COPIES, "robust.max(safe)", "robust.min(safe)"),
    crowd(
        "crowd: all rows are the same under every watch",
        STEPS,
        "let rows = self.rows[self.product.watch(state)][t].iter().map(|slot| slot.get(state)).collect();",
        "let rows = self.rows[0][t].iter().map(|slot| slot.get(state)).collect();",
    ),
];
