//! What follows from a finding, and how bad that makes it.

use serde::{Deserialize, Serialize};

use crate::{Evidence, Finding, Frame, Reproduce, Rule, Severity, Thread};

/// How bad a finding is, by what follows from it; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// A data race.
    Race,
    /// The program fails.
    Failure,
    /// An overwritten value is passed on: it reaches an address, or what others may read.
    PassedOn,
    /// Nothing that can be seen.
    Harmless,
}

impl Rank {
    /// All of them, the worst first.
    pub const ALL: [Rank; 4] = [Rank::Race, Rank::Failure, Rank::PassedOn, Rank::Harmless];

    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Rank::Race => "race",
            Rank::Failure => "failure",
            Rank::PassedOn => "passed-on",
            Rank::Harmless => "harmless",
        }
    }

    /// As a number, from 1.
    pub fn number(self) -> u8 {
        match self {
            Rank::Race => 1,
            Rank::Failure => 2,
            Rank::PassedOn => 3,
            Rank::Harmless => 4,
        }
    }
}

/// Runs in which an access was to use an overwritten value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trials {
    /// Those in which it did.
    pub taken: u64,
    /// Those in which there was no opportunity.
    pub missed: u64,
    /// The worst that followed.
    pub consequence: Option<Consequence>,
    /// Executions that were explored, if that is how it was found out what follows.
    pub explored: Option<Explored>,
}

/// Executions in which an access uses an overwritten value and everything else is as under SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explored {
    /// How many.
    pub executions: u64,
    /// Those in which something goes wrong.
    pub failing: u64,
    /// Are these all that there are?
    pub is_exact: bool,
}

/// What went wrong in a run after an access had used an overwritten value, or may yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Consequence {
    /// What it is.
    pub effect: Effect,
    /// In words, without a full stop: `assertion 'x == 1' fails`.
    pub message: String,
    /// Whose doing it is.
    pub thread: Option<Thread>,
    /// Where, innermost frame first; empty if that is not known.
    pub stack: Vec<Frame>,
    /// The value that was used.
    pub used: u64,
    /// How to see it again.
    pub reproduce: Reproduce,
}

/// How a run goes wrong, or where the value that was used is passed on to; the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Effect {
    /// Two accesses race.
    Race,
    /// An assertion does not hold.
    Assertion,
    /// A signal ends the program.
    Signal,
    /// All threads wait.
    Deadlock,
    /// The program does not end.
    Hang,
    /// The program ends with another exit code than otherwise.
    Exit,
    /// The value decides what is accessed.
    Address,
    /// The value decides what is written for others to read.
    Value,
}

impl Effect {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Effect::Race => "race",
            Effect::Assertion => "assertion",
            Effect::Signal => "signal",
            Effect::Deadlock => "deadlock",
            Effect::Hang => "hang",
            Effect::Exit => "exit-code",
            Effect::Address => "address",
            Effect::Value => "value",
        }
    }

    /// How bad it is.
    pub fn rank(self) -> Rank {
        match self {
            Effect::Race => Rank::Race,
            Effect::Assertion | Effect::Signal | Effect::Deadlock | Effect::Hang | Effect::Exit => Rank::Failure,
            Effect::Address | Effect::Value => Rank::PassedOn,
        }
    }
}

impl Trials {
    /// Keeps the worse consequence; of what is as bad the first.
    pub fn add(&mut self, found: Option<Consequence>) {
        let worse = |found: &Consequence| {
            self.consequence.as_ref().is_none_or(|known| found.effect.rank() < known.effect.rank())
        };
        if found.as_ref().is_some_and(worse) {
            self.consequence = found;
        }
    }

    /// Were all executions seen in which this is the only stale step?
    pub fn is_exact(&self) -> bool {
        self.explored.is_some_and(|explored| explored.is_exact)
    }

    /// How bad it is, if it was tried.
    pub fn rank(&self) -> Option<Rank> {
        let explored = self.explored.is_some_and(|explored| explored.executions > 0);
        let harmless = (self.taken > 0 || explored).then_some(Rank::Harmless);
        self.consequence.as_ref().map(|consequence| consequence.effect.rank()).or(harmless)
    }

