//! Every access a thread could make.

use fencepost_clock::{Access, Order};

use crate::trace::{Kind, READ_ORDERS, RMW_ORDERS, VALUES, WRITE_ORDERS};

/// An access, as data.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Probe {
    Load,
    Store,
    Rmw,
    WeakCas { expected: u64, failure: Order },
    StrongCas { expected: u64, failure: Order },
    Wait { value: u64 },
    BlockingCas { expected: u64 },
}

impl Probe {
    /// Hands the access to `check`.
    pub(crate) fn with<T>(self, check: impl FnOnce(Access) -> T) -> T {
        match self {
            Probe::Load => check(Access::Load),
            Probe::Store => check(Access::Store),
            Probe::Rmw => check(Access::Rmw),
            Probe::WeakCas { expected, failure } => check(Access::WeakCas { expected, failure }),
            Probe::StrongCas { expected, failure } => check(Access::StrongCas { expected, failure }),
            Probe::Wait { value } => check(Access::Wait { wanted: &|read| read == value }),
            Probe::BlockingCas { expected } => check(Access::BlockingCas { expected }),
        }
    }

    /// One access of each kind that makes a difference to what is read.
    pub(crate) fn kinds(order: Order) -> [(Probe, Order); 3] {
        [Probe::Load, Probe::Store, Probe::Rmw].map(|probe| (probe, order))
    }

    /// The ways in which the access, of this order, can go.
    pub(crate) fn ways(self, order: Order) -> Vec<Way> {
        let any = |kind| Way { kind, order, values: Values::Any };
        let success = |expected| Way { kind: Kind::Rmw, order, values: Values::Only(expected) };
        let failure = |order, values| Way { kind: Kind::Read, order, values };
        match self {
            Probe::Load => vec![any(Kind::Read)],
            Probe::Store => vec![any(Kind::Write)],
            Probe::Rmw => vec![any(Kind::Rmw)],
            Probe::Wait { value } => vec![Way { kind: Kind::Read, order, values: Values::Only(value) }],
            Probe::BlockingCas { expected } => vec![success(expected)],
            Probe::WeakCas { expected, failure: order } => vec![success(expected), failure(order, Values::Any)],
            Probe::StrongCas { expected, failure: order } => {
                vec![success(expected), failure(order, Values::AllBut(expected))]
            }
        }
    }

    /// Is some way of it an SC access?
    pub(crate) fn is_sc(self, order: Order) -> bool {
        self.ways(order).iter().any(|way| way.order.is_sc())
    }
}

/// How an access can go: how it touches memory, with which order, and after which values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) kind: Kind,
    pub(crate) order: Order,
    pub(crate) values: Values,
}

/// A set of values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values {
    Any,
    Only(u64),
    AllBut(u64),
}

impl Values {
    pub(crate) fn contains(self, value: u64) -> bool {
        match self {
            Values::Any => true,
            Values::Only(only) => value == only,
            Values::AllBut(other) => value != other,
        }
    }
}

/// Every access with every order.
pub(crate) fn probes() -> Vec<(Probe, Order)> {
    let mut probes = Vec::new();
    for order in READ_ORDERS {
        probes.push((Probe::Load, order));
        probes.extend((0..VALUES).map(|value| (Probe::Wait { value }, order)));
    }
    probes.extend(WRITE_ORDERS.map(|order| (Probe::Store, order)));
    for order in RMW_ORDERS {
        probes.push((Probe::Rmw, order));
        for expected in 0..VALUES {
            probes.push((Probe::BlockingCas { expected }, order));
            for failure in READ_ORDERS {
                probes.push((Probe::WeakCas { expected, failure }, order));
                probes.push((Probe::StrongCas { expected, failure }, order));
            }
        }
    }
    probes
}
