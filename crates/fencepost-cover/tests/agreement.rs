//! The backward search and definitions of SRA that are explored forwards give the same answers on
//! generated loop-free programs: opSRA on all questions, the axioms on graphs about failures. Every
//! witness is replayed.

use std::collections::BTreeSet;

use crate::common::{Final, Reached, explore};
use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_cover::{
    Answer, CoverOutcome, FinalStates, Options as Search, Witness, can_end, data_race_free, safe, write_write_race_free,
};
use fencepost_ir::{LocationKind, Op, Place, Program};
use fencepost_model::models::sra::{Sra, write_write_race};
use fencepost_oracle::enumerate::fails_under;
use fencepost_oracle::{Replayed, finals, replay_graph, replay_graph_failure};
use fencepost_testkit::generate::{self, Options};
use fencepost_testkit::repetitions;
use fencepost_testkit::shrink::shrink;
use fencepost_verdict::Budget;

/// States of opSRA, or graphs, that are enough for nearly all of the programs.
const LIMIT: usize = 6_000;

/// Configurations that are enough for nearly all questions about them.
const MOST_CONFIGURATIONS: u64 = 20_000;

/// Without a look ahead, so that the backward search has all to do.
const BLIND: Search = Search { look_ahead: 0, symmetry: true, jobs: 1 };

/// Every configuration for itself.
const SINGLE: Search = Search { look_ahead: 1 << 17, symmetry: false, jobs: 1 };

/// What was compared.
#[derive(Debug, Default)]
struct Count {
    programs: u64,
    skipped: u64,
    questions: u64,
    undecided: u64,
}

fn budget() -> Budget<'static> {
    Budget { max_states: MOST_CONFIGURATIONS, ..Budget::unlimited() }
}

fn registers(program: &Program) -> Vec<(ThreadId, RegId)> {
    let of = |thread: ThreadId| {
        (0..program.thread(thread).registers.len()).map(move |register| (thread, RegId::from_index(register)))
    };
    program.thread_ids().flat_map(of).collect()
}

/// The final state of a replayed run, all registers in a row.
fn final_state(replayed: &Replayed) -> (Vec<Value>, Vec<Value>) {
    let registers = replayed.threads.iter().flat_map(|thread| thread.registers.clone()).collect();
    let last = |loc: usize| {
        let write = replayed.graph.last_write(LocId::from_index(loc));
        replayed.graph.label(write).value_written().expect("a write")
    };
    (registers, (0..replayed.graph.locations()).map(last).collect())
}

fn flat((threads, memory): &Final) -> (Vec<Value>, Vec<Value>) {
    (threads.concat(), memory.clone())
}

/// Can the program end in a state that satisfies `holds`?
fn ends(program: &Program, search: Search, holds: &dyn Fn(&[Value], &[Value]) -> bool) -> CoverOutcome {
    let registers = registers(program);
    let locations: Vec<LocId> = (0..program.locations().len()).map(LocId::from_index).collect();
    can_end(program, &FinalStates { registers: &registers, locations: &locations, holds }, search, &budget())
}

/// Compares one answer; a reachable state needs a witness that stands up to `replay`.
fn judge(
    what: &str,
    expected: bool,
    outcome: &CoverOutcome,
    count: &mut Count,
    replay: impl Fn(&Witness) -> Result<(), String>,
) -> Result<(), String> {
    count.questions += 1;
    match &outcome.answer {
        Answer::GaveUp(_) => count.undecided += 1,
        Answer::Unreachable if expected => return Err(format!("{what} is not found")),
        Answer::Unreachable => {}
        Answer::Reachable(witness) => {
            replay(witness).map_err(|error| format!("{what}: {error}"))?;
            if !expected {
                return Err(format!("{what} is found, and there is none"));
            }
        }
    }
    Ok(())
}

