//! Final states, found one by one: whoever can answer "is there a final state
//! like this?" can be asked for another one until there is none.
//!
//! First for one of which the formula is true, and one of which it is false:
//! then it is known how often it is true. The rest is for the reader, and left
//! out when it takes too long.

use fencepost_base::ids::Value;
use fencepost_ir::{Condition, Observable};
use fencepost_verdict::{Ending, Execution, Extent, Race, Reason};

use crate::InternalError;

/// Most final states that are listed.
const MOST: usize = 32;

/// Is a final state, of which everything can be asked, one of those looked for?
pub(super) type Holds<'a> = dyn Fn(&dyn Fn(Observable) -> Value) -> bool + 'a;

/// What the answer was.
pub(super) enum Asked {
    /// There is one, with these values of what is observed.
    State(Vec<Value>, Box<Execution>),
    /// There is none.
    Nothing,
    /// There is a data race, and so anything.
    Race(Race),
    /// It is not known.
    GaveUp(Reason),
}

/// What all answers were.
pub(super) enum Collected {
    /// Final states, one of each kind at least.
    Endings(Vec<Ending>, Extent),
    /// A data race.
    Race(Race),
    /// Not even that; the states found until then.
    GaveUp(Reason, Vec<Ending>),
}

/// Asks until enough is known about the final states that pass the filter of the condition.
pub(super) fn collect(
    condition: &Condition,
    mut ask: impl FnMut(&Holds<'_>) -> Result<Asked, InternalError>,
) -> Result<Collected, InternalError> {
    let observed = condition.observed();
    let mut list: Vec<Ending> = Vec::new();
    let passes = |value: &dyn Fn(Observable) -> Value| {
        condition.filter.as_ref().is_none_or(|filter| filter.holds(&|what| value(what)))
    };
    for satisfying in [true, false] {
        let answer = ask(&|value| passes(value) && condition.formula.holds(&|what| value(what)) == satisfying)?;
        match answer {
            Asked::State(values, example) => list.push((values, None, Some(example))),
            Asked::Nothing => {}
            Asked::Race(race) => return Ok(Collected::Race(race)),
            Asked::GaveUp(reason) => return Ok(Collected::GaveUp(reason, list)),
        }
    }
    let mut extent = Extent::Kinds;
    while list.len() < MOST {
        let is_new = |value: &dyn Fn(Observable) -> Value| {
            list.iter().all(|(known, _, _)| observed.iter().zip(known).any(|(&what, &known)| value(what) != known))
        };
        match ask(&|value| passes(value) && is_new(value))? {
            Asked::State(values, example) => list.push((values, None, Some(example))),
            Asked::Nothing => {
                extent = Extent::All;
                break;
            }
            Asked::Race(race) => return Ok(Collected::Race(race)),
            Asked::GaveUp(_) => break,
        }
    }
    list.sort_by(|(one, ..), (other, ..)| one.cmp(other));
    Ok(Collected::Endings(list, extent))
}
