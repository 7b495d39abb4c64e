//! The programs of `sanitizer/` and what their comments expect. The language is described in
//! `sanitizer/README.md`.

use std::fs;
use std::path::{Path, PathBuf};

/// One program, compiled in one way.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    /// Path within `sanitizer/`, and the name of the case if there are several.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) cpp: bool,
    /// Options of the compiler.
    pub(crate) flags: Vec<String>,
    /// A header without which it cannot be built: not every compiler has it, with these options.
    pub(crate) needs: Option<String>,
    /// A library to be built first, in the folder `plugins` beside the program.
    pub(crate) library: Option<PathBuf>,
    pub(crate) expected: Expected,
    /// Reports that may be there, besides.
    pub(crate) allowed: Vec<Finding>,
    /// What follows from reports, when they are provoked.
    pub(crate) ranks: Vec<Ranked>,
    /// What reports suggest, if that is said: all of it, each in some run, and nothing else.
    pub(crate) suggested: Vec<Suggested>,
    pub(crate) runs: Vec<RunLine>,
    /// The program's own exit code, if it is known.
    pub(crate) exit: Option<i32>,
    /// Atomic accesses that the summary must have counted, at least.
    pub(crate) accesses: u64,
    /// A program in `.fp` that does the same, relative to the repository.
    pub(crate) twin: Option<PathBuf>,
    /// Does it wait for something that no schedule controls? Then a seed need not give the same run
    /// again.
    pub(crate) waits_outside: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Expected {
    /// No report at all.
    Silent,
    /// Nothing breaks.
    Anything,
    /// No report, and every run ends because all threads wait.
    Deadlock,
    /// All of these, each in some run, and no others.
    Findings(Vec<Finding>),
}

/// What a report must look like; what is not said may be anything.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// As it is written.
    pub(crate) text: String,
    pub(crate) kind: Option<String>,
    pub(crate) op: Option<String>,
    pub(crate) location: Option<String>,
    /// Lines of the access and of the other one, in any order, in the file of this name.
    pub(crate) lines: Vec<u64>,
    pub(crate) file: String,
    /// Does it say that a lock or an atomic variable is missing?
    pub(crate) unguarded: bool,
}

impl Finding {
    /// Any report.
    pub(crate) fn any() -> Finding {
        Finding {
            text: "a report".into(),
            kind: None,
            op: None,
            location: None,
            lines: Vec::new(),
            file: String::new(),
            unguarded: false,
        }
    }
}

impl Expected {
    /// What must be found.
    pub(crate) fn findings(&self) -> &[Finding] {
        match self {
            Expected::Findings(findings) => findings,
            Expected::Silent | Expected::Anything | Expected::Deadlock => &[],
        }
    }
}

/// What follows from a report.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    /// Its rank, as a number.
    pub(crate) rank: u64,
    /// What happens, if that is said.
    pub(crate) effect: Option<String>,
    /// The report.
    pub(crate) finding: Finding,
}

/// A change that a report suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suggested {
    /// In words.
    pub(crate) change: String,
    pub(crate) line: u64,
}

/// One line of options for `fencepost run`, tried with several seeds.
#[derive(Clone, Debug)]
pub(crate) struct RunLine {
    pub(crate) options: Vec<String>,
    pub(crate) seeds: Seeds,
    /// Arguments of the program; `SEED` stands for the seed.
    pub(crate) args: Vec<String>,
    /// Must every run find everything?
    pub(crate) every: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Seeds {
    /// As many runs, the seed left open.
    Runs(u64),
    /// The seeds from the first up to, but not including, the second.
    Range(u64, u64),
}

impl Case {
    /// Is it only about what follows from reports? That does not depend on the compiler.
    pub(crate) fn is_about_ranks(&self) -> bool {
        !self.ranks.is_empty() && matches!(self.expected, Expected::Anything)
    }

