//! RUSTSEC-2025-0023: receivers clone the same value at the same time, although it is not `Sync`.

use std::cell::Cell;
use std::thread;
use tokio::sync::broadcast;

/// Counts its clones.
struct Counted(Cell<u32>);

impl Clone for Counted {
    fn clone(&self) -> Counted {
        self.0.set(self.0.get() + 1);
        Counted(Cell::new(0))
    }
}

fn main() {
    let (sender, one) = broadcast::channel(4);
    let _kept = sender.subscribe();
    let other = sender.subscribe();
    let receiving = [one, other].map(|mut receiver| thread::spawn(move || receiver.try_recv().is_ok()));
    assert!(sender.send(Counted(Cell::new(0))).is_ok());
    for receiver in receiving {
        receiver.join().expect("it receives, or not");
    }
}
