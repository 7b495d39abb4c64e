// Store buffering, strong enough: SC accesses; SC fences; an update of one more location by both.
// case seq_cst: -DSEQ_CST
// expect: silent
// twin: litmus/rc20/sb+sc.fp
// case fences: -DFENCES
// expect: silent
// twin: litmus/classic/sb+fences.fp
// case updates: -DUPDATES
// expect: silent
// twin: litmus/classic/sb+rmws.fp
#include "../threads.h"

#ifdef SEQ_CST
#define STORE sc
#define LOAD sc
#else
#define STORE rel
#define LOAD acq
#endif

static _Atomic int x, y;
static int seen[2];

static void between(void) {
#if defined(FENCES)
  atomic_thread_fence(sc);
#elif defined(UPDATES)
  static _Atomic int f;
  atomic_fetch_add_explicit(&f, 0, acqrel);
#endif
}

static void left(int me) {
  atomic_store_explicit(&x, 1, STORE);
  between();
  seen[me] = atomic_load_explicit(&y, LOAD);
}

static void right(int me) {
  atomic_store_explicit(&y, 1, STORE);
  between();
  seen[me] = atomic_load_explicit(&x, LOAD);
}

int main(void) {
  RUN(left, right);
  CHECK(seen[0] + seen[1] > 0);
  return 0;
}