    /// The same with a quarter of the runs, unless something is to be found, which ends them anyway.
    /// For a further compiler: it inserts other calls, and a few runs show these.
    pub(crate) fn in_short(&self) -> Case {
        let mut short = self.clone();
        if !matches!(self.expected, Expected::Findings(_)) {
            short.runs.iter_mut().for_each(|line| line.seeds = line.seeds.quarter());
        }
        short
    }
}

impl Seeds {
    fn quarter(self) -> Seeds {
        match self {
            Seeds::Runs(runs) => Seeds::Runs(runs.div_ceil(4)),
            Seeds::Range(from, to) => Seeds::Range(from, from + (to - from).div_ceil(4)),
        }
    }
}

/// What is tried if a program does not say.
const DEFAULT_RUNS: [&str; 3] =
    ["--schedule os --runs 3", "--schedule random --seeds 0..20", "--schedule pct:3 --seeds 0..20"];
/// The exit code of a program whose threads all wait.
const DEADLOCK: i32 = 67;
/// `-g`, because reports are compared by line.
const DEFAULT_BUILD: &str = "-O1";

/// All cases, in the order of their names.
pub(crate) fn cases(root: &Path) -> Vec<Case> {
    let suite = root.join("sanitizer");
    let mut paths = Vec::new();
    // Tests of which every schedule is explored say something else.
    let is_of_suite = |path: &PathBuf| path.is_dir() && !path.ends_with("explored");
    for folder in entries(&suite).into_iter().filter(is_of_suite) {
        let is_source = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "c" || ext == "cpp");
        paths.extend(entries(&folder).into_iter().filter(is_source));
    }
    assert!(paths.len() > 40, "the suite is there");
    paths.iter().flat_map(|path| read(&suite, path)).collect()
}

pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// Comments, as they are collected.
#[derive(Clone, Debug, Default)]
struct Section {
    name: Option<String>,
    flags: Vec<String>,
    build: Option<Vec<String>>,
    needs: Option<String>,
    library: Option<String>,
    silent: bool,
    anything: bool,
    deadlock: bool,
    findings: Vec<Finding>,
    allowed: Vec<Finding>,
    ranks: Vec<Ranked>,
    suggested: Vec<Suggested>,
    runs: Vec<RunLine>,
    exit: i32,
    accesses: u64,
    twin: Option<String>,
    waits_outside: bool,
}

fn read(suite: &Path, path: &Path) -> Vec<Case> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let parse = Parser { path, text: &text };
    let (mut common, mut sections): (Section, Vec<Section>) = Default::default();
    for line in text.lines() {
        let Some((key, value)) = line.strip_prefix("// ").and_then(|line| line.split_once(':')) else { continue };
        let value = value.trim();
        if let Some(name) = key.strip_prefix("case ") {
            sections.push(Section { name: Some(name.into()), flags: words(value), ..common.clone() });
            sections.last_mut().expect("just pushed").runs.clear();
            continue;
        }
        let section = sections.last_mut().unwrap_or(&mut common);
        match key {
            "expect" if value == "silent" => section.silent = true,
            "expect" if value == "anything" => section.anything = true,
            "expect" if value == "deadlock" => (section.deadlock, section.exit) = (true, DEADLOCK),
            "expect" => section.findings.push(parse.finding(value)),
            "allow" => section.allowed.push(parse.finding(value)),
            "rank" => section.ranks.push(parse.ranked(value)),
            "suggest" => section.suggested.push(parse.suggested(value)),
            "run" | "run every" => section.runs.push(parse.run(value, key == "run every")),
            "build" => section.build = Some(words(value)),
            "needs" => section.needs = Some(value.into()),
            "library" => section.library = Some(value.into()),
            "exit" => section.exit = value.parse().unwrap_or_else(|_| parse.fail("exit: a number")),
            "accesses" => section.accesses = value.parse().unwrap_or_else(|_| parse.fail("accesses: a number")),
            "twin" => section.twin = Some(value.into()),
            "waits for" => section.waits_outside = true,
            _ => {}
        }
    }
    for section in &mut sections {
        if section.runs.is_empty() {
            section.runs = common.runs.clone();
        }
    }
    if sections.is_empty() {
        sections.push(common);
    }
    let file = path.strip_prefix(suite).expect("within the suite").display().to_string();
    sections.into_iter().map(|section| case(&parse, &file, section)).collect()
}

fn case(parse: &Parser<'_>, file: &str, section: Section) -> Case {
    let expected = match (section.silent, section.anything, section.deadlock, section.findings) {
        (true, false, false, findings) if findings.is_empty() => Expected::Silent,
        (false, true, false, findings) if findings.is_empty() => Expected::Anything,
        (false, false, true, findings) if findings.is_empty() => Expected::Deadlock,
        (false, false, false, findings) if !findings.is_empty() => Expected::Findings(findings),
        _ => parse.fail("a case expects `silent`, or `anything`, or `deadlock`, or some findings"),
    };
    let mut flags = section.build.unwrap_or_else(|| words(DEFAULT_BUILD));
    flags.extend(section.flags);
    let runs = if section.runs.is_empty() {
        DEFAULT_RUNS.iter().map(|line| parse.run(line, false)).collect()
    } else {
        section.runs
    };
    let folder = parse.path.parent().expect("a file is in a folder");
    Case {
        name: section.name.map_or_else(|| file.to_string(), |name| format!("{file}#{name}")),
        path: parse.path.to_path_buf(),
        cpp: parse.path.extension().is_some_and(|ext| ext == "cpp"),
        flags,
        needs: section.needs,
        library: section.library.map(|library| folder.join("plugins").join(library)),
        expected,
        allowed: section.allowed,
        ranks: section.ranks,
        suggested: section.suggested,
        runs,
        exit: Some(section.exit),
        accesses: section.accesses,
        twin: section.twin.map(PathBuf::from),
        waits_outside: section.waits_outside,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_string).collect()
}

