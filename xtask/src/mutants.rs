//! `cargo xtask mutants`: a test suite that cannot fail proves nothing. Break
//! one rule at a time in a copy of the sources and expect the tests to notice.

mod list;
mod together;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use list::{Judge, Mutant};
use together::{Combined, READER, VARIABLE, combine};

/// A copy of the sources, to be broken.
struct Copy {
    tree: PathBuf,
    survivors: Vec<&'static str>,
    tried: usize,
    all: usize,
}

/// `[GROUP | NAME | FOLDER]...`
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    // A name, the group that it begins with, or the folder of what is broken.
    let is_meant = |mutant: &Mutant, word: &String| {
        let group = mutant.name.split(':').next();
        word == mutant.name || Some(word.as_str()) == group || mutant.file.starts_with(word)
    };
    let is_wanted = |mutant: &&Mutant| arguments.is_empty() || arguments.iter().any(|word| is_meant(mutant, word));
    let selected: BTreeMap<usize, &'static Mutant> = (1..).zip(list::all().filter(is_wanted)).collect();
    if selected.is_empty() {
        return Err(format!("no mutant is called {}", arguments.join(", ")));
    }
    let tree = PathBuf::from("target/mutants/tree");
    let mut copy = Copy { tree, survivors: Vec::new(), tried: 0, all: selected.len() };
    let alone = copy.try_together(&selected)?;
    copy.restore()?;
    copy.try_alone(&alone)?;
    println!("{} of {} mutants caught", copy.all - copy.survivors.len(), copy.all);
    if copy.survivors.is_empty() { Ok(()) } else { Err(format!("not noticed: {}", copy.survivors.join(", "))) }
}

impl Copy {
    /// Makes it a copy of everything under version control, as it is in the work tree. What has not
    /// changed is left alone, so that it need not be compiled again.
    fn restore(&self) -> Result<(), String> {
        let listing = Command::new("git").args(["ls-files", "-z"]).output().map_err(|error| error.to_string())?;
        for name in String::from_utf8_lossy(&listing.stdout).split('\0').filter(|name| !name.is_empty()) {
            // It may have been removed, and the removal not yet be recorded.
            if let Ok(content) = std::fs::read(name) {
                self.write(name, &content)?;
            }
        }
        Ok(())
    }

    fn write(&self, name: &str, content: &[u8]) -> Result<(), String> {
        let target = self.tree.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        if std::fs::read(&target).is_ok_and(|there| there == content) {
            return Ok(());
        }
        std::fs::write(&target, content).map_err(|error| format!("{name}: {error}"))
    }

