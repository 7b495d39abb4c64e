//! What C litmus tests mean.

use crate::common::program;
use fencepost_base::ids::{LocId, RegId, ThreadId};
use fencepost_base::order::{ReadOrder, RmwOrder, WriteOrder};
use fencepost_ir::{Expr, Formula, LocationKind, Observable, Op, Place, Program, Quantifier, RmwFunction};
use fencepost_lower::{Deref, Language, Loaded, Reading, load, load_as};

/// A test with one thread and three shared variables; `d` is not atomic.
fn text(body: &str) -> String {
    format!("C t\n{{ x = 1; }}\nP0 (atomic_int* x, int* d, int* y) {{ {body} }}\n")
}

fn test(body: &str) -> Program {
    program(Language::Litmus, &text(body))
}

/// The same, read as the C standard has it.
fn in_c(text: &str) -> Program {
    let loaded = load_as(Language::Litmus, text, Reading { deref: Some(Deref::SeqCst) });
    loaded.program.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics))
}

fn ops_of(program: &Program) -> Vec<Op> {
    program.threads()[0].code.iter().map(|instr| instr.op.clone()).collect()
}

fn ops(body: &str) -> Vec<Op> {
    ops_of(&test(body))
}

fn ops_in_c(body: &str) -> Vec<Op> {
    ops_of(&in_c(&text(body)))
}

fn at(loc: u32) -> Place {
    Place::Fixed(LocId(loc))
}

const R: RegId = RegId(0);

/// Remarks in the header say nothing about the program.
#[test]
fn headers() {
    let plain = text("*d = 1;");
    for header in
        ["C t with more words\n", "C t // a remark\n// another {\n  // and one more\n", "C t \"quoted\nstill\"\n"]
    {
        let program = program(Language::Litmus, &plain.replace("C t\n", header));
        assert_eq!((program.name(), ops_of(&program)), (Some("t"), ops("*d = 1;")), "{header}");
    }
    let errors = load(Language::Litmus, &plain.replace("C t\n", "C t\nfirst\nsecond\n")).diagnostics;
    assert_eq!(errors.len(), 1, "{errors:#?}");
}

#[test]
fn functions_that_are_not_known_get_help() {
    for (call, help) in [
        ("atomic_init(x, 1);", "initial state"),
        ("atomic_signal_fence(memory_order_seq_cst);", "can be left out"),
        ("atomic_laod(x);", "did you mean `atomic_load`?"),
        ("printf(x);", "that access memory are known"),
    ] {
        let errors = format!("{:?}", load(Language::Litmus, &text(call)).diagnostics);
        assert!(errors.contains(help), "{call}: {errors}");
    }
}

#[test]
fn accesses_have_the_orders_of_c() {
    let load = |order| Op::Load { dst: Some(R), place: at(0), order };
    assert_eq!(ops("int r = atomic_load_explicit(x, memory_order_relaxed);")[0], load(ReadOrder::Rlx));
    assert_eq!(ops("int r = atomic_load(x);")[0], load(ReadOrder::Sc));
    assert_eq!(ops_in_c("int r; r = *x;")[0], load(ReadOrder::Sc), "an atomic variable by its name");
    assert_eq!(ops("int r = *d;")[0], Op::PlainLoad { dst: R, place: at(1) });
    let store = Op::Store { place: at(0), value: Expr::Const(1), order: WriteOrder::Sc };
    assert_eq!(ops_in_c("*x = 1;")[0], store);
    let add = |dst| Op::Update {
        dst,
        place: at(0),
        function: RmwFunction::Add,
        operand: Expr::Const(2),
        order: RmwOrder::Sc,
    };
    assert_eq!(ops_in_c("*x += 2;")[0], add(None), "one step");
    assert_eq!(ops("int r = atomic_fetch_add(x, 2);")[0], add(Some(R)));
    assert_eq!(ops("*d += 2;").len(), 3, "two accesses and the end");
}

/// Herd asks what is done to a variable, not how it is declared.
#[test]
fn a_dereference_is_plain_as_in_herd() {
    assert_eq!(ops("int r = *x;")[0], Op::PlainLoad { dst: R, place: at(0) });
    assert_eq!(ops("*x = 1;")[0], Op::PlainStore { place: at(0), value: Expr::Const(1) });
    assert_eq!(ops("*x += 2;").len(), 3, "two accesses and the end");
    let warnings = |reading: Option<Deref>, body: &str| {
        let loaded = load_as(Language::Litmus, &text(body), Reading { deref: reading });
        loaded.diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect::<Vec<_>>()
    };
    let [warning] = warnings(None, "*x = 1; *x = 2; *d = 1;").try_into().expect("one warning for all");
    assert!(warning.contains("as herd reads it"), "{warning}");
    assert!(warnings(Some(Deref::Plain), "*x = 1;").is_empty(), "who says so knows");
    assert!(warnings(Some(Deref::SeqCst), "*x = 1;").is_empty());
    assert!(warnings(None, "*d = 1;").is_empty());
}

