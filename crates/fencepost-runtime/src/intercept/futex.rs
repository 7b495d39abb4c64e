//! `syscall`: C++20's waiting on atomics and all that waits in Rust's library call the kernel's futex
//! through it. Under a controlled schedule such waits are modelled. They end for no reason only if
//! they are known to be for a condition: the others look again themselves.

use std::ffi::{c_int, c_long};
use std::sync::atomic::{AtomicU32, Ordering};

use fencepost_protocol::exploration::{Class, Kind};

use super::{nanoseconds, set_errno, timeout_at};
use crate::schedule::{self, Key, Outcome, Timeout};
use crate::{early, explore};

/// A system call, past libc; a failure is a negative number.
///
/// # Safety
/// As the call itself.
pub(crate) unsafe fn system_call(number: c_long, arguments: [usize; 6]) -> c_long {
    let result;
    // SAFETY: the kernel keeps all registers but these; the rest is up to the caller.
    unsafe {
        std::arch::asm!(
            "syscall",
            inlateout("rax") number => result,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result
}

/// Sleeps while the word is `value`.
pub(super) fn wait(word: &AtomicU32, value: u32) {
    call(word, libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, value);
}

/// Wakes all that sleep on the word.
pub(super) fn wake_all(word: &AtomicU32) {
    call(word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX as u32);
}

fn call(word: &AtomicU32, operation: c_int, value: u32) {
    // SAFETY: the word outlives the call.
    unsafe { system_call(libc::SYS_futex, [word.as_ptr() as usize, operation as usize, value as usize, 0, 0, 0]) };
}

/// A wait or wake of the program under a controlled schedule; none if it is something else.
unsafe fn modelled(arguments: [usize; 6]) -> Option<c_long> {
    let [addr, operation, value, time, _, _] = arguments;
    let operation = operation as c_int;
    let key = Key::Object(addr);
    let time = time as *const libc::timespec;
    match operation & libc::FUTEX_CMD_MASK {
        command @ (libc::FUTEX_WAIT | libc::FUTEX_WAIT_BITSET) => {
            // SAFETY: the program passes the address of a word, and a time or null.
            let timeout = match (unsafe { time.as_ref() }, command) {
                (None, _) => None,
                (Some(length), libc::FUTEX_WAIT) => Some(Timeout::after(nanoseconds(length)?)),
                (Some(_), _) if operation & libc::FUTEX_CLOCK_REALTIME != 0 => {
                    // SAFETY: as above.
                    Some(unsafe { timeout_at(libc::CLOCK_REALTIME, time) }?)
                }
                // SAFETY: as above.
                (Some(_), _) => Some(unsafe { timeout_at(libc::CLOCK_MONOTONIC, time) }?),
            };
            let announced = early::announced(addr);
            if let Some(outcome) = announced.and_then(|since| early::end(since, timeout)) {
                return Some(result_of(outcome));
            }
            schedule::about_object(Kind::Object, Class::Futex, addr);
            // SAFETY: as above.
            if unsafe { AtomicU32::from_ptr(addr as *mut u32) }.load(Ordering::SeqCst) != value as u32 {
                return Some(-c_long::from(libc::EAGAIN));
            }
            if timeout.is_some() && announced.is_none() && explore::is_decided() {
                explore::remark(
                    "the kernel was asked to wait with a time limit, which ends only when nobody else can go on",
                );
            }
            Some(result_of(schedule::block(key, timeout, || ())))
        }
        libc::FUTEX_WAKE | libc::FUTEX_WAKE_BITSET => {
            schedule::about_object_if_decided(Kind::Object, Class::Futex, addr);
            let woken = schedule::wake(key, value);
            schedule::point();
            (woken > 0).then_some(woken as c_long)
        }
        _ => None,
    }
}

/// What the kernel returns from a wait.
fn result_of(outcome: Outcome) -> c_long {
    match outcome {
        Outcome::TimedOut => -c_long::from(libc::ETIMEDOUT),
        _ => 0,
    }
}

intercept! {
    fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
        let arguments = [a, b, c, d, e, f];
        let mut result = None;
        if number == libc::SYS_futex && schedule::controls() {
            result = modelled(arguments);
        }
        let result = match result {
            Some(result) => result,
            None => system_call(number, arguments),
        };
        if (-4095..0).contains(&result) {
            set_errno(-result as c_int);
            return -1;
        }
        result
    }
}
