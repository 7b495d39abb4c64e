//! What can be found, and how bad it is.

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A read can see an overwritten value.
    StaleRead,
    /// A write can be ordered before one it comes after under SC.
    StaleWrite,
    /// A read-modify-write can do both.
    StaleRmw,
    /// A value that can be stale is used.
    TaintedUse,
    /// Two conflicting accesses are not ordered.
    DataRace,
    /// An assertion does not hold.
    Assertion,
    /// A division by zero, an index outside its array.
    RuntimeError,
    /// The final states are not those that the program asks for.
    Condition,
    /// A final state that the program asks for exists: nothing is wrong, but there is something to
    /// show.
    Met,
    /// All threads wait, and none of them can go on.
    Deadlock,
}

/// What a finding is an offence against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The program behaves as under SC.
    Robustness,
    /// Conflicting accesses are ordered.
    Race,
    /// Some thread can go on.
    Deadlock,
    /// Assertions hold.
    Assertion,
    /// Every operation is defined.
    RuntimeError,
    /// The condition is met.
    Condition,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The program can do what its author did not expect, and nothing goes wrong.
    Note,
    /// The program can do what its author did not expect.
    Warning,
    /// The program is wrong.
    Error,
}

impl Kind {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::StaleRead => "stale-read",
            Kind::StaleWrite => "stale-write",
            Kind::StaleRmw => "stale-rmw",
            Kind::TaintedUse => "tainted-use",
            Kind::DataRace => "data-race",
            Kind::Assertion => "assertion",
            Kind::RuntimeError => "runtime-error",
            Kind::Condition => "condition",
            Kind::Met => "met",
            Kind::Deadlock => "deadlock",
        }
    }

    /// What it is an offence against.
    pub fn rule(self) -> Rule {
        match self {
            Kind::StaleRead | Kind::StaleWrite | Kind::StaleRmw | Kind::TaintedUse => Rule::Robustness,
            Kind::DataRace => Rule::Race,
            Kind::Assertion => Rule::Assertion,
            Kind::RuntimeError => Rule::RuntimeError,
            Kind::Condition | Kind::Met => Rule::Condition,
            Kind::Deadlock => Rule::Deadlock,
        }
    }
}

impl Rule {
    /// Every rule.
    pub const ALL: [Rule; 6] =
        [Rule::Robustness, Rule::Race, Rule::Deadlock, Rule::Assertion, Rule::RuntimeError, Rule::Condition];

    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Rule::Robustness => "robustness",
            Rule::Race => "race",
            Rule::Deadlock => "deadlock",
            Rule::Assertion => "assertion",
            Rule::RuntimeError => "runtime-error",
            Rule::Condition => "condition",
        }
    }

    /// How bad it is to offend against it.
    pub fn severity(self) -> Severity {
        match self {
            Rule::Robustness | Rule::Condition => Severity::Warning,
            Rule::Race | Rule::Deadlock | Rule::Assertion | Rule::RuntimeError => Severity::Error,
        }
    }
}

impl Severity {
    /// The name in machine-readable output.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}
