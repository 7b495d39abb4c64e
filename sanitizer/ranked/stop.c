// A thread that works until it is told to stop.
// run: --schedule random --seeds 0..60
// case results: -DRESULTS=rlx
// expect: anything
// rank: race
// case right: -DRESULTS=rel
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int stop, running, finished;
int result;
int kept;

static void worker(int me) {
  (void)me;
  atomic_store_explicit(&running, 1, rlx);
  // It may be told late: then it works a little more.
  for (int i = 0; i < 3 && !atomic_load_explicit(&stop, rlx); i++) result++;
  atomic_store_explicit(&finished, 1, RESULTS);
}

static void boss(int me) {
  (void)me;
  atomic_store_explicit(&stop, 1, rlx);
  // Whether it ran at all is of no importance.
  int ran = atomic_load_explicit(&running, rlx);
  while (!atomic_load_explicit(&finished, acq)) sched_yield();
  kept = result + ran;
}

int main(void) {
  RUN(worker, boss);
  return 0;
}
