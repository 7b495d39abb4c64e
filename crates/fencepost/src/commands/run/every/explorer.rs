//! Which runs are to be made: the schedules of a test, or its executions under the memory model.

use fencepost_executions::{Ended, Judgement, Made, Models, judge_decided};
use fencepost_protocol::exploration::{Decision, Decisions, Sleeper, Step, end};
use fencepost_sanitizer::MODEL;
use fencepost_schedules::Search;

use super::follows::AllFollows;
use super::verdict::{self, Found, Obstacle};

/// What is known so far.
pub(super) enum Explorer {
    /// Under SC, up to equivalence.
    Schedules(Search),
    /// Those that are not SC, too.
    Executions(fencepost_executions::Explorer),
}

/// A run that is to be made.
pub(super) enum Task {
    Schedule { task: fencepost_schedules::Task, counts_preemptions: bool },
    Execution(fencepost_executions::Task, Models),
}

/// A run that was made.
pub(super) enum Taken {
    Schedule(fencepost_schedules::Task),
    Execution(Made),
}

/// How many runs there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// All of them.
    pub(super) runs: u64,
    /// Those that came to their end, each of them another execution or another class.
    pub(super) complete: u64,
    /// Of these, those that are not SC.
    pub(super) weak: u64,
    /// In which nobody could go on, or an assumption did not hold.
    pub(super) blocked: u64,
    /// Like others, or no execution after all.
    pub(super) redundant: u64,
}

impl Counts {
    /// Without the runs in which an access has used an overwritten write.
    pub(super) fn without(self, follows: &AllFollows) -> Counts {
        Counts {
            runs: self.runs,
            complete: self.complete - follows.complete,
            blocked: self.blocked - follows.blocked,
            redundant: self.redundant - follows.redundant,
            weak: self.weak,
        }
    }
}

/// The model of the sanitizer, and SC.
fn models() -> Models {
    let model = fencepost_model::models::by_name(MODEL).expect("the model of the sanitizer is one of ours");
    Models { model, reference: fencepost_model::models::reference() }
}

impl Explorer {
    /// Of schedules, with at most so many preemptions.
    pub(super) fn schedules(preemptions: Option<u32>) -> Explorer {
        Explorer::Schedules(Search::new(preemptions))
    }

    /// Of executions under the model of the sanitizer.
    pub(super) fn executions() -> Explorer {
        Explorer::Executions(fencepost_executions::Explorer::new(models()))
    }

    /// The next run to make, if there is one for now.
    pub(super) fn next_task(&mut self) -> Option<Task> {
        match self {
            Explorer::Schedules(search) => {
                let counts_preemptions = matches!(search, Search::Few(_));
                search.next_task().map(|task| Task::Schedule { task, counts_preemptions })
            }
            Explorer::Executions(explorer) => {
                let models = explorer.models();
                explorer.next_task().map(|task| Task::Execution(task, models))
            }
        }
    }

    pub(super) fn counts(&self) -> Counts {
        match self {
            Explorer::Schedules(explorer) => {
                let counts = explorer.counts();
                let fencepost_schedules::Counts { complete, blocked, redundant } = counts;
                Counts { runs: counts.runs(), complete, weak: 0, blocked, redundant }
            }
            Explorer::Executions(explorer) => {
                let counts = explorer.counts();
                let fencepost_executions::Counts { complete, weak, blocked, rejected } = counts;
                Counts { runs: counts.runs(), complete, weak, blocked, redundant: rejected }
            }
        }
    }

    /// Need the runs not be SC?
    pub(super) fn is_weak(&self) -> bool {
        matches!(self, Explorer::Executions(_))
    }

    /// What judges a run that is SC but for one step.
    pub(super) fn judges(&self) -> Option<Models> {
        (!self.is_weak()).then(models)
    }

    /// How far the exploration is, in words.
    pub(super) fn how_far(&self) -> String {
        let share = |share: f64| format!("about {:.1} % of what is known", share * 100.0);
        match self {
            Explorer::Schedules(Search::All(explorer)) => share(explorer.share()),
            Explorer::Schedules(Search::Few(bounded)) => match bounded.seen() {
                Some(seen) => format!("more than {}", verdict::preemptions(seen)),
                None => "without preemptions".to_string(),
            },
            Explorer::Executions(explorer) => share(explorer.share()),
        }
    }

