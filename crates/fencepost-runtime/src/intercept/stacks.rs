//! Whose stack an address lies in.

use std::hint::black_box;

use libc::pthread_attr_t;

use crate::lock::Guarded;
use crate::thread::Tid;

struct Stack {
    tid: Tid,
    start: usize,
    end: usize,
}

static STACKS: Guarded<Vec<Stack>> = Guarded::new(Vec::new());

/// A page: what the lowest end of a stack may differ from what is computed here.
const MARGIN: usize = 4096;

/// The size of the stack of a thread that is created with these attributes, which may be null.
///
/// # Safety
/// They must be valid otherwise.
pub(super) unsafe fn size(attributes: *const pthread_attr_t) -> usize {
    let mut bytes = 0;
    // SAFETY: the caller's promise; the attributes of our own are initialised before they are read,
    // and destroyed.
    unsafe {
        if attributes.is_null() {
            let mut defaults: pthread_attr_t = std::mem::zeroed();
            if libc::pthread_attr_init(&raw mut defaults) == 0 {
                libc::pthread_attr_getstacksize(&raw const defaults, &raw mut bytes);
                libc::pthread_attr_destroy(&raw mut defaults);
            }
        } else {
            libc::pthread_attr_getstacksize(attributes, &raw mut bytes);
        }
    }
    bytes
}

/// The stack of the calling thread, which was created with one of `size` bytes: glibc has the
/// thread's handle point to what it keeps of the thread, at the upper end of the stack. None if it
/// is not so.
fn below_handle(size: usize) -> Option<(usize, usize)> {
    // SAFETY: asks for the caller's own handle.
    let end = unsafe { libc::pthread_self() } as usize;
    let bytes = size.checked_sub(MARGIN)?;
    let start = end.checked_sub(bytes)?;
    let on_the_stack = 0u8;
    let here = &raw const *black_box(&on_the_stack) as usize;
    (start..end).contains(&here).then_some((start, bytes))
}

/// The stack of the calling thread: address and size. The caller must be at work for the runtime,
/// since libc allocates here, and takes a while.
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

/// The calling thread, which begins, has a stack on which others may have been before. `size` is
/// what [`size`] said when it was created, if that is known.
pub(super) fn begin(tid: Tid, size: Option<usize>) {
    if let Some((start, bytes)) = size.and_then(below_handle).or_else(range) {
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
