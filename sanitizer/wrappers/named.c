// A wrapper that cannot be known as one, since it counts what it does, and says so itself: FENCEPOST_WRAPPER. Or it is
// named on the command line.
// expect: robustness load of d1 at @load1
// expect: robustness load of d2 at @load2
// case said-O0: -O0 -DSAYS_SO
// run: --schedule random --seeds 0..40
// case said-O2: -O2 -DSAYS_SO
// run: --schedule random --seeds 0..40
// case said-out-of-line: -O1 -DSAYS_SO -DNEVER=__attribute__((noinline))
// run: --schedule random --seeds 0..40
// case option: -O1
// run: --schedule random --seeds 0..40 --wrapper ^get$ --wrapper ^set$
// case option-out-of-line: -O1 -DNEVER=__attribute__((noinline))
// run: --schedule random --seeds 0..40 --wrapper ^get$ --wrapper ^set$
#include "../threads.h"
#include "fencepost.h"

#ifdef SAYS_SO
FENCEPOST_WRAPPER("^get$");
FENCEPOST_WRAPPER("^set$");
#endif
#ifndef NEVER
#define NEVER inline
#endif

static _Thread_local int count;

static NEVER int get(atomic_int *a) {
  count++;
  return atomic_load_explicit(a, rlx);
}

static NEVER void set(atomic_int *a, int v) {
  count++;
  atomic_store_explicit(a, v, rlx);
}

static atomic_int d1, f1, d2, f2;
int r1, r2;

static void write1(int me) {
  (void)me;
  set(&d1, 1);  // @store1
  set(&f1, 1);
}

static void write2(int me) {
  (void)me;
  set(&d2, 1);  // @store2
  set(&f2, 1);
}

static void read1(int me) {
  (void)me;
  const int there = get(&f1);
  if (there) r1 = get(&d1);  // @load1
}

static void read2(int me) {
  (void)me;
  const int there = get(&f2);
  if (there) r2 = get(&d2);  // @load2
}

int main(void) {
  RUN(write1, write2, read1, read2);
  return 0;
}
