//! Edits of a source text: what was proposed, what it costs, and why nothing less will do.

use fencepost_base::source::Span;
use fencepost_ir::Program;

use crate::form::Form;
use crate::outcome::Reason;
use crate::witness::Violation;

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

    /// What writing `after` in the place of `before` is.
    pub fn of(before: Form, after: Form) -> Self {
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

/// What repairs a program.
#[derive(Clone, Debug)]
pub enum Repaired {
    /// The program is robust as it is.
    Nothing,
    /// It can be repaired.
    Plans {
        /// By increasing cost; of each, no part is a repair. The edits of the first one come with
        /// the reasons.
        plans: Vec<Plan>,
        /// Are these all? If not, is it known why (other than that no more were asked for)?
        rest: Rest,
    },
    /// None of the candidates helps; there is always a violation, such as this one.
    Impossible(Box<Because>),
    /// It was not decided.
    Unknown(Reason),
}

/// What was not listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// There are no other repairs, but for those that contain one of these.
    Nothing,
    /// Whether there are others was not asked.
    NotAsked,
    /// As many were found as were asked for; there may be others, which cost as much or more.
    Cut,
    /// Whether there are others was not decided.
    Undecided(Reason),
}

/// What a robust program can do without.
#[derive(Clone, Debug)]
pub enum Relaxed {
    /// What can be weakened; perhaps nothing.
    Plan {
        /// The edits.
        plan: Plan,
        /// What is left, and could cost less, but cannot be weakened further.
        kept: Vec<Kept>,
    },
    /// The program is not robust to begin with.
    NotRobust(Box<Because>),
    /// It was not decided whether it is.
    Unknown(Reason),
}

/// A fence or an order that is needed.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The statement in the unedited text.
    pub span: Span,
    /// What stands there after the edits.
    pub form: Form,
    /// Why: the violation when it is weakened a little.
    pub need: Need,
}
