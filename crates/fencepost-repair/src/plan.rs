//! What is to be edited; selections of edits, and what is wrong without them, as answers.

use fencepost_check::Options;
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_syntax::Language;
use fencepost_verdict::{Because, Budget, Edit, EditKind, Plan, Violation};

use crate::bench::{Bench, Edited, Selection};
use crate::costs::Costs;
use crate::text::Source;

/// What edits are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The program is to be robust.
    Robustness,
    /// Nothing is to go wrong in executions with one stale step; the program need not be robust.
    NoHarm,
}

/// A program to be edited.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The language of the text.
    pub language: Language,
    /// The text.
    pub text: &'a str,
    /// The program it denotes.
    pub program: &'a Program,
    /// Where threads have any number of copies: edit the program with so many. None for the question
    /// about every number.
    pub copies: Option<u32>,
    /// What edits are for; that of `relax` is always robustness.
    pub purpose: Purpose,
    /// The memory models, at least one: robust means robust against all of them.
    pub models: &'a [&'static dyn Model],
    /// What edits cost.
    pub costs: &'a Costs,
    /// How to check.
    pub options: Options,
    /// Limits of each check; its clock is that of the whole task.
    pub budget: &'a Budget<'a>,
}

/// The edits of a selection.
pub(crate) fn plan(bench: &Bench<'_>, costs: &Costs, selection: &Selection) -> Plan {
    let edits: Vec<Edit> = selection
        .taken()
        .map(|(spot, choice)| {
            let (place, choice) = (&bench.spots[spot], bench.choice(spot, choice));
            Edit {
                span: place.span,
                kind: EditKind::of(place.before, choice.form),
                before: place.before,
                after: choice.form,
                text: choice.text.clone(),
                cost: i64::from(place.cost(choice.form, costs)) - i64::from(place.cost(place.before, costs)),
                need: None,
            }
        })
        .collect();
    let text = bench.edit(selection).map(|edited| edited.changed.text.clone()).unwrap_or_default();
    Plan { cost: edits.iter().map(|edit| edit.cost).sum(), edits, text }
}

/// The violation of an edited program, with its places in the unedited text.
pub(crate) fn because(bench: &Bench<'_>, edited: &Edited, model: &'static dyn Model, violation: Violation) -> Because {
    let place = |site| match edited.key(site).source {
        Source::Old(span) => span,
        Source::New(spot) => bench.spots[spot].span,
    };
    let (access, conflicting) = (place(violation.access), place(violation.conflicting));
    let (text, program) = (edited.changed.text.clone(), edited.program.clone());
    Because { text, program, violation, model: model.name(), access, conflicting }
}
