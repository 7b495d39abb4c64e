// Independent reads of independent writes: two readers may disagree about which write came first.
// case acquire: -DSTORE=rel -DFIRST=acq -DSECOND=acq
// expect: robustness load of y at @xy
// expect: robustness load of x at @yx
// twin: litmus/classic/iriw.fp
// run: --schedule random --seeds 0..200
// case seq_cst: -DSTORE=sc -DFIRST=sc -DSECOND=sc
// expect: silent
// twin: litmus/rc20/iriw+sc.fp
// The order of SC accesses is consistent with coherence, also by way of stores that are not SC.
// case seq_cst-loads: -DSTORE=rlx -DFIRST=sc -DSECOND=sc
// expect: silent
// twin: litmus/rc20/iriw+sc-loads.fp
// What is acquired happens before the second load, but not strongly: the order of SC accesses need
// not follow it.
// case acquire-first: -DSTORE=sc -DFIRST=acq -DSECOND=sc
// expect: robustness load of y at @xy
// expect: robustness load of x at @yx
// twin: litmus/rc20/iriw+sc-stores-seconds.fp
// run: --schedule random --seeds 0..200
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
  seen[me][0] = atomic_load_explicit(&x, FIRST);
  seen[me][1] = atomic_load_explicit(&y, SECOND);  // @xy
}

static void read_yx(int me) {
  seen[me][0] = atomic_load_explicit(&y, FIRST);
  seen[me][1] = atomic_load_explicit(&x, SECOND);  // @yx
}

int main(void) {
  RUN(write_x, write_y, read_xy, read_yx);
  return 0;
}
