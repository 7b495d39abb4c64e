//! The examples of the PLDI 2020 paper (§3.2, §3.3, §5) with its verdicts: is the annotated outcome
//! allowed under SRA? Initial values are implicit here.

use fencepost_base::event::Label;
use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_cover::{Answer, FinalStates, Options, can_end, write_write_race_free};
use fencepost_ir::Program;
use fencepost_lower::{Language, load};
use fencepost_model::models::ra::Ra;
use fencepost_model::models::sra::{Sra, write_write_race};
use fencepost_model::{EventId, Model};
use fencepost_oracle::replay_graph;
use fencepost_oracle::system::{Memory, System};
use fencepost_verdict::{Budget, GraphRun, GraphStep, Site};

/// Thread, register, value.
type Outcome<'a> = &'a [(u32, u32, Value)];

fn program(text: &str) -> Program {
    load(Language::Fp, &format!("domain 4;\n{text}")).program.unwrap_or_else(|| panic!("a program: {text}"))
}

fn is_allowed(program: &Program, outcome: Outcome<'_>) -> bool {
    let registers: Vec<_> = outcome.iter().map(|&(thread, reg, _)| (ThreadId(thread), RegId(reg))).collect();
    let wanted: Vec<Value> = outcome.iter().map(|&(_, _, value)| value).collect();
    let holds = |registers: &[Value], _: &[Value]| registers == wanted;
    let states = FinalStates { registers: &registers, locations: &[], holds: &holds };
    match can_end(program, &states, Options::default(), &Budget::unlimited()).answer {
        Answer::Unreachable => false,
        Answer::Reachable(witness) => {
            let replayed = replay_graph(program, &Sra, &witness.run).expect("a run under SRA");
            for &(thread, reg, value) in outcome {
                assert_eq!(replayed.threads[thread as usize].registers[reg as usize], value, "the run ends there");
            }
            true
        }
        Answer::GaveUp(reason) => panic!("no limit was given: {reason}"),
    }
}

/// The same by the axioms, for any model.
fn is_allowed_by_axioms(program: &Program, model: &'static dyn Model, outcome: Outcome<'_>) -> bool {
    let reached = System::new(program, model).reachable(Memory::Consistent(model), usize::MAX).expect("no limit");
    reached.iter().any(|configuration| {
        let has = |&(thread, reg, value): &(u32, u32, Value)| {
            configuration.threads[thread as usize].registers[reg as usize] == value
        };
        // Registers are 0 at first: only ended threads count.
        let has_halted = |thread: ThreadId| {
            let state = &configuration.threads[thread.index()];
            state.pc.index() + 1 == program.thread(thread).code.len()
        };
        outcome.iter().all(has) && program.thread_ids().all(has_halted)
    })
}

fn check(name: &str, text: &str, outcome: Outcome<'_>, under_sra: bool, under_ra: bool) {
    let program = program(text);
    assert_eq!(is_allowed(&program, outcome), under_sra, "{name} by coverability");
    assert_eq!(is_allowed_by_axioms(&program, &Sra, outcome), under_sra, "{name} by the axioms");
    assert_eq!(is_allowed_by_axioms(&program, &Ra, outcome), under_ra, "{name} under RA");
}

#[test]
fn store_buffering() {
    let text = "global x, y;
        thread p { local a; x.store(1); a = y.load(); }
        thread q { local b; y.store(1); b = x.load(); }";
    check("SB", text, &[(0, 0, 0), (1, 0, 0)], true, true);
}

#[test]
fn message_passing() {
    let text = "global x, y;
        thread p { x.store(1); y.store(1); }
        thread q { local a, b; a = y.load(); b = x.load(); }";
    check("MP", text, &[(1, 0, 1), (1, 1, 0)], false, false);
    check("MP, received", text, &[(1, 0, 1), (1, 1, 1)], true, true);
}

#[test]
fn transitive_message_passing() {
    let text = "global x, y;
        thread p { y.store(1); }
        thread q { local a; a = y.load(); x.store(1); }
        thread r { local b, c; b = x.load(); c = y.load(); }";
    check("transitive MP", text, &[(1, 0, 1), (2, 0, 1), (2, 1, 0)], false, false);
}

#[test]
fn independent_reads_of_independent_writes() {
    let text = "global x, y;
        thread p { x.store(1); }
        thread q { local a, b; a = x.load(); b = y.load(); }
        thread r { local c, d; c = y.load(); d = x.load(); }
        thread s { y.store(1); }";
    check("IRIW", text, &[(1, 0, 1), (1, 1, 0), (2, 0, 1), (2, 1, 0)], true, true);
}

#[test]
fn two_updates_of_one_write() {
    let text = "global x;
        thread p { local a; a = x.cas(0, 1); }
        thread q { local b; b = x.cas(0, 1); }";
    check("2RMW", text, &[(0, 0, 0), (1, 0, 0)], false, false);
}

#[test]
fn updates_as_fences() {
    let text = "global x, y, f;
        thread p { local a; x.store(1); f.fadd(0); a = y.load(); }
        thread q { local b; y.store(1); f.fadd(0); b = x.load(); }";
    check("SB+RMWs", text, &[(0, 0, 0), (1, 0, 0)], false, false);
    let fences = "global x, y;
        thread p { local a; x.store(1); fence(sc); a = y.load(); }
        thread q { local b; y.store(1); fence(sc); b = x.load(); }";
    check("SB+fences", fences, &[(0, 0, 0), (1, 0, 0)], false, false);
}

