// Two threads write two locations in opposite orders: each first write may end up last. A store is reported.
// case relaxed: -DSTORE=rlx
// expect: robustness store of y at @left
// expect: robustness store of x at @right
// twin: litmus/rc20/2+2w+rlx.fp
// case seq_cst: -DSTORE=sc
// expect: silent
// twin: litmus/rc20/2+2w+sc.fp
#include "../threads.h"

/* Not static: a compiler would leave out what nobody reads. */
_Atomic int x, y;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, STORE);
  atomic_store_explicit(&y, 2, STORE);  // @left
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, STORE);
  atomic_store_explicit(&x, 2, STORE);  // @right
}

int main(void) {
  RUN(left, right);
  return 0;
}
