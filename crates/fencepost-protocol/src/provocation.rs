//! Which access is to use an overwritten value, as text:
//! `ring+0x13f4/ring+0x1520@ring+0x1200,oldest,2,1`.
//!
//! An access is named by where it is in the code, in a way that is the same in every run: the file
//! that holds the code, and where in it. Callers follow, innermost first. After `@` comes the write
//! that the access may miss. Then come which of the overwritten values it uses, how often it lets
//! the opportunity go by before, and which way a controlled schedule takes from there.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CodePlace {
    /// The file that holds the code, without its folder.
    pub module: String,
    /// A return address, as an offset in the file as it is mapped.
    pub offset: u64,
}

impl CodePlace {
    /// A place in a file with this path.
    pub fn new(path: &str, offset: u64) -> CodePlace {
        let module = path.rsplit('/').next().unwrap_or(path);
        CodePlace { module: module.into(), offset }
    }
}

/// Which of the overwritten values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Which {
    /// The first one written.
    Oldest,
    /// The last one written.
    Newest,
    /// None of them, but the write that counts now. The run is as under sequential consistency, and
    /// is recorded like those in which the access uses another one: it is there to be compared with
    /// them.
    Current,
}

/// An access that is to use an overwritten value, once in a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Provocation {
    /// The access and its callers, innermost first. Not empty.
    pub access: Vec<CodePlace>,
    /// The write that it may miss; any if there is none.
    pub missed: Option<CodePlace>,
    /// The value that it uses.
    pub which: Which,
    /// How many opportunities it lets go by.
    pub skip: u64,
    /// How a controlled schedule goes on afterwards; 0 as it would have gone on.
    pub then: u64,
}

impl Which {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Which::Oldest => "oldest",
            Which::Newest => "newest",
            Which::Current => "current",
        }
    }
}

/// Is the byte itself in a name? Others are written as numbers.
const fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+')
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.module.bytes() {
            match is_plain(byte) {
                true => write!(f, "{}", char::from(byte))?,
                false => write!(f, "%{byte:02x}")?,
            }
        }
        write!(f, "+{:#x}", self.offset)
    }
}

impl FromStr for CodePlace {
    /// What was expected.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "a place in the code is written as in `ring+0x13f4`";
        let (name, offset) = text.rsplit_once("+0x").ok_or(EXPECTED)?;
        let offset = u64::from_str_radix(offset, 16).map_err(|_| EXPECTED)?;
        let mut bytes = Vec::new();
        let mut rest = name.bytes();
        while let Some(byte) = rest.next() {
            match byte {
                b'%' => {
                    let digits = [rest.next().ok_or(EXPECTED)?, rest.next().ok_or(EXPECTED)?];
                    let digits = core::str::from_utf8(&digits).map_err(|_| EXPECTED)?;
                    bytes.push(u8::from_str_radix(digits, 16).map_err(|_| EXPECTED)?);
                }
                byte if is_plain(byte) => bytes.push(byte),
                _ => return Err(EXPECTED),
            }
        }
        let module = String::from_utf8(bytes).map_err(|_| EXPECTED)?;
        if module.is_empty() { Err(EXPECTED) } else { Ok(CodePlace { module, offset }) }
    }
}

impl fmt::Display for Provocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, place) in self.access.iter().enumerate() {
            let separator = if number > 0 { "/" } else { "" };
            write!(f, "{separator}{place}")?;
        }
        if let Some(missed) = &self.missed {
            write!(f, "@{missed}")?;
        }
        write!(f, ",{}", self.which.name())?;
        match (self.skip, self.then) {
            (0, 0) => Ok(()),
            (skip, 0) => write!(f, ",{skip}"),
            (skip, then) => write!(f, ",{skip},{then}"),
        }
    }
}

impl FromStr for Provocation {
    /// What was expected.
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(',');
        let places = parts.next().unwrap_or_default();
        let which = match parts.next() {
            Some("oldest") => Which::Oldest,
            Some("newest") => Which::Newest,
            Some("current") => Which::Current,
            _ => return Err("after the place of the access comes `,oldest` or `,newest`"),
        };
        let mut number = || match parts.next().map(str::parse) {
            None => Ok(0),
            Some(Ok(number)) => Ok(number),
            Some(Err(_)) => Err("after `,oldest` come numbers, as in `,oldest,2` or `,oldest,2,1`"),
        };
        let (skip, then) = (number()?, number()?);
        if parts.next().is_some() {
            return Err("nothing follows the second number");
        }
        let (access, missed) = match places.split_once('@') {
            Some((access, missed)) => (access, Some(missed.parse()?)),
            None => (places, None),
        };
        let access = access.split('/').map(str::parse).collect::<Result<Vec<_>, _>>()?;
        Ok(Provocation { access, missed, which, skip, then })
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec;

    use super::{CodePlace, Provocation, Which};

    #[test]
    fn provocations_are_read_as_they_are_written() {
        let place = CodePlace::new;
        let plain = Provocation {
            access: vec![place("/usr/bin/ring", 0x13f4)],
            missed: None,
            which: Which::Newest,
            skip: 0,
            then: 0,
        };
        let strange = Provocation {
            access: vec![place("a b:c@d,e%é+0x7+", 1), place("libc.so.6", u64::MAX)],
            missed: Some(place("ring", 0)),
            which: Which::Oldest,
            skip: 7,
            then: 0,
        };
        let other = Provocation { skip: 0, then: 3, ..strange.clone() };
        let compared = Provocation { which: Which::Current, ..plain.clone() };
        assert_eq!(plain.to_string(), "ring+0x13f4,newest");
        for provocation in [plain, strange, other, compared] {
            let text = provocation.to_string();
            assert!(!text.contains([' ', ':', '"', '=']), "{text} stands in the environment");
            assert_eq!(text.parse(), Ok(provocation));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for wrong in [
            "",
            "ring+0x1",
            "ring+0x1,old",
            "ring,oldest",
            "+0x1,oldest",
            "ring+0xg,oldest",
            "ring+0x1,oldest,x",
            "ring+0x1,oldest,1,x",
            "ring+0x1,oldest,1,2,3",
            "ring+0x1/,oldest",
            "ring+0x1@,oldest",
            "r%4+0x1,oldest",
            "r%zz+0x1,oldest",
            "r%ff+0x1,oldest",
            "r g+0x1,oldest",
        ] {
            assert!(wrong.parse::<Provocation>().is_err(), "{wrong}");
        }
    }
}
