// News that are passed on by a third thread.
// run: --schedule random --seeds 0..60
// case relaxed: -DPASS=rlx -DTAKE=rlx
// expect: anything
// rank: failure
// case no-acquire: -DPASS=rel -DTAKE=rlx
// expect: anything
// rank: failure
// case old-news-right: -DPASS=rlx -DTAKE=rlx -DOLD
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int news, heard;
int kept;

static void first(int me) {
  (void)me;
  atomic_store_explicit(&news, 1, rlx);
}

static void second(int me) {
  (void)me;
  if (atomic_load_explicit(&news, acq)) atomic_store_explicit(&heard, 1, PASS);
}

static void third(int me) {
  (void)me;
  if (!atomic_load_explicit(&heard, TAKE)) return;
#ifdef OLD
  kept = atomic_load_explicit(&news, rlx);
#else
  CHECK(atomic_load_explicit(&news, rlx) == 1);
#endif
}

int main(void) {
  RUN(first, second, third);
  return 0;
}
