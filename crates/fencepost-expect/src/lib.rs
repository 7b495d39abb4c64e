//! Expectations: comments in a source file that say what every model makes of it.
//!
//! ```text
//! //: ra robust
//! //: ra violation kind=stale-read shape=SB values=0 states<=200
//! //: rc20 observational robust
//! //: cpp20 consequence race
//! //: sc assertion-fails
//! //: ra safe argument=write-write-race-freedom
//! (*: tso sometimes *)
//! ```
//!
//! A line has four parts: the mark `//:`, a model, an answer, and details that must be true of the
//! outcome besides. The mark is `# :` in Trencher's language, and `(*: … *)` in litmus tests.
//! Whatever is not understood is an error, because a misspelt expectation would never fail. The
//! syntax is documented in `docs/language.md`.

mod announce;
mod judge;

use std::fmt;

use fencepost_base::diag::Diagnostic;
use fencepost_base::ids::Value;
use fencepost_base::source::Span;
use fencepost_model::models;
use fencepost_verdict::Rank;

pub use announce::{Announced, announced, announced_by_verify, verified};
pub use judge::{Judgement, judge, judge_consequences, judge_runs};

/// The answer expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// Robust against the model.
    Robust,
    /// Not robust against the model.
    Violation,
    /// The model has nothing to say about the program: `unknown`, however long one searches.
    Unsupported,
    /// Nothing is found up to a bound beyond which the program is not modelled: `unknown`, however
    /// long one searches.
    Unbounded,
    /// An assertion fails in some execution.
    AssertionFails,
    /// A run-time error in some execution.
    RuntimeError,
    /// Neither of the two in any, and no data race.
    Safe,
    /// The formula of the condition is true of no final state.
    Never,
    /// Of some, not of all.
    Sometimes,
    /// Of all.
    Always,
    /// There is a data race in the model, whatever else.
    Racy,
    /// Nothing that can be tried with a reasonable number of states settles it: `unknown`.
    Unsettled,
    /// The worst that comes of it that the program is not robust.
    Consequence(Rank),
}

/// What an expectation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// Robustness against a model.
    Robustness,
    /// What `verify` finds out: whether anything goes wrong in a model, or the final states.
    Verification,
    /// What goes wrong because the program is not robust.
    Consequences,
}

impl Expected {
    const ALL: [(&'static str, Expected); 16] = [
        ("robust", Expected::Robust),
        ("violation", Expected::Violation),
        ("unsupported", Expected::Unsupported),
        ("unbounded", Expected::Unbounded),
        ("assertion-fails", Expected::AssertionFails),
        ("runtime-error", Expected::RuntimeError),
        ("safe", Expected::Safe),
        ("never", Expected::Never),
        ("sometimes", Expected::Sometimes),
        ("always", Expected::Always),
        ("racy", Expected::Racy),
        ("unsettled", Expected::Unsettled),
        ("consequence race", Expected::Consequence(Rank::Race)),
        ("consequence failure", Expected::Consequence(Rank::Failure)),
        ("consequence none", Expected::Consequence(Rank::Harmless)),
        ("consequence nothing-to-check", Expected::Consequence(Rank::NothingToCheck)),
    ];

    /// The spelling.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, expected)| *expected == self).expect("all answers are listed").0
    }

    /// What it is about.
    pub fn subject(self) -> Subject {
        match self {
            Expected::Robust | Expected::Violation | Expected::Unsupported | Expected::Unbounded => Subject::Robustness,
            Expected::Consequence(_) => Subject::Consequences,
            _ => Subject::Verification,
        }
    }

    /// Is it an answer about final states, which a program without a condition cannot have?
    pub fn is_about_finals(self) -> bool {
        matches!(self, Expected::Never | Expected::Sometimes | Expected::Always)
    }
}

/// A bound on the number of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum States {
    /// Exactly so many.
    Exactly(u64),
    /// So many or fewer.
    AtMost(u64),
    /// So many or more: too many for a test, which stops there and expects `unknown`.
    AtLeast(u64),
}

impl States {
    /// Is the bound met?
    pub fn allows(self, states: u64) -> bool {
        match self {
            States::Exactly(wanted) => states == wanted,
            States::AtMost(most) => states <= most,
            States::AtLeast(least) => states >= least,
        }
    }
}

/// One expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Its line, from 1.
    pub line: usize,
    /// The model.
    pub model: &'static str,
    /// Is it about observational robustness?
    pub observational: bool,
    /// The answer.
    pub answer: Expected,
    /// How many states the search finds.
    pub states: Option<States>,
    /// The kind of violation, as in machine-readable output.
    pub kind: Option<String>,
    /// The name of the litmus shape.
    pub shape: Option<String>,
    /// The name of the location.
    pub location: Option<String>,
    /// The stale values.
    pub values: Option<Vec<Value>>,
    /// Where there can be any number of copies, how many show it.
    pub copies: Option<u32>,
    /// The argument that the answer rests on, as in machine-readable output.
    pub argument: Option<String>,
}

