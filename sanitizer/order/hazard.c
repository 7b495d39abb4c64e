// A hazard pointer: a reader announces what it is about to use and looks whether it is still there,
// with a fence in between; who removes it looks for announcements afterwards, by SC accesses and
// without a fence.
// case robust: -DREMOVE=sc -DSCAN=sc
// expect: silent
// case weak: -DREMOVE=acqrel -DSCAN=acq
// expect: robustness load of hazard at @scan
// expect: robustness load of shared at @again
// run: --schedule random --seeds 0..100
#include "../threads.h"

static int object = 1;
static _Atomic(int *) shared = &object;
static _Atomic(int *) hazard;
int used, kept;

static void reader(int me) {
  (void)me;
  int *seen = atomic_load_explicit(&shared, acq);
  if (seen == NULL) return;
  atomic_store_explicit(&hazard, seen, rlx);
  atomic_thread_fence(sc);
  if (atomic_load_explicit(&shared, acq) == seen) used = 1;  // @again
  atomic_store_explicit(&hazard, NULL, rel);
}

static void remover(int me) {
  (void)me;
  int *old = atomic_exchange_explicit(&shared, NULL, REMOVE);
  if (atomic_load_explicit(&hazard, SCAN) == old) kept = 1;  // @scan
}

int main(void) {
  RUN(reader, remover);
  return 0;
}
