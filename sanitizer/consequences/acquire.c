// Two messages through one variable. Who gets the first, although the second is there, has what was written
// before the first, and no more.
// expect: robustness load of box at @look
// case right: -DNEEDS_SECOND=2
// rank: harmless robustness load of box at @look
// case wrong: -DNEEDS_SECOND=1
// rank: race race robustness load of box at @look
// rank: race race read of second
#include "../threads.h"

static _Atomic int box, told;
static int first, second;
volatile int seen;

static void writer(int me) {
  (void)me;
  first = 1;
  atomic_store_explicit(&box, 1, rel);
  second = 1;
  atomic_store_explicit(&box, 2, rel);
  atomic_store_explicit(&told, 1, rlx);
}

static void reader(int me) {
  (void)me;
  if (!atomic_load_explicit(&told, rlx)) return;
  int number = atomic_load_explicit(&box, acq);  // @look
  if (number >= 1) seen = first;
  if (number >= NEEDS_SECOND) seen = second;
}

int main(void) {
  RUN(writer, reader);
  return 0;
}
