//! Which thread runs next: the strategies of controlled schedules, as pure functions of a seed and
//! of what was asked before.
//!
//! **Random** takes each of the threads that can run with the same probability. Some bugs need one
//! thread to stand still while another one does a lot; they would never be seen that way. So in
//! most runs the running thread goes on without a draw, with a probability that is drawn once per
//! run.
//!
//! **PCT** is the algorithm of Burckhardt, Kothari, Musuvathi and Nagarakatti (A Randomized
//! Scheduler with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010). Threads get random
//! distinct priorities, and the one with the highest runs. At `depth - 1` steps chosen at random
//! beforehand, the running thread falls below all priorities given so far. A bug of depth `d` in a
//! program of `n` threads and `k` steps is found with probability at least `1 / (n k^(d-1))`.
//!
//! Deviations of PCT:
//!
//! - Threads come and go, so priorities are drawn when a thread appears.
//! - Only steps at which there is a choice are counted.
//! - A thread that waits busily falls below all others, as does one that has run alone for
//!   [`PATIENCE`] steps while others could. Otherwise a spinning thread of high priority would
//!   never see what it waits for.
//! - Once a thread has run for so long, turns of threads that have fallen are shorter, each of
//!   another length. If all turns were equally long, threads would take them in the same order for
//!   ever. Where they take from one queue, one thread could empty it in its turn, each time, and
//!   the others would get nothing.
//!
//! With either strategy a run has its own idea of two things: how often `sched_yield`, which
//! promises nothing, is obeyed, and how often a weak compare-and-swap fails for no reason.

use crate::thread::Tid;

/// Steps that a thread of high priority may take in a row while others could run.
const PATIENCE: u32 = 4096;

/// A reproducible sequence of numbers (SplitMix64).
pub(super) struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not 0.
    fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    fn one_of(&mut self, choices: &[u64]) -> u64 {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Why a decision is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// The running thread is about to do something that others can see.
    Point,
    /// The same, and what it is has been said.
    Step,
    /// It calls `sched_yield`.
    Yield,
    /// It was seen to wait for others.
    Spin,
    /// It waits for a value at this address that is not there; has it looked before?
    Vain { addr: usize, again: bool },
    /// It cannot go on.
    Blocked,
}

/// Out of sixteen steps, those at which *random* does not draw: one of these.
const STICKY: [u64; 6] = [0, 0, 8, 12, 14, 15];
/// Out of eight calls of `sched_yield`, those that are obeyed: one of these.
const POLITE: [u64; 4] = [8, 8, 4, 1];
/// Out of 32 weak compare-and-swaps, those that fail for no reason: one of these.
const UNLUCKY: [u64; 4] = [0, 0, 1, 8];

/// A strategy.
pub(super) struct Policy {
    numbers: Numbers,
    /// Decisions at which there was a choice.
    steps: u64,
    strategy: Strategy,
    /// How often a thread that yields has to, and a weak compare-and-swap fails.
    polite: u64,
    unlucky: u64,
}

enum Strategy {
    /// With the number of steps in sixteen at which the running thread just goes on.
    Random(u64),
    Pct(Pct),
}

struct Pct {
    /// Threads in ascending order and their priorities, all different. Drawn ones are above the
    /// depth, those given at change points between 1 and the depth, those of threads that spin
    /// below.
    priorities: Vec<(Tid, i64)>,
    /// When the running thread falls, latest first, and how deep.
    changes: Vec<(u64, i64)>,
    lowest: i64,
    /// Who runs, and for how many steps more at most while others could.
    row: (Tid, u32),
    /// Has a thread run for as long as it may?
    is_impatient: bool,
}

impl Policy {
    fn new(mut numbers: Numbers, strategy: Strategy) -> Self {
        let (polite, unlucky) = (numbers.one_of(&POLITE), numbers.one_of(&UNLUCKY));
        Policy { numbers, steps: 0, strategy, polite, unlucky }
    }

    /// Takes each thread with the same probability, if it does not leave the running one alone.
    pub(super) fn random(seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let sticky = numbers.one_of(&STICKY);
        Policy::new(numbers, Strategy::Random(sticky))
    }

    /// PCT for bugs of this depth in runs of about `steps` steps.
    pub(super) fn pct(seed: u64, depth: u32, steps: u64) -> Self {
        let mut numbers = Numbers(seed);
        let mut changes: Vec<_> =
            (1..i64::from(depth)).map(|priority| (1 + numbers.below(steps.max(1)), priority)).collect();
        changes.sort_unstable_by(|one, other| other.cmp(one));
        let pct = Pct { priorities: Vec::new(), changes, lowest: 0, row: (0, PATIENCE), is_impatient: false };
        Policy::new(numbers, Strategy::Pct(pct))
    }

