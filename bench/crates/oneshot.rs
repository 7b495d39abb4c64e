//! RUSTSEC-2026-0005: a receiver that has been polled is dropped while somebody sends. It reads its
//! waker after it has given up the memory.

use std::future::{Future as _, IntoFuture as _};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::thread;

/// Wakes nobody.
struct Nobody;

impl Wake for Nobody {
    fn wake(self: Arc<Self>) {}
}

fn main() {
    for _ in 0..5 {
        let (sender, receiver) = oneshot::channel::<Box<u64>>();
        let sending = thread::spawn(move || drop(sender.send(Box::new(7))));
        {
            let waker = Waker::from(Arc::new(Nobody));
            let mut receiving = pin!(receiver.into_future());
            let _ = receiving.as_mut().poll(&mut Context::from_waker(&waker));
        }
        sending.join().expect("it sends");
    }
}
