// Four SC stores and an acquire load. The load is not SC, so it does not put the store that it
// reads before the one that follows it in the order of SC accesses. Either store that comes last in
// a run may come first.
// case acquire: -DLOAD=acq
// expect: robustness store of y at @second
// expect: robustness store of x at @last
// twin: litmus/rc20/z6.fp
// run: --schedule random --seeds 0..200
// case seq_cst: -DLOAD=sc
// expect: silent
#include "../threads.h"

_Atomic int x, y;  // Not static: nobody reads y, and a compiler would leave out the stores.
int seen;

static void first(int me) {
  (void)me;
  atomic_store_explicit(&x, 2, sc);
}

static void second(int me) {
  (void)me;
  seen = atomic_load_explicit(&x, LOAD);
  atomic_store_explicit(&y, 2, sc);  // @second
}

static void third(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, sc);
  atomic_store_explicit(&x, 1, sc);  // @last
}

int main(void) {
  RUN(first, second, third);
  return 0;
}
