// Read-to-write causality, all SC but for the first load of the reader: it makes the store happen
// before the second load, but not strongly.
// case acquire: -DFIRST=acq
// expect: robustness load of y at @second
// expect: robustness load of x at @other
// twin: litmus/rc20/rwc+sc+acq.fp
// run: --schedule random --seeds 0..200
// case seq_cst: -DFIRST=sc
// expect: silent
// twin: litmus/rc20/rwc+sc.fp
#include "../threads.h"

static _Atomic int x, y;
int seen[3];

static void writer(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, sc);
}

static void reader(int me) {
  seen[0] = atomic_load_explicit(&x, FIRST);
  seen[me] = atomic_load_explicit(&y, sc);  // @second
}

static void other(int me) {
  atomic_store_explicit(&y, 1, sc);
  seen[me] = atomic_load_explicit(&x, sc);  // @other
}

int main(void) {
  RUN(writer, reader, other);
  return 0;
}
