//! The C litmus tests of the corpus under SRA: coverability is asked for every final state that the
//! axioms permit, for any other, and for the condition, whose answer is the one in the file.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_cover::{Answer, FinalStates, Options, can_end};
use fencepost_ir::{Condition, Observable, Program};
use fencepost_model::models::sra::Sra;
use fencepost_oracle::replay_graph;
use fencepost_oracle::system::{Configuration, Memory, System};
use fencepost_testkit::corpus::{self, Content};
use fencepost_testkit::expect::{Expectation, Expected, Subject};
use fencepost_verdict::Budget;

/// Tests with more values take minutes.
const MOST_VALUES: u64 = 64;

/// What is observed, registers before locations.
struct Observed {
    registers: Vec<(ThreadId, RegId)>,
    locations: Vec<LocId>,
}

impl Observed {
    fn of(condition: &Condition) -> Self {
        let mut observed = Observed { registers: Vec::new(), locations: Vec::new() };
        for what in condition.observed() {
            match what {
                Observable::Register(thread, register) => observed.registers.push((thread, register)),
                Observable::Location(loc) => observed.locations.push(loc),
            }
        }
        observed
    }

    /// The value of something that is observed, in a state.
    fn value(&self, state: &[Value], what: Observable) -> Value {
        let index = match what {
            Observable::Register(thread, register) => {
                self.registers.iter().position(|&other| other == (thread, register))
            }
            Observable::Location(loc) => {
                self.locations.iter().position(|&other| other == loc).map(|index| self.registers.len() + index)
            }
        };
        state[index.expect("it is observed")]
    }

    /// Can a run end in such a state? Its run is replayed.
    fn can_end(&self, program: &Program, is_wanted: &dyn Fn(&[Value]) -> bool) -> bool {
        let holds = |registers: &[Value], memory: &[Value]| is_wanted(&[registers, memory].concat());
        let states = FinalStates { registers: &self.registers, locations: &self.locations, holds: &holds };
        match can_end(program, &states, Options::default(), &Budget::unlimited()).answer {
            Answer::Unreachable => false,
            Answer::Reachable(witness) => {
                replay_graph(program, &Sra, &witness.run).expect("a run under SRA");
                true
            }
            Answer::GaveUp(reason) => panic!("no limit was given: {reason}"),
        }
    }

    /// The final states that the axioms permit.
    fn permitted(&self, program: &Program) -> BTreeSet<Vec<Value>> {
        let reached =
            System::new(program, &Sra).with_races().reachable(Memory::Consistent(&Sra), usize::MAX).expect("no limit");
        let is_done = |configuration: &&Configuration| {
            let has_halted =
                |id: ThreadId| configuration.threads[id.index()].pc.index() + 1 == program.thread(id).code.len();
            program.thread_ids().all(has_halted)
        };
        let state = |configuration: &Configuration| {
            let register = |&(thread, register): &(ThreadId, RegId)| {
                configuration.threads[thread.index()].registers[register.index()]
            };
            let graph = &configuration.graph;
            let last = |&loc: &LocId| graph.label(graph.last_write(loc)).value_written().expect("a write");
            self.registers.iter().map(register).chain(self.locations.iter().map(last)).collect()
        };
        reached.iter().filter(is_done).map(state).collect()
    }
}

#[test]
fn final_states_are_those_of_the_axioms() {
    let mut asked = 0;
    for entry in corpus::files().iter().filter(|entry| entry.name.starts_with("c/")) {
        let name = &entry.name;
        let Content { program, expected, .. } = entry.read().unwrap_or_else(|error| panic!("{name}: {error}"));
        // Threads are followed with every value that they might read: with arithmetic there are
        // hundreds.
        if !program.is_loop_free() || program.domain() > MOST_VALUES {
            continue;
        }
        let Some(condition) = program.condition() else { continue };
        let observed = Observed::of(condition);
        let permitted = observed.permitted(&program);
        for state in &permitted {
            assert!(observed.can_end(&program, &|other| other == state), "{name}: {state:?} is permitted");
        }
        assert!(!observed.can_end(&program, &|other| !permitted.contains(other)), "{name}: another state");

        let counts = |state: &[Value]| {
            condition.filter.as_ref().is_none_or(|filter| filter.holds(&|what| observed.value(state, what)))
        };
        let holds = |state: &[Value]| condition.formula.holds(&|what| observed.value(state, what));
        let some = observed.can_end(&program, &|state| counts(state) && holds(state));
        let some_other = observed.can_end(&program, &|state| counts(state) && !holds(state));
        let answer = match (some, some_other) {
            (true, true) => Expected::Sometimes,
            (true, false) => Expected::Always,
            (false, _) => Expected::Never,
        };
        let is_about_sra =
            |expected: &&Expectation| expected.model == "sra" && expected.answer.subject() == Subject::Verification;
        let in_file = expected.iter().find(is_about_sra).unwrap_or_else(|| panic!("{name} says nothing of sra")).answer;
        // Whether plain accesses race is another question.
        assert!(answer == in_file || in_file == Expected::Racy, "{name}: {answer:?}");
        asked += 1;
    }
    assert!(asked > 30, "the corpus is there");
}
