//! Calls that may wait for the world outside of the process. Under a controlled schedule they do so
//! without the baton, if they would have to wait at all.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null;
use std::sync::atomic::AtomicU64;

use libc::{size_t, ssize_t, timespec};

use super::{Object, acquire, real, release_join, sleep};
use crate::schedule;

/// Does `call` while others run, if somebody else decides when it ends.
fn outside<T>(call: impl FnOnce() -> T) -> T {
    if schedule::controls() { schedule::outside(call) } else { call() }
}

/// Does `call`, which waits only until there is something to read from `file`.
fn when_readable<T>(file: c_int, call: impl FnOnce() -> T) -> T {
    if !schedule::controls() {
        return call();
    }
    schedule::point();
    let mut poll = libc::pollfd { fd: file, events: libc::POLLIN, revents: 0 };
    let arguments = [(&raw mut poll) as usize, 1, 0, 0, 0, 0];
    // SAFETY: the structure outlives the call.
    let ready = unsafe { super::system_call(libc::SYS_poll, arguments) };
    if ready == 0 { schedule::outside(call) } else { call() }
}

/// Does `now`, which does not wait, and `call`, which may, only if that is not enough.
fn unless(now: impl FnOnce() -> c_int, call: impl FnOnce() -> c_int) -> c_int {
    if !schedule::controls() {
        return call();
    }
    schedule::point();
    match now() {
        0 => schedule::outside(call),
        result => result,
    }
}

/// Does `now`, which does not wait, in turn.
fn looked(now: impl FnOnce() -> c_int) -> c_int {
    schedule::point();
    now()
}

/// What stands for queues of events: whoever adds a file to one, with a number or a pointer, hands that
/// over to whoever is told of the file. A queue may have several numbers, so there is one object for
/// all.
fn queues() -> Object {
    static QUEUES: AtomicU64 = AtomicU64::new(0);
    QUEUES.as_ptr().cast()
}

/// Does `wait`, which says how many files of a queue have something to tell.
fn hears(wait: impl FnOnce() -> c_int) -> c_int {
    let told = wait();
    if told > 0 {
        acquire(queues());
    }
    told
}

const NO_TIME: timespec = timespec { tv_sec: 0, tv_nsec: 0 };

