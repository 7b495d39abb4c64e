//! Durations, sizes and ranges as people write them: `500ms`, `2m`, `512M`, `2GiB`, `0..1000`.

use std::time::Duration;

use crate::args::{Seeds, Space};

/// A duration: a number with `ms`, `s`, `m` or `h`; seconds without a unit.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "ms" => number / 1e3,
        "" | "s" => number,
        "m" | "min" => number * 60.0,
        "h" => number * 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h, as in `500ms` or `2m`")),
    };
    Duration::try_from_secs_f64(seconds).map_err(|_| "too long".to_string())
}

/// A limit on time, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeout(pub(crate) Option<Duration>);

/// A duration, or `none`.
pub(crate) fn timeout(text: &str) -> Result<Timeout, String> {
    if text.trim() == "none" { Ok(Timeout(None)) } else { duration(text).map(|duration| Timeout(Some(duration))) }
}

/// A size in bytes: a number with `K`, `M`, `G` or `T` (powers of 1024; `KB` and `KiB` mean the
/// same).
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let lower = unit.to_ascii_lowercase();
    let letter = lower.strip_suffix("ib").or_else(|| lower.strip_suffix('b')).unwrap_or(&lower);
    let factor = match letter {
        "" => 1.0,
        "k" => 1024.0,
        "m" => 1024f64.powi(2),
        "g" => 1024f64.powi(3),
        "t" => 1024f64.powi(4),
        _ => return Err(format!("unknown unit `{unit}`: use K, M, G or T, as in `512M` or `2GiB`")),
    };
    let bytes = number * factor;
    if bytes < u64::MAX as f64 { Ok(bytes as u64) } else { Err("too large".to_string()) }
}

/// A directory, and perhaps a size after a colon.
pub(crate) fn disk(text: &str) -> Result<Space, String> {
    let parts = text.rsplit_once(':').map(|(directory, bytes)| (directory, size(bytes)));
    match parts {
        _ if text.is_empty() => Err("expected a directory".to_string()),
        Some((directory, Ok(bytes))) if !directory.is_empty() => {
            Ok(Space { directory: directory.into(), bytes: Some(bytes) })
        }
        _ => Ok(Space { directory: text.into(), bytes: None }),
    }
}

/// A count, with `_` between digits if wanted: `1_000_000`.
pub(crate) fn count(text: &str) -> Result<u64, String> {
    text.replace('_', "").parse().map_err(|_| "expected a number such as `1000000`".to_string())
}

/// A range of seeds: `0..1000` has a thousand.
pub(crate) fn seeds(text: &str) -> Result<Seeds, String> {
    let ends = text.split_once("..").and_then(|(from, to)| Some((count(from).ok()?, count(to).ok()?)));
    match ends {
        Some((from, to)) if from < to => Ok(Seeds(from..to)),
        Some(_) => Err("the range is empty".to_string()),
        None => Err("expected a range such as `0..1000`".to_string()),
    }
}

fn split(text: &str) -> Result<(f64, &str), String> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let number = text[..end].replace('_', "").parse().map_err(|_| "expected a number, then a unit".to_string())?;
    Ok((number, text[end..].trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("10s"), Ok(Duration::from_secs(10)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("7"), Ok(Duration::from_secs(7)));
        for wrong in ["", "s", "-1s", "3 weeks", "1e400s", "999999999999999999999h", "1.2.3s"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn no_limit_is_a_limit_too() {
        assert_eq!(timeout("none"), Ok(Timeout(None)));
        assert_eq!(timeout("2s"), Ok(Timeout(Some(Duration::from_secs(2)))));
        assert!(timeout("never").is_err());
    }

    #[test]
    fn ranges_of_seeds() {
        assert_eq!(seeds("0..1_000"), Ok(Seeds(0..1000)));
        for wrong in ["", "7", "3..3", "5..2", "a..b", "1..", "..1", "-1..2"] {
            assert!(seeds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn directories_with_sizes() {
        let space = |directory: &str, bytes| Ok(Space { directory: directory.into(), bytes });
        assert_eq!(disk("/scratch"), space("/scratch", None));
        assert_eq!(disk("/scratch:2G"), space("/scratch", Some(2 << 30)));
        assert_eq!(disk("C:\\scratch"), space("C:\\scratch", None));
        assert_eq!(disk("a:b:1M"), space("a:b", Some(1 << 20)));
        assert_eq!(disk(":1M"), space(":1M", None));
        assert!(disk("").is_err());
    }

    #[test]
    fn sizes() {
        assert_eq!(size("0"), Ok(0));
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("2G"), Ok(2 << 30));
        assert_eq!(size("2GiB"), Ok(2 << 30));
        assert_eq!(size("2 gb"), Ok(2 << 30));
        assert_eq!(size("100B"), Ok(100));
        for wrong in ["", "G", "2X", "99999999999T", "-1M"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(count("1_000"), Ok(1000));
        assert!(count("many").is_err());
    }
}
