//! What can be asked.

use std::time::Duration;

use fencepost::{Language, Limits};
use serde::Deserialize;

use crate::Host;

/// A question, as JSON: `{"ask": "check", "language": "fp", "text": "…", "model": "ra"}`.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
pub enum Request {
    /// The memory models.
    Models,
    /// What is wrong with the text.
    Read(Program),
    /// The text in its standard form.
    Format(Program),
    /// Is the program robust?
    Check {
        /// The program.
        #[serde(flatten)]
        program: Program,
        /// Against this model.
        model: String,
        /// At this cost.
        #[serde(default)]
        limits: Bounds,
    },
    /// Does the program do what it says of itself?
    Verify {
        /// The program.
        #[serde(flatten)]
        program: Program,
        /// Under this model.
        model: String,
        /// At this cost.
        #[serde(default)]
        limits: Bounds,
    },
    /// The cheapest edits that make the program robust.
    Repair {
        /// The program.
        #[serde(flatten)]
        program: Program,
        /// Against all of these models.
        models: Vec<String>,
        /// At this cost.
        #[serde(default)]
        limits: Bounds,
    },
    /// What a litmus shape is.
    Explain {
        /// Its name.
        shape: String,
    },
}

/// A text that may be a program.
#[derive(Clone, Debug, Deserialize)]
pub struct Program {
    /// What reports call it.
    #[serde(default)]
    pub name: String,
    /// The extension of its language.
    pub language: String,
    /// The text.
    pub text: String,
}

impl Program {
    /// The language of the text.
    ///
    /// # Errors
    /// With a message, if there is none of this name.
    pub(crate) fn language(&self) -> Result<Language, String> {
        Language::from_extension(&self.language).ok_or_else(|| format!("there is no language `{}`", self.language))
    }
}

/// What a question may cost.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct Bounds {
    /// States.
    pub states: Option<u64>,
    /// Bytes of what a search remembers.
    pub bytes: Option<u64>,
    /// Milliseconds.
    pub milliseconds: Option<u64>,
}

impl Bounds {
    pub(crate) fn limits<'a>(&self, host: &Host<'a>) -> Limits<'a> {
        let limits = Limits::none()
            .states(self.states.unwrap_or(u64::MAX))
            .memory(self.bytes.unwrap_or(u64::MAX))
            .clock(host.now)
            .on_progress(host.progress);
        self.milliseconds.map_or(limits, |time| limits.timeout(Duration::from_millis(time)))
    }
}
