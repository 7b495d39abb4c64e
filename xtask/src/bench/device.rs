//! `cargo xtask bench device FILE@MODEL…`: what a search costs on a card and on a processor.
//!
//! Each row is one fresh process of `fencepost check FILE --model MODEL`. On the card there are two:
//! the first one compiles the search, the second one finds it compiled. `--on` says where, of
//! `cuda`, `1` and `2` (threads of the processor); `--seconds` is the limit of each search. The
//! members of families are `FAMILY-N@MODEL`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::families::FAMILIES;
use super::process;

/// What to measure, and how.
struct Measure {
    fencepost: PathBuf,
    seconds: u64,
    on: Vec<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let mut measure = Measure {
        fencepost: "target/release/fencepost".into(),
        seconds: 60,
        on: ["cuda", "1", "2"].map(String::from).to_vec(),
    };
    let mut rows = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--fencepost" => measure.fencepost = value()?.into(),
            "--on" => measure.on = value()?.split(',').map(String::from).collect(),
            "--seconds" => measure.seconds = value()?.parse().map_err(|_| "--seconds needs a number".to_owned())?,
            row => rows.push(row.split_once('@').ok_or_else(|| format!("`{row}` is not FILE@MODEL"))?),
        }
    }
    println!(
        "| program | model | where | verdict | states | transitions | search | states/s | process, first | memory |"
    );
    println!("|---|---|---|---|--:|--:|--:|--:|--:|--:|");
    for (program, model) in rows {
        let file = file(program)?;
        for place in &measure.on {
            println!("{}", measure.row(&file, model, place)?);
        }
    }
    Ok(())
}

/// A file, or the member of a family, written to one.
fn file(program: &str) -> Result<PathBuf, String> {
    let member = program
        .rsplit_once('-')
        .and_then(|(name, n)| Some((FAMILIES.iter().find(|family| family.name == name)?, n.parse::<usize>().ok()?)));
    let Some((family, n)) = member else { return Ok(program.into()) };
    let file = std::env::temp_dir().join(family.member(n)).with_extension("fp");
    std::fs::write(&file, family.source(n)).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(file)
}

impl Measure {
    fn row(&self, file: &Path, model: &str, place: &str) -> Result<String, String> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let (report, first) = self.check(file, model, place)?;
        // Compiled now.
        let (report, _) = if place == "cuda" { self.check(file, model, place)? } else { (report, first) };
        let stats = &report["stats"];
        let number = |name: &str| stats[name].as_u64().unwrap_or_default();
        let seconds = stats["time_ms"].as_f64().unwrap_or_default() / 1e3;
        let verdict = report["verdict"].as_str().unwrap_or("?");
        let place = match place {
            "cuda" if number("on_device") == 0 => "processor, for a card",
            "cuda" => "card",
            "1" => "one core",
            "2" => "two cores",
            other => other,
        };
        Ok(format!(
            "| {name} | {model} | {place} | {verdict} | {} | {} | {seconds:.2} s | {:.1} M | {:.2} s | {:.1} GiB |",
            number("states"),
            number("transitions"),
            number("states") as f64 / seconds.max(1e-3) / 1e6,
            first.as_secs_f64(),
            number("peak_bytes") as f64 / f64::from(1 << 30),
        ))
    }

    fn check(&self, file: &Path, model: &str, place: &str) -> Result<(serde_json::Value, Duration), String> {
        let mut command = Command::new(&self.fencepost);
        command.args(["check", "--format", "json", "--ignore-expectations", "--model", model]);
        command.args(["--timeout", &format!("{}s", self.seconds), "--memory", "100G"]);
        if place == "cuda" {
            command.args(["--device", "cuda"])
        } else {
            command.args(["--jobs", place])
        };
        command.arg(file);
        let finished = process::run(command, Duration::from_secs(2 * self.seconds + 60))?;
        let line = finished.output.lines().next().unwrap_or_default();
        let report = serde_json::from_str(line).map_err(|error| format!("{error}: {line}{}", finished.complaint))?;
        Ok((report, finished.time))
    }
}
