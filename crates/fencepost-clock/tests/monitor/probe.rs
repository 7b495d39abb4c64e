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

    /// The ways in which the access, of this order, can go: how it touches memory, with which order, on which values.
    pub(crate) fn ways(self, order: Order) -> Vec<(Kind, Order, Box<dyn Fn(u64) -> bool>)> {
        let any = |_: u64| true;
        match self {
            Probe::Load => vec![(Kind::Read, order, Box::new(any))],
            Probe::Store => vec![(Kind::Write, order, Box::new(any))],
            Probe::Rmw => vec![(Kind::Rmw, order, Box::new(any))],
            Probe::Wait { value } => vec![(Kind::Read, order, Box::new(move |read| read == value))],
            Probe::BlockingCas { expected } => vec![(Kind::Rmw, order, Box::new(move |read| read == expected))],
            Probe::WeakCas { expected, failure } => {
                vec![(Kind::Rmw, order, Box::new(move |read| read == expected)), (Kind::Read, failure, Box::new(any))]
            }
            Probe::StrongCas { expected, failure } => vec![
                (Kind::Rmw, order, Box::new(move |read| read == expected)),
                (Kind::Read, failure, Box::new(move |read| read != expected)),
            ],
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
