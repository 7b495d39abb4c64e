//! Where automata can be changed: at their control states.
//!
//! A fence at control state q stands before whatever leaves q: all transitions from q leave a new
//! state instead, and a fence leads there from q. That is where Trencher puts its fences, so counts
//! can be compared. Fences are the only thing that the language can say about order, and only the
//! full one.

use std::collections::BTreeSet;

use fencepost_base::order::FenceOrder;
use fencepost_base::source::Span;
use fencepost_syntax::ast::{Automaton, Clause, File, Instruction, ItemKind, Transition};
use fencepost_verdict::Form;

use crate::menu::Menu;
use crate::spots::{Choice, Direction, Spot};
use crate::text::Change;

/// The only fence there is.
const FENCE: Form = Form::Fence(FenceOrder::Sc);

/// The places of a program of automata, in the order of the text.
pub(crate) fn spots(text: &str, file: &File, menu: &Menu, direction: Direction) -> Vec<Spot> {
    if !menu.fences.contains(&FENCE) {
        return Vec::new();
    }
    let automata = file.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Automaton(automaton) => Some(automaton),
        _ => None,
    });
    let mut spots: Vec<Spot> = automata
        .flat_map(|automaton| match direction {
            Direction::Stronger => new_fences(text, automaton),
            Direction::Weaker => old_fences(automaton),
        })
        .collect();
    spots.sort_by_key(|spot| (spot.span.start, spot.span.end));
    spots
}

fn transitions(automaton: &Automaton) -> impl Iterator<Item = &Transition> {
    automaton.clauses.iter().filter_map(|clause| match clause {
        Clause::Transition(transition) => Some(transition),
        Clause::Initial(..) => None,
    })
}

/// A fence at every control state, except where there is one.
fn new_fences(text: &str, automaton: &Automaton) -> Vec<Spot> {
    let states: BTreeSet<&str> =
        transitions(automaton).flat_map(|way| [way.from.text.as_str(), way.to.text.as_str()]).collect();
    let mut spots = Vec::new();
    for &state in &states {
        let leaving: Vec<&Transition> = transitions(automaton).filter(|way| way.from.text == state).collect();
        let Some(first) = leaving.first() else { continue };
        if leaving.iter().any(|way| matches!(way.instruction, Instruction::Mfence)) {
            continue;
        }
        let mut fenced = format!("{state}_fenced");
        while states.contains(fenced.as_str()) {
            fenced.push('_');
        }
        let at = first.span.start as usize;
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let separator = match text[line..at].chars().all(char::is_whitespace) {
            true => format!("\n{}", &text[line..at]),
            false => " ".to_owned(),
        };
        let added = format!("transition {state} {fenced} mfence");
        let mut changes = vec![Change::insert(at, format!("{added}{separator}"))];
        changes.extend(leaving.iter().map(|way| Change::replace(way.from.span.range(), fenced.clone())));
        let choice = Choice { form: FENCE, text: added, changes };
        let span = Span { start: first.span.start, end: first.span.start };
        let loops = u32::from(is_on_a_cycle(automaton, state));
        spots.push(Spot { span, before: Form::Nothing, loops, choices: vec![choice] });
    }
    spots
}

/// The fences there are.
fn old_fences(automaton: &Automaton) -> Vec<Spot> {
    let fences = transitions(automaton).filter(|way| matches!(way.instruction, Instruction::Mfence));
    fences
        .map(|way| {
            let end = way.span.end as usize;
            let change = Change::replace(end - "mfence".len()..end, "noop");
            let choice = Choice { form: Form::Nothing, text: "noop".into(), changes: vec![change] };
            let loops = u32::from(is_on_a_cycle(automaton, &way.from.text));
            Spot { span: way.span, before: FENCE, loops, choices: vec![choice] }
        })
        .collect()
}

fn is_on_a_cycle(automaton: &Automaton, state: &str) -> bool {
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open = vec![state];
    while let Some(here) = open.pop() {
        for way in transitions(automaton).filter(|way| way.from.text == here) {
            if way.to.text == state {
                return true;
            }
            if reached.insert(&way.to.text) {
                open.push(&way.to.text);
            }
        }
    }
    false
}