    /// Goes on in another way, for each number. Of PCT, the points stay at which a thread falls.
    pub(super) fn vary(&mut self, number: u64) {
        self.numbers = Numbers(self.numbers.next() ^ number);
        match &mut self.strategy {
            Strategy::Random(sticky) => *sticky = self.numbers.one_of(&STICKY),
            Strategy::Pct(pct) => {
                for thread in pct.priorities.drain(..).map(|(thread, _)| thread).collect::<Vec<_>>() {
                    self.appeared(thread);
                }
            }
        }
    }

    /// A thread has appeared.
    pub(super) fn appeared(&mut self, thread: Tid) {
        if let Strategy::Pct(pct) = &mut self.strategy {
            loop {
                let priority = i64::from(u32::MAX) + self.numbers.below(1 << 40) as i64;
                if pct.priorities.iter().all(|&(_, other)| other != priority) {
                    let at = pct.priorities.partition_point(|&(other, _)| other < thread);
                    pct.priorities.insert(at, (thread, priority));
                    return;
                }
            }
        }
    }

    /// A thread is over.
    pub(super) fn vanished(&mut self, thread: Tid) {
        if let Strategy::Pct(pct) = &mut self.strategy {
            pct.priorities.retain(|&(other, _)| other != thread);
        }
    }

    /// The one of `enabled`, threads in ascending order and at least one, that runs next; `current`
    /// ran last.
    pub(super) fn next(&mut self, current: Tid, enabled: &[Tid], reason: Reason) -> Tid {
        if let [only] = *enabled {
            return only;
        }
        self.steps += 1;
        let gives_way = match reason {
            Reason::Yield => self.numbers.below(8) < self.polite,
            Reason::Spin | Reason::Vain { .. } => true,
            Reason::Point | Reason::Step | Reason::Blocked => false,
        };
        match &mut self.strategy {
            Strategy::Random(_) if gives_way => {
                let others = enabled.iter().filter(|&&thread| thread != current);
                let count = others.clone().count() as u64;
                let chosen = self.numbers.below(count) as usize;
                others.copied().nth(chosen).unwrap_or(current)
            }
            Strategy::Random(sticky) => {
                if self.numbers.below(16) < *sticky && enabled.contains(&current) {
                    return current;
                }
                enabled[self.numbers.below(enabled.len() as u64) as usize]
            }
            Strategy::Pct(pct) => pct.next(self.steps, &mut self.numbers, current, enabled, gives_way),
        }
    }

    /// Does a weak compare-and-swap fail now, although it could succeed?
    pub(super) fn fails_for_no_reason(&mut self) -> bool {
        self.unlucky > 0 && self.numbers.below(32) < self.unlucky
    }

    /// Decisions so far at which there was a choice.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// One of `count` alternatives: who is woken where the program leaves it open, and what a test
    /// chooses.
    pub(super) fn pick(&mut self, count: usize) -> usize {
        if count < 2 { 0 } else { self.numbers.below(count as u64) as usize }
    }
}

impl Pct {
    fn next(&mut self, now: u64, numbers: &mut Numbers, current: Tid, enabled: &[Tid], gives_way: bool) -> Tid {
        let is_too_long = self.row == (current, 0);
        self.is_impatient |= is_too_long;
        if gives_way || is_too_long {
            self.lowest -= 1;
            self.set(current, self.lowest);
        }
        while let Some(&(step, priority)) = self.changes.last()
            && step <= now
        {
            self.changes.pop();
            self.set(current, priority);
        }
        let best = enabled.iter().copied().max_by_key(|&thread| self.priority(thread));
        let best = best.unwrap_or(current);
        self.row = match self.row {
            (thread, left) if thread == best && left > 0 => (best, left - 1),
            _ => (best, self.patience(numbers, best)),
        };
        best
    }

    /// Steps that the thread may take in a row, after this one.
    fn patience(&self, numbers: &mut Numbers, thread: Tid) -> u32 {
        let is_short = self.is_impatient && self.priority(thread) < 0;
        if is_short { PATIENCE >> numbers.below(PATIENCE.ilog2().into()) } else { PATIENCE }
    }

    fn place(&self, thread: Tid) -> Option<usize> {
        self.priorities.binary_search_by_key(&thread, |&(other, _)| other).ok()
    }

    fn priority(&self, thread: Tid) -> i64 {
        self.place(thread).map_or(i64::MIN, |at| self.priorities[at].1)
    }

