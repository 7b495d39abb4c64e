//! The samples: the shapes people know, a race, and a long run.

use fencepost_ir::LocationKind::{Atomic, NonAtomic};
use fencepost_verdict::ViolationKind;

use super::Act::{A, F, P, Q, R, U, W};
use super::{Act, Sample};

const XY: &[(&str, fencepost_ir::LocationKind)] = &[("x", Atomic), ("y", Atomic)];

pub(crate) fn sb() -> Sample {
    let text = "\
name \"store buffering\";
domain 4;
global x, y;

thread t1 {
  local a;
  x.store(1, rlx);
  a = y.load(rlx);
}

thread t2 {
  local b;
  y.store(1, rlx);
  b = x.load(rlx);
}
";
    let t1 = [("x.store(1, rlx);", W(0, 1)), ("a = y.load(rlx);", R(1))];
    let t2 = [("y.store(1, rlx);", W(1, 1)), ("b = x.load(rlx);", R(0))];
    Sample::new("litmus/sb.fp", text, XY, &[("t1", &t1), ("t2", &t2)])
}

pub(crate) fn iriw() -> Sample {
    let text = "\
global x, y;
thread left { x.store(1); }
thread up { local a, b; a = x.load(); b = y.load(); }
thread down { local c, d; c = y.load(); d = x.load(); }
thread right { y.store(1); }
";
    let left = [("x.store(1);", W(0, 1))];
    let up = [("a = x.load();", R(0)), ("b = y.load();", R(1))];
    let down = [("c = y.load();", R(1)), ("d = x.load();", R(0))];
    let right = [("y.store(1);", W(1, 1))];
    let threads: [(&str, &[(&str, Act)]); 4] = [("left", &left), ("up", &up), ("down", &down), ("right", &right)];
    Sample::new("iriw.fp", text, XY, &threads)
}

pub(crate) fn two_plus_two_w() -> Sample {
    let text = "\
global x, y;
thread t1 { x.store(1, rel); y.store(2, rel); }
thread t2 { y.store(1, rel); x.store(2, rel); }
";
    let t1 = [("x.store(1, rel);", W(0, 1)), ("y.store(2, rel);", W(1, 2))];
    let t2 = [("y.store(1, rel);", W(1, 1)), ("x.store(2, rel);", W(0, 2))];
    Sample::new("2+2w.fp", text, XY, &[("t1", &t1), ("t2", &t2)])
}

pub(crate) fn race() -> Sample {
    let text = "\
global flag;
nonatomic data;
thread producer {
  data = 1;
  flag.store(1, rel);
}
thread consumer {
  local r, d;
  r = flag.load(acq);
  d = data;
}
";
    let producer = [("data = 1;", Q(1, 1)), ("flag.store(1, rel);", W(0, 1))];
    let consumer = [("r = flag.load(acq);", R(0)), ("d = data;", P(1))];
    let locations = [("flag", Atomic), ("data", NonAtomic)];
    Sample::new("race.fp", text, &locations, &[("producer", &producer), ("consumer", &consumer)])
}

/// Three threads; the first spins for a long time, the last comes with an update and a fence.
pub(crate) fn lock() -> Sample {
    let mut text = String::from("name \"half a lock\";\nglobal turn, want0, want1, count;\nthread p0 {\n");
    let mut p0 = vec![("want0.store(1, rel);", W(1, 1))];
    text += "  want0.store(1, rel);\n";
    for _ in 0..35 {
        text += "  t = turn.load(acq);\n";
        p0.push(("t = turn.load(acq);", R(0)));
    }
    text += "  w = want1.load(acq);\n  c = count.load(acq);\n  count.store(1, rel);\n}\nthread p1 {\n";
    p0.extend([("w = want1.load(acq);", R(2)), ("c = count.load(acq);", R(3)), ("count.store(1, rel);", W(3, 1))]);
    text += "  want1.store(1, rel);\n  turn.xchg(2);\n  w = want0.load(acq);\n}\nthread p2 {\n";
    let p1 = [("want1.store(1, rel);", W(2, 1)), ("turn.xchg(2);", U(0, 2)), ("w = want0.load(acq);", R(1))];
    text += "  fence(sc);\n  turn.xchg(1);\n  c = count.load(acq);\n}\n";
    let p2 = [("fence(sc);", F), ("turn.xchg(1);", U(0, 1)), ("c = count.load(acq);", R(3))];
    let locations = [("turn", Atomic), ("want0", Atomic), ("want1", Atomic), ("count", Atomic)];
    let threads: [(&str, &[(&str, Act)]); 3] = [("p0", &p0), ("p1", &p1), ("p2", &p2)];
    Sample::new("lock.fp", &text, &locations, &threads)
}

/// The schedule of [`lock`] before its last step.
pub(crate) fn lock_schedule() -> Vec<u32> {
    let mut schedule = vec![0; 15];
    schedule.extend([2, 2]);
    schedule.extend([0; 24]);
    schedule.extend([2, 1, 1]);
    schedule
}

pub(crate) fn assertion() -> Sample {
    let text = "\
global x;
thread writer { x.store(1); }
thread reader {
  local r;
  r = x.load();
  assert(r == 0);
}
";
    let writer = [("x.store(1);", W(0, 1))];
    let reader = [("r = x.load();", R(0)), ("assert(r == 0);", A)];
    Sample::new("assertion.fp", text, &[("x", Atomic)], &[("writer", &writer), ("reader", &reader)])
}

/// A message that arrives before what it is about.
pub(crate) fn message() -> Sample {
    let text = "\
name \"message passing\";
global data, ready;
thread sender {
  data.store(1, rlx);
  data.store(2, rlx);
  ready.store(1, rlx);
}
thread receiver {
  local r;
  r = ready.load(rlx);
  assume(r == 1);
  r = data.load(rlx);
  assert(r == 2);
}
";
    let names = &[("data", Atomic), ("ready", Atomic)];
    let sender =
        [("data.store(1, rlx);", W(0, 1)), ("data.store(2, rlx);", W(0, 2)), ("ready.store(1, rlx);", W(1, 1))];
    let receiver = [("r = ready.load(rlx);", R(1)), ("r = data.load(rlx);", R(0)), ("assert(r == 2);", A)];
    Sample::new("message.fp", text, names, &[("sender", &sender), ("receiver", &receiver)])
}

/// Every violation, by name: the sample, the schedule, and what goes wrong then.
pub(crate) fn violations() -> Vec<(&'static str, Sample, fencepost_verdict::Outcome)> {
    use ViolationKind::{DataRace, StaleRead, StaleWrite};
    vec![
        ("sb", sb(), sb().run(&[0, 0, 1]).goes_wrong(1, 0, StaleRead, (0, 0))),
        ("iriw", iriw(), iriw().run(&[0, 1, 1, 3, 2]).goes_wrong(2, 0, StaleRead, (0, 0))),
        ("2+2w", two_plus_two_w(), two_plus_two_w().run(&[0, 0, 1]).goes_wrong(1, 0, StaleWrite, (0, 0))),
        ("race", race(), race().run(&[0, 1]).goes_wrong(1, 1, DataRace, (0, 0))),
        ("lock", lock(), lock().run(&lock_schedule()).goes_wrong(1, 0, StaleRead, (0, 0))),
    ]
}
