//! `cargo xtask spin`: another model checker's opinion.
//!
//! Every program is exported to Promela (for `sc`, as it is; for the other
//! models with their monitor, plain and observational) and put to SPIN, and the
//! verdicts are compared with ours. The export encodes the monitors anew from
//! the papers and SPIN has its own search, so agreement says something about both.

pub(crate) mod runner;

use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fencepost_explore::End;
use fencepost_export::promela::{self, Options};
use fencepost_ir::Program;
use fencepost_model::{Model, models};
use fencepost_verdict::{Budget, Verdict};

use crate::files;
use runner::{Limits, SpinRun, SpinVerdict};

const DEFAULT_PATH: &str = "litmus";
const DEFAULT_SECONDS: u64 = 20;
const MEMORY_LIMIT: u64 = 3 << 30;
const JOBS: usize = 2;

/// One question: a program, a model, plain or observational.
struct Question<'a> {
    program: &'a Program,
    model: &'static dyn Model,
    observational: bool,
}

/// How the answers compare.
enum Comparison {
    /// They are the same; this is what SPIN's cost.
    Agree(SpinRun),
    /// They differ, like this.
    Differ(String),
    /// One of them does not say, for this reason.
    Undecided(String),
}

/// What SPIN's answers cost altogether.
#[derive(Default)]
struct Costs {
    translate: Duration,
    compile: Duration,
    run: Duration,
    states: u64,
    transitions: u64,
    most_bytes: u64,
}

impl Costs {
    fn add(&mut self, run: &SpinRun) {
        self.translate += run.translate;
        self.compile += run.compile;
        self.run += run.run;
        self.states += run.states;
        self.transitions += run.transitions;
        self.most_bytes = self.most_bytes.max(run.bytes);
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Costs { translate, compile, run, states, transitions, most_bytes } = self;
        write!(
            f,
            "{:.1} s of translation, {:.1} s of compilation, {:.1} s of search, {states} states, {transitions} \
             transitions, {} MiB at most",
            translate.as_secs_f64(),
            compile.as_secs_f64(),
            run.as_secs_f64(),
            most_bytes >> 20
        )
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Request { paths, model, limits } = parse(arguments)?;
    runner::installed()?;
    let mut programs = Vec::new();
    for path in &paths {
        for file in files::programs(Path::new(path))? {
            programs.push((file.display().to_string(), files::load(&file)?.0));
        }
    }
    let questions: Vec<(&str, Question<'_>)> = programs
        .iter()
        .flat_map(|(name, program)| questions(program).into_iter().map(move |question| (name.as_str(), question)))
        .filter(|(_, question)| model.as_ref().is_none_or(|model| question.model.name() == model))
        .collect();
    let answers = in_parallel(&questions, |(name, question)| {
        let answer = compare(question, &limits);
        if let Ok(Comparison::Differ(how)) = &answer {
            println!("DISAGREES {name} {}: {how}", question.name());
        }
        answer
    });
    let mut costs = Costs::default();
    let (mut agreed, mut undecided, mut differ) = (0, 0, 0);
    for ((name, question), answer) in questions.iter().zip(answers) {
        match answer.map_err(|error| format!("{name} {}: {error}", question.name()))? {
            Comparison::Agree(run) => {
                agreed += 1;
                costs.add(&run);
            }
            Comparison::Differ(_) => differ += 1,
            Comparison::Undecided(reason) => {
                undecided += 1;
                println!("undecided {name} {}: {reason}", question.name());
            }
        }
    }
    println!("{} programs: {agreed} verdicts agree, {undecided} undecided, {differ} disagree", programs.len());
    println!("SPIN, where the verdicts agree: {costs}");
    if differ == 0 { Ok(()) } else { Err("SPIN and fencepost disagree".into()) }
}

/// What is to be compared.
struct Request {
    paths: Vec<String>,
    /// Only questions about this model.
    model: Option<String>,
    limits: Limits,
}

fn parse(arguments: &[String]) -> Result<Request, String> {
    let mut seconds = DEFAULT_SECONDS;
    let mut model = None;
    let mut paths = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seconds" => {
                let number = rest.next().and_then(|number| number.parse().ok());
                seconds = number.ok_or("--seconds needs a number of seconds")?;
            }
            "--model" => {
                let known = rest.next().filter(|name| models::by_name(name).is_some());
                model = Some(known.ok_or("--model needs the name of a model")?.clone());
            }
            option if option.starts_with('-') => return Err(format!("unknown option `{option}`")),
            path => paths.push(path.to_string()),
        }
    }
    if paths.is_empty() {
        paths.push(DEFAULT_PATH.into());
    }
    Ok(Request {
        paths,
        model,
        limits: Limits { time: Duration::from_secs(seconds), bytes: MEMORY_LIMIT, is_long: true },
    })
}

