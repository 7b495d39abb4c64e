//! Loops, early returns and calls mean what they say: generated programs of one thread are run as
//! instructions, and statement by statement.

use std::fmt::Write as _;

use crate::common::program;
use fencepost_base::ids::Value;
use fencepost_ir::{Expr, Op};
use fencepost_lower::Language;
use proptest::prelude::*;

const DOMAIN: u64 = 8;

/// A statement over the registers `a` and `b` and the parameter `v`.
#[derive(Clone, Debug)]
enum Stmt {
    /// `a = b + 3;`
    Set(Name, Name, Value),
    /// `if (a < 3) { … } else { … }`
    If(Name, Value, Vec<Stmt>, Vec<Stmt>),
    /// Three rounds, or fewer.
    For(Value, Vec<Stmt>),
    /// One round, in which `continue` goes to the end.
    Once(Vec<Stmt>),
    Break,
    Continue,
    Return(Name, Value),
    /// `a = inner(b);`, or `inner(b);`
    Call(Option<Name>, Name),
}

#[derive(Clone, Copy, Debug)]
enum Name {
    A,
    B,
    V,
}

impl Name {
    fn text(self) -> &'static str {
        match self {
            Name::A => "a",
            Name::B => "b",
            Name::V => "v",
        }
    }
}

/// What comes after a statement.
enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

fn wrapped(value: Value) -> Value {
    value % DOMAIN as Value
}

/// The registers of one call.
struct Frame {
    a: Value,
    b: Value,
    v: Value,
}

impl Frame {
    fn get(&self, name: Name) -> Value {
        match name {
            Name::A => self.a,
            Name::B => self.b,
            Name::V => self.v,
        }
    }

    fn set(&mut self, name: Name, value: Value) {
        *match name {
            Name::A => &mut self.a,
            Name::B => &mut self.b,
            Name::V => unreachable!("parameters are not assigned to"),
        } = value;
    }

    fn run(&mut self, body: &[Stmt], inner: &[Stmt]) -> Flow {
        for stmt in body {
            let flow = match stmt {
                Stmt::Set(to, from, more) => {
                    self.set(*to, wrapped(self.get(*from) + more));
                    Flow::Next
                }
                Stmt::If(name, limit, then, otherwise) => {
                    self.run(if self.get(*name) < *limit { then } else { otherwise }, inner)
                }
                Stmt::For(rounds, body) => {
                    let mut flow = Flow::Next;
                    for _ in 0..*rounds {
                        match self.run(body, inner) {
                            Flow::Break => break,
                            Flow::Return(value) => {
                                flow = Flow::Return(value);
                                break;
                            }
                            Flow::Next | Flow::Continue => {}
                        }
                    }
                    flow
                }
                Stmt::Once(body) => match self.run(body, inner) {
                    Flow::Return(value) => Flow::Return(value),
                    _ => Flow::Next,
                },
                Stmt::Break => Flow::Break,
                Stmt::Continue => Flow::Continue,
                Stmt::Return(name, more) => Flow::Return(wrapped(self.get(*name) + more)),
                Stmt::Call(result, argument) => {
                    let value = call(inner, &[], self.get(*argument));
                    if let Some(result) = result {
                        self.set(*result, value);
                    }
                    Flow::Next
                }
            };
            if !matches!(flow, Flow::Next) {
                return flow;
            }
        }
        Flow::Next
    }
}

/// The result of a procedure with this body, which calls one with the other body.
fn call(body: &[Stmt], inner: &[Stmt], v: Value) -> Value {
    let mut frame = Frame { a: 0, b: 0, v };
    match frame.run(body, inner) {
        Flow::Return(value) => value,
        _ => frame.a,
    }
}

