//! `cargo xtask bench`: what questions cost, us and others.

mod against;
mod attacks;
mod chart;
mod device;
mod families;
mod files;
mod kept;
mod locks;
mod machine;
mod measure;
mod papers;
mod plot;
pub(crate) mod process;
mod raw;
mod sanitizer;
mod schedules;
mod table;
pub(crate) mod text;
mod verify;

use std::path::{Path, PathBuf};

use families::{FAMILIES, Family, SMALLEST};
use machine::Machine;
use measure::Tools;
use papers::PUBLISHED;
use raw::{Decision, Key, Limits, Raw, Row, Run, decided};

/// Members of families beyond this size are not tried, even if everybody is still fast.
const LARGEST: usize = 24;
/// A second core is tried where one needs more seconds than this.
const LONG: f64 = 5.0;
/// Where the members of families are written for the tools to read.
const PROGRAMS: &str = "target/bench/programs";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    match arguments.split_first() {
        Some((kind, rest)) if kind == "against" => against::run(rest),
        Some((kind, rest)) if kind == "attacks" => attacks::run(rest),
        Some((kind, rest)) if kind == "device" => device::run(rest),
        Some((kind, rest)) if kind == "files" => files::run(rest),
        Some((kind, rest)) if kind == "static" => measure_all(rest),
        Some((kind, rest)) if kind == "sanitizer" => sanitizer::run(rest),
        Some((kind, rest)) if kind == "schedules" => schedules::run(rest),
        Some((kind, rest)) if kind == "verify" => verify::run(rest),
        Some((kind, [file, seconds, bytes])) if kind == "verify-one" => verify::one(file, seconds, bytes),
        Some((kind, [])) if kind == "report" => report_all(),
        Some((kind, [dir])) if kind == "families" => write_families(Path::new(dir)),
        _ => Err("bench what? `files [PATH...]`, `attacks [PATH...]`, `device FILE@MODEL...`, `static [NAME...] [--seconds S] [--memory GIB] [--fresh]`, \
                  `against BINARY [NAME...] [--seconds S] [--memory GIB]`, \
                  `sanitizer [NAME...] [--runs N] [--fresh]`, `schedules [--seconds S]`, `verify [NAME...] [--seconds S] [--memory GIB] [--fresh]`, `report`, or `families DIR`"
            .into()),
    }
}

/// What was asked for on the command line.
struct Options {
    limits: Limits,
    fresh: bool,
    /// Parts of names of programs; none means all.
    names: Vec<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Options { limits: Limits { seconds: 60, gibibytes: 8 }, fresh: false, names: Vec::new() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut number = || -> Result<u64, String> {
                let value = arguments.next().ok_or_else(|| format!("{argument} needs a number"))?;
                value.parse().map_err(|_| format!("{argument} needs a number, not `{value}`"))
            };
            match argument.as_str() {
                "--seconds" => options.limits.seconds = number()?,
                "--memory" => options.limits.gibibytes = number()?,
                "--fresh" => options.fresh = true,
                flag if flag.starts_with('-') => return Err(format!("unknown option `{flag}`")),
                name => options.names.push(name.to_string()),
            }
        }
        Ok(options)
    }

    fn selects(&self, program: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| program.contains(name.as_str()))
    }
}

/// A run of the whole: what to measure with, where the figures go.
struct Session {
    tools: Tools,
    raw: Raw,
    path: PathBuf,
}

fn measure_all(arguments: &[String]) -> Result<(), String> {
    let options = Options::parse(arguments)?;
    let path = Raw::path();
    std::fs::create_dir_all(PROGRAMS).map_err(|error| format!("{PROGRAMS}: {error}"))?;
    let tools = Tools::find()?;
    let mut raw = Raw {
        machine: Machine::this(&[("spin", "-V"), ("gcc", "--version")]),
        limits: options.limits,
        rows: Vec::new(),
    };
    if let Some(earlier) = kept::load::<Raw>(&path)? {
        raw.rows = earlier.rows;
        if options.fresh {
            raw.rows.retain(|row| !options.selects(&row.key.program));
        }
        if earlier.limits != options.limits && !raw.rows.is_empty() {
            return Err(format!("{} was measured with other limits; measure everything --fresh", path.display()));
        }
    }
    let mut session = Session { tools, raw, path };
    println!("{}", session.raw.machine.describe());
    println!("{}", table::progress_header());
    for (key, file) in published(&options) {
        session.measure(&key, &file, None)?;
    }
    // One model after the other: whoever interrupts this has all families of the first.
    for model in fencepost_model::models::monitored() {
        for family in FAMILIES.iter().filter(|family| family.models.contains(&model.name())) {
            session.measure_family(family, model.name(), &options)?;
        }
    }
    report()?;
    let wrong = disagreements(&session.raw.rows);
    if wrong.is_empty() { Ok(()) } else { Err(format!("fencepost and SPIN disagree on {}", wrong.join(", "))) }
}

