// Two threads write, two look in opposite orders.
// run: --schedule random --seeds 0..60
// case disagree: -DCHECKED
// expect: anything
// rank: failure
// case logged: -DLOGGED
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int x, y;
int a, b, c, d;

static void write_x(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rel);
}

static void write_y(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rel);
}

static void x_first(int me) {
  (void)me;
  a = atomic_load_explicit(&x, acq);
  b = atomic_load_explicit(&y, acq);
}

static void y_first(int me) {
  (void)me;
  c = atomic_load_explicit(&y, acq);
  d = atomic_load_explicit(&x, acq);
}

int main(void) {
  RUN(write_x, write_y, x_first, y_first);
#ifdef CHECKED
  CHECK(!(a == 1 && b == 0 && c == 1 && d == 0));
#endif
  return 0;
}
