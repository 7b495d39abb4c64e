//! Where threads rest: before accesses, and where their local computation
//! would go on for ever or would be written down too often.

use fencepost_base::ids::Pc;
use fencepost_ir::{Op, Thread};

/// Local instructions that are written again for every way that leads to them.
const LARGEST_COPY: usize = 64;
/// Local instructions in one step: they nest.
const LONGEST_RUN: usize = 512;

/// For every instruction: does the thread rest before it? `is_step` tells accesses from local
/// instructions.
pub(crate) fn rests(thread: &Thread, is_step: impl Fn(&Op) -> bool) -> Vec<bool> {
    let mut rests: Vec<bool> = thread.code.iter().map(|instr| is_step(&instr.op)).collect();
    let successors = |pc: usize| thread.code[pc].op.successors(Pc::from_index(pc));
    let mut ways = vec![0usize; thread.code.len()];
    for pc in 0..thread.code.len() {
        successors(pc).iter().for_each(|next| ways[next.index()] += 1);
    }
    // Depth first, so that what comes after an instruction is known before it is left.
    let mut colours = vec![Colour::New; thread.code.len()];
    let mut sizes = vec![0usize; thread.code.len()];
    for start in 0..thread.code.len() {
        let mut path = vec![(start, 0)];
        while let Some((pc, child)) = path.last_mut() {
            let pc = *pc;
            if *child == 0 {
                if rests[pc] || colours[pc] != Colour::New {
                    path.pop();
                    continue;
                }
                colours[pc] = Colour::Open;
            }
            let next = successors(pc).get(*child).map(|next| next.index());
            *child += 1;
            match next {
                Some(next) if colours[next] == Colour::Open => rests[next] = true,
                Some(next) => path.push((next, 0)),
                None => {
                    colours[pc] = Colour::Done;
                    let after = successors(pc).into_iter().filter(|next| !rests[next.index()]);
                    sizes[pc] = after.fold(1, |size, next| size.saturating_add(sizes[next.index()]));
                    rests[pc] |= sizes[pc] > LONGEST_RUN || ways[pc] > 1 && sizes[pc] > LARGEST_COPY;
                    path.pop();
                }
            }
        }
    }
    rests
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    New,
    Open,
    Done,
}