/// The questions of the published tables that were asked for, and where the programs are.
fn published(options: &Options) -> impl Iterator<Item = (Key, PathBuf)> {
    PUBLISHED.iter().filter(|published| options.selects(published.program)).map(|published| {
        let key = Key {
            program: published.program.to_string(),
            model: published.table.model().to_string(),
            observational: published.observational,
        };
        (key, Path::new("litmus/algorithms").join(published.program).with_extension("fp"))
    })
}

/// Does a tool get a question of this size, given how it did on the size before?
fn goes_on(before: Option<&Row>, tool: impl Fn(&Row) -> Option<&Run>) -> bool {
    before.is_none_or(|row| decided(tool(row)).is_some())
}

impl Session {
    /// Measures larger and larger members until nobody decides them.
    fn measure_family(&mut self, family: &Family, model: &str, options: &Options) -> Result<(), String> {
        let mut before: Option<Row> = None;
        for n in SMALLEST..=LARGEST {
            let program = family.member(n);
            let key = Key { program: program.clone(), model: model.to_string(), observational: false };
            // An unselected member still tells how far each tool got.
            if !options.selects(&program) {
                before = self.raw.row(&key).cloned().or(before);
                continue;
            }
            let file = Path::new(PROGRAMS).join(&program).with_extension("fp");
            std::fs::write(&file, family.source(n)).map_err(|error| format!("{}: {error}", file.display()))?;
            let row = self.measure(&key, &file, before.as_ref())?;
            if [&row.fencepost, &row.spin, &row.spin_sc].iter().all(|run| decided(run.as_ref()).is_none()) {
                break;
            }
            before = Some(row);
        }
        Ok(())
    }

    /// Runs every tool that has not been run on this question yet, and that decided the smaller one
    /// `before` it.
    fn measure(&mut self, key: &Key, file: &Path, before: Option<&Row>) -> Result<Row, String> {
        let limits = self.raw.limits;
        let mut row = self.raw.row_mut(key).clone();
        if row.fencepost.is_none() && goes_on(before, |row| row.fencepost.as_ref()) {
            row.fencepost = Some(self.tools.fencepost(file, key, 1, &limits)?);
            self.keep(&row)?;
        }
        let is_long = row.fencepost.as_ref().is_some_and(|run| run.search > LONG);
        if row.two_jobs.is_none() && self.tools.jobs && is_long {
            row.two_jobs = Some(self.tools.fencepost(file, key, 2, &limits)?);
            self.keep(&row)?;
        }
        if row.spin.is_none() && self.tools.spin && goes_on(before, |row| row.spin.as_ref()) {
            row.spin = Some(self.tools.spin(file, key, &limits).unwrap_or_else(|reason| cannot_ask(key, reason)));
            self.keep(&row)?;
        }
        if row.spin_sc.is_none() && self.tools.spin && goes_on(before, |row| row.spin_sc.as_ref()) {
            let sc = Key { model: "sc".to_string(), observational: false, ..key.clone() };
            // The same for every model, so perhaps known already.
            let known = self.raw.rows.iter().filter(|row| row.key.program == key.program);
            row.spin_sc = known.filter_map(|row| row.spin_sc.clone()).next();
            if row.spin_sc.is_none() {
                row.spin_sc =
                    Some(self.tools.spin(file, &sc, &limits).unwrap_or_else(|reason| cannot_ask(&sc, reason)));
            }
            self.keep(&row)?;
        }
        println!("{}", table::progress(&row, &limits));
        Ok(row)
    }

