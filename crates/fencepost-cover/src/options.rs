//! Read options, read-option lists and potentials (Def. 5.6 of the PLDI 2020
//! paper) with their orders (Def. 5.7), interned.
//!
//! An option says by whom which value was written to which location. It may
//! be flagged: then it is about the last write to its location, which a
//! read-modify-write needs. Without the flag it is below the same with it.
//! Reading need not consume an option, so equal neighbours are one.
//!
//! A *marked* option, which no thread reads, must come from a write before a
//! certain one; it asks for write/write races ([`crate::losra`]).

use fencepost_base::ids::{LocId, Value};
use foldhash::{HashMap, HashMapExt};

use crate::bits::Bits;

/// What an option is about, without the flag; a number in [`Alphabet::bases`].
pub(crate) type Base = usize;

/// The content of a base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// Who wrote; none for the initial values.
    pub(crate) writer: Option<usize>,
    /// Where.
    pub(crate) loc: LocId,
    /// What.
    pub(crate) value: Value,
    /// Must it come from before the guessed write?
    pub(crate) marked: bool,
}

/// An option: a base and the flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Opt(u16);

impl Opt {
    pub(crate) fn new(base: Base, flagged: bool) -> Opt {
        Opt((base << 1) as u16 | u16::from(flagged))
    }

    pub(crate) fn base(self) -> Base {
        usize::from(self.0 >> 1)
    }

    pub(crate) fn is_flagged(self) -> bool {
        self.0 & 1 == 1
    }

    fn is_below(self, other: Opt) -> bool {
        self == other || self.0 | 1 == other.0
    }
}

/// Greatest number of bases, so that an option has 16 bits.
pub(crate) const MOST_BASES: usize = 1 << 15;

/// All bases of a program.
pub(crate) struct Alphabet {
    pub(crate) bases: Vec<Source>,
    index: HashMap<Source, Base>,
    /// For every location and value, the bases without mark that can be read.
    readable: HashMap<(LocId, Value), Vec<Base>>,
}

impl Alphabet {
    /// The bases of these sources.
    pub(crate) fn new(sources: impl IntoIterator<Item = Source>) -> Self {
        let mut alphabet = Alphabet { bases: Vec::new(), index: HashMap::new(), readable: HashMap::new() };
        for source in sources {
            if alphabet.index.contains_key(&source) {
                continue;
            }
            let base = alphabet.bases.len();
            alphabet.bases.push(source);
            alphabet.index.insert(source, base);
            if !source.marked {
                alphabet.readable.entry((source.loc, source.value)).or_default().push(base);
            }
        }
        alphabet
    }

    /// Number of bases.
    pub(crate) fn len(&self) -> usize {
        self.bases.len()
    }

    /// The base of a source, if it exists.
    pub(crate) fn base(&self, source: Source) -> Option<Base> {
        self.index.get(&source).copied()
    }

    /// The bases that a read of `value` from `loc` can use.
    pub(crate) fn readable(&self, loc: LocId, value: Value) -> &[Base] {
        self.readable.get(&(loc, value)).map_or(&[], Vec::as_slice)
    }

    /// The bases satisfying a condition.
    pub(crate) fn those(&self, condition: impl Fn(&Source) -> bool) -> Bits {
        let mut found = Bits::new(self.len());
        for (base, source) in self.bases.iter().enumerate() {
            if condition(source) {
                found.insert(base);
            }
        }
        found
    }
}

/// An interned list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ListId(u32);

/// An interned potential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PotentialId(u32);

/// A finite set of lists none of which is below another.
pub(crate) struct Potential {
    /// Ascending.
    pub(crate) lists: Box<[ListId]>,
    /// The bases that occur.
    pub(crate) bases: Bits,
    /// The bases that occur with the flag.
    pub(crate) flagged: Bits,
    /// Options altogether.
    pub(crate) size: usize,
    /// Bits that grow along the order.
    pub(crate) signature: u64,
}

/// Lists and potentials, each stored once.
pub(crate) struct Store {
    bases: usize,
    lists: Vec<Box<[Opt]>>,
    list_signatures: Vec<u64>,
    list_index: HashMap<Box<[Opt]>, ListId>,
    potentials: Vec<Potential>,
    potential_index: HashMap<Box<[ListId]>, PotentialId>,
    bytes: u64,
}

