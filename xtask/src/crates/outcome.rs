//! What tests came to, and what was found in them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

/// The head of the table.
pub(super) const HEAD: &str = "\
| crate | version | tests | same results | races | rank 1, 2 | rank 3 | harmless | not reached | native | ours |
|---|---|---|---|---|---|---|---|---|---|---|";

/// Passed, failed and left out, in one program.
type Counts = [u64; 3];

/// What programs of tests have said.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Tests {
    /// Of the first run of each program.
    counts: Vec<Counts>,
    /// Seconds, as the programs say.
    seconds: f64,
    /// Runs that came to something else than the first.
    differing: u64,
}

impl Tests {
    pub(super) fn read(text: &str) -> Tests {
        let mut tests = Tests::default();
        // What a later run says follows after that.
        let mut is_told = true;
        for line in text.lines() {
            if line.contains(" ends in another way with ") {
                tests.differing += 1;
                is_told = false;
            } else if let Some(result) = line.strip_prefix("test result: ")
                && std::mem::replace(&mut is_told, true)
            {
                let number = |what: &str| {
                    let before = result.split(what).next()?;
                    before.rsplit(|c: char| !c.is_ascii_digit()).find(|text| !text.is_empty())?.parse().ok()
                };
                tests.counts.push([" passed", " failed", " ignored"].map(|what| number(what).unwrap_or(0)));
                let time = result.rsplit_once("finished in ").map(|(_, time)| time.trim_end_matches('s'));
                tests.seconds += time.and_then(|time| time.parse::<f64>().ok()).unwrap_or(0.0);
            }
        }
        tests.counts.retain(|counts| counts.iter().sum::<u64>() > 0);
        tests
    }

    fn total(&self, index: usize) -> u64 {
        self.counts.iter().map(|counts| counts[index]).sum()
    }
}

/// Findings of all programs, by what is known of them.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Findings {
    races: u64,
    /// Reports that are no races, by rank; 0 is that the access was not reached again.
    ranks: BTreeMap<u64, u64>,
}

impl Findings {
    pub(super) fn read(text: &str) -> Findings {
        let mut findings = Findings::default();
        for finding in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            match finding["rule"].as_str() {
                Some("race") => findings.races += 1,
                Some(_) => *findings.ranks.entry(finding["rank"].as_u64().unwrap_or(0)).or_default() += 1,
                None => {}
            }
        }
        findings
    }

    fn with_rank(&self, rank: u64) -> u64 {
        self.ranks.get(&rank).copied().unwrap_or(0)
    }
}

/// The rest of a line of the table.
pub(super) fn row(native: &Tests, ours: &Tests, findings: &Findings, whole: Duration) -> Result<String, String> {
    if native.total(0) == 0 {
        return Err("no tests ran".into());
    }
    let same = match (native.counts == ours.counts, ours.differing) {
        (true, 0) => "yes".to_string(),
        (true, runs) => format!("**not in {runs} runs**"),
        (false, _) => format!("**{:?} and {:?}**", native.counts, ours.counts),
    };
    let tests = match (native.total(1), native.total(2)) {
        (0, 0) => native.total(0).to_string(),
        (failed, ignored) => format!("{} ({failed} fail, {ignored} left out)", native.total(0)),
    };
    Ok(format!(
        "{tests} | {same} | {} | {} | {} | {} | {} | {:.1} s | {:.1} s ({:.0} s) |",
        findings.races,
        findings.with_rank(1) + findings.with_rank(2),
        findings.with_rank(3),
        findings.with_rank(4),
        findings.with_rank(0),
        native.seconds,
        ours.seconds,
        whole.as_secs_f64(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "test result: ok. 7 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.50s\n\
                        test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";

    #[test]
    fn results_are_read() {
        let native = Tests::read(TEXT);
        assert_eq!(native, Tests { counts: vec![[7, 0, 1]], seconds: 1.5, differing: 0 });
        let other = TEXT.to_string()
            + "fencepost: `a` ends in another way with --schedule random --seed 1, and says:\n\
               test result: FAILED. 6 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 1.00s\n";
        assert_eq!(Tests::read(&other), Tests { differing: 1, ..native });
    }

    #[test]
    fn findings_are_counted() {
        let text = "{\"rule\":\"race\",\"rank\":1}\n{\"rule\":\"robustness\",\"rank\":4}\n{\"rule\":\"robustness\"}\n{\"runs\":3}\n";
        let findings = Findings::read(text);
        assert_eq!((findings.races, findings.with_rank(4), findings.with_rank(0)), (1, 1, 1));
        let row = row(&Tests::read(TEXT), &Tests::read(TEXT), &findings, Duration::from_secs(9)).expect("tests ran");
        assert_eq!(row, "7 (0 fail, 1 left out) | yes | 1 | 0 | 0 | 1 | 1 | 1.5 s | 1.5 s (9 s) |");
    }
}
