//! What goes wrong because a program is not robust.

use crate::outcome::{Reason, Stats};
use crate::verification::{Argument, Failing, Race, Verified};

/// How bad it is that a program is not robust.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// There is a data race.
    Race,
    /// An assertion fails, or there is a run-time error.
    Failure,
    /// That is not known.
    Unknown,
    /// Nothing goes wrong, as far as was asked.
    Harmless,
    /// The program says nothing that could turn out to be wrong.
    NothingToCheck,
}

impl Rank {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Rank::Race => "race",
            Rank::Failure => "failure",
            Rank::Unknown => "unknown",
            Rank::Harmless => "harmless",
            Rank::NothingToCheck => "nothing-to-check",
        }
    }
}

/// Which executions were looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Those with at most so many stale steps: steps that take a value that is overwritten, or
    /// stand before a write that they come after under SC.
    Stale(u32),
    /// All that the model permits.
    Everything,
}

/// Something that goes wrong in an execution of the model, replayed on its axioms.
#[derive(Clone, Debug)]
pub enum Consequence {
    /// A data race.
    Race(Race),
    /// A failure.
    Fails(Failing),
}

impl Consequence {
    /// How bad it is.
    pub fn rank(&self) -> Rank {
        match self {
            Consequence::Race(_) => Rank::Race,
            Consequence::Fails(_) => Rank::Failure,
        }
    }

    /// As `verify` would tell it.
    pub fn verified(&self) -> Verified {
        let nothing = Verified { argument: Argument::Witness, states: None, race: None, failing: None };
        match self {
            Consequence::Race(race) => Verified { race: Some(race.clone()), ..nothing },
            Consequence::Fails(failing) => Verified { failing: Some(failing.clone()), ..nothing },
        }
    }
}

/// What goes wrong because a program is not robust.
#[derive(Clone, Debug)]
pub struct Consequences {
    /// Races first, then failures; each pair of accesses and each instruction once, those that need
    /// no stale step before the others.
    pub list: Vec<Consequence>,
    /// The executions that were looked at.
    pub scope: Scope,
    /// Can the program fail or race at all?
    pub can_go_wrong: bool,
    /// How it is known of all executions that nothing goes wrong, if it is.
    pub argument: Option<Argument>,
    /// Is the program observationally robust: does nothing depend on what is stale? Not asked where
    /// something goes wrong, or where all executions were looked at.
    pub is_unobserved: bool,
    /// Why not all of these executions were looked at.
    pub cut: Option<Reason>,
    /// The cost.
    pub stats: Stats,
}

impl Consequences {
    /// Adds what is known of all executions.
    pub fn add(&mut self, verified: Verified) {
        let Verified { argument, race, failing, .. } = verified;
        self.list.extend(race.map(Consequence::Race));
        self.list.extend(failing.map(Consequence::Fails));
        self.argument = self.list.is_empty().then_some(argument);
    }

    /// The worst of it.
    pub fn rank(&self) -> Rank {
        match (self.list.first(), &self.cut) {
            _ if !self.can_go_wrong => Rank::NothingToCheck,
            (Some(worst), _) => worst.rank(),
            (None, Some(_)) => Rank::Unknown,
            (None, None) => Rank::Harmless,
        }
    }
}
