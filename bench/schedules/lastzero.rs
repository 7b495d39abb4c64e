use crate::model::sync::atomic::{AtomicUsize, Ordering::{Acquire, Release}};
use crate::model::sync::Arc;

const N: usize = 5;

pub fn test() {
    let array: Arc<Vec<AtomicUsize>> = Arc::new((0..=N).map(|_| AtomicUsize::new(0)).collect());
    crate::run(N + 1, move |me| {
        if me == 0 {
            let mut i = N;
            while array[i].load(Acquire) != 0 {
                i -= 1;
            }
        } else {
            let before = array[me - 1].load(Acquire);
            array[me].store(before + 1, Release);
        }
    });
}
