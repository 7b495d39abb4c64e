//! Numbers: the cost of a check, and the tally of many.

use std::time::Duration;

use fencepost_verdict::Stats;

use super::{Look, Paint};

/// How many of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Robust, and nothing fails under SC.
    pub robust: usize,
    /// Robust, but an assertion or the like fails under SC.
    pub failing: usize,
    /// Not robust.
    pub not_robust: usize,
    /// Not decided.
    pub unknown: usize,
    /// Could not be read or understood.
    pub errors: usize,
}

/// The last line after many files: `23 robust, 12 not robust, 0 unknown, 0 errors`.
pub fn summary(counts: &Counts, look: &Look) -> String {
    let paint = Paint(look.color);
    let Counts { robust, failing, not_robust, unknown, errors } = *counts;
    let failing = if failing == 0 { String::new() } else { format!("{failing} failing under SC, ") };
    let errors = format!("{errors} {}", if errors == 1 { "error" } else { "errors" });
    paint.strong(&format!("{robust} robust, {failing}{not_robust} not robust, {unknown} unknown, {errors}")) + "\n"
}

/// The cost of one check.
pub fn stats(stats: &Stats, look: &Look) -> String {
    let paint = Paint(look.color);
    let seconds = stats.time.as_secs_f64();
    let mut rows = vec![
        ("states", grouped(stats.states)),
        ("transitions", grouped(stats.transitions)),
        ("depth", grouped(stats.depth)),
        ("bits/state", grouped(stats.state_bits)),
        ("memory", bytes(stats.peak_bytes)),
        ("time", duration(stats.time)),
    ];
    if seconds > 0.0 {
        rows.push(("states/s", grouped((stats.states as f64 / seconds) as u64)));
    }
    rows.iter().map(|(name, value)| format!("  {} {value}\n", paint.faint(&format!("{name:<12}")))).collect()
}

/// `1234567` as `1 234 567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} bytes") } else { format!("{value:.1} {}", UNITS[unit]) }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1 234 567");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(duration(Duration::from_micros(1500)), "1.5 ms");
        assert_eq!(duration(Duration::from_millis(2500)), "2.50 s");
    }
}