    /// Tries what can be compiled together, and returns the rest.
    fn try_together(&mut self, selected: &BTreeMap<usize, &'static Mutant>) -> Result<Vec<&'static Mutant>, String> {
        let mut together = selected.clone();
        // What the compiler does not accept is tried alone, until it accepts all that is left.
        loop {
            let lines = self.write_together(&together)?;
            together.retain(|number, _| lines.contains_key(number));
            let refused = self.refused(&together, &lines)?;
            if refused.is_empty() {
                break;
            }
            together.retain(|number, _| !refused.contains(number));
        }
        println!("{} of {} mutants compiled together", together.len(), selected.len());
        self.expect_success(together.values())?;
        for (&number, mutant) in &together {
            self.judge(mutant, number)?;
        }
        Ok(selected.iter().filter(|(number, _)| !together.contains_key(number)).map(|(_, mutant)| *mutant).collect())
    }

    /// Writes the mutants beside what they break; the file and the lines of each.
    fn write_together(
        &self,
        mutants: &BTreeMap<usize, &'static Mutant>,
    ) -> Result<BTreeMap<usize, (&'static str, std::ops::Range<usize>)>, String> {
        self.restore()?;
        let mut files: BTreeMap<&str, Vec<(usize, &Mutant)>> = BTreeMap::new();
        mutants.iter().for_each(|(number, mutant)| files.entry(mutant.file).or_default().push((*number, mutant)));
        let mut places = BTreeMap::new();
        for (file, mutants) in files {
            let source = read(Path::new(file))?;
            for (_, mutant) in &mutants {
                is_once(&source, mutant)?;
            }
            let Combined { text, lines } = combine(&source, &mutants);
            self.write(file, text.as_bytes())?;
            places.extend(lines.into_iter().map(|(number, lines)| (number, (file, lines))));
            let (folder, _) = file.split_once("/src/").ok_or_else(|| format!("{file} is not in a crate"))?;
            let root = format!("{folder}/src/lib.rs");
            let text = read(&self.tree.join(&root))?;
            if !text.ends_with(READER) {
                self.write(&root, format!("{text}{READER}").as_bytes())?;
            }
        }
        Ok(places)
    }

    /// The numbers of mutants that keep the copy from being compiled.
    fn refused(
        &self,
        mutants: &BTreeMap<usize, &'static Mutant>,
        places: &BTreeMap<usize, (&'static str, std::ops::Range<usize>)>,
    ) -> Result<BTreeSet<usize>, String> {
        for judge in judges(mutants.values()) {
            let arguments = ["test", "--no-run", "--quiet", "--message-format=short"];
            let built = self.cargo(&arguments, judge).output().map_err(|error| error.to_string())?;
            if built.status.success() {
                continue;
            }
            let messages = String::from_utf8_lossy(&built.stderr).into_owned();
            let mut refused = BTreeSet::new();
            for message in messages.lines().filter(|line| line.contains(": error")) {
                let mut parts = message.split(':');
                let (file, line) = (parts.next().unwrap_or_default(), parts.next().and_then(|line| line.parse().ok()));
                let is_there = |(of, lines): &(&str, std::ops::Range<usize>)| {
                    file.ends_with(of) && line.is_some_and(|line: usize| lines.contains(&line))
                };
                refused.extend(places.iter().filter(|(_, place)| is_there(place)).map(|(number, _)| *number));
            }
            if refused.is_empty() {
                return Err(format!("does not compile, and no mutant is to blame:\n{messages}"));
            }
            return Ok(refused);
        }
        Ok(BTreeSet::new())
    }

    fn try_alone(&mut self, mutants: &[&'static Mutant]) -> Result<(), String> {
        self.expect_success(mutants.iter())?;
        for mutant in mutants {
            let original = read(&self.tree.join(mutant.file))?;
            is_once(&original, mutant)?;
            self.write(mutant.file, original.replace(mutant.from, mutant.to).as_bytes())?;
            self.judge(mutant, 0)?;
            self.write(mutant.file, original.as_bytes())?;
        }
        Ok(())
    }

    /// A mutant is caught only by a test that passes without it.
    fn expect_success<'a>(&self, mutants: impl Iterator<Item = &'a &'static Mutant>) -> Result<(), String> {
        for judge in judges(mutants) {
            if !self.tests_pass(judge, 0)? {
                return Err(format!("the tests fail already without a mutation: {}", judge.join(" ")));
            }
        }
        Ok(())
    }

    fn judge(&mut self, mutant: &'static Mutant, number: usize) -> Result<(), String> {
        let start = Instant::now();
        let mut survived = true;
        for judge in mutant.judges {
            survived = survived && self.tests_pass(judge, number)?;
        }
        self.tried += 1;
        let (answer, seconds) = (if survived { "SURVIVED" } else { "caught" }, start.elapsed().as_secs());
        println!("[{:3}/{}] {:64} {answer} ({seconds} s)", self.tried, self.all, mutant.name);
        if survived {
            self.survivors.push(mutant.name);
        }
        Ok(())
    }

    fn cargo(&self, arguments: &[&str], judge: Judge) -> Command {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.args(arguments).args(judge).current_dir(&self.tree).env("CARGO_TARGET_DIR", "../target");
        command
    }

    /// Do the judging tests pass? A mutant that does not compile is an error of the list.
    fn tests_pass(&self, judge: Judge, number: usize) -> Result<bool, String> {
        let built = self.cargo(&["test", "--no-run", "--quiet"], judge).output().map_err(|error| error.to_string())?;
        if !built.status.success() {
            return Err(format!("does not compile:\n{}", String::from_utf8_lossy(&built.stderr)));
        }
        let mut tests = self.cargo(&["test"], judge);
        tests.env(VARIABLE, number.to_string());
        tests.stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut tests = tests.spawn().map_err(|error| error.to_string())?;
        let lines = BufReader::new(tests.stdout.take().expect("it is piped")).lines();
        // One test that fails is enough: the others need not come to an end.
        let failed = lines.map_while(Result::ok).any(|line| line.starts_with("test ") && line.ends_with("FAILED"));
        if failed {
            let group = format!("-{}", tests.id());
            Command::new("kill").args(["--", &group]).status().map_err(|error| error.to_string())?;
        }
        let status = tests.wait().map_err(|error| error.to_string())?;
        Ok(!failed && status.success())
    }
}

fn judges<'a>(mutants: impl Iterator<Item = &'a &'static Mutant>) -> BTreeSet<Judge> {
    mutants.flat_map(|mutant| mutant.judges).copied().collect()
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Does the text that a mutant changes occur exactly once?
fn is_once(source: &str, mutant: &Mutant) -> Result<(), String> {
    match source.matches(mutant.from).count() {
        1 => Ok(()),
        count => Err(format!("mutant {}: its text occurs {count} times in {}", mutant.name, mutant.file)),
    }
}