    fn set(&mut self, thread: Tid, priority: i64) {
        if let Some(at) = self.place(thread) {
            self.priorities[at].1 = priority;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first `steps` choices among three threads that can always run.
    fn run(mut policy: Policy, steps: usize) -> Vec<Tid> {
        let threads = [1, 2, 3];
        threads.iter().for_each(|&thread| policy.appeared(thread));
        let mut current = 1;
        let mut step = || {
            current = policy.next(current, &threads, Reason::Point);
            current
        };
        (0..steps).map(|_| step()).collect()
    }

    #[test]
    fn a_seed_fixes_the_schedule() {
        for seed in 0..50 {
            assert_eq!(run(Policy::random(seed), 200), run(Policy::random(seed), 200));
            assert_eq!(run(Policy::pct(seed, 3, 100), 200), run(Policy::pct(seed, 3, 100), 200));
        }
        assert_ne!(run(Policy::random(1), 200), run(Policy::random(2), 200));
    }

    #[test]
    fn a_schedule_can_go_on_in_other_ways() {
        let after = |mut policy: Policy, number| {
            [1, 2, 3].iter().for_each(|&thread| policy.appeared(thread));
            for _ in 0..50 {
                policy.next(1, &[1, 2, 3], Reason::Point);
            }
            policy.vary(number);
            (0..100).map(|_| policy.next(1, &[1, 2, 3], Reason::Spin)).collect::<Vec<Tid>>()
        };
        for make in [|| Policy::random(7), || Policy::pct(7, 3, 100)] {
            assert_eq!(after(make(), 1), after(make(), 1));
            assert!((2..9).any(|number| after(make(), number) != after(make(), 1)));
        }
    }

    #[test]
    fn random_is_even() {
        let mut count = [0; 4];
        for thread in (0..200).flat_map(|seed| run(Policy::random(seed), 3_000)) {
            count[thread as usize] += 1;
        }
        assert!(count[1..].iter().all(|&count| (190_000..210_000).contains(&count)), "{count:?}");
    }

    #[test]
    fn random_lets_threads_stand_still_in_some_runs() {
        let longest = |seed| run(Policy::random(seed), 300).chunk_by(|one, other| one == other).map(<[_]>::len).max();
        let long = (0..100).filter(|&seed| longest(seed) > Some(40)).count();
        let short = (0..100).filter(|&seed| longest(seed) < Some(12)).count();
        assert!(long > 10 && short > 10, "{long} {short}");
    }

    #[test]
    fn some_runs_ignore_yields_and_let_compare_and_swaps_fail() {
        let (mut ignored, mut failed) = (0, 0);
        for seed in 0..100 {
            let mut policy = Policy::random(seed);
            ignored += usize::from((0..20).any(|_| policy.next(2, &[1, 2, 3], Reason::Yield) == 2));
            failed += usize::from((0..20).any(|_| policy.fails_for_no_reason()));
        }
        assert!((30..70).contains(&ignored) && (20..60).contains(&failed), "{ignored} {failed}");
    }

    #[test]
    fn random_yields_to_others() {
        let mut policy = Policy::random(3);
        for _ in 0..100 {
            assert_ne!(policy.next(2, &[1, 2, 3], Reason::Spin), 2);
        }
        assert_eq!(policy.next(2, &[2], Reason::Spin), 2);
    }

    #[test]
    fn pct_changes_threads_at_most_depth_minus_one_times() {
        for seed in 0..200 {
            for depth in 1..6 {
                let run = run(Policy::pct(seed, depth, 500), 1000);
                let switches = run.windows(2).filter(|pair| pair[0] != pair[1]).count();
                assert!(switches < depth as usize, "seed {seed}, depth {depth}: {switches} switches");
            }
        }
    }

    #[test]
    fn pct_begins_with_each_thread_and_changes_everywhere() {
        let mut first = [0; 4];
        let mut early = 0;
        for seed in 0..3000 {
            let run = run(Policy::pct(seed, 2, 100), 100);
            first[run[0] as usize] += 1;
            early += usize::from(run[49] != run[0]);
        }
        assert!(first[1..].iter().all(|&count| (850..1150).contains(&count)), "{first:?}");
        assert!((1300..1700).contains(&early), "{early}");
    }

    #[test]
    fn pct_demotes_who_spins() {
        let mut policy = Policy::pct(5, 1, 100);
        [1, 2, 3].iter().for_each(|&thread| policy.appeared(thread));
        let one = policy.next(1, &[1, 2, 3], Reason::Point);
        let two = policy.next(one, &[1, 2, 3], Reason::Spin);
        let three = policy.next(two, &[1, 2, 3], Reason::Spin);
        assert!(one != two && two != three && one != three);
        assert_eq!(policy.next(three, &[1, 2, 3], Reason::Spin), one);
        policy.vanished(one);
        assert_eq!(policy.next(one, &[two, three], Reason::Blocked), two);
    }

    #[test]
    fn pct_loses_patience() {
        let run = run(Policy::pct(9, 1, 100), 3 * PATIENCE as usize + 100);
        let first = run[0];
        assert!(run.iter().any(|&thread| thread != first));
    }

    #[test]
    fn turns_of_pct_differ_when_it_has_lost_patience() {
        let run = run(Policy::pct(9, 1, 100), 100 * PATIENCE as usize);
        let turns: Vec<&[Tid]> = run.chunk_by(|one, other| one == other).collect();
        for thread in [1, 2, 3] {
            // What the thread before it has left over: once much, once little.
            let before =
                |short| turns.windows(2).filter(|pair| pair[1][0] == thread && short == (pair[0].len() < 64)).count();
            assert!(before(true) > 10 && before(false) > 10, "{thread}");
        }
    }
}
