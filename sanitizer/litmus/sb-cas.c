// Store buffering where the look is a strong compare-and-swap: it may succeed on the old value. That no
// annotation is needed for a strong one is because the history has the values.
// expect: robustness cas of y at @left
// expect: robustness cas of x at @right
// twin: litmus/classic/sb+cas.fp
#include "../threads.h"

static _Atomic int x, y;

static void left(int me) {
  int expected = 0;
  (void)me;
  atomic_store_explicit(&x, 1, rel);
  atomic_compare_exchange_strong_explicit(&y, &expected, 2, acqrel, acq);  // @left
}

static void right(int me) {
  int expected = 0;
  (void)me;
  atomic_store_explicit(&y, 1, rel);
  atomic_compare_exchange_strong_explicit(&x, &expected, 2, acqrel, acq);  // @right
}

int main(void) {
  RUN(left, right);
  return 0;
}
