// Independent reads of independent writes: two readers may disagree about which write came first.
// case acquire: -DSTORE=rel -DLOAD=acq
// expect: robustness load of y at @xy
// expect: robustness load of x at @yx
// twin: litmus/classic/iriw.fp
// run: --schedule random --seeds 0..200
// case seq_cst: -DSTORE=sc -DLOAD=sc
// expect: silent
// twin: litmus/rc20/iriw+sc.fp
#include "../threads.h"

static _Atomic int x, y;
int seen[4][2];

static void write_x(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, STORE);
}

static void write_y(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, STORE);
}

static void read_xy(int me) {
  seen[me][0] = atomic_load_explicit(&x, LOAD);
  seen[me][1] = atomic_load_explicit(&y, LOAD);  // @xy
}

static void read_yx(int me) {
  seen[me][0] = atomic_load_explicit(&y, LOAD);
  seen[me][1] = atomic_load_explicit(&x, LOAD);  // @yx
}

int main(void) {
  RUN(write_x, write_y, read_xy, read_yx);
  return 0;
}
