//! Atomic sections and bounds: the explorer says what a plain interpreter finds, with all
//! reductions and without.

use std::collections::BTreeSet;

use fencepost_base::ids::{LocId, Pc, RegId, ThreadId, Value};
use fencepost_base::order::ReadOrder;
use fencepost_check::Question;
use fencepost_explore::{End, Options, Reductions, explore};
use fencepost_ir::{
    BinaryOp, CasStrength, CmpOp, EvalError, Expr, Instr, LocationKind, Op, Origin, Place, Program, ProgramBuilder,
    Register,
};
use fencepost_model::models;
use fencepost_model::models::sc::Sc;
use fencepost_oracle::replay::replay_failure;
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::random::Random;
use fencepost_testkit::repetitions;
use fencepost_testkit::shrink::shrink;
use fencepost_verdict::{Budget, Reason, Verdict};

/// Programs with more states are not compared.
const MOST_STATES: usize = 20_000;

/// All that there is between two instructions. A thread that has stopped is at no instruction.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    threads: Vec<(Option<Pc>, Vec<Value>)>,
    memory: Vec<Value>,
}

/// What a program can do, one instruction or one section at a time.
#[derive(Default)]
struct Behaviour {
    memories: BTreeSet<Vec<Value>>,
    failures: BTreeSet<(ThreadId, Pc)>,
    bounds: BTreeSet<(ThreadId, Pc)>,
}

/// How an instruction ends.
enum After {
    At(State),
    Fails,
    Bound,
}

/// What the instruction at which `thread` is can do.
fn instruction(program: &Program, state: &State, thread: ThreadId, pc: Pc) -> Result<Vec<After>, EvalError> {
    let registers = &state.threads[thread.index()].1;
    let integer = |expr: &Expr| expr.eval(registers, program.domain());
    let value = |expr: &Expr| expr.value(registers, program.domain());
    let next = Pc(pc.0 + 1);
    let op = &program.instr(thread, pc).op;
    let place = match op.place() {
        None => None,
        Some(Place::Fixed(loc)) => Some(loc.index()),
        Some(Place::Element { array, index }) => {
            let array = program.array(*array);
            match u32::try_from(integer(index)?).ok().filter(|&index| index < array.len) {
                Some(offset) => Some(array.base.index() + offset as usize),
                None => return Ok(vec![After::Fails]),
            }
        }
    };
    let go = |target: Pc, dst: Option<(RegId, Value)>, written: Option<Value>| {
        let mut state = state.clone();
        state.threads[thread.index()].0 = Some(target);
        if let Some((dst, value)) = dst {
            state.threads[thread.index()].1[dst.index()] = value;
        }
        if let (Some(place), Some(written)) = (place, written) {
            state.memory[place] = written;
        }
        After::At(state)
    };
    let old = place.map_or(0, |place| state.memory[place]);
    let read = |dst: Option<RegId>| dst.map(|dst| (dst, old));
    Ok(match op {
        Op::Assign { dst, value: e } => vec![go(next, Some((*dst, value(e)?)), None)],
        Op::Nondet { dst, low, high } => {
            (value(low)?..=value(high)?).map(|value| go(next, Some((*dst, value)), None)).collect()
        }
        Op::Jump { target } => vec![go(*target, None, None)],
        Op::Branch { cond, target } => vec![go(if integer(cond)? != 0 { *target } else { next }, None, None)],
        Op::Choose { targets } => targets.iter().map(|&target| go(target, None, None)).collect(),
        Op::Assume { cond } => {
            if integer(cond)? != 0 {
                vec![go(next, None, None)]
            } else {
                Vec::new()
            }
        }
        Op::Assert { cond } => vec![if integer(cond)? != 0 { go(next, None, None) } else { After::Fails }],
        Op::Bound { cond } => vec![if integer(cond)? != 0 { go(next, None, None) } else { After::Bound }],
        Op::Verify { .. } | Op::Fence { .. } | Op::LightFence { .. } | Op::Enter | Op::Leave => {
            vec![go(next, None, None)]
        }
        Op::Halt => Vec::new(),
        Op::Load { dst, .. } => vec![go(next, read(*dst), None)],
        Op::PlainLoad { dst, .. } => vec![go(next, read(Some(*dst)), None)],
        Op::Store { value: e, .. } | Op::PlainStore { value: e, .. } => vec![go(next, None, Some(value(e)?))],
        Op::Update { dst, function, operand, .. } => {
            let written = program.reduce(function.apply(old, i64::from(value(operand)?)));
            vec![go(next, read(*dst), Some(written))]
        }
        Op::Cas { dst, expected, desired, strength, .. } => {
            let (expected, desired) = (value(expected)?, value(desired)?);
            let mut after = Vec::new();
            if expected == old {
                after.push(go(next, read(*dst), Some(desired)));
            }
            if expected != old || *strength == CasStrength::Weak {
                after.push(go(next, read(*dst), None));
            }
            after
        }
        Op::Wait { dst, condition, .. } => {
            let operands: Result<Vec<_>, _> = condition.any_of.iter().map(|(cmp, e)| Ok((cmp, integer(e)?))).collect();
            let holds = operands?.iter().any(|(cmp, operand)| cmp.holds(i64::from(old), *operand));
            if holds { vec![go(next, read(*dst), None)] } else { Vec::new() }
        }
        Op::BlockingCas { expected, desired, .. } => {
            let (expected, desired) = (value(expected)?, value(desired)?);
            if expected == old { vec![go(next, None, Some(desired))] } else { Vec::new() }
        }
    })
}

