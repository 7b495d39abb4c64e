//! `fencepost repair`: the cheapest edits that make programs robust.

use std::io;

use fencepost_repair::{InternalError, Purpose, Task, repair};
use fencepost_report::terminal::{self, Look};
use fencepost_report::{Subject, json};
use fencepost_verdict::Repaired;

use super::edits::{self, Editing, Effort};
use crate::args::RepairArgs;
use crate::exit::Exit;
use crate::output::Output;

pub(crate) fn run(args: &RepairArgs, output: &mut Output) -> io::Result<Exit> {
    let limit = if args.all { args.limit as usize } else { 1 };
    let purpose = if args.only_failures { Purpose::NoHarm } else { Purpose::Robustness };
    edits::run(&args.edits, false, &Repair { limit, purpose }, output)
}

struct Repair {
    limit: usize,
    purpose: Purpose,
}

impl Editing for Repair {
    type Found = Repaired;

    fn purpose(&self) -> Purpose {
        self.purpose
    }

    fn find(&self, task: &Task<'_>) -> Result<(Repaired, u64), InternalError> {
        repair(task, self.limit)
    }

    fn text<'f>(&self, found: &'f Repaired) -> Option<&'f str> {
        match found {
            Repaired::Plans { plans, .. } => plans.first().map(|plan| plan.text.as_str()),
            Repaired::Nothing | Repaired::Impossible(_) | Repaired::Unknown(_) => None,
        }
    }

    fn terminal(&self, subject: &Subject<'_>, found: &Repaired, effort: &Effort, look: &Look) -> String {
        match self.purpose {
            Purpose::NoHarm => terminal::repaired_harm(subject, &effort.models, found, effort.checks, look),
            Purpose::Robustness => terminal::repaired(subject, &effort.models, found, effort.checks, look),
        }
    }

    fn json(&self, subject: &Subject<'_>, found: &Repaired, effort: &Effort) -> String {
        json::repaired(subject, &effort.models, found, effort.checks, effort.time, effort.written)
    }

    fn exit(&self, found: &Repaired) -> Exit {
        match found {
            Repaired::Nothing | Repaired::Plans { .. } => Exit::Holds,
            Repaired::Impossible(_) => Exit::Violation,
            Repaired::Unknown(_) => Exit::Unknown,
        }
    }
}
