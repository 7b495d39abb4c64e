// A sleeper says that it sleeps and looks for work; a waker gives work and looks for sleepers. If both look
// too early, nobody wakes the sleeper.
// run: --schedule random --seeds 0..60
// case lost: -DORDER=rel
// expect: anything
// rank: failure
// case acquire-release: -DORDER=rlx -DFENCE=acqrel
// expect: anything
// rank: failure
// case timeout: -DORDER=rel -DTIMEOUT
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int work, sleeps;
int woken, slept;

static void sleeper(int me) {
  (void)me;
  atomic_store_explicit(&sleeps, 1, ORDER);
#ifdef FENCE
  atomic_thread_fence(FENCE);
#endif
  slept = !atomic_load_explicit(&work, acq);
}

static void waker(int me) {
  (void)me;
  atomic_store_explicit(&work, 1, ORDER);
#ifdef FENCE
  atomic_thread_fence(FENCE);
#endif
  woken = atomic_load_explicit(&sleeps, acq);
}

int main(void) {
  RUN(sleeper, waker);
#ifndef TIMEOUT
  // Who sleeps for a moment only does not need to be woken.
  CHECK(!slept || woken);
#endif
  return 0;
}
