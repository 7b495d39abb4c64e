// Two threads wait for each other's flag. Nothing is wrong with it if they only wait, and fencepost.h says
// that they do. A loop that polls is seen polling, unless it is recognised as what it is, which is switched
// off here.
// case waits: -DWAITS
// expect: silent
// twin: litmus/algorithms/barrier.fp
// case polls:
// expect: robustness load at @poll
// twin: litmus/classic/bar+loops.fp
// run: --no-spin-detection --schedule random --seeds 0..50
#include "../threads.h"

#include "fencepost.h"

static _Atomic int flag[2];

static void meet(int me) {
  atomic_store_explicit(&flag[me], 1, rel);
#ifdef WAITS
  fencepost_wait(&flag[1 - me], 1, acq);
#else
  while (atomic_load_explicit(&flag[1 - me], acq) == 0) sched_yield();  // @poll
#endif
}

int main(void) {
  run_all(2, meet);
  return 0;
}
