//! `__tsan_atomic128_*`: values in two registers each, so that arguments spill to the stack.

use std::arch::naked_asm;

use super::monitored::{self, Call};
use super::word::Fetch;

unsafe extern "C" fn load(addr: usize, order: u32, pc: usize) -> u128 {
    // SAFETY: instrumented code accesses this address with this width.
    unsafe { monitored::load(Call::new(addr, order, pc)) }
}

unsafe extern "C" fn store(addr: usize, value: u128, order: u32, pc: usize) {
    // SAFETY: as for `load`.
    unsafe { monitored::store(Call::new(addr, order, pc), value) }
}

unsafe extern "C" fn fetch<const FETCH: usize>(addr: usize, value: u128, order: u32, pc: usize) -> u128 {
    // SAFETY: as for `load`.
    unsafe { monitored::fetch(addr, order, pc, Fetch::ALL[FETCH], value) }
}

unsafe extern "C" fn cas_value(addr: usize, expected: u128, new: u128, order: u32, failure: u32, pc: usize) -> u128 {
    let call = Call::new(addr, order, pc).or_fail(failure);
    // SAFETY: as for `load`.
    unsafe { monitored::cas(call, false, expected, new).0 }
}

unsafe extern "C" fn cas_flag<const WEAK: bool>(
    addr: usize,
    expected: *mut u128,
    new: u128,
    order: u32,
    failure: u32,
    pc: usize,
) -> i32 {
    let call = Call::new(addr, order, pc).or_fail(failure);
    // SAFETY: as for `load`; `expected` points to a variable of the caller, aligned as the caller
    // sees fit.
    unsafe {
        let wanted = expected.read_unaligned();
        let (old, success) = monitored::cas(call, WEAK, wanted, new);
        if !success {
            expected.write_unaligned(old);
        }
        i32::from(success)
    }
}

shim!(__tsan_atomic128_load, "rdx", load);
shim!(__tsan_atomic128_store, "r8", store);
shim!(__tsan_atomic128_exchange, "r8", fetch::<0>);
shim!(__tsan_atomic128_fetch_add, "r8", fetch::<1>);
shim!(__tsan_atomic128_fetch_sub, "r8", fetch::<2>);
shim!(__tsan_atomic128_fetch_and, "r8", fetch::<3>);
shim!(__tsan_atomic128_fetch_or, "r8", fetch::<4>);
shim!(__tsan_atomic128_fetch_xor, "r8", fetch::<5>);
shim!(__tsan_atomic128_fetch_nand, "r8", fetch::<6>);

/// All six registers hold arguments: the return address goes onto the stack, as the seventh.
macro_rules! shim_on_stack {
    ($name:ident, $body:path) => {
        /// Called by instrumented code.
        #[unsafe(naked)]
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub(crate) extern "C" fn $name() {
            naked_asm!("push qword ptr [rsp]", "call {body}", "add rsp, 8", "ret", body = sym $body)
        }
    };
}

shim_on_stack!(__tsan_atomic128_compare_exchange_strong, cas_flag::<false>);
shim_on_stack!(__tsan_atomic128_compare_exchange_weak, cas_flag::<true>);

/// Called by instrumented code. The seventh argument is on the stack already; it is copied, with
/// the return address after it.
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) extern "C" fn __tsan_atomic128_compare_exchange_val() {
    naked_asm!(
        "sub rsp, 8",
        "push qword ptr [rsp + 8]",
        "push qword ptr [rsp + 24]",
        "call {body}",
        "add rsp, 24",
        "ret",
        body = sym cas_value
    )
}