struct Parser<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Parser<'_> {
    fn fail(&self, message: &str) -> ! {
        panic!("{}: {message}", self.path.display())
    }

    /// `KIND [OP] [of LOCATION] [at @MARK [and @MARK]] [unguarded]`
    fn finding(&self, text: &str) -> Finding {
        let mut words = text.split_whitespace().peekable();
        let kind = match words.next() {
            Some(kind @ ("robustness" | "race")) => kind.to_string(),
            _ => self.fail(&format!("`{text}` is neither `robustness …` nor `race …`")),
        };
        let op = words.next_if(|word| !matches!(*word, "of" | "at" | "unguarded")).map(str::to_string);
        let mut location = None;
        if words.next_if_eq(&"of").is_some() {
            location = Some(words.next().unwrap_or_else(|| self.fail("of what?")).to_string());
        }
        let mut lines = Vec::new();
        if words.next_if_eq(&"at").is_some() {
            loop {
                lines.push(self.mark(words.next().unwrap_or_else(|| self.fail("at what?"))));
                if words.next_if_eq(&"and").is_none() {
                    break;
                }
            }
        }
        let unguarded = words.next_if_eq(&"unguarded").is_some();
        if let Some(word) = words.next() {
            self.fail(&format!("`{word}` in `{text}`"));
        }
        let file = self.path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        Finding { text: text.into(), kind: Some(kind), op, location, lines, file, unguarded }
    }

    /// `RANK [EFFECT] [FINDING]`
    fn ranked(&self, text: &str) -> Ranked {
        let (rank, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rank = match rank {
            "race" => 1,
            "failure" => 2,
            "passed-on" => 3,
            "harmless" => 4,
            _ => self.fail(&format!("`{text}` does not begin with a rank")),
        };
        let effects =
            ["assertion ", "signal ", "deadlock ", "hang ", "exit-code ", "address ", "value ", "race robustness "];
        let effect = effects
            .iter()
            .find(|effect| rest.starts_with(**effect))
            .map(|effect| effect.split_once(' ').map_or("", |(effect, _)| effect));
        let finding = match rest.strip_prefix(effect.unwrap_or_default()).unwrap_or(rest).trim() {
            "" => Finding::any(),
            finding => self.finding(finding),
        };
        Ranked { rank, effect: effect.map(str::to_string), finding }
    }

    /// `CHANGE at @MARK`
    fn suggested(&self, text: &str) -> Suggested {
        let (change, mark) = text.rsplit_once(" at ").unwrap_or_else(|| self.fail(&format!("`{text}`: at what?")));
        Suggested { change: change.into(), line: self.mark(mark) }
    }

    /// The line that ends in `// @MARK`.
    fn mark(&self, mark: &str) -> u64 {
        let ends = |line: &str| line.ends_with(&format!("// {mark}"));
        let mut marked =
            self.text.lines().enumerate().filter(|(_, line)| ends(line)).map(|(index, _)| index as u64 + 1);
        match (mark.starts_with('@'), marked.next(), marked.next()) {
            (true, Some(line), None) => line,
            _ => self.fail(&format!("`{mark}` is not the mark of exactly one line")),
        }
    }

    /// `OPTIONS [--runs N | --seeds A..B] [-- ARGUMENTS]`
    fn run(&self, text: &str, every: bool) -> RunLine {
        let (mut options, mut seeds, mut args) = (Vec::new(), Seeds::Runs(1), Vec::new());
        let mut words = text.split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "--" => args = words.by_ref().map(str::to_string).collect(),
                "--runs" => {
                    let runs = words.next().and_then(|runs| runs.parse().ok());
                    seeds = Seeds::Runs(runs.unwrap_or_else(|| self.fail("--runs N")));
                }
                "--seeds" => {
                    let range = words.next().and_then(|range| range.split_once(".."));
                    let range = range.and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
                    let (from, to) = range.unwrap_or_else(|| self.fail("--seeds A..B"));
                    seeds = Seeds::Range(from, to);
                }
                _ => options.push(word.to_string()),
            }
        }
        RunLine { options, seeds, args, every }
    }
}