/// What `program` can do; none if that is too much.
fn behaviour(program: &Program) -> Option<Behaviour> {
    let threads = program.threads().iter();
    let initial = State {
        threads: threads.map(|t| (Some(Pc(0)), t.registers.iter().map(|register| register.init).collect())).collect(),
        memory: program.locations().iter().map(|location| location.init).collect(),
    };
    let mut behaviour = Behaviour::default();
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut open = vec![initial];
    while let Some(state) = open.pop() {
        behaviour.memories.insert(state.memory.clone());
        for thread in program.thread_ids() {
            // From one state outside of sections to the next.
            let mut passed = BTreeSet::from([state.clone()]);
            let mut ways = vec![state.clone()];
            while let Some(way) = ways.pop() {
                let Some(pc) = way.threads[thread.index()].0 else { continue };
                let after = instruction(program, &way, thread, pc).unwrap_or_else(|_| vec![After::Fails]);
                for after in after {
                    let mut stopped = state.clone();
                    stopped.threads[thread.index()].0 = None;
                    let next = match after {
                        After::At(next) => next,
                        After::Fails => {
                            behaviour.failures.insert((thread, pc));
                            stopped
                        }
                        After::Bound => {
                            behaviour.bounds.insert((thread, pc));
                            stopped
                        }
                    };
                    let inside = next.threads[thread.index()].0.is_some_and(|pc| program.is_in_section(thread, pc));
                    if inside {
                        if passed.insert(next.clone()) {
                            ways.push(next);
                        }
                    } else if seen.insert(next.clone()) {
                        open.push(next);
                    }
                }
            }
        }
        if seen.len() > MOST_STATES {
            return None;
        }
    }
    Some(behaviour)
}

/// A builder with the locations of a program, the hidden one left out.
fn builder_of(program: &Program) -> ProgramBuilder {
    let mut builder = ProgramBuilder::new(None, program.domain());
    let mut loc = 0;
    while loc < program.locations().len() {
        let location = &program.locations()[loc];
        match program.arrays().iter().find(|array| array.base.index() == loc) {
            Some(array) => {
                let elements = &program.locations()[loc..loc + array.len as usize];
                let inits: Vec<Value> = elements.iter().map(|element| element.init).collect();
                builder.array(array.name.clone(), &inits, location.kind);
                loc += elements.len();
            }
            None => {
                if location.kind != LocationKind::Fence {
                    builder.location(location.name.clone(), location.init, location.kind);
                }
                loc += 1;
            }
        }
    }
    builder
}

/// The program with a thread that fails if memory ever is as given: it looks at all of it at once.
fn with_observer(program: &Program, memory: &[Value]) -> Program {
    let mut builder = builder_of(program);
    for thread in program.threads() {
        builder.thread(thread.name.clone(), thread.registers.clone(), thread.code.clone());
    }
    let observed: Vec<usize> =
        (0..memory.len()).filter(|&loc| program.locations()[loc].kind == LocationKind::Atomic).collect();
    let mut ops = vec![Op::Enter];
    let mut differs = Expr::Const(0);
    let mut registers = Vec::new();
    for loc in observed {
        let reg = RegId::from_index(registers.len());
        registers.push(Register { name: format!("o{loc}"), init: 0 });
        let place = Place::Fixed(LocId::from_index(loc));
        ops.push(Op::Load { dst: Some(reg), place, order: ReadOrder::Acq });
        let wanted = Box::new(Expr::Const(i64::from(memory[loc])));
        let other = Expr::Binary(BinaryOp::Cmp(CmpOp::Ne), Box::new(Expr::Reg(reg)), wanted);
        differs = Expr::Binary(BinaryOp::Or, Box::new(differs), Box::new(other));
    }
    ops.extend([Op::Assert { cond: differs }, Op::Leave, Op::Halt]);
    let code = ops.into_iter().map(|op| Instr { op, origin: Origin::default() }).collect();
    builder.thread("observer", registers, code);
    builder.build().expect("still well-formed")
}

