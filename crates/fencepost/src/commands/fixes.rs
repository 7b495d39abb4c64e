//! Fixes in a SARIF log and on a page: the cheapest edits that keep a program from harm, if they are
//! quick to find. On a page, programs that do no harm and are not robust have one, too.

use std::time::Duration;

use fencepost_check::{InternalError, Options, Question};
use fencepost_finding::Fix;
use fencepost_lower::{Language, Reading, load_as};
use fencepost_model::Model;
use fencepost_repair::{Costs, Purpose, Task, repair};
use fencepost_verdict::{Budget, Consequences, Outcome, Rank, Repaired, Verification};

use crate::limits::Limits;
use crate::load::File;
use crate::log::Form;
use crate::progress::Line;

/// Time that a fix is worth, and that all fixes of a log are.
const EACH: Duration = Duration::from_secs(2);
const ALL: Duration = Duration::from_secs(10);
/// States of each program that is checked in search of it.
const STATES: u64 = 20_000;

/// What fixes are looked for with.
pub(crate) struct Fixes {
    /// Time that is left for them.
    left: Duration,
    search: Options,
    form: Form,
}

impl Fixes {
    /// At the beginning of a log or a page.
    pub(crate) fn new(search: Options, form: Form) -> Self {
        Fixes { left: ALL, search, form }
    }

    /// A fix for a program that is not robust: what keeps it from harm, if it does any.
    pub(crate) fn of_outcome(
        &mut self,
        file: &File,
        model: &'static dyn Model,
        outcome: &Outcome,
        limits: &Limits,
    ) -> Option<Fix> {
        let rank = outcome.consequences.as_ref().map(Consequences::rank);
        let (purpose, what) = match rank {
            Some(Rank::Race | Rank::Failure) => {
                (Purpose::NoHarm, format!("Nothing goes wrong under {} with one stale step then.", model.name()))
            }
            _ if self.form == Form::Page && outcome.verdict.is_violated() => {
                (Purpose::Robustness, format!("The program is robust against {} then.", model.name()))
            }
            _ => return None,
        };
        let text = self.repaired(file, model, purpose, limits, |_, _| true)?;
        Fix::between(file.source.text(), &text, what)
    }

    /// A fix for a program that is not safe, and is safe with it: that is asked again.
    pub(crate) fn of_verification(
        &mut self,
        file: &File,
        model: &'static dyn Model,
        verification: &Verification,
        limits: &Limits,
    ) -> Option<Fix> {
        let verified = verification.result.as_ref().ok()?;
        if verified.holds(file.program.condition()) {
            return None;
        }
        let search = self.search;
        let is_safe = |text: &str, budget: &Budget<'_>| {
            let program = load_as(file.input.language, text, Reading::default()).program?;
            let verification = Question::new(&program, model).with(search).safety(budget).ok()?;
            Some(verification.result.ok()?.holds(program.condition()))
        };
        let is_good = |text: &str, budget: &Budget<'_>| is_safe(text, budget) == Some(true);
        // What goes wrong may need more than one stale step. A robust program has none.
        let text = [Purpose::NoHarm, Purpose::Robustness]
            .into_iter()
            .find_map(|purpose| self.repaired(file, model, purpose, limits, is_good))?;
        Fix::between(file.source.text(), &text, format!("Nothing goes wrong under {} then.", model.name()))
    }

    /// The text with the cheapest edits for this purpose, if `is_good` likes it too.
    fn repaired(
        &mut self,
        file: &File,
        model: &'static dyn Model,
        purpose: Purpose,
        limits: &Limits,
        is_good: impl Fn(&str, &Budget<'_>) -> bool,
    ) -> Option<String> {
        if file.input.language == Language::Litmus {
            return None;
        }
        let limits = limits.after(file.reading).at_most(EACH.min(self.left));
        let mut text = None;
        let found = limits.ask(&Line::new(file.source.name(), false), |budget| {
            let budget = Budget { max_states: budget.max_states.min(STATES), ..*budget };
            let task = Task {
                language: file.input.language,
                text: file.source.text(),
                program: &file.program,
                copies: None,
                purpose,
                models: &[model],
                costs: &Costs::default(),
                options: self.search,
                budget: &budget,
            };
            let found = repair(&task, 1)?;
            if let (Repaired::Plans { plans, .. }, _) = &found {
                text = plans.first().map(|plan| plan.text.clone()).filter(|text| is_good(text, &budget));
            }
            Ok::<_, InternalError>(found)
        });
        let (_, time) = found.ok()?;
        self.left = self.left.saturating_sub(time);
        text
    }
}
