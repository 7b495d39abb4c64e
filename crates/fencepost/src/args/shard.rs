//! `--shard`.

use std::fmt;
use std::str::FromStr;

/// Which part of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    /// From 1.
    number: u64,
    /// How many parts there are.
    of: u64,
}

impl Shard {
    /// All of it.
    pub(crate) const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// From 1.
    pub(crate) fn number(self) -> u64 {
        self.number
    }

    /// How many parts there are.
    pub(crate) fn of(self) -> u64 {
        self.of
    }

    /// The first round from this one on that is in this part; none after the last number.
    pub(crate) fn round(self, from: u64) -> Option<u64> {
        let (own, turn) = (self.number - 1, from % self.of);
        let ahead = if turn <= own { own - turn } else { own + (self.of - turn) };
        from.checked_add(ahead)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers = text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            Some(_) => Err("the first number is from 1 to the second".into()),
            None => Err("expected two numbers such as `2/5`: the second of five parts".into()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::Shard;

    #[test]
    fn a_shard_is_two_numbers() {
        for wrong in ["", "1", "0/2", "3/2", "1/0", "a/b", "-1/2", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        let shard: Shard = "2/5".parse().expect("a shard");
        assert_eq!((shard.number(), shard.of(), shard.to_string().as_str()), (2, 5, "2/5"));
    }

    /// Every round is in one part and in no other.
    #[test]
    fn parts_are_the_whole() {
        for of in [1, 2, 3, 5, 8] {
            let mut all = Vec::new();
            for number in 1..=of {
                let (shard, mut next) = (Shard { number, of }, 0);
                while let Some(round) = shard.round(next).filter(|&round| round < 20) {
                    all.push(round);
                    next = round + 1;
                }
            }
            all.sort_unstable();
            assert_eq!(all, (0..20).collect::<Vec<_>>(), "{of}");
        }
        let last = Shard { number: 1, of: 2 };
        assert_eq!(last.round(u64::MAX), None, "there is no round after the last number");
    }
}
