use crate::model::sync::atomic::{AtomicUsize, Ordering::{Acquire, Release}};
use crate::model::sync::Arc;

pub fn test() {
    let value = Arc::new(AtomicUsize::new(0));
    crate::run(9, move |me| {
        if me == 0 {
            value.store(42, Release);
        } else {
            value.load(Acquire);
        }
    });
}
