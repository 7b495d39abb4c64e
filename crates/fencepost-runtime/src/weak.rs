//! What is in atomic variables in a run that need not be SC: decisions say which write an access
//! finds ([`fencepost_protocol::exploration::Decision::found`]).
//!
//! All writes to a variable are kept, in the order in which the run makes them, with what they have
//! released. So a read can find any of them, and knows what it acquires. Memory keeps the write
//! that is last in modification order, for plain accesses that come later. They are kept honest by
//! the race rule: a plain access that does not race is ordered with all writes, so that it comes
//! after those of which it must read the last one, and before the others. A run makes its steps in
//! an order that happens-before is part of.
//!
//! Memory that has another value than the last write was written by a plain access, or was
//! allocated anew. All that was done there before happens before that, and what is done there from
//! now on happens after it, or there is a race. So it is another variable from then on, with a name
//! of its own.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use fencepost_clock::Released;
use fencepost_protocol::exploration::Found;

use crate::lock::Guarded;
use crate::stats;

/// A write.
#[derive(Clone)]
pub(crate) struct Write {
    /// What was written.
    pub(crate) value: u128,
    /// What who reads it acquires.
    pub(crate) released: Released,
}

/// A variable.
struct Variable {
    /// How often memory was written otherwise.
    age: u16,
    size: u8,
    /// The initial value, and what was written since.
    writes: Vec<Write>,
    /// The last one in modification order.
    last: usize,
}

static VARIABLES: Guarded<BTreeMap<usize, Variable>> = Guarded::new(BTreeMap::new());

/// Bits of a name that are the address.
const ADDRESS_BITS: u32 = 48;

/// A variable of `size` bytes is about to be accessed, and memory has this value: its name.
pub(crate) fn name(addr: usize, size: u8, value: u128) -> u64 {
    let initial = || vec![Write { value, released: Released::default() }];
    let mut variables = VARIABLES.lock();
    let variable = variables.entry(addr).or_insert_with(|| Variable { age: 0, size, writes: initial(), last: 0 });
    if variable.size != size {
        stats::MIXED.fetch_add(1, Ordering::Relaxed);
    }
    if variable.writes[variable.last].value != value {
        *variable = Variable { age: variable.age.wrapping_add(1), size, writes: initial(), last: 0 };
    }
    variable.name(addr)
}

impl Variable {
    fn name(&self, addr: usize) -> u64 {
        addr as u64 | u64::from(self.age) << ADDRESS_BITS
    }
}

/// The name of the variable that is there now.
pub(crate) fn name_of(addr: usize) -> u64 {
    VARIABLES.lock().get(&addr).map_or(addr as u64, |variable| variable.name(addr))
}

/// How often the object at an address was destroyed.
static OBJECTS: Guarded<BTreeMap<usize, u16>> = Guarded::new(BTreeMap::new());

/// The name of the object that is there now. One that was destroyed is another one.
pub(crate) fn name_of_object(addr: usize) -> u64 {
    let age = OBJECTS.lock().get(&addr).copied().unwrap_or(0);
    addr as u64 | u64::from(age) << ADDRESS_BITS
}

/// The object at this address is none any more.
pub(crate) fn was_destroyed(addr: usize) {
    let mut objects = OBJECTS.lock();
    let age = objects.entry(addr).or_default();
    *age = age.wrapping_add(1);
}

/// The address of what has this name.
pub(crate) fn address_of(name: u64) -> u64 {
    name & ((1 << ADDRESS_BITS) - 1)
}

/// The write that an access finds; none if there is no such write.
pub(crate) fn find(addr: usize, found: Found) -> Option<Write> {
    let variables = VARIABLES.lock();
    let variable = variables.get(&addr)?;
    let number = match found {
        Found::Newest => variable.last,
        Found::Write(number) => number as usize,
    };
    variable.writes.get(number).cloned()
}

/// The initial value.
pub(crate) fn initial(addr: usize) -> u128 {
    VARIABLES.lock().get(&addr).and_then(|variable| variable.writes.first()).map_or(0, |write| write.value)
}

/// A write is made; `is_hidden` if others are later in modification order.
pub(crate) fn make(addr: usize, write: Write, is_hidden: bool) {
    if let Some(variable) = VARIABLES.lock().get_mut(&addr) {
        variable.writes.push(write);
        if !is_hidden {
            variable.last = variable.writes.len() - 1;
        }
    }
}
