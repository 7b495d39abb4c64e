//! Read options, read-option lists and potentials (Def. 5.6 of the PLDI 2020
//! paper) with their orders (Def. 5.7), interned.
//!
//! An option says by whom which value was written to which location. It may
//! be flagged: then it is about the last write to its location, which a
//! read-modify-write needs. Without the flag it is below the same with it.
//! Reading need not consume an option, so equal neighbours are one.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_base::ids::{LocId, Value};
use foldhash::{HashMap, HashMapExt};

use crate::bits::Bits;
use crate::shared::Interned;

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
    /// For every location and value, the bases that can be read.
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
            alphabet.readable.entry((source.loc, source.value)).or_default().push(base);
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ListId(u32);

/// An interned potential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PotentialId(u32);

impl PotentialId {
    pub(crate) fn index(self) -> u32 {
        self.0
    }
}

/// A finite set of lists none of which is below another.
pub(crate) struct Potential {
    /// In the order of their contents.
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

/// Lists and potentials, each stored once. Several threads may add to it at a time. Numbers depend
/// on who comes first, so nothing is ordered by them.
pub(crate) struct Store {
    bases: usize,
    lists: Interned<List>,
    potentials: Interned<Potential>,
    bytes: AtomicU64,
}

/// A list, and bits that grow along the order.
struct List {
    options: Box<[Opt]>,
    signature: u64,
}

impl Store {
    /// A store of lists over so many bases, with ε and {ε} in it.
    pub(crate) fn new(bases: usize) -> Self {
        let store = Store { bases, lists: Interned::new(), potentials: Interned::new(), bytes: AtomicU64::new(0) };
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
        &self.lists.get(list.0).options
    }

    /// The content of a potential.
    pub(crate) fn get(&self, potential: PotentialId) -> &Potential {
        self.potentials.get(potential.0)
    }

    /// The list of these options, equal neighbours made one.
    pub(crate) fn list(&self, mut options: Vec<Opt>) -> ListId {
        options.dedup_by(|later, kept| {
            let is_equal = later.base() == kept.base();
            if is_equal {
                *kept = (*kept).max(*later);
            }
            is_equal
        });
        let (id, is_new) = self.lists.intern(
            &options,
            |list| *list.options == options,
            || {
                let signature = options.iter().fold(0, |bits, &option| bits | signature(option));
                List { options: options.as_slice().into(), signature }
            },
        );
        if is_new {
            self.grew(size_of_val(options.as_slice()) + size_of::<List>());
        }
        ListId(id)
    }

    /// The potential of these lists, those below others left out.
    pub(crate) fn potential(&self, mut lists: Vec<ListId>) -> PotentialId {
        lists.sort_unstable_by(|&one, &other| self.options(one).cmp(self.options(other)));
        lists.dedup();
        if lists.len() > 1 {
            let all = lists.clone();
            lists.retain(|&list| !all.iter().any(|&other| other != list && self.list_is_below(list, other)));
        }
        let (id, is_new) = self.potentials.intern(
            &lists,
            |known| *known.lists == lists,
            || {
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
                    signature |= self.lists.get(list.0).signature;
                }
                Potential { lists: lists.as_slice().into(), bases, flagged, size, signature }
            },
        );
        if is_new {
            let bits = 2 * self.bases.div_ceil(64) * size_of::<u64>();
            self.grew(size_of_val(lists.as_slice()) + bits + size_of::<Potential>());
        }
        PotentialId(id)
    }

    /// Is one list a subsequence of the other? Different lists are never below each other both
    /// ways.
    fn list_is_below(&self, low: ListId, high: ListId) -> bool {
        let (low, high) = (self.lists.get(low.0), self.lists.get(high.0));
        low.signature & !high.signature == 0 && is_below(&low.options, &high.options)
    }

    /// Hoare's order.
    pub(crate) fn potential_is_below(&self, low: PotentialId, high: PotentialId) -> bool {
        if low == high {
            return true;
        }
        let (low, high) = (self.get(low), self.get(high));
        low.signature & !high.signature == 0
            && low.lists.iter().all(|&list| {
                high.lists.contains(&list) || high.lists.iter().any(|&other| self.list_is_below(list, other))
            })
    }

    /// Something of this many bytes was added. Besides, it has a slot, an entry of the index, and
    /// what the allocator needs for itself.
    fn grew(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64 + 64, Ordering::Relaxed);
    }

    /// Bytes used, estimated.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
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
