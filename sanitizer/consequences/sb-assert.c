// Store buffering with an assertion about what both have seen. In some runs of the release build it is
// another exit code that tells.
// expect: robustness load of y at @left
// expect: robustness load of x at @right
// case assert:
// rank: failure assertion robustness load of y at @left
// rank: failure assertion robustness load of x at @right
// case exit: -DNDEBUG
// rank: failure exit-code robustness load of y at @left
// rank: failure exit-code robustness load of x at @right
#include "../threads.h"

#include <assert.h>

static _Atomic int x, y;
static int a, b;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rel);
  a = atomic_load_explicit(&y, acq);  // @left
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rel);
  b = atomic_load_explicit(&x, acq);  // @right
}

int main(void) {
  RUN(left, right);
  assert(a || b);
  return a || b ? 0 : 3;
}
