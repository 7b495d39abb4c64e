// Two threads write two locations in opposite orders (2+2W). A store that is put before one that is there
// already changes nothing that others see: both first writes last.
// expect: robustness store of y at @left
// expect: robustness store of x at @right
// rank: failure signal robustness store of y at @left
// rank: failure signal robustness store of x at @right
#include "../threads.h"

static _Atomic int x, y;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rlx);
  atomic_store_explicit(&y, 2, rlx);  // @left
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rlx);
  atomic_store_explicit(&x, 2, rlx);  // @right
}

int main(void) {
  RUN(left, right);
  CHECK(atomic_load(&x) != 1 || atomic_load(&y) != 1);
  return 0;
}
