use crate::model::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use crate::model::sync::Arc;

pub fn test() {
    let counter = Arc::new(AtomicUsize::new(0));
    crate::run(4, move |_| {
        counter.fetch_add(1, Relaxed);
    });
}
