//! Libraries that are unloaded: what comes to lie where their variables were is something else.

use std::ffi::{c_int, c_void};

use super::{real, watch};
use crate::shadow;

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, ranges: *mut c_void) -> c_int {
    // SAFETY: `dl_iterate_phdr` passes a valid description, and what `loaded` gave it.
    let (info, ranges) = unsafe { (&*info, &mut *ranges.cast::<Vec<(usize, usize)>>()) };
    for index in 0..usize::from(info.dlpi_phnum) {
        // SAFETY: the table has `dlpi_phnum` entries.
        let header = unsafe { &*info.dlpi_phdr.add(index) };
        if header.p_type == libc::PT_LOAD {
            ranges.push(((info.dlpi_addr + header.p_vaddr) as usize, header.p_memsz as usize));
        }
    }
    0
}

/// The parts of memory that libraries were loaded to: address and size.
fn loaded() -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    // SAFETY: the callback gets the pointer it expects.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut ranges).cast()) };
    ranges
}

intercept! {
    fn dlclose(handle: *mut c_void) -> c_int {
        let mut before = Vec::new();
        watch(|_| before = loaded());
        let result = real::dlclose(handle);
        watch(|_| {
            let after = loaded();
            for &(start, bytes) in before.iter().filter(|range| !after.contains(range)) {
                shadow::forget(start, bytes);
            }
            before = Vec::new();
        });
        result
    }
}
