//! Automata mean what they say: the contents of registers and memory that an interpreter of the
//! text can reach, outside of sections, are those that an interpreter of the program can reach.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use crate::common::program;
use fencepost_base::ids::{Pc, RegId, ThreadId, Value};
use fencepost_ir::{Op, Place, Program};
use fencepost_lower::Language;
use fencepost_syntax::ast::{BinaryOp, Clause, Expr, ExprKind, Instruction, ItemKind, Transition};
use proptest::prelude::*;

/// Most states of an interpreter; programs with more are not compared.
const LIMIT: usize = 1000;

/// Registers of all threads by name, and what is not 0 in memory; integers as they are reduced into
/// the domain.
type Snapshot = (Vec<BTreeMap<String, Value>>, BTreeMap<String, Value>);

/// Everything reachable from `initial`, unless it is too much.
fn reachable<S: Ord + Clone>(initial: S, steps: impl Fn(&S) -> Vec<S>) -> Option<BTreeSet<S>> {
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut open = vec![initial];
    while let Some(state) = open.pop() {
        for next in steps(&state) {
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
        if seen.len() > LIMIT {
            return None;
        }
    }
    Some(seen)
}

// The text.

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TextState {
    control: Vec<String>,
    registers: Vec<BTreeMap<String, i64>>,
    memory: BTreeMap<i64, i64>,
    owner: Option<usize>,
}

fn eval(expr: &Expr, registers: &BTreeMap<String, i64>) -> i64 {
    match &expr.kind {
        ExprKind::Int(value) => *value,
        ExprKind::Name(name) => registers.get(name).copied().unwrap_or(0),
        ExprKind::Unary(_, operand) => i64::from(eval(operand, registers) == 0),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (eval(left, registers), eval(right, registers));
            match op {
                BinaryOp::Eq => i64::from(left == right),
                BinaryOp::Ne => i64::from(left != right),
                BinaryOp::Lt => i64::from(left < right),
                BinaryOp::Le => i64::from(left <= right),
                BinaryOp::Gt => i64::from(left > right),
                BinaryOp::Ge => i64::from(left >= right),
                BinaryOp::And => i64::from(left != 0 && right != 0),
                BinaryOp::Or => i64::from(left != 0 || right != 0),
                BinaryOp::Add => left.wrapping_add(right),
                BinaryOp::Sub => left.wrapping_sub(right),
                BinaryOp::Mul => left.wrapping_mul(right),
                BinaryOp::BitAnd => left & right,
                other => panic!("no operator of the language: {other:?}"),
            }
        }
        other => panic!("no expression of the language: {other:?}"),
    }
}

/// One transition of a thread; nothing if it is not possible.
fn take(state: &TextState, thread: usize, transition: &Transition) -> Option<TextState> {
    let mut next = state.clone();
    let registers = &state.registers[thread];
    let locked_out = state.owner.is_some_and(|owner| owner != thread);
    match &transition.instruction {
        Instruction::Read(..) | Instruction::Write(..) | Instruction::Lock | Instruction::Unlock if locked_out => {
            return None;
        }
        Instruction::Read(register, address) => {
            let value = state.memory.get(&eval(address, registers)).copied().unwrap_or(0);
            next.registers[thread].insert(register.text.clone(), value);
        }
        Instruction::Write(value, address) => {
            next.memory.insert(eval(address, registers), eval(value, registers));
        }
        Instruction::Local(register, value) => {
            next.registers[thread].insert(register.text.clone(), eval(value, registers));
        }
        Instruction::Check(cond) if eval(cond, registers) == 0 => return None,
        Instruction::Lock if state.owner.is_some() => return None,
        Instruction::Unlock if state.owner.is_none() => return None,
        Instruction::Lock => next.owner = Some(thread),
        Instruction::Unlock => next.owner = None,
        Instruction::Check(_) | Instruction::Mfence | Instruction::Noop => {}
    }
    next.control[thread].clone_from(&transition.to.text);
    Some(next)
}

