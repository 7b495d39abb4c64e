// A sequence lock. With its fences a reader may see half of what was written: it notices, and drops it.
// Without them it does not notice.
// run: --schedule random --seeds 0..60
// case right: -DBEFORE=rel -DBETWEEN=acq -DDATA=rlx
// expect: anything
// rank: harmless
// case no-write-fence: -DBETWEEN=acq -DDATA=rlx
// expect: anything
// rank: failure
// case no-read-fence: -DBEFORE=rel -DDATA=rlx
// expect: anything
// rank: failure
#include "../threads.h"

_Atomic unsigned seq;
_Atomic int x, y;

static void writer(int me) {
  (void)me;
  for (int i = 1; i <= 2; i++) {
    unsigned s = atomic_load_explicit(&seq, rlx);
    atomic_store_explicit(&seq, s + 1, rlx);
#ifdef BEFORE
    atomic_thread_fence(BEFORE);
#endif
    atomic_store_explicit(&x, i, DATA);
    atomic_store_explicit(&y, i, DATA);
    atomic_store_explicit(&seq, s + 2, rel);
  }
}

static void reader(int me) {
  (void)me;
  for (int tries = 0; tries < 3; tries++) {
    unsigned s = atomic_load_explicit(&seq, acq);
    if (s % 2) continue;
    int a = atomic_load_explicit(&x, DATA);
    int b = atomic_load_explicit(&y, DATA);
#ifdef BETWEEN
    atomic_thread_fence(BETWEEN);
#endif
    if (atomic_load_explicit(&seq, rlx) == s) CHECK(a == b);
  }
}

int main(void) {
  RUN(writer, reader, reader);
  return 0;
}