    /// Says which schedules were left out, now that there are no more runs to make.
    pub(super) fn leaves_out(&self, found: &mut Found) {
        if let Explorer::Schedules(Search::Few(bounded)) = self {
            found.preemptions = bounded.seen();
            if !bounded.is_exhausted() && found.obstacles.is_empty() {
                found.obstacles.insert(Obstacle::Preemptions);
            }
        }
    }

    /// A run was made. An error says what it did otherwise than an earlier one.
    pub(super) fn take_in(&mut self, taken: Taken, steps: &[Step], why: u32) -> Result<(), String> {
        match (self, taken) {
            (Explorer::Schedules(explorer), Taken::Schedule(task)) => {
                explorer.done(&task, steps, why).map_err(|divergence| verdict::describe(&divergence))
            }
            (Explorer::Executions(explorer), Taken::Execution(made)) => {
                explorer.take_in(made);
                Ok(())
            }
            _ => unreachable!("tasks go back to the explorer that they are from"),
        }
    }
}

impl Task {
    /// Who takes the first steps, and what they find.
    pub(super) fn decisions(&self) -> Vec<Decision> {
        match self {
            Task::Schedule { task, .. } => task.decisions.clone(),
            Task::Execution(task, _) => task.decisions(),
        }
    }

    /// Who need not run after them.
    pub(super) fn sleepers(&self) -> Vec<Sleeper> {
        match self {
            Task::Schedule { task, .. } => task.sleepers.clone(),
            Task::Execution(..) => Vec::new(),
        }
    }

    /// Need the run not be SC?
    pub(super) fn is_weak(&self) -> bool {
        matches!(self, Task::Execution(..))
    }

    /// Does it matter how often a thread loses its turn?
    pub(super) fn counts_preemptions(&self) -> bool {
        matches!(self, Task::Schedule { counts_preemptions: true, .. })
    }

    /// What has to be decided to make this run again.
    pub(super) fn again(&self, steps: &[Step]) -> Decisions {
        let taken = steps.iter().filter(|step| step.is_decided() && !step.is_pending());
        let mut taken = taken.map(|step| {
            let decision = Decision::new(step.thread, step.choice);
            if step.has_used_stale() { decision.stale() } else { decision }
        });
        let Task::Execution(task, _) = self else { return Decisions(taken.collect()) };
        let mut all = task.decisions();
        all.retain(|decision| decision.is_held() || taken.next().is_some());
        all.extend(taken);
        Decisions(all)
    }

    /// What judges the run, if it need not be SC.
    pub(super) fn judges(&self) -> Option<Models> {
        match self {
            Task::Schedule { .. } => None,
            Task::Execution(_, models) => Some(*models),
        }
    }

    /// A run was made, with these steps, and came to its end for this reason.
    pub(super) fn follow(self, steps: &[Step], why: u32) -> Result<Taken, fencepost_executions::Trouble> {
        match self {
            Task::Schedule { task, .. } => Ok(Taken::Schedule(task)),
            Task::Execution(task, models) => task.follow(models, steps, why).map(Taken::Execution),
        }
    }
}

impl Taken {
    /// Is the run no execution after all?
    pub(super) fn is_void(&self) -> bool {
        matches!(self, Taken::Execution(made) if made.ended() == Ended::Rejected)
    }

    /// Is it an execution, and do the axioms refute that? It is rebuilt from its steps and decisions by
    /// code that does not know how it was planned.
    pub(super) fn is_refuted(&self, models: Option<Models>, steps: &[Step], again: &Decisions) -> bool {
        let Some(models) = models.filter(|_| !self.is_void()) else { return false };
        matches!(judge_decided(models, steps, &again.0), Ok(Judgement::Forbidden) | Err(_))
    }

    /// Does nobody ever go on, if nobody could in the run?
    pub(super) fn is_stuck(&self, why: u32) -> bool {
        match self {
            Taken::Schedule(_) => why & end::STUCK != 0,
            Taken::Execution(made) => made.ended() == Ended::Stuck,
        }
    }
}
