// A stale value that is many writes old: with a short history the violation may be missed, and never
// invented. The default is long enough here.
// expect: robustness load of x at @stale
// allow: robustness load of y at @other
// run: --schedule random --seeds 0..50
// run: --history 64 --schedule pct:2 --seeds 0..50
#include "../threads.h"

static _Atomic int x, y;
int a, b;

static void left(int me) {
  (void)me;
  for (int i = 1; i <= 10; i++) atomic_store_explicit(&x, i, rlx);
  a = atomic_load_explicit(&y, rlx);  // @other
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rlx);
  b = atomic_load_explicit(&x, rlx);  // @stale
}

int main(void) {
  RUN(left, right);
  return 0;
}