unsafe fn wait_for(process: c_int, status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int {
    // SAFETY: the caller keeps the contract of `wait4`.
    unsafe {
        if options & libc::WNOHANG != 0 {
            return real::wait4(process, status, options, usage);
        }
        unless(
            || real::wait4(process, status, options | libc::WNOHANG, usage),
            || real::wait4(process, status, options, usage),
        )
    }
}

intercept! {
    fn read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t {
        when_readable(file, || real::read(file, buffer, bytes))
    }

    fn readv(file: c_int, parts: *const c_void, count: c_int) -> ssize_t {
        when_readable(file, || real::readv(file, parts, count))
    }

    fn recv(socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t {
        when_readable(socket, || real::recv(socket, buffer, bytes, flags))
    }

    fn recvfrom(socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int, address: *mut c_void, size: *mut c_uint) -> ssize_t {
        when_readable(socket, || real::recvfrom(socket, buffer, bytes, flags, address, size))
    }

    fn recvmsg(socket: c_int, message: *mut c_void, flags: c_int) -> ssize_t {
        when_readable(socket, || real::recvmsg(socket, message, flags))
    }

    fn accept(socket: c_int, address: *mut c_void, size: *mut c_uint) -> c_int {
        when_readable(socket, || real::accept(socket, address, size))
    }

    fn accept4(socket: c_int, address: *mut c_void, size: *mut c_uint, flags: c_int) -> c_int {
        when_readable(socket, || real::accept4(socket, address, size, flags))
    }

    fn connect(socket: c_int, address: *const c_void, size: c_uint) -> c_int {
        outside(|| real::connect(socket, address, size))
    }

    fn poll(files: *mut c_void, count: libc::nfds_t, milliseconds: c_int) -> c_int {
        if count == 0 && milliseconds > 0 && sleep::passes(milliseconds as u64 * 1_000_000) {
            return 0;
        }
        let now = || real::poll(files, count, 0);
        // A look that does not wait is over when it has been made.
        if milliseconds == 0 { looked(now) } else { unless(now, || real::poll(files, count, milliseconds)) }
    }

    fn ppoll(files: *mut c_void, count: libc::nfds_t, time: *const timespec, signals: *const c_void) -> c_int {
        let now = || real::ppoll(files, count, &NO_TIME, signals);
        let waits = time.as_ref().is_none_or(|time| (time.tv_sec, time.tv_nsec) != (0, 0));
        if waits { unless(now, || real::ppoll(files, count, time, signals)) } else { looked(now) }
    }

    fn select(count: c_int, read: *mut c_void, write: *mut c_void, other: *mut c_void, time: *mut libc::timeval) -> c_int {
        if count == 0 && let Some(time) = time.as_ref() {
            let length = (time.tv_sec as u64).saturating_mul(1_000_000_000) + time.tv_usec as u64 * 1000;
            if sleep::passes(length) {
                return 0;
            }
        }
        outside(|| real::select(count, read, write, other, time))
    }

    fn pselect(count: c_int, read: *mut c_void, write: *mut c_void, other: *mut c_void, time: *const timespec, signals: *const c_void) -> c_int {
        outside(|| real::pselect(count, read, write, other, time, signals))
    }

    fn epoll_ctl(queue: c_int, operation: c_int, file: c_int, event: *mut c_void) -> c_int {
        release_join(queues());
        real::epoll_ctl(queue, operation, file, event)
    }

    fn epoll_wait(queue: c_int, events: *mut c_void, count: c_int, milliseconds: c_int) -> c_int {
        hears(|| {
            unless(|| real::epoll_wait(queue, events, count, 0), || real::epoll_wait(queue, events, count, milliseconds))
        })
    }

    fn epoll_pwait(queue: c_int, events: *mut c_void, count: c_int, milliseconds: c_int, signals: *const c_void) -> c_int {
        hears(|| {
            unless(
                || real::epoll_pwait(queue, events, count, 0, signals),
                || real::epoll_pwait(queue, events, count, milliseconds, signals),
            )
        })
    }

    fn wait(status: *mut c_int) -> c_int {
        wait_for(-1, status, 0, null::<c_void>().cast_mut())
    }

    fn waitpid(process: c_int, status: *mut c_int, options: c_int) -> c_int {
        wait_for(process, status, options, null::<c_void>().cast_mut())
    }

    fn wait3(status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int {
        wait_for(-1, status, options, usage)
    }

    fn wait4(process: c_int, status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int {
        wait_for(process, status, options, usage)
    }

    fn waitid(kind: c_int, number: c_uint, information: *mut c_void, options: c_int) -> c_int {
        outside(|| real::waitid(kind, number, information, options))
    }

    fn system(command: *const c_char) -> c_int {
        outside(|| real::system(command))
    }

    fn pause() -> c_int {
        outside(|| real::pause())
    }

    fn sigwait(signals: *const c_void, signal: *mut c_int) -> c_int {
        outside(|| real::sigwait(signals, signal))
    }

    fn sigwaitinfo(signals: *const c_void, information: *mut c_void) -> c_int {
        outside(|| real::sigwaitinfo(signals, information))
    }

    fn sigtimedwait(signals: *const c_void, information: *mut c_void, time: *const timespec) -> c_int {
        outside(|| real::sigtimedwait(signals, information, time))
    }

    fn sigsuspend(signals: *const c_void) -> c_int {
        outside(|| real::sigsuspend(signals))
    }

    fn flock(file: c_int, operation: c_int) -> c_int {
        outside(|| real::flock(file, operation))
    }
}
