//! `cargo xtask mutants`: a test suite that cannot fail proves nothing. Break
//! one rule at a time in a copy of the sources and expect the tests to notice.

mod list;

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use list::Mutant;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let copy = Path::new("target/mutants/tree");
    // A name, or the group that it begins with.
    let is_wanted = |mutant: &&Mutant| {
        let group = mutant.name.split(':').next();
        arguments.is_empty() || arguments.iter().any(|name| name == mutant.name || Some(name.as_str()) == group)
    };
    let selected: Vec<&Mutant> = list::all().filter(is_wanted).collect();
    if selected.is_empty() {
        return Err(format!("no mutant is called {}", arguments.join(", ")));
    }
    copy_tree(copy)?;
    let mut judges: Vec<&[&str]> = selected.iter().map(|mutant| mutant.judges).collect();
    judges.sort_unstable();
    judges.dedup();
    for judges in judges {
        if !tests_pass(copy, judges)? {
            return Err("the tests fail already without a mutation".into());
        }
    }
    let mut survivors = Vec::new();
    for mutant in &selected {
        let path = copy.join(mutant.file);
        let original = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
        if original.matches(mutant.from).count() != 1 {
            return Err(format!("mutant {}: its text does not occur exactly once in {}", mutant.name, mutant.file));
        }
        std::fs::write(&path, original.replace(mutant.from, mutant.to)).map_err(|error| error.to_string())?;
        let survived = tests_pass(copy, mutant.judges)?;
        std::fs::write(&path, original).map_err(|error| error.to_string())?;
        println!("{:48} {}", mutant.name, if survived { "SURVIVED" } else { "caught" });
        if survived {
            survivors.push(mutant.name);
        }
    }
    println!("{} of {} mutants caught", selected.len() - survivors.len(), selected.len());
    if survivors.is_empty() { Ok(()) } else { Err(format!("not noticed: {}", survivors.join(", "))) }
}

/// Copies everything under version control, as it is in the work tree.
fn copy_tree(to: &Path) -> Result<(), String> {
    let listing = Command::new("git").args(["ls-files", "-z"]).output().map_err(|error| error.to_string())?;
    for name in String::from_utf8_lossy(&listing.stdout).split('\0').filter(|name| !name.is_empty()) {
        let target = to.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        if Path::new(name).is_file() {
            std::fs::copy(name, &target).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    Ok(())
}

/// Do the judging tests pass? A mutant that does not compile is an error of the list.
fn tests_pass(tree: &Path, judges: &[&str]) -> Result<bool, String> {
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
        command.args(arguments).args(judges).current_dir(tree).env("CARGO_TARGET_DIR", "../target");
        command
    };
    let built = cargo(&["test", "--no-run", "--quiet"]).output().map_err(|error| error.to_string())?;
    if !built.status.success() {
        return Err(format!("does not compile:\n{}", String::from_utf8_lossy(&built.stderr)));
    }
    let mut tests = cargo(&["test"]);
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
