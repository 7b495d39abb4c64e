//! Functions of LLVM's C++ library that are not seen because they are in its shared object, and that
//! order something.
//!
//! - The inner part of `call_once`: it marks the flag as done, which callers test with an acquire
//!   load of their own. So that is told as a release store, as with guards of static variables.
//! - The arrival at a `std::barrier`: who arrives last may go on and has what the others did behind
//!   it. The phase, by which it tells them, is in the header and is seen.

use std::ffi::c_void;

use super::{Object, acquire, real, release_join};

/// As compilers number orders.
const RELEASE: u32 = 3;
/// The value of a flag of `call_once` that is done.
const DONE: u64 = u64::MAX;

type Routine = unsafe extern "C" fn(*mut c_void);

/// What is to be done once.
struct Once {
    state: *mut c_void,
    routine: Routine,
    argument: *mut c_void,
}

unsafe extern "C" {
    fn __tsan_atomic64_store(addr: *mut c_void, value: u64, order: u32);
}

unsafe extern "C-unwind" fn run(once: *mut c_void) {
    // SAFETY: the interceptor passes it, and waits; the flag is a word that is there as long.
    unsafe {
        let Once { state, routine, argument } = *once.cast::<Once>();
        routine(argument);
        // The library does the same once more when we return; an exception comes past us.
        __tsan_atomic64_store(state, DONE, RELEASE);
    }
}

intercept! {
    fn _ZNSt3__111__call_onceERVmPvPFvS2_E(state: *mut c_void, argument: *mut c_void, routine: Routine) {
        let mut once = Once { state, routine, argument };
        real::_ZNSt3__111__call_onceERVmPvPFvS2_E(state, (&raw mut once).cast(), run);
        acquire(state);
    }

    fn _ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(barrier: Object, phase: u8) -> bool {
        release_join(barrier);
        let is_last = real::_ZNSt3__131__arrive_barrier_algorithm_baseEPNS_24__barrier_algorithm_baseEh(barrier, phase);
        if is_last {
            acquire(barrier);
        }
        is_last
    }
}
