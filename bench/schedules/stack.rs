use crate::model::sync::atomic::{AtomicUsize, Ordering::{AcqRel, Acquire, Relaxed}};
use crate::model::sync::Arc;

pub fn test() {
    let nodes = [AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)];
    let shared = Arc::new((AtomicUsize::new(0), nodes));
    crate::run(2, move |me| {
        let ((top, nodes), mine) = (&*shared, me + 1);
        let mut found = top.load(Relaxed);
        loop {
            nodes[mine].store(found, Relaxed);
            match top.compare_exchange(found, mine, AcqRel, Relaxed) {
                Ok(_) => break,
                Err(now) => found = now,
            }
        }
        found = top.load(Acquire);
        while found != 0 {
            let next = nodes[found].load(Relaxed);
            match top.compare_exchange(found, next, AcqRel, Acquire) {
                Ok(_) => break,
                Err(now) => found = now,
            }
        }
    });
}
