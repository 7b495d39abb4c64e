//! The functions of libc behind the interceptors.
//!
//! They are looked up when the runtime starts, or earlier if they are needed: constructors of
//! libraries that are not instrumented come before `__tsan_init`. Looking up may allocate, see
//! [`super::memory`].

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use libc::{clockid_t, pthread_attr_t, pthread_t, size_t, ssize_t, timespec};

use super::Object;
use super::gomp::{Body, Copier};

thread_local! {
    static LOOKING: Cell<bool> = const { Cell::new(false) };
}

/// Is the calling thread looking for a function? Then `malloc` may not be known.
pub(super) fn is_looking() -> bool {
    LOOKING.get()
}

/// A function of libc.
pub(super) struct Symbol {
    name: &'static str,
    /// The version it has, where an older one is found by default.
    version: Option<&'static CStr>,
    address: AtomicPtr<c_void>,
}

impl Symbol {
    const fn new(name: &'static str, version: Option<&'static CStr>) -> Self {
        Symbol { name, version, address: AtomicPtr::new(null_mut()) }
    }

    fn name(&self) -> &'static str {
        self.name.trim_end_matches('\0')
    }

    /// Its address; null if there is no such function.
    fn find(&self) -> *mut c_void {
        let known = self.address.load(Ordering::Relaxed);
        if known.is_null() { self.look_up() } else { known }
    }

    #[cold]
    fn look_up(&self) -> *mut c_void {
        let before = LOOKING.replace(true);
        let name: *const c_char = self.name.as_ptr().cast();
        // SAFETY: names and versions end with zero.
        let address = unsafe {
            let versioned =
                self.version.map_or(null_mut(), |version| libc::dlvsym(libc::RTLD_NEXT, name, version.as_ptr()));
            if versioned.is_null() { libc::dlsym(libc::RTLD_NEXT, name) } else { versioned }
        };
        LOOKING.set(before);
        self.address.store(address, Ordering::Relaxed);
        address
    }

    /// Is there such a function?
    pub(super) fn exists(&self) -> bool {
        !self.find().is_null()
    }

    /// Its address, to be called.
    fn address(&self) -> *mut c_void {
        let address = self.find();
        if address.is_null() {
            missing(self.name());
        }
        address
    }
}

#[cold]
fn missing(name: &str) -> ! {
    crate::fatal(format_args!("there is no {name} in the C library (a statically linked program cannot be watched)"))
}

macro_rules! real {
    ($(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $(, $version:literal)?;)*) => {
        /// Where each function is.
        #[allow(non_upper_case_globals)]
        pub(super) mod symbol {
            $(pub(in crate::intercept) static $name: super::Symbol =
                super::Symbol::new(concat!(stringify!($name), "\0"), real!(@version $($version)?));)*
        }

        $(
            /// The function of this name.
            // Its name and its arguments are those of the library's.
            #[inline]
            #[allow(non_snake_case, clippy::too_many_arguments)]
            pub(super) unsafe fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the type is that of the function in the C library, and the caller keeps
                // its contract.
                unsafe {
                    let function: unsafe extern "C" fn($($type),*) $(-> $result)? =
                        std::mem::transmute(symbol::$name.address());
                    function($($argument),*)
                }
            }
        )*

        /// Looks up all of them.
        pub(super) fn resolve() {
            $(symbol::$name.find();)*
        }
    };
    (@version) => { None };
    (@version $version:literal) => { Some($version) };
}

type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type C11Start = unsafe extern "C" fn(*mut c_void) -> c_int;
type Callback = unsafe extern "C" fn();
type Unwinding = unsafe extern "C-unwind" fn(*mut c_void);
type Destructor = unsafe extern "C" fn(*mut c_void);