#[test]
fn an_operation_makes_a_variable_atomic() {
    let kinds = |program: Program| program.locations().iter().map(|location| location.kind).collect::<Vec<_>>();
    use LocationKind::{Atomic, NonAtomic};
    assert_eq!(kinds(test("")), [NonAtomic, NonAtomic, NonAtomic]);
    assert_eq!(kinds(in_c(&text(""))), [Atomic, NonAtomic, NonAtomic]);
    assert_eq!(kinds(test("atomic_store(y, 1);")), [NonAtomic, NonAtomic, Atomic]);
    assert_eq!(kinds(test("int* p = x; atomic_store(p, 1);")), [Atomic, NonAtomic, NonAtomic], "through its address");
}

#[test]
fn an_atomic_variable_may_be_accessed_plainly() {
    let text = "C t\n{}\nP0 (int* y) { atomic_store(y, 1); int r = *y; *y = 2; }\nP1 (atomic_int* y) { *y = 3; }\n";
    let mixed = in_c(text);
    let ops =
        |thread: u32| mixed.thread(ThreadId(thread)).code.iter().map(|instr| instr.op.clone()).collect::<Vec<_>>();
    assert_eq!(mixed.locations()[0].kind, LocationKind::Atomic);
    assert_eq!(
        ops(0)[1..3],
        [Op::PlainLoad { dst: R, place: at(0) }, Op::PlainStore { place: at(0), value: Expr::Const(2) },]
    );
    assert_eq!(ops(1)[0], Op::Store { place: at(0), value: Expr::Const(3), order: WriteOrder::Sc });
    assert!(mixed.has_mixed_accesses());
    assert!(!in_c(&self::text("*d = 1; *x = 1;")).has_mixed_accesses());
    assert!(!test("*d = 1; *x = 1;").has_mixed_accesses(), "all are plain");
    assert!(test("*x = 1; atomic_store(x, 2);").has_mixed_accesses());
}

#[test]
fn a_mutex_is_a_variable() {
    let text = "C t\n{}\nP0 (mtx_t* m) { mtx_lock(m); unlock(m); }\n";
    let program = program(Language::Litmus, text);
    let ops: Vec<Op> = program.thread(ThreadId(0)).code.iter().map(|instr| instr.op.clone()).collect();
    let (free, held) = (Expr::Const(0), Expr::Const(1));
    let lock = Op::BlockingCas { place: at(0), expected: free.clone(), desired: held, order: RmwOrder::Acq };
    assert_eq!(ops[..2], [lock, Op::Store { place: at(0), value: free, order: WriteOrder::Rel }]);
}

#[test]
fn what_herd_reads_besides() {
    let of = |text: &str| program(Language::Litmus, text);
    let long = of("C t\n{}\nP0 (atomic_int* x, int* e) { int r = atomic_compare_exchange_strong(x, e, 1); }\n");
    let short = of("C t\n{}\nP0 (atomic_int* x, int* e) { int r = SCAS(x, e, 1); }\n");
    let code =
        |program: &Program| program.thread(ThreadId(0)).code.iter().map(|instr| instr.op.clone()).collect::<Vec<_>>();
    assert_eq!(code(&long), code(&short));
    let typed = of("C t\n{ int x = ATOMIC_INIT(3); }\nvoid P0 (atomic<int>* x) { }\nvoid* P1 (__int128* z) { }\n");
    assert_eq!(typed.locations()[0].init, 3);
    let asks = |condition: &str| {
        let program = of(&format!("C t\n{{}}\nP0 (atomic_int* x, atomic_int* y) {{ }}\n{condition}\n"));
        let condition = program.condition().map(|condition| condition.text(&program));
        condition.expect("a condition")
    };
    assert_eq!(asks("(x=1)"), "exists ([x]=1)");
    assert_eq!(asks("final x=1"), "exists ([x]=1)");
    assert_eq!(asks("regions: x:PROP, y:PROP\n~exists x=1"), "~exists ([x]=1)");
    assert_eq!(asks("forall x=1 /\\ y=1;"), "forall ([x]=1 /\\ [y]=1)");
    assert_eq!(asks(""), "forall (true)");
    // `=>` binds tighter than the other two connectives, less than negation, and to the right.
    let same = |text: &str, other: &str| assert_eq!(asks(text), asks(other), "{text}");
    same("exists (x=1 /\\ y=1 => x=0 \\/ y=0)", "exists ((x=1 /\\ (y=1 => x=0)) \\/ y=0)");
    same("exists (~x=1 => y=1 => x=0)", "exists ((~(x=1)) => (y=1 => x=0))");
    assert_ne!(asks("exists ((x=1 => y=1) => x=0)"), asks("exists (x=1 => y=1 => x=0)"));
    let asserting = of("C t\n{}\nP0 (atomic_int* x) { assert(*x == 0); }\n");
    assert!(asserting.condition().is_none(), "there is something to verify already");
}

