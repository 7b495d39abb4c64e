//! What an access would do, as a test of a monitor tells it.

use fencepost_base::ids::{ThreadId, Value};
use fencepost_base::order::Mode;
use fencepost_ir::CasStrength;
use fencepost_model::monitor::Accepts;
use fencepost_model::{Attempt, AttemptKind, Monitor};
use fencepost_oracle::interpreter::{Access, Action};

/// The order of the access if it takes a step of this kind, and whether it takes one with this
/// value.
fn taken(access: &Access, kind: AttemptKind, value: Value) -> Option<Mode> {
    let (mode, accepted) = match (&access.action, kind) {
        (Action::Read { mode, .. }, AttemptKind::Read) => (mode, true),
        (Action::Write { mode, .. }, AttemptKind::Write) => (mode, true),
        (Action::Update { mode, .. }, AttemptKind::Rmw) => (mode, true),
        (Action::Fence, AttemptKind::Rmw) => (&Mode::Full, true),
        (Action::Cas { expected, failure, strength, .. }, AttemptKind::Read) => {
            (failure, value != *expected || *strength == CasStrength::Weak)
        }
        (Action::Cas { expected, success: mode, .. }, AttemptKind::Rmw)
        | (Action::BlockingCas { expected, mode, .. }, AttemptKind::Rmw) => (mode, value == *expected),
        (Action::Wait { any_of, mode, .. }, AttemptKind::Read) => {
            (mode, any_of.iter().any(|&(cmp, right)| cmp.holds(i64::from(value), right)))
        }
        _ => return None,
    };
    accepted.then_some(*mode)
}

/// What the monitor of a program whose classes are its values says about a step of this kind.
pub(crate) fn violated(
    monitor: &dyn Monitor,
    state: &[u64],
    domain: u64,
    thread: ThreadId,
    access: &Access,
    kind: AttemptKind,
) -> bool {
    let modes = || (0..domain as Value).filter_map(|value| Some((value, taken(access, kind, value)?)));
    let bits = modes().fold(0u64, |bits, (value, _)| bits | 1 << value);
    let Some((_, mode)) = modes().next() else { return false };
    let attempt = Attempt { kind, loc: access.loc, mode, accepts: Accepts::Classes(&[bits]) };
    monitor.violated(state, thread, &attempt)
}