/// All reductions, none, each alone, all but one of those that matter here.
fn ways_to_search() -> Vec<Options> {
    let mut ways = vec![Reductions::ALL, Reductions::NONE];
    let fields: [fn(&mut Reductions) -> &mut bool; 4] =
        [|r| &mut r.por, |r| &mut r.symmetry, |r| &mut r.dead_registers, |r| &mut r.private_locations];
    for field in fields {
        for (mut reductions, value) in [(Reductions::NONE, true), (Reductions::ALL, false)] {
            *field(&mut reductions) = value;
            ways.push(reductions);
        }
    }
    let with_jobs = |reductions| [1, 2].map(|jobs| Options { reductions, observational: false, jobs });
    ways.into_iter().flat_map(with_jobs).collect()
}

/// How a search differs from the plain interpreter. What is met first may be any of several, but it
/// is one of them.
fn difference(program: &Program, ways: &[Options]) -> Option<String> {
    let expected = behaviour(program)?;
    let mut alone = None;
    for &options in ways {
        let found = explore(program, &Sc, options, &Budget::unlimited());
        if !matches!(found.end, End::Exhausted) {
            return Some(format!("{:?} with {options:?}", found.end));
        }
        let failure = found.sc_failure.as_ref().map(|failure| (failure.site.thread, failure.site.pc));
        let bound = found.bound.map(|site| (site.thread, site.pc));
        for (what, found, expected) in [("failure", failure, &expected.failures), ("bound", bound, &expected.bounds)] {
            if found.is_none() != expected.is_empty() || found.is_some_and(|site| !expected.contains(&site)) {
                return Some(format!("{what}: {found:?}, not one of {expected:?}, with {options:?}"));
            }
        }
        // Several threads that search meet the same first.
        match alone.replace((options.reductions, failure, bound)) {
            Some(before) if options.jobs > 1 && Some(before) != alone => {
                return Some(format!("{before:?}, then {alone:?} with {options:?}"));
            }
            _ => {}
        }
        // What fails is replayed, once for all reductions and once for none.
        if options.jobs > 1 || ![Reductions::ALL, Reductions::NONE].contains(&options.reductions) {
            continue;
        }
        if let Some(failure) = &found.sc_failure
            && let Err(error) = replay_failure(program, &Sc, failure)
        {
            return Some(format!("a failure that does not replay: {error}, with {options:?}"));
        }
    }
    None
}

fn assert_no_difference(seed: u64, program: &Program, ways: &[Options]) {
    if let Some(found) = difference(program, ways) {
        let small = shrink(program, |smaller| difference(smaller, ways).is_some());
        let difference = difference(&small, ways).unwrap_or_default();
        panic!("seed {seed}: {found}; smaller: {difference} about\n{}", fencepost_lower::print(&small));
    }
}

fn options(seed: u64) -> Generate {
    let bit = |index: u32| seed >> index & 1 == 1;
    Generate {
        threads: 2..=3,
        loops: bit(0),
        copies: bit(1),
        private: bit(2),
        bounds: bit(3),
        sections: true,
        plain: false,
        ..Generate::default()
    }
}

#[test]
fn failures_and_bounds() {
    let ways = ways_to_search();
    let (usual, all) = (&ways[..4], &ways[..]);
    for seed in 0..repetitions(2_000) {
        let seed = seed + (20 << 32);
        // Not the bits that decide what is generated.
        let ways = if seed >> 4 & 3 == 0 { all } else { usual };
        assert_no_difference(seed, &generate::program(seed, &options(seed)), ways);
    }
}

#[test]
fn contents_of_memory() {
    let (ways, mut seen, mut unseen) = (ways_to_search(), 0, 0);
    for seed in 0..repetitions(1_500) {
        let seed = seed + (21 << 32);
        let program = generate::program(seed, &Generate { threads: 2..=2, bounds: false, ..options(seed) });
        let Some(behaviour) = behaviour(&program) else { continue };
        let mut random = Random::new(seed);
        let domain = program.domain() as usize;
        for _ in 0..3 {
            let memory: Vec<Value> = match random.chance(50) {
                true => random.pick(&behaviour.memories.iter().cloned().collect::<Vec<_>>()),
                false => program.locations().iter().map(|_| random.below(domain) as Value).collect(),
            };
            let option = [ways[random.below(ways.len())]];
            *(if behaviour.memories.contains(&memory) { &mut seen } else { &mut unseen }) += 1;
            assert_no_difference(seed, &with_observer(&program, &memory), &option);
        }
    }
    assert!(seen > 500 && unseen > 500, "{seen} memories that can be seen, {unseen} that cannot");
}

