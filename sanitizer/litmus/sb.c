// Store buffering: each thread raises its flag and looks at the other's. Both may see 0.
// expect: robustness load of y at @left
// expect: robustness load of x at @right
// twin: litmus/rc20/sb+rlx.fp
#include "../threads.h"

static _Atomic int x, y;
int a, b;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rlx);
  a = atomic_load_explicit(&y, rlx);  // @left
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rlx);
  b = atomic_load_explicit(&x, rlx);  // @right
}

int main(void) {
  RUN(left, right);
  return 0;
}
