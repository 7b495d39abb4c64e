//! Algorithms with loops: mutual exclusion under SRA is decided, and what fails is replayed.

use std::path::Path;

use fencepost_cover::{Answer, CoverOutcome, Options, data_race_free, safe, write_write_race_free};
use fencepost_ir::Program;
use fencepost_lower::{Language, load};
use fencepost_model::models::sra::{Sra, write_write_race};
use fencepost_oracle::{replay_graph, replay_graph_failure};
use fencepost_testkit::repetitions;
use fencepost_verdict::{Budget, Reason};

/// More than any of these needs.
const MOST_CONFIGURATIONS: u64 = 200_000;

fn corpus(name: &str) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../litmus/algorithms").join(format!("{name}.fp"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    load(Language::Fp, &text).program.unwrap_or_else(|| panic!("{name} is a program"))
}

fn budget() -> Budget<'static> {
    Budget { max_states: MOST_CONFIGURATIONS, ..Budget::unlimited() }
}

fn is_safe(name: &str, program: &Program) -> bool {
    is_safe_with(name, program, Options::default())
}

fn is_safe_with(name: &str, program: &Program, options: Options) -> bool {
    let CoverOutcome { answer, stats } = safe(program, options, &budget());
    match answer {
        Answer::Unreachable => true,
        Answer::Reachable(witness) => {
            let (site, kind) = witness.failure.as_ref().expect("a failure was asked for");
            replay_graph_failure(program, &Sra, &witness.run, *site, kind)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            false
        }
        Answer::GaveUp(reason) => panic!("{name}: {reason}; {stats:?}"),
    }
}

/// Two threads each, but for the sequence locks, which have four and three.
#[test]
fn algorithms_of_the_corpus() {
    for (name, expected) in [
        ("spinlock", true),
        ("lock-exchange", true),
        ("mcs-lock", true),
        ("ticketlock", true),
        ("ticketlock-once", true),
        ("seqlock", true),
        ("seqlock-fence", true),
        ("dekker-sc", false),
        ("dekker-tso", true),
        ("peterson-sc", false),
        ("peterson-tso", false),
        ("peterson-ra", true),
        ("peterson-ra-bratosz", false),
        ("peterson-ra-dmitriy", true),
        ("rcu-two-readers", true),
        ("singleton", true),
        ("treiber-stack", true),
        ("chase-lev-sc", false),
        ("wait-free-ring", true),
    ] {
        assert_eq!(is_safe(name, &corpus(name)), expected, "{name}");
    }
}

/// Without a look ahead, which decides many of these alone, the backward search says the same.
#[test]
fn backwards_only() {
    for (name, expected) in [
        ("spinlock", true),
        ("ticketlock", true),
        ("mcs-lock", true),
        ("dekker-tso", true),
        ("dekker-sc", false),
        ("peterson-ra", true),
        ("peterson-ra-dmitriy", true),
        ("peterson-ra-bratosz", false),
        ("treiber-stack", true),
    ] {
        let options = Options { look_ahead: 0, ..Options::default() };
        assert_eq!(is_safe_with(name, &corpus(name), options), expected, "{name}");
    }
}

/// The corpus has no assertions in Lamport's algorithm: the owner is looked at here.
#[test]
fn lamports_fast_mutual_exclusion() {
    for (name, expected) in [("lamport2-sc", false), ("lamport2-ra", true)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../litmus/algorithms").join(format!("{name}.fp"));
        let text = std::fs::read_to_string(path).expect("a file of the corpus");
        let asserting = text.replace("    owner = me;\n", "    owner = me;\n    r = owner;\n    assert(r == me);\n");
        assert_ne!(text, asserting);
        let program = load(Language::Fp, &asserting).program.expect("a program");
        assert_eq!(is_safe(name, &program), expected, "{name}");
    }
}

/// Lamport's bakery, where each of two threads enters once.
#[test]
fn bakery() {
    let text = |fence: &str| {
        format!(
            "domain 4; global choosing[2], number[2]; nonatomic owner;
            thread p[2] {{
              local a, b;
              choosing[me].store(1); {fence}
              a = number[1 - me].load();
              a = a + 1;
              number[me].store(a); {fence}
              choosing[me].store(0);
              wait(choosing[1 - me] == 0);
              do {{ b = number[1 - me].load(); }} while (b != 0 && (b < a || (b == a && 1 - me < me)));
              owner = me; b = owner; assert(b == me);
              number[me].store(0);
            }}"
        )
    };
    let program = |fence: &str| load(Language::Fp, &text(fence)).program.expect("a program");
    assert!(is_safe("bakery with fences", &program("fence(sc);")));
    assert!(!is_safe("bakery", &program("")));
}

/// A ticket lock for so many threads, with one ticket more.
fn ticket_lock(threads: usize) -> Program {
    let text = format!(
        "domain {}; global next, serving; nonatomic owner;
        thread p[{threads}] {{ local t, r; while (1) {{
          t = next.fadd(1);
          wait(serving == t);
          owner = me; r = owner; assert(r == me);
          serving.store(t + 1);
        }} }}",
        threads + 1
    );
    load(Language::Fp, &text).program.expect("a program")
}

