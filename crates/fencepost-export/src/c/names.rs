//! Identifiers: the names of the program, where C leaves them free.

use std::collections::BTreeSet;

use fencepost_base::ids::{ArrayId, LocId};
use fencepost_ir::{Place, Program};

use crate::infix::spell;
/// Keywords of C, and what its headers and compilers lay claim to.
const RESERVED: &str = include_str!("reserved.txt");
/// How names begin that belong to headers, or to the rest of the exported program.
const PREFIXES: &[&str] = &[
    "_",
    "fp_",
    "FP_",
    "fencepost",
    "FENCEPOST",
    "atomic_",
    "ATOMIC_",
    "memory_order",
    "pthread_",
    "PTHREAD_",
    "sched_",
    "sig",
    "SIG",
    "si_",
    "sa_",
    "ss_",
    "uc_",
    "tm_",
    "tv_",
    "it_",
    "sival_",
    "timer_",
    "clock_",
    "CLOCK_",
    "SCHED_",
    "INT",
    "UINT",
    "ILL_",
    "FPE_",
    "SEGV_",
    "BUS_",
    "TRAP_",
    "CLD_",
    "SI_",
    "SA_",
    "SS_",
    "REG_",
    "POLL_",
    "SYS_",
    "W",
];
const SUFFIXES: &[&str] = &["_t", "_l", "_r", "_np"];

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken(BTreeSet<String>);

impl Taken {
    /// An identifier like `name` that nobody else has.
    pub(crate) fn claim(&mut self, name: &str) -> String {
        let mut candidate = spell(name);
        if candidate.is_empty() || candidate.starts_with(|c: char| c.is_ascii_digit()) {
            candidate.insert(0, 'v');
        }
        while is_reserved(&candidate) || self.0.contains(&candidate) {
            // In front of what is there, if that is what is wrong with it.
            if PREFIXES.iter().any(|prefix| candidate.starts_with(prefix)) {
                candidate.insert_str(0, "the_");
            } else {
                candidate.push('_');
            }
        }
        self.0.insert(candidate.clone());
        candidate
    }
}

fn is_reserved(name: &str) -> bool {
    RESERVED.split_whitespace().any(|word| word == name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
        || is_label(name)
}

/// Labels have a name space of their own, but people do not.
fn is_label(name: &str) -> bool {
    name.strip_prefix('L').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

/// A variable of the exported program: a location on its own, or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VariableId {
    /// A location that is in no array.
    Single(LocId),
    /// All elements of an array.
    Array(ArrayId),
}

/// The variable a location belongs to, and its index there.
pub(crate) fn variable(program: &Program, loc: LocId) -> (VariableId, Option<usize>) {
    let within =
        |array: &fencepost_ir::Array| loc.index().checked_sub(array.base.index()).filter(|&i| i < array.len as usize);
    let array = program.arrays().iter().enumerate().find_map(|(id, array)| Some((id, within(array)?)));
    match array {
        Some((id, index)) => (VariableId::Array(ArrayId::from_index(id)), Some(index)),
        None => (VariableId::Single(loc), None),
    }
}

/// The variable that a place is in.
pub(crate) fn variable_of(program: &Program, place: &Place) -> VariableId {
    match place {
        Place::Fixed(loc) => variable(program, *loc).0,
        Place::Element { array, .. } => VariableId::Array(*array),
    }
}
