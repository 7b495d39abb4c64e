// A loop that waits for a flag, taken for ordinary loads: a stale one makes it go round once more.
// expect: robustness load of go at @go
// rank: harmless robustness load of go at @go
// run: --no-spin-detection --schedule random --seeds 0..20
// run: --no-spin-detection --schedule pct:3 --seeds 0..20
#include "../threads.h"

static _Atomic int go, other;
static int data;

static void waiter(int me) {
  (void)me;
  (void)atomic_load_explicit(&other, rlx);
  while (!atomic_load_explicit(&go, acq)) sched_yield();  // @go
  CHECK(data == 1);
}

static void opener(int me) {
  (void)me;
  data = 1;
  atomic_store_explicit(&go, 1, rel);
  atomic_store_explicit(&other, 1, rlx);
}

int main(void) {
  RUN(waiter, opener);
  return 0;
}
