//! Edits of programs with threads of any number of copies.
//!
//! The program with few copies is edited first. If what comes of it is right for every number of
//! copies, it is the answer. If not, there is a number that shows it, and the program with that many is
//! edited next. What is wrong with few copies is wrong with more, so a cheapest repair for so many that
//! is one for every number is a cheapest one. There is an end if there is one number that tells as much
//! as all of them; otherwise a limit ends it.

use fencepost_check::{InternalError, Question};
use fencepost_lower::load;
use fencepost_verdict::{Reason, Relaxed, Repaired, Verdict};

use crate::plan::Task;
use crate::relax::relax;
use crate::repair::repair;

/// Most copies that a program is edited with.
const MOST: u32 = 64;

/// What is to be done with an answer for some number of copies.
enum Next {
    /// It is the answer for every number.
    Take,
    /// It is none for so many copies.
    More(u32),
    Unknown(Reason),
}

/// Repairs a program for every number of copies, of which there are at least so many.
pub(crate) fn repair_any(task: &Task<'_>, least: u32, limit: usize) -> Result<(Repaired, u64), InternalError> {
    let (mut copies, mut checks) = (least, 0);
    loop {
        let instance = task.program.with_copies(copies);
        let (repaired, more) = repair(&Task { program: &instance, copies: Some(copies), ..*task }, limit)?;
        checks += more;
        let texts: Vec<&str> = match &repaired {
            Repaired::Nothing => vec![task.text],
            Repaired::Plans { plans, .. } => plans.iter().map(|plan| plan.text.as_str()).collect(),
            Repaired::Impossible(_) | Repaired::Unknown(_) => return Ok((repaired, checks)),
        };
        checks += texts.len() as u64;
        match next(task, copies, &texts)? {
            Next::Take => return Ok((repaired, checks)),
            Next::More(number) => copies = number,
            Next::Unknown(reason) => return Ok((Repaired::Unknown(reason), checks)),
        }
    }
}

/// Weakens a program as far as it stays robust for every number of copies.
pub(crate) fn relax_any(task: &Task<'_>, least: u32) -> Result<(Relaxed, u64), InternalError> {
    let (mut copies, mut checks) = (least, 0);
    loop {
        let instance = task.program.with_copies(copies);
        let (relaxed, more) = relax(&Task { program: &instance, copies: Some(copies), ..*task })?;
        checks += more + 1;
        let Relaxed::Plan { plan, .. } = &relaxed else { return Ok((relaxed, checks)) };
        match next(task, copies, &[&plan.text])? {
            Next::Take => return Ok((relaxed, checks)),
            Next::More(number) => copies = number,
            Next::Unknown(reason) => return Ok((Relaxed::Unknown(reason), checks)),
        }
    }
}

/// Are these texts, which are robust with so many copies, robust for every number?
fn next(task: &Task<'_>, copies: u32, texts: &[&str]) -> Result<Next, InternalError> {
    for text in texts {
        let Some(program) = load(task.language, text).program else {
            return Ok(Next::Unknown(Reason::TooLarge("these edits together do not give a program".into())));
        };
        for &model in task.models {
            let outcome = Question::new(&program, model).with(task.options).robustness(task.budget)?;
            let number = outcome.copies.and_then(|copies| copies.with).map(|with| with.number);
            match (outcome.verdict, number) {
                (Verdict::Holds, _) => {}
                (Verdict::Violated(_), Some(number)) if number > copies && number <= MOST => {
                    return Ok(Next::More(number));
                }
                (Verdict::Violated(_), _) => {
                    let why = format!("no number of copies up to {MOST} tells enough");
                    return Ok(Next::Unknown(Reason::Inconclusive(why)));
                }
                (Verdict::Unknown(reason), _) => return Ok(Next::Unknown(reason)),
            }
        }
    }
    Ok(Next::Take)
}