fn compare(program: &Program, reached: &Reached, search: Search, count: &mut Count) -> Result<(), String> {
    judge("a failure", reached.fails, &safe(program, search, &budget()), count, |witness| {
        let (site, kind) = witness.failure.as_ref().ok_or("no failure in the witness")?;
        replay_graph_failure(program, &Sra, &witness.run, *site, kind).map(|_| ()).map_err(|error| error.to_string())
    })?;
    judge("a write/write race", reached.races, &write_write_race_free(program, search, &budget()), count, |witness| {
        let replayed = replay_graph(program, &Sra, &witness.run).map_err(|error| error.to_string())?;
        write_write_race(&replayed.graph).map(|_| ()).ok_or_else(|| "no race in the graph".to_string())
    })?;
    let finals: BTreeSet<(Vec<Value>, Vec<Value>)> = reached.finals.iter().map(flat).collect();
    let replay_end = |witness: &Witness| {
        let replayed = replay_graph(program, &Sra, &witness.run).map_err(|error| error.to_string())?;
        let state = final_state(&replayed);
        if finals.contains(&state) { Ok(state) } else { Err(format!("the run ends in {state:?}")) }
    };
    // All outcomes that are not reached, at once; then each one that is.
    let others = ends(program, search, &|registers, memory| !finals.contains(&(registers.to_vec(), memory.to_vec())));
    judge("another outcome", false, &others, count, |witness| replay_end(witness).map(|_| ()))?;
    for state in &finals {
        let outcome = ends(program, search, &|registers, memory| registers == state.0 && memory == state.1);
        judge(&format!("the outcome {state:?}"), true, &outcome, count, |witness| {
            let found = replay_end(witness)?;
            if found == *state { Ok(()) } else { Err(format!("the run ends in {found:?}")) }
        })?;
    }
    Ok(())
}

fn disagreement(program: &Program, count: &mut Count) -> Option<String> {
    let Some(reached) = explore(program, LIMIT) else {
        count.skipped += 1;
        return None;
    };
    count.programs += 1;
    let searches = [Search::default(), BLIND, SINGLE];
    searches.into_iter().find_map(|search| compare(program, &reached, search, count).err())
}

fn assert_agreement(seeds: std::ops::Range<u64>, options: &Options) -> Count {
    let mut count = Count::default();
    for seed in seeds {
        let program = generate::program(seed, options);
        if let Some(difference) = disagreement(&program, &mut count) {
            let mut ignored = Count::default();
            let small = shrink(&program, |smaller| disagreement(smaller, &mut ignored).is_some());
            let smaller = disagreement(&small, &mut ignored).unwrap_or_default();
            panic!("seed {seed}: {difference}; smaller: {smaller} about\n{}", fencepost_lower::print(&small));
        }
    }
    count
}

#[test]
fn loop_free_programs() {
    let options = Options { threads: 2..=3, accesses: 1..=3, total_accesses: 7, domain: 2..=3, ..Options::default() };
    let count = assert_agreement(0..repetitions(1_000), &options);
    assert!(count.undecided * 100 <= count.questions, "nearly all questions are decided: {count:?}");
    assert!(count.skipped * 10 <= count.programs, "nearly all programs are compared: {count:?}");
}

/// The same where threads are copies of others.
#[test]
fn symmetric_programs() {
    let options = Options {
        threads: 2..=4,
        accesses: 1..=3,
        total_accesses: 8,
        domain: 2..=3,
        copies: true,
        ..Options::default()
    };
    let count = assert_agreement(1 << 34..(1 << 34) + repetitions(300), &options);
    assert!(count.undecided * 50 <= count.questions, "nearly all questions are decided: {count:?}");
    assert!(count.skipped * 4 <= count.programs, "most programs are compared: {count:?}");
}

/// What the axioms and the race rule say of data races, and what the search says; none if that
/// takes too long.
fn data_race(program: &Program, search: Search, count: &mut Count) -> Option<Result<bool, String>> {
    let expected = finals(program, &Sra, &[], LIMIT as u64, &|| false).ok()?.race.is_some();
    let outcome = data_race_free(program, search, &budget());
    let judged = judge("a data race", expected, &outcome, count, |witness| {
        let replayed = replay_graph(program, &Sra, &witness.run).map_err(|error| error.to_string())?;
        replayed.race.map(|_| ()).ok_or_else(|| "no data race on the way".to_string())
    });
    Some(judged.map(|()| expected))
}

