//! What controlled schedules want from the kernel, past our own interceptors: to sleep and to be
//! woken, who sleeps.

use std::sync::atomic::{AtomicU32, Ordering};

/// Where a thread sleeps until it is its turn.
pub(super) struct Word(AtomicU32);

impl Word {
    pub(super) const fn new() -> Self {
        Word(AtomicU32::new(0))
    }

    /// It is not the thread's turn.
    pub(super) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Is it the thread's turn? Then that is used up.
    pub(super) fn take(&self) -> bool {
        self.0.swap(0, Ordering::Acquire) != 0
    }

    /// It is the thread's turn.
    pub(super) fn ring(&self) {
        self.0.store(1, Ordering::Release);
        futex(&self.0, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1, None);
    }

    /// Sleeps until it is rung, and no longer than this.
    pub(super) fn sleep(&self, nanoseconds: u64) {
        futex(&self.0, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, 0, Some(nanoseconds));
    }
}

/// A call of the kernel's futex, past our own interceptors.
fn futex(word: &AtomicU32, operation: i32, value: u32, nanoseconds: Option<u64>) {
    let time = nanoseconds.map(|all| libc::timespec {
        tv_sec: (all / 1_000_000_000) as libc::time_t,
        tv_nsec: (all % 1_000_000_000) as libc::c_long,
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let arguments = [word.as_ptr() as usize, operation as usize, value as usize, time as usize, 0, 0];
    // SAFETY: the word and the time outlive the call.
    unsafe { crate::intercept::system_call(libc::SYS_futex, arguments) };
}

/// Lets other threads have the processor.
pub(super) fn give_way() {
    // SAFETY: a system call without arguments.
    unsafe { crate::intercept::system_call(libc::SYS_sched_yield, [0; 6]) };
}

/// The calling thread, and those that it creates, stay on this processor. One of them runs at a
/// time, and is woken sooner there.
pub(super) fn stay_here() {
    // SAFETY: asks for a number; the set is a structure of bits, which lives during the call.
    unsafe {
        let processor = libc::sched_getcpu();
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if let Ok(processor) = usize::try_from(processor) {
            libc::CPU_SET(processor, &mut set);
            libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
        }
    }
}

/// The number of the calling thread in the kernel.
pub(super) fn task() -> i32 {
    // SAFETY: a system call without arguments.
    unsafe { crate::intercept::system_call(libc::SYS_gettid, [0; 6]) as i32 }
}

/// Does the thread with this number in the kernel sleep there?
pub(super) fn sleeps(task: i32) -> bool {
    let path = format!("/proc/self/task/{task}/stat\0");
    let mut text = [0u8; 256];
    // SAFETY: the path ends with a zero and the buffer is as long as is said; the file is closed
    // again.
    let read = unsafe {
        let file = crate::intercept::system_call(
            libc::SYS_openat,
            [libc::AT_FDCWD as usize, path.as_ptr() as usize, libc::O_RDONLY as usize, 0, 0, 0],
        );
        if file < 0 {
            return false;
        }
        let read = crate::intercept::system_call(
            libc::SYS_read,
            [file as usize, text.as_mut_ptr() as usize, text.len(), 0, 0, 0],
        );
        crate::intercept::system_call(libc::SYS_close, [file as usize, 0, 0, 0, 0, 0]);
        read
    };
    // The name of the thread, in parentheses, may contain anything.
    let text = &text[..usize::try_from(read).unwrap_or(0)];
    let name_end = text.iter().rposition(|&byte| byte == b')').unwrap_or(0);
    text.get(name_end + 2).is_some_and(|&state| state == b'S' || state == b'D')
}
