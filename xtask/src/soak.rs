//! `cargo xtask soak`: many runs, under every schedule, of the programs in `sanitizer/` that must
//! be silent.

use std::process::Command;

/// Runs of each program under each schedule.
const RUNS: u64 = 1000;

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let (mut names, mut runs) = (Vec::new(), RUNS);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--runs" => {
                let number = words.next().and_then(|number| number.parse().ok());
                runs = number.ok_or("--runs needs a number")?;
            }
            name => names.push(name.to_string()),
        }
    }
    if names.is_empty() {
        names.push("soak/".into());
    }
    // The test takes one name at a time.
    for name in names {
        let status = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
            .args(["test", "--release", "-p", "fencepost", "--test", "sanitizer", "--", &name])
            .env("FENCEPOST_SOAK", runs.to_string())
            .status()
            .map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("{name}: not everything was silent"));
        }
    }
    println!("each program listed was silent in {runs} runs under each of os, random and pct:3");
    Ok(())
}
