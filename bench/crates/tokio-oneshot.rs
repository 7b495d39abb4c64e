//! RUSTSEC-2021-0124: a channel for one value is closed, and then both ends are used.

use std::thread;
use tokio::sync::oneshot;

fn main() {
    for _ in 0..5 {
        let (sender, mut receiver) = oneshot::channel();
        let sending = thread::spawn(move || drop(sender.send(String::from("a value"))));
        receiver.close();
        for _ in 0..5 {
            let _ = receiver.try_recv();
        }
        sending.join().expect("it sends");
    }
}
