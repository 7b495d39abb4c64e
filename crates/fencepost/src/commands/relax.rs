//! `fencepost relax`: what robust programs can do without.

use std::io;

use fencepost_repair::{InternalError, Task, relax};
use fencepost_report::terminal::{self, Look};
use fencepost_report::{Subject, json};
use fencepost_verdict::Relaxed;

use super::edits::{self, Editing, Effort};
use crate::args::RelaxArgs;
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(args: &RelaxArgs, output: &mut Output) -> io::Result<Exit> {
    edits::run(&args.edits, args.observational, &Relax, output)
}

struct Relax;

impl Editing for Relax {
    type Found = Relaxed;

    fn find(&self, task: &Task<'_>) -> Result<(Relaxed, u64), InternalError> {
        relax(task)
    }

    fn text<'f>(&self, found: &'f Relaxed) -> Option<&'f str> {
        match found {
            Relaxed::Plan { plan, .. } if !plan.edits.is_empty() => Some(&plan.text),
            Relaxed::Plan { .. } | Relaxed::NotRobust(_) | Relaxed::Unknown(_) => None,
        }
    }

    fn terminal(&self, subject: &Subject<'_>, found: &Relaxed, effort: &Effort, look: &Look) -> String {
        terminal::relaxed(subject, &effort.models, found, effort.checks, look)
    }

    fn json(&self, subject: &Subject<'_>, found: &Relaxed, effort: &Effort) -> String {
        json::relaxed(subject, &effort.models, found, effort.checks, effort.time, effort.written)
    }

    fn exit(&self, found: &Relaxed) -> Exit {
        match found {
            Relaxed::Plan { .. } => Exit::Holds,
            Relaxed::NotRobust(_) => Exit::Violation,
            Relaxed::Unknown(_) => Exit::Unknown,
        }
    }
}
