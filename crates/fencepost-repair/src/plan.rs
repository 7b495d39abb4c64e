//! Questions and answers: what is to be edited, and why.

use fencepost_base::source::Span;
use fencepost_check::Options;
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_syntax::Language;
use fencepost_verdict::{Budget, Reason, Violation};
use similar::TextDiff;

use crate::bench::{Bench, Edited, Selection};
use crate::costs::Costs;
use crate::form::Form;
use crate::text::Source;

/// A program to be edited.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The language of the text.
    pub language: Language,
    /// The text.
    pub text: &'a str,
    /// The program it denotes.
    pub program: &'a Program,
    /// The memory models, at least one: robust means robust against all of them.
    pub models: &'a [&'static dyn Model],
    /// What edits cost.
    pub costs: &'a Costs,
    /// How to check.
    pub options: Options,
    /// Limits of each check; its clock is that of the whole task.
    pub budget: &'a Budget<'a>,
}

/// What an edit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditKind {
    /// A new fence.
    Fence,
    /// Another order.
    Order,
    /// An exchange instead of a store.
    Exchange,
    /// A fence less.
    Removal,
}

impl EditKind {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            EditKind::Fence => "fence",
            EditKind::Order => "order",
            EditKind::Exchange => "exchange",
            EditKind::Removal => "removal",
        }
    }

    fn of(before: Form, after: Form) -> Self {
        match (before, after) {
            (Form::Nothing, _) => EditKind::Fence,
            (_, Form::Nothing) => EditKind::Removal,
            (Form::Store(_), Form::Rmw(_)) => EditKind::Exchange,
            _ => EditKind::Order,
        }
    }
}

/// One edit.
#[derive(Clone, Debug)]
pub struct Edit {
    /// The statement in the unedited text; for a new one, the empty span where it goes.
    pub span: Span,
    /// What it does.
    pub kind: EditKind,
    /// What stood there.
    pub before: Form,
    /// What stands there now.
    pub after: Form,
    /// How that is written; empty for a removal.
    pub text: String,
    /// What it costs; negative if it saves something.
    pub cost: i64,
    /// Why nothing less will do, where that was asked.
    pub need: Option<Need>,
}

/// Why an edit is needed.
#[derive(Clone, Debug)]
pub enum Need {
    /// Without it there is this violation.
    Because(Box<Because>),
    /// That was not decided.
    Undecided(Reason),
}

/// A violation in a program edited otherwise.
#[derive(Clone, Debug)]
pub struct Because {
    /// The text of that program.
    pub text: String,
    /// The program.
    pub program: Program,
    /// The violation there.
    pub violation: Violation,
    /// The name of the model that permits it.
    pub model: &'static str,
    /// Where, in the unedited text, the access that goes wrong is.
    pub access: Span,
    /// The same for the access it conflicts with.
    pub conflicting: Span,
}

/// Edits that belong together.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order of the text.
    pub edits: Vec<Edit>,
    /// What they cost together; negative if they save something.
    pub cost: i64,
    /// The text after them.
    pub text: String,
}

impl Plan {
    pub(crate) fn new(bench: &Bench<'_>, costs: &Costs, selection: &Selection) -> Self {
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
}

impl Because {
    pub(crate) fn new(bench: &Bench<'_>, edited: &Edited, model: &'static dyn Model, violation: Violation) -> Self {
        let place = |site| match edited.key(site).source {
            Source::Old(span) => span,
            Source::New(spot) => bench.spots[spot].span,
        };
        let (access, conflicting) = (place(violation.access), place(violation.conflicting));
        let (text, program) = (edited.changed.text.clone(), edited.program.clone());
        Because { text, program, violation, model: model.name(), access, conflicting }
    }
}

/// A unified diff between two versions of a file, as version control shows it; empty if they are equal.
pub fn diff(path: &str, old: &str, new: &str) -> String {
    if old == new {
        return String::new();
    }
    let path = path.trim_start_matches('/');
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}