fn of_text(text: &str, domain: u64) -> Option<BTreeSet<Snapshot>> {
    let file = fencepost_syntax::parse(Language::Txt, text).file;
    let mut control = Vec::new();
    let mut threads: Vec<Vec<Transition>> = Vec::new();
    for item in file.items {
        let ItemKind::Automaton(automaton) = item.kind else { panic!("not an automaton") };
        let mut transitions = Vec::new();
        for clause in automaton.clauses {
            match clause {
                Clause::Initial(state, _) => control.push(state.text),
                Clause::Transition(transition) => transitions.push(transition),
            }
        }
        threads.push(transitions);
    }
    let initial =
        TextState { control, registers: vec![BTreeMap::new(); threads.len()], memory: BTreeMap::new(), owner: None };
    let states = reachable(initial, |state| {
        let transitions = threads.iter().enumerate().flat_map(|(thread, list)| list.iter().map(move |t| (thread, t)));
        transitions
            .filter(|(thread, transition)| transition.from.text == state.control[*thread])
            .filter_map(|(thread, transition)| take(state, thread, transition))
            .collect()
    })?;
    // Beyond this the program may be cut.
    let large = |value: &i64| value.unsigned_abs() > 10_000;
    let contents = |state: &TextState| {
        state.memory.values().any(large) || state.registers.iter().flat_map(BTreeMap::values).any(large)
    };
    if states.iter().any(contents) {
        return None;
    }
    let reduce = |value: i64| value.rem_euclid(domain as i64) as Value;
    let snapshot = |state: TextState| {
        let registers = state.registers.into_iter().map(|registers| {
            registers.into_iter().map(|(name, value)| (name, reduce(value))).filter(|(_, value)| *value != 0).collect()
        });
        let memory = state.memory.into_iter().map(|(address, value)| (format!("mem[{address}]"), reduce(value)));
        (registers.collect(), memory.filter(|(_, value)| *value != 0).collect())
    };
    Some(states.into_iter().filter(|state| state.owner.is_none()).map(snapshot).collect())
}

// The program.

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct ProgramState {
    control: Vec<Pc>,
    registers: Vec<Vec<Value>>,
    memory: Vec<Value>,
}

/// The steps of a thread; `cut` says whether a bound was met.
fn execute(program: &Program, state: &ProgramState, thread: ThreadId, cut: &Cell<bool>) -> Vec<ProgramState> {
    let t = thread.index();
    let pc = state.control[t];
    let registers = &state.registers[t];
    let integer = |expr: &fencepost_ir::Expr| expr.eval(registers, program.domain()).expect("no division");
    let location = |place: &Place| match place {
        Place::Fixed(loc) => loc.index(),
        Place::Element { array, index } => {
            let (array, index) = (program.array(*array), integer(index));
            assert!((0..i64::from(array.len)).contains(&index), "index {index} out of range");
            array.base.index() + index as usize
        }
    };
    let mut next = state.clone();
    next.control[t] = Pc(pc.0 + 1);
    let mut set = |register: RegId, value: Value| next.registers[t][register.index()] = value;
    match &program.instr(thread, pc).op {
        Op::Halt => return Vec::new(),
        Op::Assume { cond } if integer(cond) == 0 => return Vec::new(),
        Op::Bound { cond } if integer(cond) == 0 => {
            cut.set(true);
            return Vec::new();
        }
        Op::Assign { dst, value } => set(*dst, program.reduce(integer(value))),
        Op::Load { dst: Some(dst), place, .. } => set(*dst, state.memory[location(place)]),
        Op::Store { place, value, .. } => next.memory[location(place)] = program.reduce(integer(value)),
        Op::Jump { target } => next.control[t] = *target,
        Op::Branch { cond, target } if integer(cond) != 0 => next.control[t] = *target,
        Op::Choose { targets } => {
            let go = |target: &Pc| {
                let mut next = next.clone();
                next.control[t] = *target;
                next
            };
            return targets.iter().map(go).collect();
        }
        Op::Bound { .. } | Op::Assume { .. } | Op::Branch { .. } | Op::Fence { .. } | Op::Enter | Op::Leave => {}
        other => panic!("not an instruction of an automaton: {other:?}"),
    }
    vec![next]
}