/// Everything there is to ask about a program.
fn questions(program: &Program) -> Vec<Question<'_>> {
    let ask = |model, observational| Question { program, model, observational };
    let sc = models::by_name("sc").map(|model| ask(model, false));
    sc.into_iter().chain(models::monitored().flat_map(|model| [ask(model, false), ask(model, true)])).collect()
}

impl Question<'_> {
    fn name(&self) -> String {
        format!("{}{}", self.model.name(), if self.observational { " observational" } else { "" })
    }
}

/// Puts the question to both.
fn compare(question: &Question<'_>, limits: &Limits) -> Result<Comparison, String> {
    let &Question { program, model, observational } = question;
    let promela = match promela::export(program, model, Options { observational }) {
        Ok(promela) => promela,
        Err(error) => return Ok(Comparison::Undecided(format!("not exported: {error}"))),
    };
    let spin = runner::run(&promela, limits)?;
    let theirs = match &spin.verdict {
        SpinVerdict::Holds => true,
        SpinVerdict::Violated => false,
        SpinVerdict::Incomplete(reason) => return Ok(Comparison::Undecided(format!("SPIN: {reason}"))),
    };
    let ours = match our_answer(question, limits)? {
        Ok(holds) => holds,
        Err(reason) => return Ok(Comparison::Undecided(format!("fencepost: {reason}"))),
    };
    let word = |holds: bool| if holds { "holds" } else { "violated" };
    Ok(match ours == theirs {
        true => Comparison::Agree(spin),
        false => Comparison::Differ(format!("SPIN says {}, fencepost {}", word(theirs), word(ours))),
    })
}

/// Does the property hold? Or the reason why that is not known.
fn our_answer(question: &Question<'_>, limits: &Limits) -> Result<Result<bool, String>, String> {
    let &Question { program, model, observational } = question;
    let start = Instant::now();
    let expired = || start.elapsed() > limits.time;
    let budget = Budget { max_bytes: limits.bytes, expired: &expired, ..Budget::unlimited() };
    if model.name() == "sc" {
        let exploration = fencepost_explore::find_failure(program, fencepost_explore::Options::default(), &budget);
        return Ok(match exploration.end {
            End::Failed => Ok(false),
            End::Exhausted => Ok(true),
            End::GaveUp(reason) => Err(reason.to_string()),
            End::Found(_) => unreachable!("the search is for failures"),
        });
    }
    let question = fencepost_check::Question::new(program, model);
    let question = if observational { question.observational() } else { question };
    let outcome = question.robustness(&budget).map_err(|error| error.to_string())?;
    Ok(match outcome.verdict {
        Verdict::Holds => Ok(true),
        Verdict::Violated(_) => Ok(false),
        Verdict::Unknown(reason) => Err(reason.to_string()),
    })
}