/// The program with its code in another order, every instruction followed by a jump to the next
/// one.
fn scattered(random: &mut Random, program: &Program) -> Program {
    let mut builder = builder_of(program);
    for thread in program.threads() {
        let mut order: Vec<usize> = (1..thread.code.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last + 1));
        }
        order.insert(0, 0);
        let mut position = vec![Pc(0); thread.code.len() + 1];
        for (index, &pc) in order.iter().enumerate() {
            position[pc] = Pc::from_index(2 * index);
        }
        let mut code = Vec::new();
        for pc in order {
            let mut instr = thread.code[pc].clone();
            match &mut instr.op {
                Op::Jump { target } | Op::Branch { target, .. } => *target = position[target.index()],
                Op::Choose { targets } => targets.iter_mut().for_each(|target| *target = position[target.index()]),
                _ => {}
            }
            code.push(instr);
            code.push(Instr { op: Op::Jump { target: position[pc + 1] }, origin: Origin::default() });
        }
        builder.thread(thread.name.clone(), thread.registers.clone(), code);
    }
    builder.build().expect("the order of the code makes no difference")
}

/// Wherever the instructions of a section are, they are written in one piece, which means the same.
#[test]
fn scattered_sections_are_printed() {
    for seed in 0..repetitions(500) {
        let seed = seed + (22 << 32);
        let program = generate::program(seed, &options(seed));
        let Some(expected) = behaviour(&program) else { continue };
        let scattered = scattered(&mut Random::new(seed), &program);
        let text = fencepost_lower::print(&scattered);
        let loaded = fencepost_lower::load(fencepost_lower::Language::Fp, &text);
        let again = loaded.program.unwrap_or_else(|| panic!("{text}\n{:?}", loaded.diagnostics));
        for same in [&scattered, &again] {
            let Some(found) = behaviour(same) else { continue };
            assert_eq!(found.memories, expected.memories, "{text}");
            assert_eq!(found.failures.is_empty(), expected.failures.is_empty(), "{text}");
            assert_eq!(found.bounds.is_empty(), expected.bounds.is_empty(), "{text}");
        }
    }
}

/// Generated programs have sections that can block, that choose, and that fail.
#[test]
fn sections_of_all_kinds() {
    let (mut blocking, mut choosing) = (0, 0);
    for seed in 0..500 {
        let program = generate::program(seed, &options(seed));
        let inside = |wanted: fn(&Op) -> bool| {
            program.thread_ids().any(|thread| {
                let code = program.thread(thread).code.iter().enumerate();
                code.into_iter().any(|(pc, i)| program.is_in_section(thread, Pc::from_index(pc)) && wanted(&i.op))
            })
        };
        blocking += u32::from(inside(|op| matches!(op, Op::Wait { .. } | Op::BlockingCas { .. } | Op::Assume { .. })));
        choosing += u32::from(inside(|op| matches!(op, Op::Choose { .. } | Op::Nondet { .. })));
    }
    assert!(blocking > 50 && choosing > 50, "{blocking} with sections that can block, {choosing} that choose");
}

/// A thread that waits at a section is woken by one that seems to concern nobody else.
#[test]
fn sections_that_are_woken() {
    let text = "domain 2; global x, f; thread a { x.store(1); } thread c { f.store(1); }
        thread b { local r; atomic { wait(f == 1); r = x.load(); assert(r == 1); } }";
    let program = fencepost_lower::load(fencepost_lower::Language::Fp, text).program.expect("a program");
    assert_no_difference(0, &program, &ways_to_search());
    assert!(explore(&program, &Sc, Options::default(), &Budget::unlimited()).sc_failure.is_some());
}

/// A model with a monitor does not judge programs with sections.
#[test]
fn monitors_know_nothing_of_sections() {
    let options = Generate { sections: true, ..Generate::default() };
    let mut programs = (0..).map(|seed| generate::program(seed, &options)).filter(Program::has_sections);
    let program = programs.next().expect("some have sections");
    for model in models::checkable().filter(|model| matches!(model.name(), "ra" | "rc20")) {
        let outcome = Question::new(&program, model).robustness(&Budget::unlimited()).expect("nothing to replay");
        assert!(matches!(outcome.verdict, Verdict::Unknown(Reason::Unsupported(_))), "{:?}", outcome.verdict);
    }
}
