// Peterson's algorithm (1981) for pairs of threads; the argument is the number of threads.
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 2
// run: --schedule random --seeds 0..10 -- 4
// run: --schedule pct:3 --seeds 0..10 -- 4
// case exchange: -DRAISE=STORE_FLAG(rlx) -DYIELD=EXCHANGE_TURN -DSTORE=rel -DLOAD=acq
// expect: silent
// twin: litmus/algorithms/peterson-ra-dmitriy.fp
// case wrong-exchange: -DRAISE=EXCHANGE_FLAG -DYIELD=STORE_TURN(rel) -DSTORE=rel -DLOAD=acq
// expect: robustness
// allow: robustness
// allow: race
// twin: litmus/algorithms/peterson-ra-bratosz.fp
// case seq_cst: -DRAISE=STORE_FLAG(sc) -DYIELD=STORE_TURN(sc) -DSTORE=sc -DLOAD=sc
// expect: silent
// twin: litmus/algorithms/peterson-seqcst.fp
#include "../threads.h"

#define STORE_FLAG(order) atomic_store_explicit(&flag[thread], 1, order)
#define EXCHANGE_FLAG atomic_exchange_explicit(&flag[thread], 1, acqrel)
#define STORE_TURN(order) atomic_store_explicit(&turn[pair], 1 - me, order)
#define EXCHANGE_TURN atomic_exchange_explicit(&turn[pair], 1 - me, acqrel)

enum { PAIRS = 16, ROUNDS = 3 };
static _Atomic int flag[2 * PAIRS], turn[PAIRS];
static int inside[PAIRS], entries[PAIRS];

static void enter_and_leave(int thread) {
  const int pair = thread / 2, me = thread % 2, other = thread ^ 1;
  for (int round = 0; round < ROUNDS; round++) {
    int raised, whose;
    RAISE;
    YIELD;
    do {
      raised = atomic_load_explicit(&flag[other], LOAD);
      whose = atomic_load_explicit(&turn[pair], LOAD);
      if (raised && whose != me) sched_yield();
    } while (raised && whose != me);
    inside[pair] = me;
    CHECK(inside[pair] == me);
    entries[pair]++;
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
