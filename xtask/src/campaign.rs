//! Many generated programs, every model and every engine, against the definitions.
//!
//! The tests compare a few thousand programs of each kind, so that they end soon. This is the same
//! comparison without that limit. Each difference is shrunk and kept as a file: it becomes part of
//! the corpus.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Instant;

use fencepost_check::{Engine, Options, Question, Reductions};
use fencepost_ir::Program;
use fencepost_model::Model;
use fencepost_model::models::{MODELS, reference};
use fencepost_oracle::enumerate::{Answer, robust};
use fencepost_oracle::{Finals, finals};
use fencepost_testkit::forbid::forbidding;
use fencepost_testkit::generate::{self, Options as Generate};
use fencepost_testkit::in_parallel;
use fencepost_testkit::random::Random;
use fencepost_testkit::shrink::shrink;
use fencepost_verdict::{Budget, Verdict};

/// States ⟨q, G⟩ of the definitions that are enough for nearly all programs.
const LIMIT: usize = 1_000;
/// States that an engine may visit.
const MOST_STATES: u64 = 50_000;
/// Programs between two lines that say how far it is.
const BATCH: u64 = 2_000;

/// An engine that answers one of two questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Is the program robust? With all reductions or without.
    Check(Reductions),
    /// Does nothing go wrong in the model?
    Verify(Engine),
}

const WAYS: [(&str, Way); 8] = [
    ("check", Way::Check(Reductions::ALL)),
    ("check, unreduced", Way::Check(Reductions::NONE)),
    ("verify: enumeration", Way::Verify(Engine::Oracle)),
    ("verify: exploration", Way::Verify(Engine::Exploration)),
    ("verify: robustness", Way::Verify(Engine::Robustness)),
    ("verify: search", Way::Verify(Engine::Search)),
    ("verify: views", Way::Verify(Engine::Views)),
    ("verify: coverability", Way::Verify(Engine::Coverability)),
];

/// What was compared, by model and way.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    /// Programs that engine and definitions both have an answer for.
    compared: u64,
    /// Those that are not robust, or go wrong.
    bad: u64,
    /// Those among them that are well under SC.
    weak: u64,
    /// Those about which they differ.
    different: u64,
}

type Counts = BTreeMap<(&'static str, usize), Count>;

/// A difference, small.
struct Difference {
    way: &'static str,
    model: &'static str,
    seed: u64,
    what: String,
    text: String,
}

/// `[--programs N] [--from SEED] [MODEL...]`
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut programs, mut from, mut names) = (200_000, 0, Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let text = arguments.next().ok_or_else(|| format!("{argument} takes a number"))?;
            text.parse::<u64>().map_err(|_| format!("{argument} takes a number, not {text}"))
        };
        match argument.as_str() {
            "--programs" => programs = number()?,
            "--from" => from = number()?,
            name => names.push(name.to_owned()),
        }
    }
    let chosen = |model: &&dyn Model| names.is_empty() || names.iter().any(|name| name == model.name());
    let models: Vec<&'static dyn Model> = MODELS.iter().copied().filter(chosen).collect();
    if models.is_empty() || names.iter().any(|name| !models.iter().any(|model| model.name() == name)) {
        return Err(format!("no such model among {names:?}"));
    }
    let start = Instant::now();
    let mut counts = Counts::new();
    let mut differences = Vec::new();
    for batch in 0..programs.div_ceil(BATCH) {
        let seeds = from + batch * BATCH..from + programs.min((batch + 1) * BATCH);
        for (some, found) in in_parallel(seeds, |seed| compare(seed, &models)) {
            for (key, count) in some {
                let sum = counts.entry(key).or_default();
                sum.compared += count.compared;
                sum.bad += count.bad;
                sum.weak += count.weak;
                sum.different += count.different;
            }
            differences.extend(found);
        }
        let (done, seconds) = (programs.min((batch + 1) * BATCH), start.elapsed().as_secs());
        eprintln!("{done} of {programs} programs, {seconds} s, {} differences", differences.len());
    }
    print(&counts);
    keep(&differences)
}

/// A program of a kind that goes with its seed. Every other one asserts something that is true under
/// SC.
fn program(seed: u64) -> Program {
    let options = Generate {
        total_accesses: 6 + (seed % 2) as usize,
        light: seed.is_multiple_of(3),
        copies: seed.is_multiple_of(5),
        dense: Some(!seed.is_multiple_of(4)),
        ..Generate::default()
    };
    let program = generate::program(seed + (60 << 32), &options);
    match (seed / 2).is_multiple_of(2) {
        true => program,
        false => forbidding(&program, &mut Random::new(seed), |program, observed| {
            let found = finals(program, reference(), observed, LIMIT as u64, &|| false).ok()?;
            Some(found.executions.into_keys().collect())
        }),
    }
}

