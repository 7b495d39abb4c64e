// Dekker's algorithm (Dijkstra 1965) for pairs of threads; the argument is the number of threads. It lives
// by store buffering: raise the flag, look at the other's.
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 2
// run: --schedule random --seeds 0..10 -- 4
// run: --schedule pct:3 --seeds 0..10 -- 4
// case fences: -DFENCE=atomic_thread_fence(sc) -DSTORE=rel -DLOAD=acq
// expect: silent
// twin: litmus/algorithms/dekker-tso.fp
// case weak: -DFENCE=(void)0 -DSTORE=rel -DLOAD=acq
// expect: robustness load of flag
// allow: robustness
// allow: race
// twin: litmus/algorithms/dekker-sc.fp
// case seq_cst: -DFENCE=(void)0 -DSTORE=sc -DLOAD=sc
// expect: silent
// twin: litmus/algorithms/dekker-seqcst.fp
#include "../threads.h"

#include "fencepost.h"

enum { PAIRS = 16, ROUNDS = 3 };
static _Atomic int flag[2 * PAIRS], turn[PAIRS];
static int inside[PAIRS], entries[PAIRS];

static void enter_and_leave(int thread) {
  const int pair = thread / 2, me = thread % 2, other = thread ^ 1;
  for (int round = 0; round < ROUNDS; round++) {
    atomic_store_explicit(&flag[thread], 1, STORE);
    FENCE;
    int raised = atomic_load_explicit(&flag[other], LOAD);
    while (raised) {
      if (atomic_load_explicit(&turn[pair], LOAD) != me) {
        atomic_store_explicit(&flag[thread], 0, STORE);
        fencepost_wait(&turn[pair], me, LOAD);
        atomic_store_explicit(&flag[thread], 1, STORE);
        FENCE;
      }
      raised = atomic_load_explicit(&flag[other], LOAD);
    }
    inside[pair] = me;
    CHECK(inside[pair] == me);
    entries[pair]++;
    atomic_store_explicit(&turn[pair], 1 - me, STORE);
    atomic_store_explicit(&flag[thread], 0, STORE);
  }
}

int main(int argc, char **argv) {
  const int n = argument_or(argc, argv, 2);
  CHECK(n % 2 == 0 && n <= 2 * PAIRS);
  run_all(n, enter_and_leave);
  for (int pair = 0; pair < n / 2; pair++) CHECK(entries[pair] == 2 * ROUNDS);
  return 0;
}
