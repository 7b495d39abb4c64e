// The spinlock of old Linux kernels: decrement, enter if it was free, else read until it looks free. One
// location alone has no weak behaviour; with a relaxed unlock, what it protects is not protected. The
// argument is the number of threads.
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 4
// run: --schedule pct:3 --seeds 0..10 -- 4
// case robust: -DLOCK=acq -DUNLOCK=rel
// expect: silent
// twin: litmus/algorithms/spinlock4.fp
// case weak: -DLOCK=acq -DUNLOCK=rlx
// expect: race of inside
// allow: race
// twin: litmus/rc20/lock+rlx-unlock.fp
// case seq_cst: -DLOCK=sc -DUNLOCK=sc
// expect: silent
#include "../threads.h"

enum { ROUNDS = 5 };
static _Atomic int lock = 1;
int inside, entries; /* visible elsewhere, so that writes stay */

static void enter_and_leave(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    while (atomic_fetch_sub_explicit(&lock, 1, LOCK) != 1)
      while (atomic_load_explicit(&lock, rlx) != 1) sched_yield();
    inside = me;
    CHECK(inside == me);
    entries++;
    atomic_store_explicit(&lock, 1, UNLOCK);
  }
}

int main(int argc, char **argv) {
  const int n = argument_or(argc, argv, 4);
  run_all(n, enter_and_leave);
  CHECK(entries == n * ROUNDS);
  return 0;
}