#[test]
fn every_constant_has_a_value() {
    assert_eq!(test("int r = 6;").domain(), 7);
    assert_eq!(test("int r = 6; r = r + 1;").domain(), 8 * 256);
    let negative = test("int r = -3;");
    assert_eq!(negative.domain(), 8);
    let of = |text: &str| program(Language::Litmus, text);
    let asked = of("C t\n{ x = -1; }\nP0 (atomic_int* x) { int r = *x < 0; }\nexists (x=-1 /\\ 0:r!=0)\n");
    let condition = asked.condition().expect("a condition");
    let last = u32::try_from(asked.domain() - 1).expect("a value");
    assert_eq!(asked.locations()[0].init, last);
    assert_eq!(asked.number(last), -1);
    assert_eq!(condition.text(&asked), "exists ([x]=-1 /\\ not (0:r=0))");
}

/// The width of the domain, how many of it are negative numbers, and what a register becomes.
fn computed(body: &str, register: &str) -> (u64, i64) {
    let program = test(body);
    let (mut registers, mut result) = (vec![0; program.threads()[0].registers.len()], None);
    for instr in &program.threads()[0].code {
        let Op::Assign { dst, value } = &instr.op else { break };
        registers[dst.index()] = value.value(&registers, program.domain()).expect("a value");
        if program.threads()[0].registers[dst.index()].name == register {
            result = Some(program.number(registers[dst.index()]));
        }
    }
    (program.domain(), result.expect("it is assigned"))
}

#[test]
fn numbers_have_up_to_32_bits() {
    const ALL: u64 = 1 << 32;
    assert_eq!(computed("int r = 0x7fffffff;", "r"), (ALL / 2, 2_147_483_647));
    assert_eq!(computed("int r = 4294967295u;", "r"), (ALL, 4_294_967_295));
    assert_eq!(computed("int r = -2147483648;", "r"), (ALL, -2_147_483_648));
    // As C computes on `unsigned`, and on `int`.
    assert_eq!(computed("int r = 0xffffffff + 2;", "r"), (ALL, 1));
    assert_eq!(computed("int r = 2147483647; r = r + 1 - 0;", "r"), (ALL, -2_147_483_648));
    assert_eq!(computed("int s = -1; int r = s == 0xffffffff;", "r"), (ALL, 1));
    assert_eq!(computed("int s = 0x80000000; int r = s == -0x80000000;", "r"), (ALL, 1));
    // Few values where few are needed.
    assert_eq!(computed("int r = 3;", "r"), (4, 3));
    assert_eq!(computed("int r = 3 - 5;", "r"), (8 * 256 * 2, -2));
    let diagnostics = load(Language::Litmus, &text("int r = 0x100000000;")).diagnostics;
    assert!(diagnostics[0].message.contains("32 bits"), "{diagnostics:?}");
}

#[test]
fn casts_and_comments_are_told_apart() {
    let plain = |dst| Op::PlainLoad { dst, place: at(1) };
    for body in ["int r = (*(int *)d);", "int r = (*(volatile int *) d);", "int r = (*d);", "int r = *(int*)(d);"] {
        assert_eq!(ops(body)[0], plain(R), "{body}");
    }
    assert_eq!(ops("int r = (int) (*(int *)d) (*(a comment)*) + (* one (*d *) *) 1;").len(), 3);
    assert_eq!(
        ops("(*d = 1;*) (*(int*)d) = 2; (*(* *d = 3; *)*)")[0],
        Op::PlainStore { place: at(1), value: Expr::Const(2) }
    );
}

/// A test in which `p` holds addresses.
fn pointing(body: &str) -> Loaded {
    let text = format!(
        "C t\n{{ int *p = y; int a[2]; }}\nP0 (int* x, int* y, int** p, int* a) {{ {body} }}\nexists (p=&x /\\ 0:r=y)\n"
    );
    load(Language::Litmus, &text)
}

