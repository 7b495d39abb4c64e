// Lamport's fast mutual exclusion (1987, second algorithm); the argument is the number of threads. For more
// than two threads the slow path needs a fence before each look at another's flag.
// run: --schedule os --runs 3 -- 6
// run: --schedule random --seeds 0..10 -- 2
// run: --schedule random --seeds 0..10 -- 4
// run: --schedule pct:3 --seeds 0..10 -- 3
// case fences: -DFENCE=atomic_thread_fence(sc) -DSTORE=rel -DLOAD=acq
// expect: silent
// twin: litmus/algorithms/lamport2-3-ra.fp
// run: --schedule os --runs 3 -- 3
// run: --schedule random --seeds 0..10 -- 2
// run: --schedule random --seeds 0..10 -- 3
// run: --schedule pct:3 --seeds 0..10 -- 3
// case weak: -DFENCE=(void)0 -DSTORE=rel -DLOAD=acq
// expect: robustness load of y at @y
// expect: robustness load of x at @x
// allow: robustness
// allow: race
// twin: litmus/algorithms/lamport2-sc.fp
// case seq_cst: -DFENCE=(void)0 -DSTORE=sc -DLOAD=sc
// expect: silent
#include "../threads.h"

#include "fencepost.h"

enum { MOST = 32, ROUNDS = 2 };
static _Atomic int b[MOST], x, y;
static int n, inside, entries;

static void enter_and_leave(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    for (;;) {
      atomic_store_explicit(&b[me], 1, STORE);
      FENCE;
      atomic_store_explicit(&x, me + 1, STORE);
      FENCE;
      if (atomic_load_explicit(&y, LOAD) != 0) {  // @y
        atomic_store_explicit(&b[me], 0, STORE);
        fencepost_wait(&y, 0, LOAD);
        continue;
      }
      atomic_store_explicit(&y, me + 1, STORE);
      FENCE;
      if (atomic_load_explicit(&x, LOAD) == me + 1) break;  // @x
      atomic_store_explicit(&b[me], 0, STORE);
      for (int other = 1; other < n; other++) {
        FENCE;
        fencepost_wait(&b[(me + other) % n], 0, LOAD);
      }
      if (atomic_load_explicit(&y, LOAD) == me + 1) break;
      fencepost_wait(&y, 0, LOAD);
    }
    inside = me;
    CHECK(inside == me);
    entries++;
    atomic_store_explicit(&y, 0, STORE);
    atomic_store_explicit(&b[me], 0, STORE);
  }
}

int main(int argc, char **argv) {
  n = argument_or(argc, argv, 3);
  CHECK(n <= MOST);
  run_all(n, enter_and_leave);
  CHECK(entries == n * ROUNDS);
  return 0;
}
