//! A question about a program and a memory model, and the one place that chooses who answers it.

use fencepost_crowd::Engines;
use fencepost_explore::Options;
use fencepost_ir::Program;
use fencepost_model::{Model, Robustness};
use fencepost_verdict::{Budget, Consequences, Outcome, Property, Reason, Scope, Stats, Verdict, Verification};

use crate::{Attacking, Engine, InternalError, buffers, consequences, copies, monitored, unbounded, verify};

/// A question about a program and a memory model.
///
/// How it is answered can be chosen, for measuring and testing. The answer is the same in every
/// way: only whether there is one, and what it costs, depends on it.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    program: &'a Program,
    model: &'static dyn Model,
    options: Options,
    attacking: Attacking,
    engine: Option<Engine>,
    engines: Engines,
}

impl<'a> Question<'a> {
    /// About `program` under `model`, to be answered in the usual way.
    pub fn new(program: &'a Program, model: &'static dyn Model) -> Self {
        let (options, attacking) = (Options::default(), Attacking::default());
        Question { program, model, options, attacking, engine: None, engines: Engines::default() }
    }

    /// To be answered by exploring in a given way.
    pub fn with(self, options: Options) -> Self {
        Question { options, ..self }
    }

    /// To be answered, for store buffers, by looking for attacks in a given way.
    pub fn attacking(self, attacking: Attacking) -> Self {
        Question { attacking, ..self }
    }

    /// To be answered, if it is about safety, by this engine or not at all.
    pub fn by(self, engine: Engine) -> Self {
        Question { engine: Some(engine), ..self }
    }

    /// To be answered, if it is about any number of copies, by these engines.
    pub fn by_engines(self, engines: Engines) -> Self {
        Question { engines, ..self }
    }

    /// About what can be observed: reads may be stale if nothing depends on them.
    pub fn observational(self) -> Self {
        Question { options: Options { observational: true, ..self.options }, ..self }
    }

    /// Is the program robust: does it do under the model only what it does under SC?
    ///
    /// Exact, loops included. Observational robustness is sound and not complete: a violation is a
    /// witness in the sense of the POPL 2021 paper (Def. 4.14), which about a third of the
    /// observationally robust programs have too.
    ///
    /// # Errors
    /// If two parts of fencepost disagree.
    pub fn robustness(&self, budget: &Budget<'_>) -> Result<Outcome, InternalError> {
        let Question { program, model, options, .. } = *self;
        if let Some(least) = program.least_copies() {
            return copies::robustness(self, least, budget);
        }
        let patience = unbounded::patience(program, budget);
        let outcome = match model.declaration().robustness {
            Robustness::Attacks if options.observational => {
                return Ok(
                    self.unsupported(format!("observational robustness against {} is not offered", model.name()))
                );
            }
            Robustness::Attacks => buffers::check(program, model, options, self.attacking, &patience)?,
            Robustness::Monitor => monitored::check(program, model, options, &patience)?,
            Robustness::Always | Robustness::Implied(_) => {
                return Ok(self.unsupported(format!("robustness against {} is not decided", model.name())));
            }
        };
        Ok(unbounded::explain(program, budget, outcome))
    }

    /// Is the program safe: are its assertions true under the model, is its condition on final
    /// states met, is there no data race?
    ///
    /// # Errors
    /// If two parts of fencepost disagree.
    pub fn safety(&self, budget: &Budget<'_>) -> Result<Verification, InternalError> {
        match (self.program.least_copies(), self.engine) {
            (None, _) => verify::verify(self.program, self.model, self.options, self.engine, budget),
            (Some(least), None) => copies::safety(self, least, budget),
            (Some(_), Some(_)) => {
                let why = "no engine alone answers for any number of copies".into();
                let (result, tried, stats) = (Err(Reason::Unsupported(why)), Vec::new(), Stats::default());
                Ok(Verification { model: self.model.name(), result, tried, copies: None, stats })
            }
        }
    }

