// An SC load that acquires, and the same SC load again. What the first one acquires does not
// strongly happen before it, but before the second one. So the stores of `first` come before the
// store of `writer` in the order of SC accesses, and its load cannot miss the one to z. Nothing
// orders the two stores to x: `writer` waits for a relaxed flag.
// expect: robustness store of x at @write
// run every: --schedule random --seeds 0..20
#include "../threads.h"

static _Atomic int x, z, flag;
int seen[3];

static void first(int me) {
  (void)me;
  atomic_store_explicit(&z, 1, sc);
  atomic_store_explicit(&x, 1, rel);
}

static void reader(int me) {
  while (atomic_load_explicit(&x, sc) != 1) {
  }
  seen[me] = atomic_load_explicit(&x, sc);
  atomic_store_explicit(&flag, 1, rlx);
}

static void writer(int me) {
  while (atomic_load_explicit(&flag, rlx) != 1) {
  }
  atomic_store_explicit(&x, 2, sc);  // @write
  seen[me] = atomic_load_explicit(&z, sc);
}

int main(void) {
  RUN(first, reader, writer);
  return 0;
}
