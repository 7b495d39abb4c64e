//! RUSTSEC-2025-0024: a channel is freed twice if its receiver is dropped while one thread sends the
//! first message and another thread the second one.

use std::thread;

fn main() {
    for _ in 0..5 {
        let (sender, receiver) = crossbeam_channel::unbounded::<Box<u64>>();
        thread::scope(|scope| {
            for number in 0..2 {
                let sender = sender.clone();
                scope.spawn(move || drop(sender.send(Box::new(number))));
            }
            drop(receiver);
        });
    }
}