    fn keep(&mut self, row: &Row) -> Result<(), String> {
        *self.raw.row_mut(&row.key) = row.clone();
        kept::save(&self.raw, &self.path)
    }
}

/// One program that SPIN cannot be asked about must not end hours of measuring; but it must be
/// seen.
fn cannot_ask(key: &Key, reason: String) -> Run {
    println!("{} ({}): SPIN cannot be asked: {reason}", key.program, key.model);
    Run::impossible(reason)
}

/// Questions that two tools answered differently.
fn disagreements(rows: &[Row]) -> Vec<String> {
    let answers = |row: &Row| -> Vec<Decision> {
        let runs = [&row.fencepost, &row.two_jobs, &row.spin];
        runs.into_iter().filter_map(|run| decided(run.as_ref())).map(|run| run.decision.clone()).collect()
    };
    rows.iter()
        .filter(|row| answers(row).windows(2).any(|pair| pair[0] != pair[1]))
        .map(|row| format!("{} ({})", row.key.program, row.key.model))
        .collect()
}

/// Tables and plots of whatever was measured.
fn report_all() -> Result<(), String> {
    if Raw::path().exists() {
        report()?;
    }
    sanitizer::report()?;
    schedules::report()?;
    verify::report()
}

/// Table and plots from what was measured.
fn report() -> Result<(), String> {
    let path = Raw::path();
    let raw = kept::load::<Raw>(&path)?.ok_or_else(|| format!("{}: nothing measured yet", path.display()))?;
    text::insert_in_page("static", &table::render(&raw))?;
    plot::draw_all(&raw, Path::new("docs/plots"))?;
    println!("docs/benchmarks.md and docs/plots are up to date with {}", path.display());
    Ok(())
}

/// Writes the smaller members of every family as files.
fn write_families(dir: &Path) -> Result<(), String> {
    std::fs::create_dir_all(dir).map_err(|error| format!("{}: {error}", dir.display()))?;
    for family in FAMILIES {
        for n in SMALLEST..=LARGEST {
            let file = dir.join(family.member(n)).with_extension("fp");
            std::fs::write(&file, family.source(n)).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(text: &str) -> Result<Options, String> {
        Options::parse(&text.split_whitespace().map(str::to_string).collect::<Vec<_>>())
    }

    fn run(decision: Decision) -> Option<Run> {
        Some(Run { decision, ..Run::impossible(String::new()) })
    }

    fn row(fencepost: Option<Run>, spin: Option<Run>) -> Row {
        let key = Key { program: "p".into(), model: "ra".into(), observational: false };
        Row { key, fencepost, two_jobs: None, spin, spin_sc: None }
    }

    #[test]
    fn options_are_read() {
        let all = options("").expect("nothing is fine");
        assert_eq!((all.limits, all.fresh), (Limits { seconds: 60, gibibytes: 8 }, false));
        assert!(all.selects("anything"));
        let some = options("--seconds 5 lamport --fresh --memory 2 spin").expect("all of it is known");
        assert_eq!((some.limits, some.fresh), (Limits { seconds: 5, gibibytes: 2 }, true));
        assert!(some.selects("lamport2-ra") && some.selects("spinlock") && !some.selects("rcu"));
        for wrong in ["--seconds", "--seconds soon", "--faster"] {
            assert!(options(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tool_that_failed_on_the_smaller_program_is_not_asked_again() {
        let before = row(run(Decision::Holds), run(Decision::Undecided("time".into())));
        assert!(goes_on(None, |row| row.spin.as_ref()));
        assert!(goes_on(Some(&before), |row| row.fencepost.as_ref()));
        assert!(!goes_on(Some(&before), |row| row.spin.as_ref()));
        assert!(!goes_on(Some(&before), |row| row.spin_sc.as_ref()));
    }

    #[test]
    fn only_answers_can_disagree() {
        let same = row(run(Decision::Holds), run(Decision::Holds));
        let open = row(run(Decision::Violated), run(Decision::Undecided("time".into())));
        let wrong = row(run(Decision::Violated), run(Decision::Holds));
        assert_eq!(disagreements(&[same, open]), Vec::<String>::new());
        assert_eq!(disagreements(&[wrong]), ["p (ra)"]);
    }
}