/// What replays witnesses does not believe them: a run to the forbidden outcome of MP, and one that
/// is none.
#[test]
fn wrong_runs_are_refused() {
    let program = program(
        "global x, y; thread p { x.store(1); y.store(1); } thread q { local a, b; a = y.load(); b = x.load(); }",
    );
    let step = |thread, pc, label, predecessor| GraphStep {
        site: Site { thread: ThreadId(thread), pc: Pc(pc) },
        event: Some((label, EventId(predecessor))),
        choice: None,
    };
    let write = |loc, value| Label::Write { loc: LocId(loc), value, mode: Mode::Rel };
    let read = |loc, value| Label::Read { loc: LocId(loc), value, mode: Mode::Acq };
    // Events 0 and 1 are the initialisation writes, 2 and 3 those of the first thread.
    let start = [step(0, 0, write(0, 1), 0), step(0, 1, write(1, 1), 1), step(1, 0, read(1, 1), 3)];
    let replay = |last| replay_graph(&program, &Sra, &GraphRun { steps: [&start[..], &[last]].concat() });
    assert!(replay(step(1, 1, read(0, 1), 2)).is_ok());
    let error = |last| replay(last).expect_err("not a run").to_string();
    assert!(error(step(1, 1, read(0, 0), 0)).contains("does not permit"), "a stale read");
    assert!(error(step(1, 1, read(0, 0), 2)).contains("not enabled"), "not what was written there");
    assert!(error(step(1, 1, read(0, 0), 7)).contains("not a write"), "no such event");
    assert!(error(step(1, 0, read(1, 1), 3)).contains("not there"), "the thread has gone on");
}

const TWO_PLUS_TWO_WRITES: &str = "global x, y;
    thread p { local a; x.store(1); y.store(2); a = y.load(); }
    thread q { local b; y.store(1); x.store(2); b = x.load(); }";

/// What separates RA from SRA.
#[test]
fn two_plus_two_writes() {
    check("2+2W", TWO_PLUS_TWO_WRITES, &[(0, 0, 1), (1, 0, 1)], false, true);
}

/// The same about final values of memory: the last writes are those that each thread made first.
#[test]
fn two_plus_two_writes_in_memory() {
    let program = program("global x, y; thread p { x.store(1); y.store(2); } thread q { y.store(1); x.store(2); }");
    let ends = |x: Value, y: Value| {
        let holds = |_: &[Value], memory: &[Value]| memory == [x, y];
        let states = FinalStates { registers: &[], locations: &[LocId(0), LocId(1)], holds: &holds };
        !matches!(can_end(&program, &states, Options::default(), &Budget::unlimited()).answer, Answer::Unreachable)
    };
    assert!(!ends(1, 1));
    assert!(ends(1, 2) && ends(2, 1) && ends(2, 2));
    assert!(!ends(0, 2), "what is overwritten is not last");
}

/// Why a potential needs several lists: the third thread's write must be readable before one pair
/// of reads, and it goes on itself with another pair.
#[test]
fn several_lists() {
    let text = "global x, y, z;
        thread p1 { x.store(1); }
        thread p2 { y.store(1); }
        thread p3 { local a, b; z.store(1); a = y.load(); b = x.load(); }
        thread p4 { local c, d, e; c = z.load(); d = x.load(); e = y.load(); }";
    let outcome = [(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 1), (3, 2, 0)];
    check("Ex. 5.3", text, &outcome, true, true);
}

/// Why options name their writers.
#[test]
fn two_senders() {
    let text = "global x, y, z, w;
        thread p1 { x.store(1); z.store(1); }
        thread p2 { y.store(1); z.store(1); }
        thread p3 { local a, b; a = z.load(); w.store(1); b = x.load(); }
        thread p4 { local c, d; c = w.load(); d = y.load(); }";
    check("2MP", text, &[(2, 0, 1), (2, 1, 0), (3, 0, 1), (3, 1, 0)], false, false);
}

#[test]
fn write_write_races() {
    let is_free = |text: &str| {
        let program = program(text);
        match write_write_race_free(&program, Options::default(), &Budget::unlimited()).answer {
            Answer::Unreachable => true,
            Answer::Reachable(witness) => {
                let replayed = replay_graph(&program, &Sra, &witness.run).expect("a run under SRA");
                assert!(write_write_race(&replayed.graph).is_some(), "two writes that are not ordered");
                false
            }
            Answer::GaveUp(reason) => panic!("no limit was given: {reason}"),
        }
    };
    assert!(!is_free(TWO_PLUS_TWO_WRITES));
    assert!(is_free("global x, y; thread p { x.store(1); y.store(1); } thread q { local a; a = y.load(); }"));
    assert!(is_free("global x, y; thread p { x.store(1); y.store(1); } thread q { wait(y == 1); x.store(2); }"));
    assert!(!is_free("global x, y; thread p { y.store(1); x.store(1); } thread q { wait(y == 1); x.store(2); }"));
    let locked = "global l, x; thread p[2] { while (1) { l.bcas(0, 1); x.store(me + 1); l.store(0); } }";
    assert!(is_free(locked), "a lock orders writes, its own too");
}