/// What the definitions say, where they come to an end.
#[derive(Clone, Copy)]
struct Truth {
    is_robust: Option<bool>,
    is_safe: Option<bool>,
}

impl Truth {
    fn of(program: &Program, model: &'static dyn Model) -> Self {
        let is_robust = match robust(program, model, LIMIT) {
            Answer::Robust => Some(true),
            Answer::Violation(_) => Some(false),
            Answer::TooLarge => None,
        };
        let is_safe = |found: Finals| found.race.is_none() && found.failure.is_none();
        Truth { is_robust, is_safe: finals(program, model, &[], LIMIT as u64, &|| false).ok().map(is_safe) }
    }

    /// Is all well, as far as an engine is asked?
    fn about(self, way: Way) -> Option<bool> {
        match way {
            Way::Check(_) => self.is_robust,
            Way::Verify(_) => self.is_safe,
        }
    }
}

/// Is all well, says the engine? `None` if it does not say. A panic is a wrong answer.
fn ask(way: Way, program: &Program, model: &'static dyn Model) -> Result<Option<bool>, String> {
    catch_unwind(AssertUnwindSafe(|| answer(way, program, model))).unwrap_or_else(|_| Err("a panic".into()))
}

fn answer(way: Way, program: &Program, model: &'static dyn Model) -> Result<Option<bool>, String> {
    let budget = Budget { max_states: MOST_STATES, ..Budget::unlimited() };
    match way {
        Way::Check(reductions) => {
            let options = Options { reductions, ..Options::default() };
            let outcome =
                Question::new(program, model).with(options).robustness(&budget).map_err(|error| error.to_string())?;
            Ok(match outcome.verdict {
                Verdict::Holds => Some(true),
                Verdict::Violated(_) => Some(false),
                Verdict::Unknown(_) => None,
            })
        }
        Way::Verify(engine) => {
            let answer = Question::new(program, model).by(engine).safety(&budget);
            let result = answer.map_err(|error| error.to_string())?.result;
            Ok(result.ok().map(|verified| verified.race.is_none() && verified.failing.is_none()))
        }
    }
}

/// An answer, beside that of the definitions.
struct Compared {
    /// Is all well, by definition?
    well: bool,
    /// What the engine says, if that is something else.
    difference: Option<String>,
}

/// Nothing if either has no answer.
fn put(way: Way, program: &Program, model: &'static dyn Model, truth: Truth) -> Option<Compared> {
    let well = truth.about(way)?;
    let difference = match ask(way, program, model) {
        Err(error) => Some(error),
        Ok(answer) => {
            Some(answer?).filter(|&answer| answer != well).map(|it| format!("{it}, but by definition {well}"))
        }
    };
    Some(Compared { well, difference })
}

fn compare(seed: u64, models: &[&'static dyn Model]) -> (Counts, Vec<Difference>) {
    let program = program(seed);
    let under_sc = Truth::of(&program, reference());
    let (mut counts, mut differences) = (Counts::new(), Vec::new());
    for &model in models {
        let truth = Truth::of(&program, model);
        for (index, (name, way)) in WAYS.into_iter().enumerate() {
            let Some(Compared { well, difference }) = put(way, &program, model, truth) else { continue };
            let count: &mut Count = counts.entry((model.name(), index)).or_default();
            count.compared += 1;
            count.bad += u64::from(!well);
            count.weak += u64::from(!well && under_sc.about(way) == Some(true));
            if difference.is_none() {
                continue;
            }
            count.different += 1;
            let difference = |program: &Program| put(way, program, model, Truth::of(program, model))?.difference;
            let small = shrink(&program, |smaller| difference(smaller).is_some());
            let what = difference(&small).unwrap_or_default();
            let text = fencepost_lower::print(&small);
            differences.push(Difference { way: name, model: model.name(), seed, what, text });
        }
    }
    (counts, differences)
}

fn print(counts: &Counts) {
    println!("{:6} {:22} {:>9} {:>9} {:>9} {:>9}", "model", "engine", "compared", "not well", "only here", "different");
    for ((model, way), count) in counts.iter().filter(|(_, count)| count.compared > 0) {
        let Count { compared, bad, weak, different } = count;
        println!("{model:6} {:22} {compared:>9} {bad:>9} {weak:>9} {different:>9}", WAYS[*way].0);
    }
}

/// Writes every difference to a file.
fn keep(differences: &[Difference]) -> Result<(), String> {
    let folder = Path::new("target/campaign");
    if differences.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for Difference { way, model, seed, what, text } in differences {
        let file = folder.join(format!("{model}-{seed}-{}.fp", way.replace([' ', ':', ','], "")));
        let text = format!("// {way}, {model}, seed {seed}: {what}\n{text}");
        fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("{}", file.display());
    }
    Err(format!("{} differences", differences.len()))
}
