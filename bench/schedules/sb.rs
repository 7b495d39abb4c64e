use crate::model::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::model::sync::Arc;

pub fn test() {
    let flags = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    crate::run(2, move |me| {
        flags[me].store(1, SeqCst);
        flags[1 - me].load(SeqCst);
    });
}
