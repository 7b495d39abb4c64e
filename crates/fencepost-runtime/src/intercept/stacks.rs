//! Whose stack an address lies in.

use crate::lock::Guarded;
use crate::thread::Tid;

struct Stack {
    tid: Tid,
    start: usize,
    end: usize,
}

static STACKS: Guarded<Vec<Stack>> = Guarded::new(Vec::new());

/// The stack of the calling thread: address and size. The caller must be at work for the runtime, since libc allocates here.
fn range() -> Option<(usize, usize)> {
    // SAFETY: the attributes are filled in before they are read, and destroyed.
    unsafe {
        let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
        if libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) != 0 {
            return None;
        }
        let mut start = std::ptr::null_mut();
        let mut bytes = 0;
        let result = libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut bytes);
        libc::pthread_attr_destroy(&raw mut attributes);
        (result == 0).then_some((start as usize, bytes))
    }
}

/// The calling thread, which begins, has a stack on which others may have been before.
pub(super) fn begin(tid: Tid) {
    if let Some((start, bytes)) = range() {
        crate::shadow::forget(start, bytes);
        STACKS.lock().push(Stack { tid, start, end: start + bytes });
    }
}

/// The thread is over.
pub(super) fn end(tid: Tid) {
    STACKS.lock().retain(|stack| stack.tid != tid);
}

/// The thread whose stack `addr` lies in.
pub(crate) fn stack_owner(addr: usize) -> Option<Tid> {
    STACKS.lock().iter().find(|stack| (stack.start..stack.end).contains(&addr)).map(|stack| stack.tid)
}
