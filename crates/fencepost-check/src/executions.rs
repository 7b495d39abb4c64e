//! The executions of a program without loops, one by one, for people who want to see them.
//!
//! They are those of `Search::executions`, each replayed on the axioms of the model.

use fencepost_base::ids::RegId;
use fencepost_ir::{Observable, Program};
use fencepost_search::Search;
use fencepost_verdict::{Budget, Extent, FinalState, Reason, States};

use crate::verify::evidence;
use crate::{InternalError, Question};

/// Most registers that are shown if nobody says what is to be observed.
const MOST_REGISTERS: usize = 8;

/// Executions in which every thread comes to its end.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The final state of each, with the execution; those that the filter of the condition leaves
    /// out are not among them.
    pub states: States,
    /// How many there are; at least, if a limit was reached.
    pub count: u64,
    /// The limit that was reached.
    pub cut: Option<Reason>,
}

impl Question<'_> {
    /// The first `most` executions of the program under the model, and how many there are; or why
    /// they cannot be listed.
    ///
    /// # Errors
    /// If two parts of fencepost disagree.
    pub fn executions(&self, most: usize, budget: &Budget<'_>) -> Result<Result<Listing, Reason>, InternalError> {
        let (program, model) = (self.program(), self.model());
        if program.least_copies().is_some() {
            return Ok(Err(Reason::Unsupported("executions of any number of copies are not listed".into())));
        }
        let observed = observed(program);
        let (found, cut) = match Search::new(program, model).executions(&observed, most, budget) {
            Ok(found) => found,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut list = Vec::new();
        for (values, run) in found.first {
            let ended = evidence::ending(program, model, run, &observed)
                .map_err(|error| InternalError::new(format!("what was enumerated does not replay: {error}")))?;
            list.push((values, Some(1), Some(ended.execution)));
        }
        let extent = if cut.is_none() { Extent::All } else { Extent::Examples };
        let states = match program.condition() {
            Some(condition) => States::judge(condition, observed, list, extent),
            None => {
                let state =
                    |(values, executions, example)| FinalState { values, satisfies: false, executions, example };
                States { observed, list: list.into_iter().map(state).collect(), extent }
            }
        };
        let counts = found.endings.iter().map(|(values, (count, _))| (values.clone(), Some(*count), None)).collect();
        let count = match program.condition() {
            Some(condition) => {
                let all = States::judge(condition, states.observed.clone(), counts, extent);
                all.positive() + all.negative()
            }
            None => found.endings.values().map(|(count, _)| count).sum(),
        };
        Ok(Ok(Listing { states, count, cut }))
    }
}

/// What is to be said of a final state: what the condition says, or, without one, all registers.
fn observed(program: &Program) -> Vec<Observable> {
    if let Some(condition) = program.condition() {
        return condition.observed();
    }
    let of_thread = |thread| {
        let registers = 0..program.thread(thread).registers.len();
        registers.map(move |register| Observable::Register(thread, RegId::from_index(register)))
    };
    let all: Vec<Observable> = program.thread_ids().flat_map(of_thread).collect();
    if all.len() <= MOST_REGISTERS { all } else { Vec::new() }
}
