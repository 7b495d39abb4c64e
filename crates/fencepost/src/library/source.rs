//! A program with its text: what questions are asked about.

use std::error::Error;
use std::fmt;

use fencepost_base::diag::Diagnostic;
use fencepost_base::source::SourceFile;
use fencepost_check::{InternalError, Options, Question};
use fencepost_ir::Program;
use fencepost_lower::{Language, Loaded, Reading, load_as};
use fencepost_model::Model;
use fencepost_repair::{Costs, Purpose, Task};
use fencepost_report::Subject;
use fencepost_report::terminal::{self, Look};

use super::{Checked, Limits, Repair, Verified};

/// A program with its text.
#[derive(Clone, Debug)]
pub struct Source {
    file: SourceFile,
    language: Language,
    program: Program,
    warnings: Vec<Diagnostic>,
}

/// A text that is no program.
#[derive(Clone, Debug)]
pub struct ParseError {
    file: SourceFile,
    diagnostics: Vec<Diagnostic>,
}

impl ParseError {
    /// What is wrong, in the order of the text; warnings are among it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The text.
    pub fn file(&self) -> &SourceFile {
        &self.file
    }

    /// With the source around each place, in colours if asked for.
    pub fn to_text_with(&self, look: &Look) -> String {
        terminal::diagnostics(&self.file, &self.diagnostics, look)
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_text_with(&Look::default()).trim_end())
    }
}

impl Error for ParseError {}

impl Source {
    /// Reads a program. `name` is what reports call the text: the name of its file, for example.
    ///
    /// # Errors
    /// With every mistake and its place, if the text is no program.
    pub fn parse(language: Language, name: impl Into<String>, text: impl Into<String>) -> Result<Self, ParseError> {
        Self::parse_as(language, Reading::default(), name, text)
    }

    /// Reads a program in one of several ways, where there are several.
    ///
    /// # Errors
    /// As [`Source::parse`].
    pub fn parse_as(
        language: Language,
        reading: Reading,
        name: impl Into<String>,
        text: impl Into<String>,
    ) -> Result<Self, ParseError> {
        let file = SourceFile::new(name, text);
        let Loaded { program, diagnostics } = load_as(language, file.text(), reading);
        match program {
            Some(program) => Ok(Source { file, language, program, warnings: diagnostics }),
            None => Err(ParseError { file, diagnostics }),
        }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The text and its name.
    pub fn file(&self) -> &SourceFile {
        &self.file
    }

    /// The language of the text.
    pub fn language(&self) -> Language {
        self.language
    }

    /// What the text may not mean as it was meant.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Is the program robust against `model`?
    ///
    /// Exact, loops included. Failing assertions and other errors under SC are found in the same
    /// search. If the program is not robust, it is looked for what goes wrong because of that
    /// ([`Checked::consequences`]), within what the limits leave.
    ///
    /// # Errors
    /// If two parts of fencepost disagree: a bug.
    pub fn check(&self, model: &'static dyn Model, limits: &Limits<'_>) -> Result<Checked<'_>, InternalError> {
        self.ask(Question::new(&self.program, model).with(options(limits)), limits)
    }

    /// Is the program robust against `model`, if reads that nothing depends on may be stale?
    ///
    /// Sound: a program that passes is observationally robust. Not complete: one that does not pass
    /// may be, too.
    ///
    /// # Errors
    /// If two parts of fencepost disagree: a bug.
    pub fn check_observational(
        &self,
        model: &'static dyn Model,
        limits: &Limits<'_>,
    ) -> Result<Checked<'_>, InternalError> {
        self.ask(Question::new(&self.program, model).with(options(limits)).observational(), limits)
    }

    fn ask(&self, question: Question<'_>, limits: &Limits<'_>) -> Result<Checked<'_>, InternalError> {
        let (outcome, time) = limits.within(|budget| question.with_consequences(limits.stale(), budget));
        let mut outcome = outcome?;
        outcome.stats.time = time;
        Ok(Checked { source: self, outcome })
    }

    /// Is the program safe under `model`: can no assertion fail, is there no data race, is its
    /// condition met?
    ///
    /// Several arguments are tried; the answer says which one it rests on.
    ///
    /// # Errors
    /// If two parts of fencepost disagree: a bug.
    pub fn verify(&self, model: &'static dyn Model, limits: &Limits<'_>) -> Result<Verified<'_>, InternalError> {
        let question = Question::new(&self.program, model).with(options(limits));
        let (verification, time) = limits.within(|budget| question.safety(budget));
        let mut verification = verification?;
        verification.stats.time = time;
        Ok(Verified { source: self, verification })
    }

    /// What are the cheapest edits that make the program robust against all of `models`?
    ///
    /// # Errors
    /// If two parts of fencepost disagree: a bug.
    pub fn repair(&self, models: &[&'static dyn Model], limits: &Limits<'_>) -> Result<Repair<'_>, InternalError> {
        let costs = Costs::default();
        let (repaired, time) = limits.within(|budget| {
            let task = Task {
                language: self.language,
                text: self.file.text(),
                program: &self.program,
                copies: None,
                purpose: Purpose::Robustness,
                models,
                costs: &costs,
                options: options(limits),
                budget,
            };
            fencepost_repair::repair(&task, 1)
        });
        let (repaired, checks) = repaired?;
        Ok(Repair { source: self, models: models.iter().map(|model| model.name()).collect(), repaired, checks, time })
    }

    pub(super) fn subject(&self) -> Subject<'_> {
        Subject { source: &self.file, program: &self.program }
    }
}

fn options(limits: &Limits<'_>) -> Options {
    Options { jobs: limits.jobs(), ..Options::default() }
}
