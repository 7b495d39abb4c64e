//! One thread fills the slot, another one waits until it is full.

use queue::Slot;

#[test]
fn hands_over() {
    let slot = Slot::default();
    std::thread::scope(|scope| {
        scope.spawn(|| slot.put(7));
        loop {
            if let Some(value) = slot.take() {
                assert_eq!(value, 7);
                break;
            }
            std::thread::yield_now();
        }
    });
}
