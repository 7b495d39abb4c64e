//! Many runs of what must be silent, under every schedule.

use crate::suite::{Case, Expected, RunLine, Seeds};

const SCHEDULES: [&str; 3] = ["os", "random", "pct:3"];

/// How many runs of each case under each schedule are asked for, if any.
pub(crate) fn runs() -> Option<u64> {
    let text = std::env::var("FENCEPOST_SOAK").ok()?;
    Some(text.parse().expect("FENCEPOST_SOAK is a number"))
}

/// The case with so many runs under each schedule, shared by the lines that it has for that
/// schedule; None if it may report something.
pub(crate) fn case(case: &Case, runs: u64) -> Option<Case> {
    if !matches!(case.expected, Expected::Silent) {
        return None;
    }
    let mut lines = Vec::new();
    for schedule in SCHEDULES {
        let of_schedule = |line: &&RunLine| line.options.iter().any(|option| option == schedule);
        let mut own: Vec<RunLine> = case.runs.iter().filter(of_schedule).cloned().collect();
        if own.is_empty() {
            let args = case.runs.first().map(|line| line.args.clone()).unwrap_or_default();
            let options = ["--schedule", schedule].map(String::from).into();
            own.push(RunLine { options, seeds: Seeds::Runs(1), args, every: false });
        }
        let share = runs.div_ceil(own.len() as u64);
        for line in own {
            let seeds = if schedule == "os" { Seeds::Runs(share) } else { Seeds::Range(0, share) };
            lines.push(RunLine { seeds, ..line });
        }
    }
    Some(Case { runs: lines, ..case.clone() })
}
