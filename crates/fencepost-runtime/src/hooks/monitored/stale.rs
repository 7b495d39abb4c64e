//! Accesses that use an overwritten write: in a provoked run the one that was asked for, and where
//! somebody decides every step the one that is decided. See [`crate::provoke`].

use fencepost_clock::{Access, Finding, Order, Released, Window, Write};
use fencepost_protocol::Action;
use fencepost_protocol::record::Op;

use super::{Call, Session, atomic};
use crate::thread::Thread;
use crate::{explore, follow, intercept, options, provoke, report, schedule, spin};

impl Session {
    /// In a provoked run: makes the access, if it is the one that is to use an overwritten write
    /// and may do so now. Memory stays as it is. The caller returns [`provoke::used`]; a
    /// compare-and-swap has succeeded if that is what it expects.
    #[cold]
    pub(super) fn provoke(&mut self, call: Call, size: u8, action: Action, access: Access<'_>) -> bool {
        if provoke::is_over() {
            return false;
        }
        if explore::is_decided() {
            return self.stray(call, size, action, access);
        }
        let location = &atomic(&mut self.held).location;
        let found = match location.check(self.thread.clocks(), access, call.order()) {
            // Of wide values there are only hashes.
            Finding::Violation(window) if size <= 8 => violation(&self.thread, call, size, action, access, window),
            _ => None,
        };
        let Some((reported, mut window)) = found else { return false };
        self.retain_usable(call, access, &mut window);
        if window.stale.is_empty() {
            return false;
        }
        let Some(opportunity) = provoke::opportunity(&self.thread, call.pc, &window) else { return false };
        if opportunity.is_for_comparison() {
            opportunity.let_pass();
            self.record(call, Op::Stale, 0, 0, false);
            follow::begin(&mut self.thread);
            return false;
        }
        let Some(used) = opportunity.choose(&window) else { return false };
        let Some(released) = opportunity.released(call.addr, &used) else { return false };
        report::provoked(&self.thread, &reported, &window, &used);
        self.uses(call, size, access, &used, &released);
        opportunity.take(used.value);
        self.record(call, Op::Stale, used.value, 0, true);
        follow::begin(&mut self.thread);
        true
    }

    /// Of the window of a compare-and-swap: keeps what it can use.
    fn retain_usable(&mut self, call: Call, access: Access<'_>, window: &mut Window) {
        if let Access::WeakCas { expected, .. } | Access::StrongCas { expected, .. } = access {
            // To fail with the value that is expected needs no overwritten write.
            let location = &atomic(&mut self.held).location;
            let succeeds = location.check(self.thread.clocks(), Access::BlockingCas { expected }, call.order());
            let may = |write: &Write| matches!(&succeeds, Finding::Violation(window) if window.stale.contains(write));
            window.stale.retain(|write| write.value != expected || may(write));
        }
    }

    /// The access uses this write of its window, which has released this.
    fn uses(&mut self, call: Call, size: u8, access: Access<'_>, used: &Write, released: &Released) {
        let (order, touches) = match access {
            Access::WeakCas { expected, failure } | Access::StrongCas { expected, failure } => {
                let succeeds = used.value == expected;
                (if succeeds { call.order() } else { failure }, Some(succeeds))
            }
            Access::Wait { .. } => (call.order(), Some(false)),
            Access::BlockingCas { .. } => (call.order(), Some(true)),
            Access::Load | Access::Store | Access::Rmw => (call.order(), None),
        };
        if let Some(write) = touches {
            self.touch(call, size, write);
        }
        // A store reads nothing, and what it releases is read by nobody.
        if !matches!(access, Access::Store) {
            self.thread.clocks_mut().read_released(released, order);
        }
        self.thread.does_something();
    }

    /// Somebody decides every step: reports the window of the access, and asks which write of it is
    /// used, if any. All of them are ways that the step can go. True if the access has been made.
    #[cold]
    fn stray(&mut self, call: Call, size: u8, action: Action, access: Access<'_>) -> bool {
        let location = &atomic(&mut self.held).location;
        let found = match location.check(self.thread.clocks(), access, call.order()) {
            Finding::Clean => None,
            Finding::Cut => {
                self.thread.counters.cut.count();
                None
            }
            Finding::Violation(window) => {
                if window.cut {
                    self.thread.counters.cut.count();
                }
                violation(&self.thread, call, size, action, access, window)
            }
        };
        let Some((reported, mut window)) = found else { return false };
        if explore::is_explored() {
            report::robustness(&self.thread, &reported, &window);
        }
        if matches!(access, Access::Wait { .. } | Access::BlockingCas { .. }) {
            explore::remark("what follows if a wait finds an overwritten value is not explored");
            return false;
        }
        if size > 8 {
            explore::remark("what follows if an access of 16 bytes uses an overwritten value is not explored");
            return false;
        }
        self.retain_usable(call, access, &mut window);
        let known: Vec<_> =
            window.stale.iter().filter_map(|write| Some((write, provoke::known(call.addr, write)?))).collect();
        if known.len() < window.stale.len() {
            explore::remark("what an overwritten write has released is not known any more");
        }
        let Some(way) = schedule::stale_way(known.len()) else { return false };
        let (used, (released, source)) = &known[way];
        let (used, released) = (**used, released.clone());
        explore::uses_stale(report::key(&reported, &window), *source);
        if !explore::is_explored() {
            report::provoked(&self.thread, &reported, &window, &used);
        }
        self.uses(call, size, access, &used, &released);
        provoke::decided(used.value);
        true
    }
}

/// What is to be said about an access with this window, if anything.
#[cold]
pub(super) fn violation(
    thread: &Thread,
    call: Call,
    size: u8,
    action: Action,
    access: Access<'_>,
    mut window: Window,
) -> Option<(report::Access, Window)> {
    let options = options::get();
    // A stale guard of a static variable only leads to the slow path, which asks again.
    if !options.robustness || intercept::is_guard(call.addr) {
        return None;
    }
    let expected = match access {
        Access::WeakCas { expected, .. } | Access::StrongCas { expected, .. } | Access::BlockingCas { expected } => {
            Some(expected)
        }
        _ => None,
    };
    let may_spin = matches!(access, Access::Load | Access::WeakCas { .. } | Access::StrongCas { .. });
    if options.spin_detection && may_spin {
        let place = thread.calls.near(call.pc);
        window.stale.retain(|stale| Some(stale.value) == expected || !spin::keeps_spinning(place, stale.value));
    }
    if let Some(awaited) = thread.awaited.get().filter(|_| may_spin) {
        window.stale.retain(|stale| !awaited.goes_on(call.addr, stale.value));
    }
    if window.stale.is_empty() {
        return None;
    }
    let failure =
        matches!(access, Access::WeakCas { .. } | Access::StrongCas { .. }).then(|| Order::decode(call.failure));
    let access = report::Access { action, order: call.order(), failure, addr: call.addr, size, pc: call.pc, expected };
    Some((access, window))
}