#[test]
fn addresses_are_values() {
    let loaded = pointing("int *r = *p; *p = x; int s = *r; *p = &a[1]; r = NULL;");
    let program = loaded.program.unwrap_or_else(|| panic!("{:#?}", loaded.diagnostics));
    let names: Vec<&str> = program.locations().iter().map(|location| location.name.as_str()).collect();
    assert_eq!(names, ["p", "a[0]", "a[1]", "x", "y"]);
    let address = |name: &str| {
        let values = 0..u32::try_from(program.domain()).expect("few values");
        let is_it = |value: &u32| program.address(*value).is_some_and(|loc| program.location(loc).name == name);
        values.into_iter().find(is_it).expect("every location has an address")
    };
    assert_eq!(program.locations()[0].init, address("y"));
    assert_eq!(program.value_text(address("a[1]")), "a[1]");
    assert_eq!(program.condition().expect("a condition").text(&program), "exists ([p]=x /\\ 0:r=y)");
    let code = ops_of(&program);
    assert_eq!(code[1], Op::PlainStore { place: at(0), value: Expr::Const(i64::from(address("x"))) });
    // An access through an address is one of whatever has its address in a value; what is none of
    // these is an error in the run.
    let read: Vec<&Place> = code
        .iter()
        .filter_map(|op| match op {
            Op::PlainLoad { place, .. } => Some(place),
            _ => None,
        })
        .collect();
    let Place::Element { array, .. } = read[3] else { panic!("{read:?}") };
    assert_eq!((read[0], program.array(*array).base), (&at(0), LocId(4)));
    assert!(program.is_alone(*array));
    assert_eq!(read.len(), 4, "a, x and y, besides p");
}

#[test]
fn what_cannot_be_done_with_addresses_is_said() {
    for (body, wanted) in [
        ("int *r = x + 1;", "`x` is not an array"),
        ("int *r = x; r = r + 1;", "arithmetic on addresses"),
        ("int *r = x; r++;", "arithmetic on addresses"),
        ("int r = x * 2;", "arithmetic on addresses"),
        ("int r; int *s = &r;", "the address of `r`"),
        ("int i = 1; int *r = &a[i];", "only if its index is a number"),
        ("int *r = &a[2];", "2 elements"),
        ("int r = *5;", "expected the address"),
        ("int *r = &q;", "the address of `q`"),
    ] {
        let messages: Vec<String> = pointing(body).diagnostics.into_iter().map(|it| it.message).collect();
        assert!(messages.iter().any(|message| message.contains(wanted)), "{body}: {messages:?}");
    }
    let warning = pointing("int r = x;").diagnostics.remove(0).message;
    assert_eq!(warning, "this is the address of `x`, and no number");
    assert!(pointing("int r = (int) x; int *s = x;").diagnostics.is_empty());
    let text = "C t\n{}\nP0 (int* x) { int r = 0; *r = 1; }\n";
    let message = load(Language::Litmus, text).diagnostics.remove(0).message;
    assert_eq!(message, "this is no address of a shared variable", "nothing has an address");
}

#[test]
fn what_is_right_of_and_is_not_always_accessed() {
    let loads = |body: &str| ops_in_c(body).iter().filter(|op| matches!(op, Op::Load { .. })).count();
    assert_eq!(loads("int r = *x == 1 && *x == 2;"), 2);
    let jumps = ops_in_c("int r = *x == 1 && *x == 2;").iter().filter(|op| matches!(op, Op::Branch { .. })).count();
    assert_eq!(jumps, 1);
    assert!(test("if (*x) { *d = 1; } else if (*d) *d = 2;").is_loop_free());
    assert!(!test("while (*x == 0) { }").is_loop_free());
    assert!(!test("do { if (*x) break; } while (1);").is_loop_free());
}

#[test]
fn conditions_are_resolved() {
    let text = "C n\n{ }\nP0 (atomic_int* x) { int a = 1; }\nP1 (atomic_int* x) { int b = *x; }\n\
                locations [0:a;]\nfilter (true)\n~exists (1:b=1 \\/ x=2)\n";
    let program = program(Language::Litmus, text);
    let condition = program.condition().expect("a condition");
    let (a, b) = (Observable::Register(ThreadId(0), R), Observable::Register(ThreadId(1), R));
    let x = Observable::Location(LocId(0));
    assert_eq!(program.name(), Some("n"));
    assert_eq!(condition.quantifier, Quantifier::NotExists);
    assert_eq!(condition.observed(), [a, b, x]);
    let or = Formula::Or(Box::new(Formula::Equals(b, 1)), Box::new(Formula::Equals(x, 2)));
    assert_eq!(condition.formula, or);
    assert!(or.holds(&|what| u32::from(what == b)) && !or.holds(&|_| 0));
}
