//! Waits for a condition without a loop around them: wrong only if the wait ends for no reason, or
//! because its time is over.

use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use primitives::Plain;

/// One thread sets the data and says so, another one waits for that in its own way.
fn hand_over(wait: impl FnOnce(&Mutex<bool>, &Condvar)) {
    let (ready, condition, data) = (Mutex::new(false), Condvar::new(), Plain::new(0));
    thread::scope(|scope| {
        let thread = scope.spawn(|| {
            data.set(1);
            *ready.lock().unwrap() = true;
            condition.notify_one();
        });
        wait(&ready, &condition);
        assert_eq!(data.get(), 1);
        thread.join().unwrap();
    });
}

fencepost_test::exhaustive! {
    #[test]
    fn looks_once() {
        hand_over(|ready, condition| {
            let mut ready = ready.lock().unwrap();
            if !*ready {
                ready = condition.wait(ready).unwrap();
            }
            assert!(*ready);
        });
    }

    #[test]
    fn does_not_look() {
        hand_over(|ready, condition| {
            let held = ready.lock().unwrap();
            if !*held {
                drop(condition.wait(held).unwrap());
            }
        });
    }

    #[test]
    fn trusts_the_time() {
        hand_over(|ready, condition| {
            let ready = ready.lock().unwrap();
            let waits = |ready: &mut bool| !*ready;
            drop(condition.wait_timeout_while(ready, Duration::from_secs(1), waits).unwrap());
        });
    }
}