fn of_program(program: &Program) -> Option<BTreeSet<Snapshot>> {
    let initial = ProgramState {
        control: vec![Pc(0); program.threads().len()],
        registers: program.threads().iter().map(|thread| vec![0; thread.registers.len()]).collect(),
        memory: vec![0; program.locations().len()],
    };
    let cut = Cell::new(false);
    let inside = |state: &ProgramState| {
        program.thread_ids().find(|thread| program.is_in_section(*thread, state.control[thread.index()]))
    };
    let states = reachable(initial, |state| {
        let movable = |thread: &ThreadId| inside(state).is_none_or(|owner| owner == *thread);
        program.thread_ids().filter(movable).flat_map(|thread| execute(program, state, thread, &cut)).collect()
    })?;
    if cut.get() {
        return None;
    }
    let snapshot = |state: &ProgramState| {
        let registers = program.threads().iter().zip(&state.registers).map(|(thread, values)| {
            let named = thread.registers.iter().zip(values).map(|(register, value)| (register.name.clone(), *value));
            named.filter(|(_, value)| *value != 0).collect()
        });
        let memory = program.locations().iter().zip(&state.memory);
        let memory = memory.map(|(location, value)| (location.name.clone(), *value)).filter(|(_, value)| *value != 0);
        (registers.collect(), memory.collect())
    };
    Some(states.iter().filter(|state| inside(state).is_none()).map(snapshot).collect())
}

// Generated programs.

fn expr() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (-2i32..3).prop_map(|n| n.to_string()),
        prop::sample::select(&["a", "b"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let op = prop::sample::select(&["+", "-", "*", "&", "==", "!=", "<", "<=", ">", ">=", "&&", "||"][..]);
        prop_oneof![
            inner.clone().prop_map(|operand| format!("! {operand}")),
            (op, inner.clone(), inner).prop_map(|(op, left, right)| format!("{op} {left} {right}")),
        ]
    })
}

fn thread() -> impl Strategy<Value = String> {
    let register = || prop::sample::select(&["a", "b"][..]);
    let instruction = prop_oneof![
        (register(), expr()).prop_map(|(r, e)| format!("read {r} {e}")),
        (expr(), expr()).prop_map(|(v, a)| format!("write {v} {a}")),
        (register(), expr()).prop_map(|(r, e)| format!("local {r} {e}")),
        (register(), -3i32..2).prop_map(|(r, n)| format!("local {r} {n}")),
        (register(), -3i32..2).prop_map(|(r, n)| format!("check > {r} {n}")),
        expr().prop_map(|e| format!("check {e}")),
        Just("lock".to_owned()),
        Just("unlock".to_owned()),
        prop::sample::select(&["mfence", "noop"][..]).prop_map(str::to_owned),
    ];
    // Mostly forward, so that many programs are finite.
    let step = prop_oneof![4 => 1..3usize, 1 => Just(0usize), 1 => Just(5usize)];
    prop::collection::vec((0..5usize, step, instruction), 1..11).prop_map(|transitions| {
        let line = |(from, step, instruction): (usize, usize, String)| {
            format!("transition q{from} q{} {instruction}\n", (from + step) % 7)
        };
        let chain = transitions.into_iter().enumerate().map(|(index, (from, step, instruction))| {
            // A chain from the initial state first, so that something happens.
            line(if index < 5 { (index, 1, instruction) } else { (from, step, instruction) })
        });
        chain.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_and_program_reach_the_same(threads in prop::collection::vec(thread(), 1..3)) {
        let threads = threads.iter().enumerate();
        let text: String = threads.map(|(t, lines)| format!("thread t{t}\ninitial q0\n{lines}end\n")).collect();
        let program = program(Language::Txt, &text);
        if let Some(expected) = of_text(&text, program.domain()) {
            let found = of_program(&program);
            if let Some(found) = found {
                prop_assert_eq!(found, expected, "{}", text);
            }
        }
    }
}
