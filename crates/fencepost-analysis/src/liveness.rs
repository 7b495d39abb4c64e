//! Which registers are dead: never read again before they are set? Their
//! content cannot matter, so states that differ only there are one state.
//!
//! Backward data-flow analysis on the control-flow graph of one thread.

use fencepost_base::ids::{Pc, RegId};
use fencepost_ir::Thread;

/// For every instruction, the registers dead before it.
pub fn dead_registers(thread: &Thread) -> Vec<Vec<RegId>> {
    let words = thread.registers.len().div_ceil(64);
    let mut live: Vec<Vec<u64>> = vec![vec![0; words]; thread.code.len()];
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); thread.code.len()];
    for (pc, instr) in thread.code.iter().enumerate() {
        for next in instr.op.successors(Pc::from_index(pc)) {
            predecessors[next.index()].push(pc);
        }
    }
    let mut queued = vec![true; thread.code.len()];
    let mut worklist: Vec<usize> = (0..thread.code.len()).collect();
    while let Some(pc) = worklist.pop() {
        queued[pc] = false;
        let op = &thread.code[pc].op;
        let mut before = vec![0u64; words];
        for next in op.successors(Pc::from_index(pc)) {
            for (word, bits) in before.iter_mut().zip(&live[next.index()]) {
                *word |= bits;
            }
        }
        if let Some(dst) = op.dst() {
            before[dst.index() / 64] &= !(1 << (dst.index() % 64));
        }
        op.for_each_expr(&mut |expr| {
            expr.for_each_register(&mut |reg| before[reg.index() / 64] |= 1 << (reg.index() % 64));
        });
        if before != live[pc] {
            live[pc] = before;
            for &previous in &predecessors[pc] {
                if !queued[previous] {
                    queued[previous] = true;
                    worklist.push(previous);
                }
            }
        }
    }
    let dead = |live: &Vec<u64>| {
        (0..thread.registers.len()).filter(|&r| live[r / 64] >> (r % 64) & 1 == 0).map(RegId::from_index).collect()
    };
    live.iter().map(dead).collect()
}
