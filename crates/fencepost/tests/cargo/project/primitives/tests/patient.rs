//! Waits for a condition in loops, correct however often they end early.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use primitives::{Plain, beside};

fencepost_test::exhaustive! {
    #[test]
    fn in_turn() {
        let (turn, condition, data) = (Mutex::new(0), Condvar::new(), Plain::new(0));
        let plays = |mine, last| {
            let mut turn = turn.lock().unwrap();
            while *turn != mine {
                turn = condition.wait(turn).unwrap();
            }
            assert_eq!(data.get(), mine);
            data.set(mine + 1);
            *turn = last;
            condition.notify_one();
        };
        beside(|| plays(1, 2), || plays(0, 1));
        assert_eq!(data.get(), 2);
    }

    #[test]
    fn with_time() {
        let (ready, condition, data) = (Mutex::new(false), Condvar::new(), Plain::new(0));
        beside(
            || {
                data.set(1);
                *ready.lock().unwrap() = true;
                condition.notify_one();
            },
            || {
                let mut ready = ready.lock().unwrap();
                while !*ready {
                    ready = condition.wait_timeout(ready, Duration::from_secs(1)).unwrap().0;
                }
                assert_eq!(data.get(), 1);
            },
        );
    }
}