impl Store {
    /// A store of lists over so many bases, with ε and {ε} in it.
    pub(crate) fn new(bases: usize) -> Self {
        let mut store = Store {
            bases,
            lists: Vec::new(),
            list_signatures: Vec::new(),
            list_index: HashMap::new(),
            potentials: Vec::new(),
            potential_index: HashMap::new(),
            bytes: 0,
        };
        let empty = store.list(Vec::new());
        store.potential(vec![empty]);
        store
    }

    /// {ε}
    pub(crate) fn nothing(&self) -> PotentialId {
        PotentialId(0)
    }

    /// The content of a list.
    pub(crate) fn options(&self, list: ListId) -> &[Opt] {
        &self.lists[list.0 as usize]
    }

    /// The content of a potential.
    pub(crate) fn get(&self, potential: PotentialId) -> &Potential {
        &self.potentials[potential.0 as usize]
    }

    /// The list of these options, equal neighbours made one.
    pub(crate) fn list(&mut self, options: Vec<Opt>) -> ListId {
        let mut collapsed: Vec<Opt> = Vec::with_capacity(options.len());
        for option in options {
            match collapsed.last_mut() {
                Some(last) if last.base() == option.base() => *last = (*last).max(option),
                _ => collapsed.push(option),
            }
        }
        let list: Box<[Opt]> = collapsed.into();
        if let Some(&known) = self.list_index.get(&list) {
            return known;
        }
        let id = ListId(self.lists.len() as u32);
        self.list_signatures.push(list.iter().fold(0, |bits, &option| bits | signature(option)));
        self.bytes += 2 * (list.len() * size_of::<Opt>()) as u64 + 80;
        self.list_index.insert(list.clone(), id);
        self.lists.push(list);
        id
    }

    /// The potential of these lists, those below others left out.
    pub(crate) fn potential(&mut self, mut lists: Vec<ListId>) -> PotentialId {
        lists.sort_unstable();
        lists.dedup();
        if lists.len() > 1 {
            let all = lists.clone();
            lists.retain(|&list| !all.iter().any(|&other| other != list && self.list_is_below(list, other)));
        }
        let lists: Box<[ListId]> = lists.into();
        if let Some(&known) = self.potential_index.get(&lists) {
            return known;
        }
        let (mut bases, mut flagged) = (Bits::new(self.bases), Bits::new(self.bases));
        let (mut size, mut signature) = (0, 0);
        for &list in &lists {
            for &option in self.options(list) {
                bases.insert(option.base());
                if option.is_flagged() {
                    flagged.insert(option.base());
                }
            }
            size += self.options(list).len();
            signature |= self.list_signatures[list.0 as usize];
        }
        let id = PotentialId(self.potentials.len() as u32);
        self.bytes += (lists.len() * 8 + self.bases / 4 + 160) as u64;
        self.potential_index.insert(lists.clone(), id);
        self.potentials.push(Potential { lists, bases, flagged, size, signature });
        id
    }

    /// Is one list a subsequence of the other? Different lists are never below each other both ways.
    fn list_is_below(&self, low: ListId, high: ListId) -> bool {
        if self.list_signatures[low.0 as usize] & !self.list_signatures[high.0 as usize] != 0 {
            return false;
        }
        is_below(self.options(low), self.options(high))
    }

    /// Hoare's order.
    pub(crate) fn potential_is_below(&self, low: PotentialId, high: PotentialId) -> bool {
        if low == high {
            return true;
        }
        let (low, high) = (self.get(low), self.get(high));
        low.signature & !high.signature == 0
            && low.lists.iter().all(|&list| {
                high.lists.binary_search(&list).is_ok()
                    || high.lists.iter().any(|&other| self.list_is_below(list, other))
            })
    }

    /// Bytes used, estimated.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Is `low` a subsequence of `high`, up to flags?
pub(crate) fn is_below(low: &[Opt], high: &[Opt]) -> bool {
    let mut left = low.iter();
    let mut wanted = left.next();
    for &option in high {
        match wanted {
            None => return true,
            Some(low) if low.is_below(option) => wanted = left.next(),
            Some(_) => {}
        }
    }
    wanted.is_none()
}

/// One bit for the base and one for the flag.
fn signature(option: Opt) -> u64 {
    let spread = |number: usize| 1u64 << (number.wrapping_mul(0x9e37_79b9) >> 7 & 63);
    let plain = spread(2 * option.base());
    if option.is_flagged() { plain | spread(2 * option.base() + 1) } else { plain }
}
