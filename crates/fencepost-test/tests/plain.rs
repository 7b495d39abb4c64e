//! Without the tool they are plain tests.

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fencepost_test::{assume, choose, exhaustive, loom, wait};

fencepost_test::exhaustive! {
    #[test]
    #[should_panic(expected = "it does")]
    fn failures_fail() {
        panic!("it does");
    }

    #[test]
    fn what_follows_a_false_assumption_does_not_happen() {
        assume(true);
        assume(choose(3) > 0);
        panic!("it was assumed");
    }

    #[test]
    fn waits_end() {
        static FLAG: AtomicBool = AtomicBool::new(false);
        let other = thread::spawn(|| FLAG.store(true, Ordering::Release));
        wait(|| FLAG.load(Ordering::Acquire));
        other.join().expect("it does not panic");
    }
}

#[test]
fn choices() {
    assert_eq!((choose(1), choose(7)), (0, 0));
    assert!(catch_unwind(|| choose(0)).is_err());
}

#[test]
fn names_of_loom() {
    loom::model(|| {
        let cell = loom::sync::Arc::new(loom::sync::Mutex::new(loom::cell::UnsafeCell::new(1)));
        let other = loom::sync::Arc::clone(&cell);
        let thread = loom::thread::spawn(move || other.lock().map(|cell| cell.with(|value| value.is_null())).ok());
        assert_eq!(thread.join().expect("it does not panic"), Some(false));
        assert_eq!(cell.lock().map(|cell| cell.with_mut(|value| value.is_null())).ok(), Some(false));
    });
}

#[test]
fn functions_can_be_marked_too() {
    let mut times = 0;
    exhaustive(|| times += 1);
    assert_eq!(times, 1);
}