real! {
    fn pthread_create(thread: *mut pthread_t, attributes: *const pthread_attr_t, start: Start, argument: *mut c_void) -> c_int;
    fn pthread_join(thread: pthread_t, result: *mut *mut c_void) -> c_int;
    fn pthread_tryjoin_np(thread: pthread_t, result: *mut *mut c_void) -> c_int;
    fn pthread_timedjoin_np(thread: pthread_t, result: *mut *mut c_void, time: *const timespec) -> c_int;
    fn pthread_clockjoin_np(thread: pthread_t, result: *mut *mut c_void, clock: clockid_t, time: *const timespec) -> c_int;
    fn pthread_detach(thread: pthread_t) -> c_int;
    fn pthread_cancel(thread: pthread_t) -> c_int;
    fn pthread_setname_np(thread: pthread_t, name: *const c_char) -> c_int;
    fn thrd_create(thread: *mut pthread_t, start: C11Start, argument: *mut c_void) -> c_int;
    fn thrd_join(thread: pthread_t, result: *mut c_int) -> c_int;
    fn thrd_detach(thread: pthread_t) -> c_int;

    fn pthread_mutex_lock(mutex: Object) -> c_int;
    fn pthread_mutex_trylock(mutex: Object) -> c_int;
    fn pthread_mutex_timedlock(mutex: Object, time: *const timespec) -> c_int;
    fn pthread_mutex_clocklock(mutex: Object, clock: clockid_t, time: *const timespec) -> c_int;
    fn pthread_mutex_unlock(mutex: Object) -> c_int;
    fn pthread_mutex_destroy(mutex: Object) -> c_int;

    fn pthread_spin_lock(lock: Object) -> c_int;
    fn pthread_spin_trylock(lock: Object) -> c_int;
    fn pthread_spin_unlock(lock: Object) -> c_int;
    fn pthread_spin_destroy(lock: Object) -> c_int;

    fn pthread_rwlock_rdlock(lock: Object) -> c_int;
    fn pthread_rwlock_tryrdlock(lock: Object) -> c_int;
    fn pthread_rwlock_timedrdlock(lock: Object, time: *const timespec) -> c_int;
    fn pthread_rwlock_clockrdlock(lock: Object, clock: clockid_t, time: *const timespec) -> c_int;
    fn pthread_rwlock_wrlock(lock: Object) -> c_int;
    fn pthread_rwlock_trywrlock(lock: Object) -> c_int;
    fn pthread_rwlock_timedwrlock(lock: Object, time: *const timespec) -> c_int;
    fn pthread_rwlock_clockwrlock(lock: Object, clock: clockid_t, time: *const timespec) -> c_int;
    fn pthread_rwlock_unlock(lock: Object) -> c_int;
    fn pthread_rwlock_destroy(lock: Object) -> c_int;

    fn pthread_cond_wait(condition: Object, mutex: Object) -> c_int, c"GLIBC_2.3.2";
    fn pthread_cond_timedwait(condition: Object, mutex: Object, time: *const timespec) -> c_int, c"GLIBC_2.3.2";
    fn pthread_cond_clockwait(condition: Object, mutex: Object, clock: clockid_t, time: *const timespec) -> c_int;
    fn pthread_cond_signal(condition: Object) -> c_int, c"GLIBC_2.3.2";
    fn pthread_cond_broadcast(condition: Object) -> c_int, c"GLIBC_2.3.2";
    fn pthread_cond_destroy(condition: Object) -> c_int, c"GLIBC_2.3.2";
    fn _pthread_cleanup_push(buffer: *mut c_void, routine: Destructor, argument: *mut c_void);
    fn _pthread_cleanup_pop(buffer: *mut c_void, execute: c_int);

    fn pthread_barrier_init(barrier: Object, attributes: *const c_void, count: c_uint) -> c_int;
    fn pthread_barrier_wait(barrier: Object) -> c_int;
    fn pthread_barrier_destroy(barrier: Object) -> c_int;

    fn pthread_once(once: Object, routine: Callback) -> c_int;

    fn _ZNSt3__111__call_onceERVmPvPFvS2_E(state: *mut c_void, argument: *mut c_void, routine: Unwinding);
    fn _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(barrier: Object, phase: u8) -> bool;

    fn GOMP_parallel(body: Body, data: *mut c_void, threads: c_uint, flags: c_uint);
    fn GOMP_parallel_reductions(body: Body, data: *mut c_void, threads: c_uint, flags: c_uint) -> c_uint;
    fn GOMP_parallel_sections(body: Body, data: *mut c_void, threads: c_uint, count: c_uint, flags: c_uint);
    fn GOMP_parallel_loop_static(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint);
    fn GOMP_parallel_loop_dynamic(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint);
    fn GOMP_parallel_loop_guided(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint);
    fn GOMP_parallel_loop_nonmonotonic_dynamic(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint);
    fn GOMP_parallel_loop_nonmonotonic_guided(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, chunk: c_long, flags: c_uint);
    fn GOMP_parallel_loop_runtime(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint);
    fn GOMP_parallel_loop_nonmonotonic_runtime(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint);
    fn GOMP_parallel_loop_maybe_nonmonotonic_runtime(body: Body, data: *mut c_void, threads: c_uint, start: c_long, end: c_long, step: c_long, flags: c_uint);
    fn GOMP_barrier();
    fn GOMP_barrier_cancel() -> bool;
    fn GOMP_loop_end();
    fn GOMP_loop_end_cancel() -> bool;
    fn GOMP_sections_end();
    fn GOMP_sections_end_cancel() -> bool;
    fn GOMP_workshare_task_reduction_unregister(cancelled: bool);
    fn GOMP_single_copy_start() -> *mut c_void;
    fn GOMP_single_copy_end(data: *mut c_void);
    fn GOMP_critical_start();
    fn GOMP_critical_end();
    fn GOMP_critical_name_start(name: Object);
    fn GOMP_critical_name_end(name: Object);
    fn GOMP_atomic_start();
    fn GOMP_atomic_end();
    fn GOMP_ordered_start();
    fn GOMP_ordered_end();
    fn GOMP_task(body: Body, data: *mut c_void, copier: Option<Copier>, bytes: c_long, align: c_long, now: bool, flags: c_uint, dependences: *const *const c_void, priority: c_int, detach: *mut c_void);
    fn GOMP_taskloop(body: Body, data: *mut c_void, copier: Option<Copier>, bytes: c_long, align: c_long, flags: c_uint, tasks: c_ulong, priority: c_int, start: c_long, end: c_long, step: c_long);
    fn GOMP_taskloop_ull(body: Body, data: *mut c_void, copier: Option<Copier>, bytes: c_long, align: c_long, flags: c_uint, tasks: c_ulong, priority: c_int, start: u64, end: u64, step: u64);
    fn GOMP_taskwait();
    fn GOMP_taskwait_depend(dependences: *const *const c_void);
    fn GOMP_taskyield();
    fn GOMP_taskgroup_start();
    fn GOMP_taskgroup_end();
    fn omp_init_lock(lock: Object);
    fn omp_set_lock(lock: Object);
    fn omp_test_lock(lock: Object) -> c_int;
    fn omp_unset_lock(lock: Object);
    fn omp_init_nest_lock(lock: Object);
    fn omp_set_nest_lock(lock: Object);
    fn omp_test_nest_lock(lock: Object) -> c_int;
    fn omp_unset_nest_lock(lock: Object);

    fn __kmpc_omp_task_alloc(place: *mut c_void, thread: c_int, flags: c_int, bytes: usize, shared: usize, body: *mut c_void) -> Object;

    fn sem_wait(semaphore: Object) -> c_int;
    fn sem_trywait(semaphore: Object) -> c_int;
    fn sem_timedwait(semaphore: Object, time: *const timespec) -> c_int;
    fn sem_clockwait(semaphore: Object, clock: clockid_t, time: *const timespec) -> c_int;
    fn sem_post(semaphore: Object) -> c_int;
    fn sem_destroy(semaphore: Object) -> c_int;

    fn malloc(bytes: size_t) -> *mut c_void;
    fn calloc(count: size_t, bytes: size_t) -> *mut c_void;
    fn realloc(block: *mut c_void, bytes: size_t) -> *mut c_void;
    fn free(block: *mut c_void);
    fn memalign(alignment: size_t, bytes: size_t) -> *mut c_void;
    fn posix_memalign(block: *mut *mut c_void, alignment: size_t, bytes: size_t) -> c_int;
    fn aligned_alloc(alignment: size_t, bytes: size_t) -> *mut c_void;
    fn valloc(bytes: size_t) -> *mut c_void;
    fn pvalloc(bytes: size_t) -> *mut c_void;
    fn _Znwm(bytes: size_t) -> *mut c_void;
    fn _Znam(bytes: size_t) -> *mut c_void;
    fn _ZnwmRKSt9nothrow_t(bytes: size_t, nothrow: *const c_void) -> *mut c_void;
    fn _ZnamRKSt9nothrow_t(bytes: size_t, nothrow: *const c_void) -> *mut c_void;
    fn _ZnwmSt11align_val_t(bytes: size_t, alignment: size_t) -> *mut c_void;
    fn _ZnamSt11align_val_t(bytes: size_t, alignment: size_t) -> *mut c_void;
    fn _ZdlPv(block: *mut c_void);
    fn _ZdaPv(block: *mut c_void);
    fn _ZdlPvm(block: *mut c_void, bytes: size_t);
    fn _ZdaPvm(block: *mut c_void, bytes: size_t);

    fn exit(status: c_int) -> !;
    fn quick_exit(status: c_int) -> !;
    fn abort() -> !;
    fn __assert_fail(text: *const c_char, file: *const c_char, line: c_uint, function: *const c_char) -> !;
    fn dlclose(handle: *mut c_void) -> c_int;

    fn sched_yield() -> c_int;
    fn sleep(seconds: c_uint) -> c_uint;
    fn usleep(microseconds: c_uint) -> c_int;
    fn nanosleep(time: *const timespec, left: *mut timespec) -> c_int;
    fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int;
    fn timespec_get(time: *mut timespec, base: c_int) -> c_int;
    fn gettimeofday(time: *mut libc::timeval, zone: *mut c_void) -> c_int;
    fn clock_nanosleep(clock: clockid_t, flags: c_int, time: *const timespec, left: *mut timespec) -> c_int;

    fn read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t;
    fn readv(file: c_int, parts: *const c_void, count: c_int) -> ssize_t;
    fn recv(socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t;
    fn recvfrom(socket: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int, address: *mut c_void, size: *mut c_uint) -> ssize_t;
    fn recvmsg(socket: c_int, message: *mut c_void, flags: c_int) -> ssize_t;
    fn accept(socket: c_int, address: *mut c_void, size: *mut c_uint) -> c_int;
    fn accept4(socket: c_int, address: *mut c_void, size: *mut c_uint, flags: c_int) -> c_int;
    fn connect(socket: c_int, address: *const c_void, size: c_uint) -> c_int;
    fn poll(files: *mut c_void, count: libc::nfds_t, milliseconds: c_int) -> c_int;
    fn ppoll(files: *mut c_void, count: libc::nfds_t, time: *const timespec, signals: *const c_void) -> c_int;
    fn select(count: c_int, read: *mut c_void, write: *mut c_void, other: *mut c_void, time: *mut libc::timeval) -> c_int;
    fn pselect(count: c_int, read: *mut c_void, write: *mut c_void, other: *mut c_void, time: *const timespec, signals: *const c_void) -> c_int;
    fn epoll_ctl(queue: c_int, operation: c_int, file: c_int, event: *mut c_void) -> c_int;
    fn epoll_wait(queue: c_int, events: *mut c_void, count: c_int, milliseconds: c_int) -> c_int;
    fn epoll_pwait(queue: c_int, events: *mut c_void, count: c_int, milliseconds: c_int, signals: *const c_void) -> c_int;
    fn wait4(process: c_int, status: *mut c_int, options: c_int, usage: *mut c_void) -> c_int;
    fn waitid(kind: c_int, number: c_uint, information: *mut c_void, options: c_int) -> c_int;
    fn system(command: *const c_char) -> c_int;
    fn pause() -> c_int;
    fn sigwait(signals: *const c_void, signal: *mut c_int) -> c_int;
    fn sigwaitinfo(signals: *const c_void, information: *mut c_void) -> c_int;
    fn sigtimedwait(signals: *const c_void, information: *mut c_void, time: *const timespec) -> c_int;
    fn sigsuspend(signals: *const c_void) -> c_int;
    fn flock(file: c_int, operation: c_int) -> c_int;
}