/// Works through `items` with several hands; results in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    std::thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while let Some((index, item)) = items.iter().enumerate().nth(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    results.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_testkit::generate::{self, Palette};

    const LIMITS: Limits = Limits { time: Duration::from_secs(20), bytes: 1 << 30, is_long: false };

    /// One litmus test for each part of the encodings.
    const LITMUS: &[&str] = &[
        "classic/fence-loop.fp",
        "classic/sb.fp",
        "classic/barw-1-1.fp",
        "classic/sb+casw-consumed.fp",
        "classic/mp+na.fp",
        "rc20/mp+na+rs.fp",
        "rc20/isa2+fence-relay.fp",
        "rc20/sb+sc-stores.fp",
        "rc20/sb+sc+fence.fp",
        "rc20/iriw+sc-loads.fp",
        "rc20/iriw+sc-stores-seconds.fp",
        "rc20/mp+rlx-copy.fp",
    ];

    /// Is SPIN there? Nobody needs it to work on fencepost.
    fn spin_is_missing() -> bool {
        let missing = !runner::is_installed();
        if missing {
            println!("skipped: SPIN and gcc are not both installed (`cargo xtask spin` installs SPIN)");
        }
        missing
    }

    /// Puts all questions to both; returns how many were decided.
    fn assert_agreement(questions: &[Question<'_>]) -> usize {
        let answers = in_parallel(questions, |question| compare(question, &LIMITS));
        let (mut decided, mut wrong) = (0, Vec::new());
        for (question, answer) in questions.iter().zip(answers) {
            let what = match answer {
                Ok(Comparison::Agree(_)) => {
                    decided += 1;
                    continue;
                }
                Ok(Comparison::Undecided(_)) => continue,
                Ok(Comparison::Differ(how)) => how,
                Err(error) => error,
            };
            wrong.push(format!("{}: {what}\n{}", question.name(), fencepost_lower::print(question.program)));
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        decided
    }

    fn load(name: &str) -> Program {
        let litmus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus");
        files::load(&litmus.join(name)).expect("a litmus test").0
    }

    #[test]
    fn limits_are_no_verdicts() {
        if spin_is_missing() {
            return;
        }
        let program = load("algorithms/rcu.fp");
        let model = models::by_name("ra").expect("a model");
        let promela = promela::export(&program, model, Options::default()).expect("Promela");
        for limits in [Limits { bytes: 24 << 20, ..LIMITS }, Limits { time: Duration::from_millis(1), ..LIMITS }] {
            let run = runner::run(&promela, &limits).expect("a run");
            assert!(matches!(run.verdict, SpinVerdict::Incomplete(_)), "{:?}", run.verdict);
        }
    }

    #[test]
    fn spin_agrees_on_litmus_tests() {
        if spin_is_missing() {
            return;
        }
        let programs: Vec<Program> = LITMUS.iter().map(|name| load(name)).collect();
        // Compiling a verifier takes a second. So each program is asked some of the questions, and each
        // question is asked of some programs.
        let stride = if fencepost_testkit::is_long() { 1 } else { 5 };
        let some = |(index, program)| questions(program).into_iter().skip(index % stride).step_by(stride);
        let questions: Vec<Question<'_>> = programs.iter().enumerate().flat_map(some).collect();
        assert!(assert_agreement(&questions) + 2 > questions.len());
    }

    #[test]
    fn spin_agrees_on_generated_programs() {
        if spin_is_missing() {
            return;
        }
        let programs: Vec<Program> = (0..fencepost_testkit::repetitions(12))
            .map(|seed| generate::program(seed, &generate::Options { loops: seed % 2 == 1, ..Default::default() }))
            .collect();
        // Compiling a verifier takes a second, so there is one question about each program.
        let one = |(index, program)| {
            let mut all = questions(program);
            all.swap_remove(index % all.len())
        };
        let questions: Vec<Question<'_>> = programs.iter().enumerate().map(one).collect();
        assert!(assert_agreement(&questions) > questions.len() * 3 / 4);
    }

    /// S orders SC accesses and SC fences alike.
    #[test]
    fn spin_agrees_on_generated_programs_with_sc_accesses_and_sc_fences() {
        if spin_is_missing() {
            return;
        }
        const PALETTES: [Palette; 4] =
            [Palette::MIXED, Palette::SC_AND_RELEASE_ACQUIRE, Palette::SC_LOADS, Palette::SC_STORES];
        let program = |seed: u64| {
            let palette = Some(PALETTES[(seed / 4) as usize % PALETTES.len()].clone());
            let plain = seed.is_multiple_of(4);
            let dense = Some(!plain);
            generate::program(seed, &generate::Options { palette, dense, plain, ..Default::default() })
        };
        let programs: Vec<Program> = (0..fencepost_testkit::repetitions(12)).map(program).collect();
        let model = models::by_name("cpp20").expect("a model");
        let ask = |(index, program)| Question { program, model, observational: index % 4 == 3 };
        let questions: Vec<Question<'_>> = programs.iter().enumerate().map(ask).collect();
        assert!(assert_agreement(&questions) > questions.len() * 3 / 4);
    }

    /// A fence at the head of a loop without accesses is still the fence that it is.
    #[test]
    fn spin_agrees_on_fences_in_local_loops() {
        if spin_is_missing() {
            return;
        }
        let looping = |order: &&str| {
            let text = format!(
                "global x, y;
                thread a {{
                    local r;
                    x.load(acq);
                    fence(rel);
                    x.store(1, rlx);
                    do {{ fence({order}); r = nondet(0, 1); }} while (r);
                    y.store(1, rlx);
                }}
                thread b {{ local r, s; r = y.load(acq); if (r == 1) {{ s = x.load(rlx); }} }}"
            );
            fencepost_lower::load(fencepost_lower::Language::Fp, &text).program.expect("a program")
        };
        let programs: Vec<Program> = ["acq", "rel", "acqrel", "sc"].iter().map(looping).collect();
        let with_fences = ["rc20", "cpp20"].map(|name| models::by_name(name).expect("a model"));
        let ask = |program| with_fences.map(|model| Question { program, model, observational: false });
        let questions: Vec<Question<'_>> = programs.iter().flat_map(ask).collect();
        assert_eq!(assert_agreement(&questions), questions.len());
    }
}