    /// In a sentence.
    pub fn sentence(&self) -> String {
        if let Some(explored) = &self.explored {
            return explored.sentence(self.consequence.as_ref());
        }
        match (&self.consequence, self.taken) {
            (Some(Consequence { message, used, effect, .. }), taken) => {
                let what = format!("When it uses value {}, {message}", crate::value_text(*used));
                match effect.rank() {
                    // What is only suspicious is told with what speaks for it.
                    Rank::PassedOn => format!("{what}. Nothing failed in {} in which it was provoked.", runs(taken)),
                    _ => what + ".",
                }
            }
            (None, 0) => format!("It could not be provoked in {}.", runs(self.missed)),
            (None, taken) => format!("Nothing visible followed in {} in which it was provoked.", runs(taken)),
        }
    }
}

impl Explored {
    fn sentence(&self, consequence: Option<&Consequence>) -> String {
        let Explored { executions, failing, is_exact } = *self;
        let count = if executions == 1 { "1 execution".into() } else { format!("{executions} executions") };
        let count = format!("the {count} in which this is the only stale step");
        match (consequence, is_exact) {
            (None, true) => format!("No data race and no failure follows in {count}."),
            (None, false) => format!("No data race and no failure follows in {count}, as far as they were seen."),
            (Some(Consequence { message, used, .. }), _) => {
                let (used, others) =
                    (crate::value_text(*used), if is_exact { "" } else { ", as far as they were seen" });
                format!("When it uses value {used}, {message}. Something goes wrong in {failing} of {count}{others}.")
            }
        }
    }
}

fn runs(count: u64) -> String {
    if count == 1 { "1 run".into() } else { format!("{count} runs") }
}

impl Finding {
    /// How bad it is, as far as that is known.
    pub fn rank(&self) -> Option<Rank> {
        match (self.kind.rule(), &self.evidence) {
            (Rule::Race, _) => Some(Rank::Race),
            (Rule::Robustness, Evidence::Observed(observed)) => observed.trials.as_ref()?.rank(),
            (Rule::Robustness, Evidence::Replayed(replayed)) => replayed.is_harmless.then_some(Rank::Harmless),
            (Rule::Deadlock | Rule::Assertion | Rule::RuntimeError, _) => Some(Rank::Failure),
            (Rule::Condition, _) => None,
        }
    }

    /// How bad it is, in three words.
    pub fn severity(&self) -> Severity {
        match self.rank() {
            Some(Rank::Race | Rank::Failure) => Severity::Error,
            Some(Rank::Harmless) => Severity::Note,
            Some(Rank::PassedOn) | None => self.kind.rule().severity(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Consequence, Effect, Rank, Trials};
    use crate::Reproduce;

    #[test]
    fn trials_say_how_bad_it_is() {
        let never = Trials { missed: 2, ..Trials::default() };
        assert_eq!((never.rank(), never.sentence().as_str()), (None, "It could not be provoked in 2 runs."));
        let harmless = Trials { taken: 1, ..Trials::default() };
        assert_eq!(harmless.rank(), Some(Rank::Harmless));
        assert!(harmless.sentence().contains(" in 1 run "), "{}", harmless.sentence());
        let consequence = Consequence {
            effect: Effect::Signal,
            message: "signal 11 ends the program".into(),
            thread: None,
            stack: Vec::new(),
            used: 0x1_0000,
            reproduce: Reproduce { command: String::new(), exact: true },
        };
        let passed_on =
            Consequence { effect: Effect::Value, message: "it is stored again".into(), ..consequence.clone() };
        let failure = Trials { consequence: Some(consequence), ..harmless.clone() };
        assert_eq!(failure.rank(), Some(Rank::Failure));
        assert_eq!(failure.sentence(), "When it uses value 0x10000, signal 11 ends the program.");
        let passed_on = Trials { consequence: Some(passed_on), ..harmless };
        assert_eq!(passed_on.rank(), Some(Rank::PassedOn));
        assert!(passed_on.sentence().ends_with("Nothing failed in 1 run in which it was provoked."));
    }

    #[test]
    fn ranks_are_ordered_as_their_numbers() {
        assert!(Rank::ALL.windows(2).all(|pair| pair[0] < pair[1] && pair[0].number() < pair[1].number()));
        assert!(Effect::Race < Effect::Exit && Effect::Race.rank() < Effect::Exit.rank());
    }
}
