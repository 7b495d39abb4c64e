//! Who decides which thread runs.

use core::fmt;
use core::str::FromStr;

/// How threads take turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Schedule {
    /// As the operating system has it.
    #[default]
    Os,
    /// One at a time, the next one drawn at every step.
    Random,
    /// One at a time, by priorities that change at this number of points less one (Burckhardt et
    /// al., ASPLOS 2010).
    Pct(u32),
}

impl Schedule {
    /// Does a seed determine the schedule?
    pub const fn is_controlled(self) -> bool {
        !matches!(self, Schedule::Os)
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Schedule::Os => f.write_str("os"),
            Schedule::Random => f.write_str("random"),
            Schedule::Pct(depth) => write!(f, "pct:{depth}"),
        }
    }
}

impl FromStr for Schedule {
    /// What was expected.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "os" => Ok(Schedule::Os),
            "random" => Ok(Schedule::Random),
            _ => match text.strip_prefix("pct:").map(str::parse) {
                None => Err("expected `os`, `random` or `pct:D`, such as `pct:3`"),
                Some(Ok(depth)) if depth > 0 => Ok(Schedule::Pct(depth)),
                Some(_) => Err("the depth is a number from 1 on, as in `pct:3`"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::Schedule;

    #[test]
    fn schedules_are_read_as_they_are_written() {
        for text in ["os", "random", "pct:3"] {
            assert_eq!(text.parse::<Schedule>().map(|schedule| schedule.to_string()), Ok(text.to_string()));
        }
        for wrong in ["", "pct", "pct:", "pct:0", "pct:x", "os:1", "Random"] {
            assert!(wrong.parse::<Schedule>().is_err(), "{wrong}");
        }
    }
}
