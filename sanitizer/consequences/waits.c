// Who was told that all is done waits for what is there already, and may wait for less: a wait ends with an
// older value, or a compare-and-swap that waits takes the place of what came later.
// case wait: -DWAITS
// expect: robustness wait of state at @wait
// rank: failure signal robustness wait of state at @wait
// case swap:
// expect: robustness bcas of state at @swap
// rank: race race robustness bcas of state at @swap
// rank: race race
#include "../threads.h"

#include "fencepost.h"

static _Atomic int state, told;
int data;

static void writer(int me) {
  (void)me;
#ifdef WAITS
  atomic_store_explicit(&state, 1, rel);
  atomic_store_explicit(&state, 2, rel);
#else
  atomic_store_explicit(&state, 1, rlx);
  data = 1;
  atomic_store_explicit(&state, 0, rel);
#endif
  atomic_store_explicit(&told, 1, rlx);
}

static void reader(int me) {
  (void)me;
  if (!atomic_load_explicit(&told, rlx)) return;
#ifdef WAITS
  CHECK(fencepost_wait_ne(&state, 0, acq) == 2);  // @wait
#else
  fencepost_bcas(&state, 0, 1, acqrel);  // @swap
  data = 2;
#endif
}

int main(void) {
  RUN(writer, reader);
  return 0;
}
