//! What the monitor needs to know about the program.

use std::collections::BTreeSet;

use fencepost_base::order::Mode;
use fencepost_ir::Program;
use fencepost_model::{Shape, ThreadShape, Watch};

use crate::compile::{AccessKind, CompiledThread, Mixed};

/// Largest monitor that is worth trying, in bits of one state, roughly.
const LARGEST_MONITOR: u128 = 1 << 23;

/// What the monitor needs to know about the program.
///
/// # Errors
/// When plain accesses of so many locations by so many threads are too many to monitor.
pub(super) fn shape(program: &Program, threads: &[CompiledThread], classes: Vec<usize>) -> Result<Shape, String> {
    let atomic = |thread: &'_ CompiledThread, modes: fn(&AccessKind) -> Option<Mode>, wanted: fn(Mode) -> bool| {
        thread
            .accesses()
            .filter(|access| !access.plain && !access.private)
            .filter_map(|access| modes(&access.kind))
            .any(wanted)
    };
    let relaxed_reads = |thread: &CompiledThread| atomic(thread, AccessKind::read_half, |mode| !mode.acquires());
    let relaxed_writes = |thread: &CompiledThread| atomic(thread, AccessKind::write_mode, |mode| !mode.releases());
    let fences = |thread: &CompiledThread, orders: fn(Mode) -> bool| thread.fence_modes().any(orders);
    let is_sc = |mode: Mode| mode == Mode::Sc;
    let mut plain = vec![Vec::new(); program.locations().len()];
    let mut pairs = 0u128;
    for (thread, compiled) in program.thread_ids().zip(threads) {
        let accesses = compiled.accesses().filter(|access| access.how() == Mixed::Plain && !access.private);
        let ranges: BTreeSet<(usize, usize)> =
            accesses.map(|access| access.target.locations()).map(|range| (range.start, range.end)).collect();
        for accessed_by in ranges.into_iter().flat_map(|(start, end)| start..end) {
            let accessed_by = &mut plain[accessed_by];
            if accessed_by.last() != Some(&thread) {
                accessed_by.push(thread);
                pairs += 1;
            }
        }
        if pairs > LARGEST_MONITOR {
            return Err("plain accesses of so many locations by so many threads are too many to monitor".into());
        }
    }
    Ok(Shape {
        threads: threads
            .iter()
            .map(|thread| ThreadShape {
                acquire_fence: fences(thread, Mode::acquires) && relaxed_reads(thread),
                release_fence: fences(thread, Mode::releases) && relaxed_writes(thread),
            })
            .collect(),
        classes,
        plain,
        relaxed_writes: threads.iter().any(|thread| relaxed_writes(thread) && !fences(thread, Mode::releases)),
        sc_accesses: threads.iter().any(|thread| {
            atomic(thread, AccessKind::read_mode, is_sc) || atomic(thread, AccessKind::write_mode, is_sc)
        }),
        sc_fences: threads.iter().any(|thread| fences(thread, is_sc)),
        watch: Watch::Everything,
    })
}

/// A monitor has a row of bits for every thread and every location.
pub(super) fn refuse_too_large(threads: usize, locations: usize, classes: usize) -> Result<(), String> {
    let bits = (threads as u128 + locations as u128) * 2 * (classes as u128 + locations as u128);
    if bits > LARGEST_MONITOR {
        return Err(format!(
            "{threads} threads and {locations} atomic locations with {classes} values to tell apart are too many to monitor"
        ));
    }
    Ok(())
}
