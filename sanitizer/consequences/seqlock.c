// A sequence lock with relaxed data and fences. A reader can see new x and old y together, which no SC run
// shows, and drops them.
// expect: robustness load of y at @y
// allow: robustness load of x at @x
// allow: robustness load of seq
// rank: harmless robustness
// run: --schedule pct:3 --seeds 0..200
#include "../threads.h"

static _Atomic unsigned seq;
static _Atomic int x, y;

static void writer(int me) {
  (void)me;
  for (int value = 1; value <= 3; value++) {
    unsigned before = atomic_load_explicit(&seq, rlx);
    atomic_store_explicit(&seq, before + 1, rlx);
    atomic_thread_fence(rel);
    atomic_store_explicit(&x, value, rlx);
    atomic_store_explicit(&y, value, rlx);
    atomic_store_explicit(&seq, before + 2, rel);
  }
}

static void reader(int me) {
  (void)me;
  unsigned before, after;
  int a, b;
  do {
    before = atomic_load_explicit(&seq, acq);
    a = atomic_load_explicit(&x, rlx);  // @x
    b = atomic_load_explicit(&y, rlx);  // @y
    atomic_thread_fence(acq);
    after = atomic_load_explicit(&seq, rlx);
  } while (before % 2 || before != after);
  CHECK(a == b);
}

int main(void) {
  RUN(writer, reader);
  return 0;
}
