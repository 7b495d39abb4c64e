//! All states of a machine of messages and views that forgets what nobody can read: see
//! `fencepost_search`. Loops are no obstacle where readers keep up with writers.
//!
//! The machine permits all that the model permits, and more where the model orders SC events
//! besides. So what it does not find does not exist. What it finds is replayed on the axioms, and
//! does not count if they do not permit it. Then the search goes on, but it cannot end with "safe".

use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_search::{Evidence, Finding, Found, Search, What};
use fencepost_verdict::{Budget, Reason};

use super::endings::Holds;
use super::evidence;

/// Can this engine deal with the program?
pub(super) fn applies(program: &Program, model: &dyn Model) -> Result<(), Reason> {
    Search::new(program, model).supports_views()
}

/// Can something fail, or race?
pub(super) fn failure(program: &Program, model: &dyn Model, slice: &Budget<'_>) -> Found {
    Search::new(program, model).failure_by_views(&|finding| is_real(program, model, finding), slice)
}

/// Can all threads come to their end in such a state?
pub(super) fn end(program: &Program, model: &dyn Model, holds: &Holds<'_>, slice: &Budget<'_>) -> Found {
    Search::new(program, model).end_by_views(holds, &|finding| is_real(program, model, finding), slice)
}

/// Is what was found an execution of the model?
fn is_real(program: &Program, model: &dyn Model, Finding { what, evidence }: &Finding) -> bool {
    let Evidence::Graph(run) = evidence else { return false };
    match what {
        What::Failure { site, kind } => evidence::failing(program, model, run.clone(), *site, kind).is_ok(),
        What::Race { .. } => evidence::race(program, model, run.clone()).is_ok_and(|race| race.is_some()),
        What::End => evidence::ending(program, model, run.clone(), &[]).is_ok(),
    }
}
