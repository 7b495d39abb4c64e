//! Programs that a search has missed something in, or that say how far one goes.

use crate::common::confirm;
use fencepost_base::ids::{LocId, RegId, ThreadId, Value};
use fencepost_ir::{Observable, Program};
use fencepost_lower::Language;
use fencepost_model::models::by_name;
use fencepost_search::{End, Found, Search, What};
use fencepost_verdict::Budget;

fn load(text: &str) -> Program {
    let loaded = fencepost_lower::load(Language::Fp, text);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    loaded.program.expect("a program")
}

fn failure(text: &str, model: &str) -> Found {
    let (program, model) = (load(text), by_name(model).expect("a model"));
    let found = Search::new(&program, model).failure(&Budget { max_states: 100_000, ..Budget::unlimited() });
    if let Some(finding) = &found.what {
        confirm(&program, model, finding).unwrap_or_else(|error| panic!("{error}"));
    }
    found
}

/// An SC load that can read the first value and the last, and not the one between: with that it
/// would know of an exchange that comes after the last write in the order of SC accesses. The loads
/// before it make the search ask it last.
#[test]
fn an_sc_load_may_skip_a_write() {
    let program = load(
        "domain 3; global x, y, z;
         thread a { y.xchg(1, sc); x.store(1, rel); }
         thread b { local r; x.store(2, sc); r = y.load(sc); }
         thread c { local q, r; q = z.load(rlx); q = z.load(rlx); q = z.load(rlx); r = x.load(sc); }",
    );
    let rc20 = by_name("rc20").expect("a model");
    let is_found = |wanted: Value| {
        let holds = |value: &dyn Fn(Observable) -> Value| {
            value(Observable::Register(ThreadId(1), RegId(0))) == 0
                && value(Observable::Register(ThreadId(2), RegId(1))) == wanted
                && value(Observable::Location(LocId(0))) == 2
        };
        let found = Search::new(&program, rc20).end(&holds, &Budget::unlimited());
        let replayed = found.what.as_ref().map(|finding| confirm(&program, rc20, finding));
        assert!(replayed.is_none_or(|replayed| replayed.is_ok()));
        found.end == End::Found
    };
    assert_eq!([0, 1, 2].map(is_found), [true, false, true]);
}

/// Loops that wait, by loads, failed compare-and-swaps or exchanges that change nothing, do not
/// make a search infinite.
#[test]
fn loops_that_wait_are_exhausted() {
    let text = "domain 2; global lock, flag; nonatomic data;
         thread p[2] {
           local r;
           do { r = lock.xchg(1, acq); } while (r == 1);
           data = me; r = data; assert(r == me);
           lock.store(0, rel);
           do { r = flag.cas(0, 1, acqrel, acq); } while (r == 0);
         }";
    for model in ["tso", "pso", "pgas", "sra", "ra", "rc20"] {
        let found = failure(text, model);
        let expected = if matches!(model, "pso" | "pgas") { End::Found } else { End::Exhausted };
        assert_eq!(found.end, expected, "{model}: {found:?}");
    }
}

/// A thread that writes for ever does not keep the others from failing.
#[test]
fn others_are_not_kept_waiting() {
    let text = "domain 2; global x, y;
         thread a { while (1) { x.store(1, rel); x.store(0, rel); } }
         thread b { local r; r = y.load(acq); r = y.load(acq); r = y.load(acq); assert(r == 0); }
         thread c { local r; r = x.load(acq); if (r == 1) { y.store(1, rel); } }";
    for model in ["tso", "pso", "sra", "ra", "rc20"] {
        let found = failure(text, model);
        assert!(matches!(found.what.expect("a failure").what, What::Failure { .. }), "{model}");
    }
}

/// Buffers that can grow for ever are a limit like any other.
#[test]
fn full_buffers_leave_the_answer_open() {
    let found = failure("domain 2; global x; thread a { while (1) { x.store(1, rel); } }", "tso");
    assert!(found.what.is_none() && matches!(found.end, End::Cut(_)), "{found:?}");
}
