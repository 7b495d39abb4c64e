//! What automata mean, as programs.

use std::path::Path;

use crate::common::program;
use fencepost_ir::{Op, Place, Program, WIDE_DOMAIN};
use fencepost_lower::{ANY_ADDRESSES, Language, print};
use fencepost_testkit::golden::assert_golden;

fn read(text: &str) -> Program {
    program(Language::Txt, text)
}

/// A program of one thread with these transitions.
fn one(transitions: &str) -> Program {
    read(&format!("thread t initial q0\n{transitions}\nend"))
}

/// Its code, as `.fp`.
fn code(transitions: &str) -> String {
    let printed = print(&one(transitions));
    let body = printed.split_once("thread t {\n").map_or("", |(_, body)| body);
    let lines = body.trim_end().trim_end_matches('}').lines().map(str::trim);
    lines.filter(|line| !line.starts_with("local")).collect::<Vec<_>>().join(" ").trim().to_owned()
}

fn ops(program: &Program) -> impl Iterator<Item = &Op> {
    program.threads().iter().flat_map(|thread| &thread.code).map(|instr| &instr.op)
}

fn bounds(program: &Program) -> usize {
    ops(program).filter(|op| matches!(op, Op::Bound { .. })).count()
}

fn names(program: &Program) -> Vec<&str> {
    program.locations().iter().map(|location| location.name.as_str()).collect()
}

#[test]
fn programs_are_lowered_as_recorded() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("../../litmus/trencher");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        let printed = print(&read(&std::fs::read_to_string(&path).unwrap()));
        let golden = path.with_extension("fp");
        assert_golden(&root.join("tests/automata").join(golden.file_name().unwrap()), &printed);
        let again = print(&program(Language::Fp, &printed));
        assert_eq!(again, printed, "printed, read and printed again");
    }
}

#[test]
fn transitions_follow_each_other() {
    assert_eq!(
        code("transition q0 q1 write 1 0 transition q1 q2 mfence transition q2 q3 read r 0 transition q3 q0 noop"),
        "L0: mem_0.store(1, rlx); fence(sc); r = mem_0.load(rlx); goto L0;"
    );
}

#[test]
fn several_ways_are_a_choice() {
    assert_eq!(
        code("transition q0 q0 write 1 0 transition q0 q1 read r 0 transition q0 q0 noop"),
        "L0: choose { goto L1; } or { goto L3; } or { goto L0; } L1: mem_0.store(1, rlx); goto L0; \
         L3: r = mem_0.load(rlx);"
    );
}

#[test]
fn conditions_that_exclude_each_other_are_branches() {
    let flag = "transition q0 q1 read r 0 transition q1 q2 write 1 0";
    assert_eq!(
        code(&format!("{flag} transition q2 q3 check == r 0 transition q2 q0 check == r 1")),
        "L0: r = mem_0.load(rlx); mem_0.store(1, rlx); if (r == 0) goto L4; goto L0; L4:"
    );
    let more = format!("{flag} transition q1 q2 write 2 0 transition q2 q3 check == r 0 transition q2 q0 check == r 1");
    let waits = code(&more);
    assert!(waits.contains("if (r == 0)") && waits.contains("assume(r == 1);"), "there is a third value: {waits}");
    let counter = "transition q0 q1 read r 0 transition q1 q2 write + r 1 0";
    let checks = |one: &str, other: &str| {
        code(&format!("{counter} transition q2 q0 check {one} transition q2 q3 check {other}"))
    };
    assert!(checks("> r 7", "<= r 7").contains("if (r > 7)"), "by their form, whatever the values");
    assert!(checks("! > r 7", "> r 7").contains("if (!(r > 7))"));
    assert!(checks("> r 7", "> r 8").contains("choose"));
}

#[test]
fn a_check_that_never_holds_leads_nowhere() {
    assert_eq!(code("transition q0 q1 check 0 transition q1 q2 write 1 0"), "");
    assert_eq!(code("transition q0 q1 local r 2 transition q1 q2 check == r 3"), "r = 2;");
}

#[test]
fn sections_are_a_matter_of_the_run() {
    // The store is made with the lock and without it; only with the lock there is more to come.
    let program =
        one("transition q0 q1 lock transition q0 q1 noop transition q1 q2 write 1 0 transition q2 q3 unlock \
         transition q3 q3 unlock");
    let count = |wanted: &dyn Fn(&Op) -> bool| ops(&program).filter(|op| wanted(op)).count();
    assert_eq!(count(&|op| matches!(op, Op::Store { .. })), 2);
    assert_eq!(count(&|op| *op == Op::Enter), 1);
    assert_eq!(count(&|op| *op == Op::Leave), 1);
}

#[test]
fn a_way_that_cannot_come_to_an_unlock_is_not_there() {
    assert_eq!(code("transition q0 q1 lock transition q1 q2 write 1 0"), "");
    assert_eq!(code("transition q0 q1 lock transition q1 q2 lock transition q2 q3 unlock"), "");
    assert_eq!(
        code("transition q0 q1 lock transition q1 q2 write 1 0 transition q1 q3 read r 0 transition q3 q4 unlock"),
        "atomic { r = mem_0.load(rlx); }"
    );
}

