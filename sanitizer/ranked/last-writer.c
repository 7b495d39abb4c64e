// Stores that take effect in different orders.
// run: --schedule random --seeds 0..60
// case both-first: -DBOTH
// expect: anything
// rank: failure
// case overtaken: -DOVERTAKEN
// expect: anything
// rank: failure
// case any-right: -DANY
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int x, y;
int kept;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rlx);
  atomic_store_explicit(&y, 2, rlx);
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rlx);
#ifdef OVERTAKEN
  kept = atomic_load_explicit(&x, rlx);
#else
  atomic_store_explicit(&x, 2, rlx);
#endif
}

int main(void) {
  RUN(left, right);
  int a = atomic_load_explicit(&x, rlx), b = atomic_load_explicit(&y, rlx);
#if defined BOTH
  // Whoever comes last in SC leaves a 2.
  CHECK(!(a == 1 && b == 1));
#elif defined OVERTAKEN
  // If y ends as 1, right came last, and has seen x.
  CHECK(a && !(b == 1 && kept == 0));
#else
  CHECK(a && b);
#endif
  return 0;
}
