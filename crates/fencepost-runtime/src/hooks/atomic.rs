//! `__tsan_atomic*`: the exported names of atomic accesses of up to eight bytes, and of fences.
//!
//! Small integers arrive in registers whose upper bits are undefined (clang does not extend them),
//! so they are declared as 64 bits and cut.

use super::monitored::{self, Call};
use super::word::{Fetch, Narrow};

unsafe extern "C" fn load<W: Narrow>(addr: usize, order: u32, pc: usize) -> W {
    // SAFETY: instrumented code accesses this address with this width.
    unsafe { monitored::load(Call::new(addr, order, pc)) }
}

unsafe extern "C" fn store<W: Narrow>(addr: usize, value: u64, order: u32, pc: usize) {
    // SAFETY: as for `load`.
    unsafe { monitored::store(Call::new(addr, order, pc), W::cut(value)) }
}

unsafe extern "C" fn fetch<W: Narrow, const FETCH: usize>(addr: usize, value: u64, order: u32, pc: usize) -> W {
    // SAFETY: as for `load`.
    unsafe { monitored::fetch(addr, order, pc, Fetch::ALL[FETCH], W::cut(value)) }
}

/// clang's compare-and-exchange: returns what was there.
unsafe extern "C" fn cas_value<W: Narrow>(
    addr: usize,
    expected: u64,
    new: u64,
    order: u32,
    failure: u32,
    pc: usize,
) -> W {
    let call = Call::new(addr, order, pc).or_fail(failure);
    // SAFETY: as for `load`.
    unsafe { monitored::cas(call, false, W::cut(expected), W::cut(new)).0 }
}

/// gcc's compare-and-exchange: returns whether it succeeded, and leaves what was there if it did
/// not.
unsafe extern "C" fn cas_flag<W: Narrow, const WEAK: bool>(
    addr: usize,
    expected: *mut W,
    new: u64,
    order: u32,
    failure: u32,
    pc: usize,
) -> i32 {
    let call = Call::new(addr, order, pc).or_fail(failure);
    // SAFETY: as for `load`; `expected` points to a variable of the caller.
    unsafe {
        let wanted = expected.read();
        let (old, success) = monitored::cas(call, WEAK, wanted, W::cut(new));
        if !success {
            expected.write(old);
        }
        i32::from(success)
    }
}

unsafe extern "C" fn wait<W: Narrow>(addr: usize, value: u64, order: u32, differs: u32, pc: usize) -> u64 {
    // SAFETY: as for `load`.
    unsafe { monitored::wait(Call::new(addr, order, pc), W::cut(value), differs != 0) }.image()
}

unsafe extern "C" fn blocking_cas<W: Narrow>(addr: usize, expected: u64, new: u64, order: u32, pc: usize) {
    // SAFETY: as for `load`.
    unsafe { monitored::blocking_cas(Call::new(addr, order, pc), W::cut(expected), W::cut(new)) }
}

extern "C" fn fence(order: u32, pc: usize) {
    monitored::fence(order, pc);
}

extern "C" fn signal_fence(_: u32, _: usize) {}

shim!(__tsan_atomic_thread_fence, "rsi", fence);
shim!(__tsan_atomic_signal_fence, "rsi", signal_fence);

shim_of_loop!(__tsan_atomic8_load, "rdx", load::<u8>);
shim!(__tsan_atomic8_store, "rcx", store::<u8>);
shim_of_loop!(__tsan_atomic8_exchange, "rcx", fetch::<u8, 0>);
shim_of_loop!(__tsan_atomic8_fetch_add, "rcx", fetch::<u8, 1>);
shim_of_loop!(__tsan_atomic8_fetch_sub, "rcx", fetch::<u8, 2>);
shim_of_loop!(__tsan_atomic8_fetch_and, "rcx", fetch::<u8, 3>);
shim_of_loop!(__tsan_atomic8_fetch_or, "rcx", fetch::<u8, 4>);
shim_of_loop!(__tsan_atomic8_fetch_xor, "rcx", fetch::<u8, 5>);
shim_of_loop!(__tsan_atomic8_fetch_nand, "rcx", fetch::<u8, 6>);
shim_of_loop!(__tsan_atomic8_compare_exchange_val, "r9", cas_value::<u8>);
shim_of_loop!(__tsan_atomic8_compare_exchange_strong, "r9", cas_flag::<u8, false>);
shim_of_loop!(__tsan_atomic8_compare_exchange_weak, "r9", cas_flag::<u8, true>);
shim!(__fencepost_wait8, "r8", wait::<u8>);
shim!(__fencepost_bcas8, "r8", blocking_cas::<u8>);