/// A configuration for six is enough where three threads do the same.
#[test]
fn symmetry_saves_configurations() {
    let program = ticket_lock(3);
    let added = |symmetry| {
        let outcome = safe(&program, Options { symmetry, ..Options::default() }, &budget());
        assert_eq!(outcome.answer, Answer::Unreachable);
        outcome.stats.saturation.added
    };
    assert!(4 * added(true) < added(false));
}

#[test]
fn three_threads() {
    let lock = "domain 4; global l; nonatomic owner;
        thread p[3] { local r; while (1) {
          do { r = l.xchg(1); } while (r == 1);
          owner = me; r = owner; assert(r == me);
          l.store(0);
        } }";
    let filter = "domain 6; const N = 3; global level[N], victim[N]; nonatomic owner;
        thread p[N] { local l, k, r; while (1) {
          l = 1;
          while (l < N) {
            level[me].store(l);
            victim[l].xchg(me);
            k = 1;
            while (k < N) {
              fence(sc);
              r = level[(me + k) % N].load();
              if (r < l) { k = k + 1; } else { fence(sc); r = victim[l].load(); if (r != me) { break; } }
            }
            l = l + 1;
          }
          owner = me; r = owner; assert(r == me);
          level[me].store(0);
        } }";
    for (name, text) in [("a test-and-set lock", lock), ("the filter lock", filter)] {
        assert!(is_safe(name, &load(Language::Fp, text).program.expect("a program")), "{name}");
    }
    assert!(is_safe("a ticket lock", &ticket_lock(3)));
    assert!(is_safe("a ticket lock for four", &ticket_lock(4)));
}

/// Locks order the writes they protect, flags of one writer each too. A turn is written by both,
/// and who waits for an exchanging lock writes it while its owner, who will write it, does not
/// know.
#[test]
fn write_write_races_of_algorithms() {
    for (name, expected) in [
        ("ticketlock", true),
        ("seqlock", true),
        ("mcs-lock", true),
        ("dekker-tso", true),
        ("treiber-stack", true),
        ("peterson-tso", false),
        ("lock-exchange", false),
    ] {
        let program = corpus(name);
        let free = match write_write_race_free(&program, Options::default(), &budget()).answer {
            Answer::Unreachable => true,
            Answer::Reachable(witness) => {
                let replayed =
                    replay_graph(&program, &Sra, &witness.run).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(write_write_race(&replayed.graph).is_some(), "{name}: two writes that are not ordered");
                false
            }
            Answer::GaveUp(reason) => panic!("{name}: {reason}"),
        };
        assert_eq!(free, expected, "{name}");
    }
}

/// What excludes threads from each other under SRA also orders the plain accesses inside; what does
/// not, does not.
#[test]
fn data_races_of_algorithms() {
    for (name, expected) in [
        ("spinlock", true),
        ("ticketlock", true),
        ("lock-exchange", true),
        ("mcs-lock", true),
        ("dekker-tso", true),
        ("dekker-sc", false),
        ("peterson-ra", true),
        ("peterson-sc", false),
        ("lamport2-ra", true),
        ("lamport2-sc", false),
        ("treiber-stack", true),
        ("chase-lev-sc", false),
    ] {
        let program = corpus(name);
        let free = match data_race_free(&program, Options::default(), &budget()).answer {
            Answer::Unreachable => true,
            Answer::Reachable(witness) => {
                let replayed =
                    replay_graph(&program, &Sra, &witness.run).unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(replayed.race.is_some(), "{name}: the race rule sees a race");
                false
            }
            Answer::GaveUp(reason) => panic!("{name}: {reason}"),
        };
        assert_eq!(free, expected, "{name}");
    }
}

#[test]
fn limits_give_no_answer() {
    let few = Budget { max_states: 50, ..Budget::unlimited() };
    assert_eq!(safe(&corpus("ticketlock"), Options::default(), &few).answer, Answer::GaveUp(Reason::States(50)));
    let small = Budget { max_bytes: 1 << 12, ..Budget::unlimited() };
    assert_eq!(safe(&corpus("ticketlock"), Options::default(), &small).answer, Answer::GaveUp(Reason::Memory(1 << 12)));
    let late = Budget { expired: &|| true, ..Budget::unlimited() };
    assert_eq!(safe(&corpus("ticketlock"), Options::default(), &late).answer, Answer::GaveUp(Reason::Time));
}

/// The same again on any number of threads, witnesses and costs included.
#[test]
fn answers_are_deterministic() {
    let names = ["peterson-sc", "ticketlock", "rcu-two-readers", "mcs-lock", "lock-exchange", "chase-lev-sc"];
    let blind = Options { look_ahead: 0, ..Options::default() };
    for (name, options) in names.iter().flat_map(|name| [(name, Options::default()), (name, blind)]) {
        let program = corpus(name);
        let few = Budget { max_states: 5_000, ..Budget::unlimited() };
        for question in [safe, write_write_race_free, data_race_free] {
            let first = question(&program, options, &few);
            for jobs in [1, 2, 3, 8].into_iter().cycle().take(4 * repetitions(1) as usize) {
                let again = question(&program, Options { jobs, ..options }, &few);
                assert_eq!((&again.answer, again.stats), (&first.answer, first.stats), "{name} on {jobs} threads");
            }
        }
    }
}