/// An expectation that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationError {
    /// Its line, from 1.
    pub line: usize,
    /// The comment.
    pub span: Span,
    /// What is wrong.
    pub message: String,
}

impl From<ExpectationError> for Diagnostic {
    fn from(error: ExpectationError) -> Self {
        Diagnostic::error(error.span, error.message)
            .label("this comment says what is expected")
            .help("expectations are written `//: MODEL ANSWER`, as in `//: ra violation shape=SB`")
    }
}

impl fmt::Display for ExpectationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ExpectationError {}

/// The kinds of violation, as in machine-readable output.
pub const KINDS: [&str; 5] = ["stale-read", "stale-write", "stale-rmw", "tainted-use", "data-race"];

/// The arguments, as in machine-readable output.
pub const ARGUMENTS: [&str; 10] = [
    "enumeration",
    "exploration",
    "coverability",
    "robustness",
    "observational-robustness",
    "write-write-race-freedom",
    "search",
    "machine",
    "views",
    "witness",
];

/// The expectations of a source file, in order.
///
/// # Errors
/// The first one that cannot be understood, or that speaks of the same thing as an earlier one.
pub fn expectations(source: &str) -> Result<Vec<Expectation>, ExpectationError> {
    let mut found: Vec<Expectation> = Vec::new();
    let mut start = 0;
    for (index, text) in source.split_inclusive('\n').enumerate() {
        let line = index + 1;
        let comment = text.trim();
        let indent = text.len() - text.trim_start().len();
        let span = Span::new(start + indent..start + indent + comment.len());
        start += text.len();
        let fail = |message: String| ExpectationError { line, span, message };
        let closed = || comment.strip_prefix("(*")?.trim_end().strip_suffix("*)");
        let marked =
            comment.strip_prefix("//").or_else(|| Some(comment.strip_prefix('#')?.trim_start())).or_else(closed);
        let Some(text) = marked.and_then(|comment| comment.strip_prefix(':')) else { continue };
        let expectation = parse(line, text).map_err(fail)?;
        let same = |e: &Expectation| {
            e.model == expectation.model
                && e.observational == expectation.observational
                && e.answer.subject() == expectation.answer.subject()
        };
        if let Some(earlier) = found.iter().find(|e| same(e)) {
            return Err(fail(format!("line {} says already what is expected of {}", earlier.line, earlier.model)));
        }
        found.push(expectation);
    }
    Ok(found)
}

fn parse(line: usize, text: &str) -> Result<Expectation, String> {
    let mut words = text.split_whitespace();
    let name = words.next().ok_or("expected a model and an answer")?;
    let model = models::by_name(name).ok_or_else(|| format!("unknown model `{name}`"))?.name();
    let mut answer = words.next().ok_or("expected an answer after the model")?;
    let observational = answer == "observational";
    if observational {
        answer = words.next().ok_or("expected an answer after `observational`")?;
    }
    let consequence = (answer == "consequence").then(|| format!("consequence {}", words.next().unwrap_or_default()));
    let answer = consequence.as_deref().unwrap_or(answer);
    let answer = Expected::ALL
        .iter()
        .find(|(text, _)| *text == answer)
        .map(|&(_, expected)| expected)
        .ok_or_else(|| format!("unknown answer `{answer}`"))?;
    let fits = match answer.subject() {
        Subject::Robustness => model != "sc",
        Subject::Consequences => model != "sc" && !observational,
        Subject::Verification => !observational,
    };
    if !fits {
        return Err(format!("`{}` is not an answer about {model}", answer.as_str()));
    }
    let mut expectation = Expectation {
        line,
        model,
        observational,
        answer,
        states: None,
        kind: None,
        shape: None,
        location: None,
        values: None,
        copies: None,
        argument: None,
    };
    for word in words {
        detail(&mut expectation, word)?;
    }
    Ok(expectation)
}