#[test]
fn what_is_bounded_is_exact() {
    let program = one("transition q0 q1 check < r 5 transition q1 q0 local r + r 1 transition q0 q2 write r 0");
    assert_eq!((program.domain(), bounds(&program)), (6, 0));
    let negative = one("transition q0 q1 check > r -3 transition q1 q0 local r - r 1 transition q0 q2 write r 0");
    assert_eq!((negative.domain(), bounds(&negative)), (4, 0));
    assert!(print(&negative).contains("r = int(r - (r > 0) * 4 - 1);"), "{}", print(&negative));
}

#[test]
fn what_is_not_bounded_is_cut() {
    let grows = one("transition q0 q0 local r + r 1 transition q0 q1 write r 0");
    assert_eq!((grows.domain(), bounds(&grows)), (WIDE_DOMAIN, 1));
    assert!(print(&grows).contains("bound(int(r + 1) <= 65535);"), "{}", print(&grows));
    let shrinks = one("transition q0 q0 local r - r 1 transition q0 q1 write 100000 0");
    assert_eq!((shrinks.domain(), bounds(&shrinks)), (4 * WIDE_DOMAIN, 1));
    assert!(print(&shrinks).contains(">= int(-131072)"), "{}", print(&shrinks));
    let both = one("transition q0 q1 read r 0 transition q1 q0 write - * r r 7 0");
    assert!(print(&both).contains("&&"), "too small and too large: {}", print(&both));
}

/// The cells of a ring are known although indices grow for ever.
#[test]
fn masks_bound_what_they_are_applied_to() {
    let ring = one("transition q0 q1 write 1 + 4 & b 1 transition q1 q0 local b + b 1");
    assert_eq!(names(&ring), ["mem[4]", "mem[5]"]);
    assert_eq!((ring.domain(), bounds(&ring)), (WIDE_DOMAIN, 1), "only the index is cut");
    let masked = one("transition q0 q1 local b & + b 1 3 transition q1 q0 write & b - b 5 0");
    assert_eq!((masked.domain(), bounds(&masked)), (4, 0), "{}", print(&masked));
}

#[test]
fn addresses_are_locations() {
    let fixed = one("transition q0 q1 write 1 7 transition q1 q2 write 1 -2 transition q2 q3 read r + 3 4");
    assert_eq!(names(&fixed), ["mem[-2]", "mem[7]"]);
    assert!(fixed.arrays().is_empty());

    let gaps = one("transition q0 q1 local p 10 transition q0 q1 local p 11 transition q0 q1 local p 20 \
         transition q1 q2 write 1 p transition q2 q3 write 1 11 transition q3 q4 write 1 5");
    assert_eq!(names(&gaps), ["mem[5]", "mem[10]", "mem[11]", "mem[20]"]);
    let index = "mem[int(p - 10 - (p >= 20) * 8)].store(1, rlx); mem[1].store(1, rlx); mem_5.store(1, rlx);";
    let printed = print(&gaps).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(printed.contains(index), "{printed}");

    let apart = one("transition q0 q1 local p 1 transition q0 q1 local p 2 transition q1 q2 write 1 * 2 p \
         transition q2 q3 write 1 + 1 * 2 p");
    assert_eq!(apart.arrays().len(), 2, "even addresses and odd ones");
}

#[test]
fn an_address_that_can_be_anything_is_cut() {
    let program = one("transition q0 q0 local p + p 1 transition q0 q1 write 1 p transition q1 q2 write 1 99");
    assert_eq!(program.arrays().len(), 1);
    assert_eq!(program.locations().len() as i64, ANY_ADDRESSES + 1);
    assert!(print(&program).contains("bound(p >= 0 && p <= 15 || p == 99);"), "{}", print(&program));
    let fixed = ops(&program).filter(|op| matches!(op.place(), Some(Place::Fixed(_)))).count();
    assert_eq!(fixed, 1, "a constant address is a fixed location, also in an array");
}

#[test]
fn what_is_written_anywhere_can_be_read_everywhere() {
    let writer = "thread t initial q0 transition q0 q0 local p + p 1 transition q0 q1 write 5 p end";
    let reader =
        "thread u initial q0 transition q0 q1 read r 99 transition q1 q2 check == r 5 transition q2 q3 write 1 2 end";
    let stores = ops(&read(&format!("{writer} {reader}"))).filter(|op| matches!(op, Op::Store { .. })).count();
    assert_eq!(stores, 2, "the check can be passed");
}

#[test]
fn instructions_know_their_transition() {
    let text = "thread t initial q0\ntransition q0 q1 write\n1 0 transition q1 q2 check == 1\n1 end";
    let spans: Vec<&str> = read(text).threads()[0].code.iter().map(|instr| &text[instr.origin.span.range()]).collect();
    assert_eq!(spans, ["transition q0 q1 write\n1 0", "transition q1 q2 check == 1\n1", "t"]);
}
