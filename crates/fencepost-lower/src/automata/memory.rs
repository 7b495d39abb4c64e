//! Addresses to locations. Addresses that one access chooses from are in one array, in ascending
//! order; all others are locations of their own.

use std::collections::{BTreeMap, BTreeSet};

use fencepost_base::ids::{ArrayId, LocId};
use fencepost_ir::{BinaryOp, CmpOp, Expr, LocationKind, Place, ProgramBuilder};

use super::values::{Set, Values};
use super::{ANY_ADDRESSES, Machine, binary};

/// Where the addresses are.
pub(super) struct Memory {
    /// The location of every address, and its array if it is in one.
    places: BTreeMap<i64, (LocId, Option<ArrayId>)>,
    /// The addresses of every array.
    arrays: Vec<BTreeSet<i64>>,
}

impl Memory {
    pub(super) fn new(machines: &[Machine<'_>], values: &Values, builder: &mut ProgramBuilder) -> Self {
        let mut groups = Groups::default();
        let mut anything = false;
        for (thread, machine) in machines.iter().enumerate() {
            for edge in &machine.edges {
                match edge.act.address().map(|address| values.integers(thread, edge.from, address)) {
                    None => {}
                    Some(Set::Any) => anything = true,
                    Some(Set::Of(addresses)) => groups.join(&addresses),
                }
            }
        }
        if anything {
            let all: Vec<i64> = groups.parents.keys().copied().chain(0..ANY_ADDRESSES).collect();
            groups.join(&all);
        }
        let mut memory = Memory { places: BTreeMap::new(), arrays: Vec::new() };
        let name = |address: &i64| format!("mem[{address}]");
        for group in groups.sorted() {
            if let Some(address) = group.first().filter(|_| group.len() == 1) {
                let loc = builder.location(name(address), 0, LocationKind::Atomic);
                memory.places.insert(*address, (loc, None));
                continue;
            }
            let base = memory.places.len();
            let array =
                builder.array_of("mem", group.iter().map(|address| (name(address), 0)).collect(), LocationKind::Atomic);
            for (index, &address) in group.iter().enumerate() {
                memory.places.insert(address, (LocId::from_index(base + index), Some(array)));
            }
            memory.arrays.push(group);
        }
        memory
    }

    pub(super) fn locations(&self) -> usize {
        self.places.len()
    }

    /// The place at an address that is one of `possible`, and what must be true of the address for
    /// that. `address` is the integer; nothing if there is no possible address.
    pub(super) fn place(&self, address: &Expr, possible: &Set) -> Option<(Place, Option<Expr>)> {
        let first = match possible {
            Set::Of(addresses) => addresses.first().copied()?,
            Set::Any => 0,
        };
        let (loc, array) = *self.places.get(&first)?;
        match (array, possible) {
            (Some(array), Set::Any) => {
                let addresses = &self.arrays[array.index()];
                Some((Place::Element { array, index: index(address, addresses) }, Some(one_of(address, addresses))))
            }
            (Some(array), Set::Of(several)) if several.len() > 1 => {
                Some((Place::Element { array, index: index(address, &self.arrays[array.index()]) }, None))
            }
            _ => Some((Place::Fixed(loc), None)),
        }
    }
}

/// The position of an address among `addresses`: how far it is from the first, without the gaps in
/// between.
fn index(address: &Expr, addresses: &BTreeSet<i64>) -> Expr {
    let runs = runs(addresses);
    let first = runs.first().map_or(0, |run| run.0);
    let mut index = match first {
        0 => address.clone(),
        _ => binary(BinaryOp::Sub, address.clone(), Expr::Const(first)),
    };
    for pair in runs.windows(2) {
        let ((_, end), (start, _)) = (pair[0], pair[1]);
        let beyond = binary(BinaryOp::Cmp(CmpOp::Ge), address.clone(), Expr::Const(start));
        let gap = start - end - 1;
        let skipped = if gap == 1 { beyond } else { binary(BinaryOp::Mul, beyond, Expr::Const(gap)) };
        index = binary(BinaryOp::Sub, index, skipped);
    }
    index
}

/// Is it one of `addresses`?
fn one_of(address: &Expr, addresses: &BTreeSet<i64>) -> Expr {
    let within = |(start, end): (i64, i64)| {
        let compare = |cmp, bound| binary(BinaryOp::Cmp(cmp), address.clone(), Expr::Const(bound));
        match start == end {
            true => compare(CmpOp::Eq, start),
            false => binary(BinaryOp::And, compare(CmpOp::Ge, start), compare(CmpOp::Le, end)),
        }
    };
    let any_of = runs(addresses).into_iter().map(within);
    any_of.reduce(|left, right| binary(BinaryOp::Or, left, right)).unwrap_or(Expr::Const(0))
}

/// Neighbouring addresses together: first and last of each run.
fn runs(addresses: &BTreeSet<i64>) -> Vec<(i64, i64)> {
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for &address in addresses {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == address => *end = address,
            _ => runs.push((address, address)),
        }
    }
    runs
}

/// Addresses, in groups that grow together.
#[derive(Default)]
struct Groups {
    parents: BTreeMap<i64, i64>,
}

impl Groups {
    fn root(&mut self, address: i64) -> i64 {
        let mut root = address;
        while let Some(&parent) = self.parents.get(&root).filter(|&&parent| parent != root) {
            root = parent;
        }
        // The way is short next time.
        let mut at = address;
        while at != root {
            at = self.parents.insert(at, root).unwrap_or(root);
        }
        self.parents.insert(root, root);
        root
    }

    fn join(&mut self, addresses: &[i64]) {
        let Some(&first) = addresses.first() else { return };
        for &address in addresses {
            let (root, other) = (self.root(first), self.root(address));
            self.parents.insert(other, root);
        }
    }

    /// The groups, in the order of their first addresses.
    fn sorted(mut self) -> Vec<BTreeSet<i64>> {
        let addresses: Vec<i64> = self.parents.keys().copied().collect();
        let mut groups: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
        for address in addresses {
            groups.entry(self.root(address)).or_default().insert(address);
        }
        let mut groups: Vec<_> = groups.into_values().collect();
        groups.sort();
        groups
    }
}
