//! Where and with what figures were taken.

use std::process::Command;

use serde::{Deserialize, Serialize};

/// A machine, its tools, a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) date: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) gibibytes: u64,
    pub(crate) system: String,
    /// Version lines of the tools.
    pub(crate) tools: Vec<String>,
}

impl Machine {
    /// This one, now; `versions` are commands that print what they are.
    pub(crate) fn this(versions: &[(&str, &str)]) -> Self {
        let kibibytes: Option<u64> =
            entry("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse().ok());
        let commit = first_line("git", &["describe", "--always", "--dirty"]);
        let own = format!("fencepost {}", commit.unwrap_or_else(|| env!("CARGO_PKG_VERSION").into()));
        let others = [("rustc", "--version")].iter().chain(versions);
        let tools = others.filter_map(|(program, argument)| first_line(program, &[argument]));
        Machine {
            date: first_line("date", &["+%F"]).unwrap_or_else(|| "unknown".into()),
            processor: entry("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            gibibytes: kibibytes.unwrap_or_default().div_ceil(1 << 20),
            system: first_line("uname", &["-sr"]).unwrap_or_else(|| std::env::consts::OS.into()),
            tools: [own].into_iter().chain(tools).collect(),
        }
    }

    /// In one sentence.
    pub(crate) fn describe(&self) -> String {
        let Machine { date, processor, cores, gibibytes, system, tools } = self;
        let tools = tools.join("; ");
        format!("{date}, {processor}, {cores} cores, {gibibytes} GiB, {system}; {tools}.")
    }
}

/// The value of `key: value` in a file of the system.
fn entry(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_string())
    })
}

fn first_line(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.lines().next()?.trim().to_string()).filter(|line| output.status.success() && !line.is_empty())
}