fn text(body: &[Stmt], loops: &mut usize, out: &mut String) {
    for stmt in body {
        let _ = match stmt {
            Stmt::Set(to, from, more) => write!(out, "{} = {} + {more}; ", to.text(), from.text()),
            Stmt::If(name, limit, then, otherwise) => {
                let _ = write!(out, "if ({} < {limit}) {{ ", name.text());
                text(then, loops, out);
                out.push_str("} else { ");
                text(otherwise, loops, out);
                write!(out, "}} ")
            }
            Stmt::For(rounds, body) => {
                *loops += 1;
                let i = format!("i{loops}");
                let _ = write!(out, "for (local {i} = 0; {i} < {rounds}; {i} = {i} + 1) {{ ");
                text(body, loops, out);
                write!(out, "}} ")
            }
            Stmt::Once(body) => {
                out.push_str("do { ");
                text(body, loops, out);
                write!(out, "}} while (0); ")
            }
            Stmt::Break => write!(out, "break; "),
            Stmt::Continue => write!(out, "continue; "),
            Stmt::Return(name, more) => write!(out, "return {} + {more}; ", name.text()),
            Stmt::Call(Some(result), argument) => write!(out, "{} = inner({}); ", result.text(), argument.text()),
            Stmt::Call(None, argument) => write!(out, "inner({}); ", argument.text()),
        };
    }
}

fn procedure(name: &str, body: &[Stmt]) -> String {
    let mut out = format!("proc {name}(v) {{ local a, b; ");
    text(body, &mut 0, &mut out);
    out + "return a; }\n"
}

/// The first register of the only thread when it has come to its end.
fn run_instructions(source: &str) -> Value {
    let program = program(Language::Fp, source);
    let thread = &program.threads()[0];
    let mut registers: Vec<Value> = thread.registers.iter().map(|register| register.init).collect();
    let mut pc = 0;
    for _ in 0..1_000_000 {
        let value = |e: &Expr| e.value(&registers, DOMAIN).expect("no division");
        match &thread.code[pc].op {
            Op::Assign { dst, value: e } => {
                let result = value(e);
                registers[dst.index()] = result;
                pc += 1;
            }
            Op::Jump { target } => pc = target.index(),
            Op::Branch { cond, target } => pc = if value(cond) != 0 { target.index() } else { pc + 1 },
            Op::Halt => return registers[0],
            op => unreachable!("{op:?}"),
        }
    }
    panic!("it does not end: {source}");
}

fn body(calls: bool) -> impl Strategy<Value = Vec<Stmt>> {
    let register = || prop::sample::select(&[Name::A, Name::B][..]);
    let any = || prop::sample::select(&[Name::A, Name::B, Name::V][..]);
    let value = || 0..DOMAIN as Value;
    let leaf = prop_oneof![
        4 => (register(), any(), value()).prop_map(|(to, from, more)| Stmt::Set(to, from, more)),
        1 => (any(), value()).prop_map(|(name, more)| Stmt::Return(name, more)),
        if calls { 3 } else { 0 } =>
            (prop::option::of(register()), any()).prop_map(|(result, argument)| Stmt::Call(result, argument)),
    ];
    // `break` and `continue` stand in loops only.
    let in_loop = prop_oneof![6 => leaf.clone(), 1 => Just(Stmt::Break), 1 => Just(Stmt::Continue)];
    let nested = in_loop.prop_recursive(3, 24, 4, move |inner| {
        let block = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            (any(), value(), block(), block()).prop_map(|(name, limit, a, b)| Stmt::If(name, limit, a, b)),
            (0..4 as Value, block()).prop_map(|(rounds, body)| Stmt::For(rounds, body)),
            block().prop_map(Stmt::Once),
        ]
    });
    let looped = prop_oneof![
        (0..4 as Value, prop::collection::vec(nested.clone(), 0..5)).prop_map(|(rounds, body)| Stmt::For(rounds, body)),
        prop::collection::vec(nested, 0..5).prop_map(Stmt::Once),
    ];
    prop::collection::vec(prop_oneof![leaf, looped], 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn procedures_compute_what_they_say(inner in body(false), outer in body(true), argument in 0..DOMAIN as Value) {
        let procedures = procedure("inner", &inner) + &procedure("outer", &outer);
        let constant = format!("domain {DOMAIN};\n{procedures}thread t {{ local r; r = outer({argument}); }}\n");
        let expected = call(&outer, &inner, argument);
        prop_assert_eq!(run_instructions(&constant), expected, "{}", constant);
        // The second call of a loop must not see what the first has left behind.
        let twice = format!(
            "domain {DOMAIN};\n{procedures}thread t {{ local r, s = {argument}; for (local i = 0; i < 2; i = i + 1) \
             {{ r = outer(s); }} }}\n"
        );
        prop_assert_eq!(run_instructions(&twice), expected, "{}", twice);
    }
}
