// A pointer that is published without release: who is told that it is there may still find none, and goes
// where it leads.
// expect: robustness load of place at @use
// rank: failure signal robustness load of place at @use
#include "../threads.h"

static int forty_two = 42;
static int *_Atomic place;
static _Atomic int ready;
volatile int seen;

static void writer(int me) {
  (void)me;
  atomic_store_explicit(&place, &forty_two, rlx);
  atomic_store_explicit(&ready, 1, rlx);
}

static void reader(int me) {
  (void)me;
  if (atomic_load_explicit(&ready, acq)) {
    int *found = atomic_load_explicit(&place, rlx);  // @use
    seen = *found;
  }
}

int main(void) {
  RUN(writer, reader);
  return 0;
}