/// Does a thread write a non-atomic location that another accesses?
fn conflicts(program: &Program) -> bool {
    let is_plain = |loc: LocId| program.location(loc).kind == LocationKind::NonAtomic;
    let accesses = |thread: ThreadId| {
        let code = program.thread(thread).code.iter();
        code.filter_map(|instr| match instr.op.place() {
            Some(Place::Fixed(loc)) if is_plain(*loc) => Some((*loc, matches!(instr.op, Op::PlainStore { .. }))),
            _ => None,
        })
    };
    program.thread_ids().any(|one| {
        accesses(one).filter(|(_, is_store)| *is_store).any(|(loc, _)| {
            program.thread_ids().any(|other| other != one && accesses(other).any(|(accessed, _)| accessed == loc))
        })
    })
}

/// The same about data races, by the axioms and the race rule, on programs with non-atomic
/// locations.
#[test]
fn data_races_by_the_axioms() {
    let options = Options { threads: 2..=3, total_accesses: 7, domain: 2..=3, ..Options::default() };
    let mut count = Count::default();
    let (mut racy, mut free) = (0, 0);
    let mut seed = 1 << 36;
    while (racy + free) / 3 < repetitions(1_000) {
        seed += 1;
        let program = generate::program(seed, &options);
        if !conflicts(&program) {
            continue;
        }
        for search in [Search::default(), BLIND, SINGLE] {
            match data_race(&program, search, &mut count) {
                None => count.skipped += 1,
                Some(Ok(true)) => racy += 1,
                Some(Ok(false)) => free += 1,
                Some(Err(difference)) => {
                    let is_wrong =
                        |smaller: &Program| matches!(data_race(smaller, search, &mut Count::default()), Some(Err(_)));
                    let small = shrink(&program, is_wrong);
                    panic!("seed {seed}: {difference}; smaller:\n{}", fencepost_lower::print(&small));
                }
            }
        }
    }
    assert!(racy.min(free) * 10 > racy + free, "both happen: {racy} with a race, {free} without");
    assert!(count.undecided * 100 <= count.questions, "nearly all questions are decided: {count:?}");
}

/// Neither answers nor their costs depend on the number of threads.
#[test]
fn any_number_of_threads() {
    let options = Options { threads: 3..=4, accesses: 4..=5, total_accesses: 18, copies: true, ..Options::default() };
    let mut long = 0;
    for seed in 0..repetitions(150) {
        let program = generate::program(seed + (1 << 35), &options);
        for (question, search) in
            [(safe as Ask, BLIND), (write_write_race_free as Ask, Search::default()), (data_race_free as Ask, BLIND)]
        {
            let expected = question(&program, search, &budget());
            long += u64::from(expected.stats.saturation.expanded >= 16);
            for jobs in [2, 3, 8] {
                let found = question(&program, Search { jobs, ..search }, &budget());
                assert_eq!(
                    (&found.answer, found.stats),
                    (&expected.answer, expected.stats),
                    "seed {seed} on {jobs} threads:\n{}",
                    fencepost_lower::print(&program)
                );
            }
        }
    }
    assert!(long >= repetitions(150) / 20, "{long} questions are worth several threads");
}

type Ask = fn(&Program, Search, &Budget<'_>) -> CoverOutcome;

/// The same about failures, with the axioms on execution graphs as the definition.
#[test]
fn failures_by_the_axioms() {
    let options = Options { plain: false, total_accesses: 6, domain: 2..=3, ..Options::default() };
    for seed in 0..repetitions(1_000) {
        let program = generate::program(seed + (1 << 33), &options);
        let Some(expected) = fails_under(&program, &Sra, LIMIT) else { continue };
        let found = safe(&program, Search::default(), &budget()).answer;
        assert!(
            matches!(
                (&found, expected),
                (Answer::GaveUp(_), _) | (Answer::Unreachable, false) | (Answer::Reachable(_), true)
            ),
            "seed {seed}: {found:?}, but the axioms say {expected} about\n{}",
            fencepost_lower::print(&program)
        );
    }
}
