use crate::model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use crate::model::sync::Arc;

pub fn test() {
    let value = Arc::new(AtomicUsize::new(0));
    crate::run(4, move |me| {
        let _ = value.compare_exchange(me, me + 1, Relaxed, Relaxed);
    });
}