shim_of_loop!(__tsan_atomic16_load, "rdx", load::<u16>);
shim!(__tsan_atomic16_store, "rcx", store::<u16>);
shim_of_loop!(__tsan_atomic16_exchange, "rcx", fetch::<u16, 0>);
shim_of_loop!(__tsan_atomic16_fetch_add, "rcx", fetch::<u16, 1>);
shim_of_loop!(__tsan_atomic16_fetch_sub, "rcx", fetch::<u16, 2>);
shim_of_loop!(__tsan_atomic16_fetch_and, "rcx", fetch::<u16, 3>);
shim_of_loop!(__tsan_atomic16_fetch_or, "rcx", fetch::<u16, 4>);
shim_of_loop!(__tsan_atomic16_fetch_xor, "rcx", fetch::<u16, 5>);
shim_of_loop!(__tsan_atomic16_fetch_nand, "rcx", fetch::<u16, 6>);
shim_of_loop!(__tsan_atomic16_compare_exchange_val, "r9", cas_value::<u16>);
shim_of_loop!(__tsan_atomic16_compare_exchange_strong, "r9", cas_flag::<u16, false>);
shim_of_loop!(__tsan_atomic16_compare_exchange_weak, "r9", cas_flag::<u16, true>);
shim!(__fencepost_wait16, "r8", wait::<u16>);
shim!(__fencepost_bcas16, "r8", blocking_cas::<u16>);

shim_of_loop!(__tsan_atomic32_load, "rdx", load::<u32>);
shim!(__tsan_atomic32_store, "rcx", store::<u32>);
shim_of_loop!(__tsan_atomic32_exchange, "rcx", fetch::<u32, 0>);
shim_of_loop!(__tsan_atomic32_fetch_add, "rcx", fetch::<u32, 1>);
shim_of_loop!(__tsan_atomic32_fetch_sub, "rcx", fetch::<u32, 2>);
shim_of_loop!(__tsan_atomic32_fetch_and, "rcx", fetch::<u32, 3>);
shim_of_loop!(__tsan_atomic32_fetch_or, "rcx", fetch::<u32, 4>);
shim_of_loop!(__tsan_atomic32_fetch_xor, "rcx", fetch::<u32, 5>);
shim_of_loop!(__tsan_atomic32_fetch_nand, "rcx", fetch::<u32, 6>);
shim_of_loop!(__tsan_atomic32_compare_exchange_val, "r9", cas_value::<u32>);
shim_of_loop!(__tsan_atomic32_compare_exchange_strong, "r9", cas_flag::<u32, false>);
shim_of_loop!(__tsan_atomic32_compare_exchange_weak, "r9", cas_flag::<u32, true>);
shim!(__fencepost_wait32, "r8", wait::<u32>);
shim!(__fencepost_bcas32, "r8", blocking_cas::<u32>);

shim_of_loop!(__tsan_atomic64_load, "rdx", load::<u64>);
shim!(__tsan_atomic64_store, "rcx", store::<u64>);
shim_of_loop!(__tsan_atomic64_exchange, "rcx", fetch::<u64, 0>);
shim_of_loop!(__tsan_atomic64_fetch_add, "rcx", fetch::<u64, 1>);
shim_of_loop!(__tsan_atomic64_fetch_sub, "rcx", fetch::<u64, 2>);
shim_of_loop!(__tsan_atomic64_fetch_and, "rcx", fetch::<u64, 3>);
shim_of_loop!(__tsan_atomic64_fetch_or, "rcx", fetch::<u64, 4>);
shim_of_loop!(__tsan_atomic64_fetch_xor, "rcx", fetch::<u64, 5>);
shim_of_loop!(__tsan_atomic64_fetch_nand, "rcx", fetch::<u64, 6>);
shim_of_loop!(__tsan_atomic64_compare_exchange_val, "r9", cas_value::<u64>);
shim_of_loop!(__tsan_atomic64_compare_exchange_strong, "r9", cas_flag::<u64, false>);
shim_of_loop!(__tsan_atomic64_compare_exchange_weak, "r9", cas_flag::<u64, true>);
shim!(__fencepost_wait64, "r8", wait::<u64>);
shim!(__fencepost_bcas64, "r8", blocking_cas::<u64>);
