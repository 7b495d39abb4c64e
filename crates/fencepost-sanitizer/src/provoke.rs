//! Provoked runs, as they are seen from outside: which access to provoke, what it has used, and
//! what went wrong afterwards.

use std::time::Duration;

use fencepost_finding::{Consequence, Effect, Frame, Memory, Reproduce, Thread, value_text};
use fencepost_protocol::Schedule;
use fencepost_protocol::{CodePlace, Key, Provocation, Which};

use crate::process::Process;
use crate::report::{Deadlock, Identity, Kind, Report};
use crate::sequel::PassedOn;
use crate::stream::{self, Failed, Found, Module};
use crate::symbols::Symbols;

/// Callers that a provocation names, besides the access.
const CALLERS: usize = 2;

/// How to let the access of a finding use an overwritten value; none if it cannot be said where it
/// is, or if its values are too wide to be kept.
pub(crate) fn provocation(modules: &[Module], finding: &stream::Report) -> Option<Provocation> {
    let Found::Robustness(violation) = &finding.found else { return None };
    if finding.size > 8 {
        return None;
    }
    let place = |&pc: &u64| {
        let module = modules.iter().find(|module| (module.start..module.end).contains(&pc))?;
        Some(CodePlace::new(&module.path, pc.wrapping_sub(module.bias)))
    };
    let missed = violation.newest.by.as_ref().and_then(|by| by.stack.first()).and_then(place);
    let mut access: Vec<CodePlace> = finding.stack.iter().take(1 + CALLERS).map_while(place).collect();
    // Threads come from the C library, all of them.
    let own = access.iter().take_while(|caller| caller.module == access[0].module).count();
    access.truncate(own);
    (!access.is_empty()).then_some(Provocation { access, missed, which: Which::Oldest, skip: 0, then: 0 })
}

/// The same access again. In a run that is not exactly the same, the first opportunity is as good
/// as another.
pub(crate) fn again(text: &str, exact: bool) -> Option<String> {
    let provocation: Provocation = text.parse().ok()?;
    let anyhow = |provocation| Provocation { skip: 0, then: 0, ..provocation };
    Some(if exact { provocation } else { anyhow(provocation) }.to_string())
}

/// A run in which a report was seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// Its schedule.
    pub schedule: Schedule,
    /// Its seed.
    pub seed: u64,
    /// Steps that it was expected to have; 0 if that was not said.
    pub steps: u64,
}

/// An access has used an overwritten value.
#[derive(Clone, Debug, PartialEq)]
pub struct Taken {
    /// Of the report about the access.
    pub identity: Identity,
    /// The access, in words.
    access: String,
    /// The value.
    pub used: u64,
    /// How to see it again.
    pub reproduce: Reproduce,
    /// The report, if there was none before.
    pub news: Option<Box<Report>>,
}

/// A program fails.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    effect: Effect,
    message: String,
    thread: Thread,
    stack: Vec<Frame>,
}

impl Process {
    /// A failure with names.
    pub(crate) fn failure(&self, failure: &stream::Failure, symbols: &mut dyn Symbols) -> Failure {
        let (effect, message) = match &failure.failed {
            Failed::Assertion(assertion) => {
                let stream::Assertion { text, file, line } = assertion;
                (Effect::Assertion, format!("assertion `{text}` fails ({file}:{line})"))
            }
            Failed::Signal(stream::Signal { number }) => (Effect::Signal, format!("signal {number} ends the program")),
        };
        Failure { effect, message, thread: self.named(failure.tid), stack: self.stack(&failure.stack, symbols) }
    }

    /// The run that it is in.
    pub(crate) fn seen(&self) -> Seen {
        let steps = self.given(Key::Steps).and_then(|steps| steps.parse().ok()).unwrap_or(0);
        Seen { schedule: self.options().schedule, seed: self.options().seed, steps }
    }

    /// Has an access of it used an overwritten value?
    pub fn has_left_sc(&self) -> bool {
        self.has_left_sc
    }
}

impl Taken {
    pub(crate) fn new(report: &Report, used: u64, news: Option<Box<Report>>) -> Taken {
        let place = report.access.blamed().map_or_else(String::new, |frame| format!(" at {}", frame.summary()));
        let variable = match &report.memory {
            Memory::Global { name, .. } => Some(name.as_str()),
            _ => None,
        };
        Taken {
            identity: report.identity(),
            access: report.access.description(variable) + &place,
            used,
            reproduce: report.reproduce.clone(),
            news,
        }
    }

    /// What is to be said about a race that was seen after it.
    pub fn sentence(&self) -> String {
        format!("It follows when this access uses value {}: {}.", value_text(self.used), self.access)
    }

    fn consequence(&self, effect: Effect, message: String) -> Consequence {
        Consequence {
            effect,
            message,
            thread: None,
            stack: Vec::new(),
            used: self.used,
            reproduce: self.reproduce.clone(),
        }
    }

    /// Two accesses race then.
    pub fn race(&self, race: &Report) -> Consequence {
        let place = |operation: &crate::report::Operation| {
            operation.blamed().map_or_else(|| format!("{:#x}", operation.address), Frame::summary)
        };
        let other = match &race.kind {
            Kind::Race(race) => format!(" and {} at {}", race.other.name(), place(&race.other)),
            Kind::Robustness(_) => String::new(),
        };
        let message = format!("a data race follows: {} at {}{other}", race.access.name(), place(&race.access));
        self.consequence(Effect::Race, message)
    }

    /// The program fails then.
    pub fn failure(&self, failure: Failure) -> Consequence {
        let Failure { effect, message, thread, stack } = failure;
        Consequence { thread: Some(thread), stack, ..self.consequence(effect, message) }
    }

    /// The value reaches an address, or a value that others may read.
    pub fn passed_on(&self, passed_on: PassedOn) -> Consequence {
        let PassedOn { effect, message, thread, stack } = passed_on;
        Consequence { thread: Some(thread), stack, ..self.consequence(effect, message) }
    }

    /// All threads wait then.
    pub fn deadlock(&self, deadlock: &Deadlock) -> Consequence {
        let lines: Vec<String> = deadlock.waiting.iter().map(ToString::to_string).collect();
        self.consequence(Effect::Deadlock, format!("all threads wait ({})", lines.join("; ")))
    }

    /// The program does not end then, within this time.
    pub fn hang(&self, patience: Duration) -> Consequence {
        let seconds = patience.as_secs_f64();
        let mut hang = self.consequence(Effect::Hang, format!("the program does not end within {seconds} s"));
        // Without a limit it would not come back.
        let command = &mut hang.reproduce.command;
        *command = command.replacen(" --provoke-at ", &format!(" --hang-after {seconds}s --provoke-at "), 1);
        hang
    }

    /// A signal ends the program then; it is not known where.
    pub fn signal(&self, number: i32, name: &str) -> Consequence {
        self.consequence(Effect::Signal, format!("signal {number}{name} ends the program"))
    }

    /// The program ends with another exit code then, and may have said why.
    pub fn exit(&self, code: i32, why: Option<&str>) -> Consequence {
        let why = why.map_or(String::new(), |why| format!(" ({why})"));
        self.consequence(Effect::Exit, format!("the program ends with exit code {code}{why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::again;

    #[test]
    fn what_is_shown_again_is_the_same_or_like_it() {
        let text = "ring+0x1/ring+0x2@ring+0x3,newest,4,5";
        assert_eq!(again(text, true).as_deref(), Some(text));
        assert_eq!(again(text, false).as_deref(), Some("ring+0x1/ring+0x2@ring+0x3,newest"));
        assert_eq!(again("ring", true), None);
    }
}