fn detail(expectation: &mut Expectation, word: &str) -> Result<(), String> {
    let malformed = || format!("malformed detail `{word}`");
    let (key, value) = word.split_once('=').ok_or_else(malformed)?;
    let about = expectation.answer.subject();
    match key {
        "states" | "states<" | "states>" if about != Subject::Consequences => {}
        "argument" if about == Subject::Verification && expectation.answer != Expected::Unsettled => {}
        "argument" => return Err(format!("`{}` rests on no argument", expectation.answer.as_str())),
        _ if expectation.answer != Expected::Violation => return Err(format!("`{key}` is a detail of violations")),
        _ => {}
    }
    let number = || value.parse::<u64>().map_err(|_| malformed());
    let name = || if value.is_empty() { Err(malformed()) } else { Ok(value.to_string()) };
    let repeated = match key {
        "states" => expectation.states.replace(States::Exactly(number()?)).is_some(),
        "states<" => expectation.states.replace(States::AtMost(number()?)).is_some(),
        "states>" => expectation.states.replace(States::AtLeast(number()?)).is_some(),
        "kind" if KINDS.contains(&value) => expectation.kind.replace(name()?).is_some(),
        "kind" => return Err(format!("unknown kind `{value}`")),
        "argument" if ARGUMENTS.contains(&value) => expectation.argument.replace(name()?).is_some(),
        "argument" => return Err(format!("unknown argument `{value}`")),
        "shape" => expectation.shape.replace(name()?).is_some(),
        "location" => expectation.location.replace(name()?).is_some(),
        "copies" => {
            let copies = value.parse().map_err(|_| malformed())?;
            expectation.copies.replace(copies).is_some()
        }
        "values" => {
            let values: Result<Vec<Value>, _> = value.split(',').map(str::parse).collect();
            expectation.values.replace(values.map_err(|_| malformed())?).is_some()
        }
        _ => return Err(format!("unknown detail `{key}`")),
    };
    if repeated { Err(format!("`{key}` is given twice")) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expectations_are_read() {
        let source = "// a comment\n//: ra violation kind=stale-read shape=2+2W values=0,2 states<=20 location=a[1]\n\n  //: sc assertion-fails\n";
        let found = expectations(source).expect("well-formed");
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].line, found[0].model, found[0].answer), (2, "ra", Expected::Violation));
        assert_eq!(found[0].kind.as_deref(), Some("stale-read"));
        assert_eq!(found[0].shape.as_deref(), Some("2+2W"));
        assert_eq!(found[0].location.as_deref(), Some("a[1]"));
        assert_eq!(found[0].values, Some(vec![0, 2]));
        assert!(found[0].states.is_some_and(|states| states.allows(20) && !states.allows(21)));
        assert_eq!((found[1].line, found[1].model, found[1].answer), (4, "sc", Expected::AssertionFails));
        let both = expectations("//: ra violation\n//: ra observational robust\n").expect("two questions");
        assert_eq!(both.iter().map(|e| e.observational).collect::<Vec<_>>(), [false, true]);
        let other_mark = expectations("# : ra robust\n#: sc safe\n# comment : ra violation\n").expect("two");
        assert_eq!(other_mark.iter().map(|e| e.model).collect::<Vec<_>>(), ["ra", "sc"]);
        let litmus =
            expectations("(*: sc never *)\n(*: tso violation shape=SB *)\n(*: tso sometimes *)\n").expect("three");
        assert_eq!(litmus.iter().map(|e| e.answer.as_str()).collect::<Vec<_>>(), ["never", "violation", "sometimes"]);
        assert_eq!(expectations("//: ra robust states=7\n").expect("well-formed")[0].states, Some(States::Exactly(7)));
        let both = expectations("//: ra violation\n//: ra consequence race\n").expect("two questions");
        assert_eq!(both[1].answer, Expected::Consequence(Rank::Race));
        let verified = expectations("//: rc20 safe argument=search\n//: rc20 violation\n").expect("two questions");
        assert_eq!(verified[0].argument.as_deref(), Some("search"));
    }

    #[test]
    fn arguments_are_those_of_verdicts() {
        assert_eq!(ARGUMENTS, fencepost_verdict::Argument::ALL.map(fencepost_verdict::Argument::as_str));
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for (line, text, part) in [
            (1, "//:", "expected a model"),
            (1, "//: ra", "expected an answer"),
            (2, "\n//: power robust", "unknown model `power`"),
            (1, "//: ra rubost", "unknown answer `rubost`"),
            (1, "//: ra robust states=many", "malformed detail"),
            (1, "//: ra robust fast", "malformed detail"),
            (1, "//: ra robust kind=stale-read", "`kind` is a detail of violations"),
            (1, "//: ra violation kind=stale", "unknown kind `stale`"),
            (1, "//: ra violation colour=red", "unknown detail `colour`"),
            (1, "//: ra violation shape=", "malformed detail"),
            (1, "//: ra violation shape=SB shape=MP", "given twice"),
            (1, "//: sc robust", "not an answer about sc"),
            (1, "//: ra observational safe", "not an answer about ra"),
            (1, "//: ra robust argument=search", "`robust` rests on no argument"),
            (1, "//: ra unsettled argument=search", "`unsettled` rests on no argument"),
            (1, "//: ra safe argument=hope", "unknown argument `hope`"),
            (2, "//: ra safe\n//: ra racy", "line 1 says already"),
            (1, "//: sc unbounded", "not an answer about sc"),
            (1, "//: ra unbounded kind=stale-read", "`kind` is a detail of violations"),
            (1, "(*: ra observational never *)", "not an answer about ra"),
            (2, "(*: ra never *)\n(*: ra always *)", "line 1 says already"),
            (1, "//: ra observational", "expected an answer after"),
            (1, "//: ra consequence", "unknown answer `consequence `"),
            (1, "//: ra consequence bad", "unknown answer `consequence bad`"),
            (1, "//: sc consequence race", "not an answer about sc"),
            (1, "//: ra consequence race states=3", "`states` is a detail of violations"),
            (2, "//: ra consequence race\n//: ra consequence none", "line 1 says already"),
            (3, "//: ra robust\n//: sc safe\n//: ra violation", "line 1 says already"),
        ] {
            let error = expectations(text).expect_err(text);
            assert_eq!(error.line, line, "{text}");
            assert!(error.message.contains(part), "{text}: {error}");
        }
    }
}