    /// What goes wrong because the program is not robust? Looks at executions with at most `stale`
    /// stale steps; of models with store buffers, at whatever `safety` looks at.
    ///
    /// # Errors
    /// If two parts of fencepost disagree.
    pub fn consequences(&self, stale: u32, budget: &Budget<'_>) -> Result<Consequences, InternalError> {
        if self.program.least_copies().is_some() {
            let why = "what goes wrong is not asked for any number of copies at once";
            return Ok(Consequences {
                list: Vec::new(),
                scope: Scope::Stale(stale),
                can_go_wrong: true,
                argument: None,
                is_unobserved: false,
                cut: Some(Reason::Unsupported(why.into())),
                stats: Stats::default(),
            });
        }
        let patience = unbounded::patience(self.program, budget);
        consequences::of(self.program, self.model, self.options, stale, &patience)
    }

    /// Is the program robust; and if not, what goes wrong because of that? [`Question::robustness`],
    /// and then [`Question::consequences`] unless `stale` is 0. Where stale reads are allowed that
    /// nothing depends on, what goes wrong is not asked.
    ///
    /// # Errors
    /// If two parts of fencepost disagree.
    pub fn with_consequences(&self, stale: u32, budget: &Budget<'_>) -> Result<Outcome, InternalError> {
        let mut outcome = self.robustness(budget)?;
        if stale > 0 && outcome.verdict.is_violated() && outcome.property == Property::Robustness {
            let program = outcome.copies.as_ref().and_then(|copies| copies.program()).unwrap_or(self.program);
            outcome.consequences = Some(self.about(program).consequences(stale, budget)?);
        }
        Ok(outcome)
    }

    /// Does any harm come of it that the program is not robust? As in [`Question::consequences`]
    /// with one stale step; what fails under SC anyway does not count. `Violated` has the access to
    /// blame.
    ///
    /// # Errors
    /// If two parts of fencepost disagree.
    pub fn harm(&self, budget: &Budget<'_>) -> Result<Verdict, InternalError> {
        if self.program.least_copies().is_some() {
            let why = "whether harm is done by any number of copies is not decided";
            return Ok(Verdict::Unknown(Reason::Unsupported(why.into())));
        }
        let robustness = self.robustness(budget)?.verdict;
        match robustness {
            Verdict::Violated(violation) => {
                let patience = unbounded::patience(self.program, budget);
                consequences::harm(self.program, self.model, self.options, *violation, &patience)
            }
            Verdict::Holds | Verdict::Unknown(_) => Ok(robustness),
        }
    }

    /// The same about another program.
    pub(crate) fn about<'b>(&self, program: &'b Program) -> Question<'b> {
        let Question { model, options, attacking, engine, engines, .. } = *self;
        Question { program, model, options, attacking, engine, engines }
    }

    pub(crate) fn options(&self) -> Options {
        self.options
    }

    pub(crate) fn engines(&self) -> Engines {
        self.engines
    }

    pub(crate) fn program(&self) -> &'a Program {
        self.program
    }

    pub(crate) fn model(&self) -> &'static dyn Model {
        self.model
    }

    fn unsupported(&self, why: String) -> Outcome {
        unexplored(property(self.options), self.model, Reason::Unsupported(why))
    }
}

/// A question that no search was made for.
pub(crate) fn unexplored(property: Property, model: &'static dyn Model, reason: Reason) -> Outcome {
    Outcome {
        property,
        model: model.name(),
        verdict: Verdict::Unknown(reason),
        sc_failure: None,
        speculative: Vec::new(),
        consequences: None,
        copies: None,
        stats: Stats::default(),
    }
}

/// The property that a search with these options is about.
pub(crate) fn property(options: Options) -> Property {
    match options.observational {
        true => Property::ObservationalRobustness,
        false => Property::Robustness,
    }
}
