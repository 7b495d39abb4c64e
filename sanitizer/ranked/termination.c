// Is everybody done? Each thread says so and looks at the other; the last one ends it.
// run: --schedule random --seeds 0..60
// case nobody: -DNOBODY
// expect: anything
// rank: failure
// case twice: -DTWICE
// expect: anything
// rank: failure
// case counted-right: -DCOUNTED
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int done[2], count, ended;
int kept[2];

static void either(int me) {
  atomic_store_explicit(&done[me], 1, rel);
  int other = atomic_load_explicit(&done[1 - me], acq);
#if defined NOBODY
  if (other) atomic_store_explicit(&ended, 1, rel);
#elif defined TWICE
  // Who does not see the other one goes on alone, and that may be done once.
  if (!other) atomic_fetch_add_explicit(&ended, 1, rlx);
#else
  kept[me] = other;
  if (atomic_fetch_add_explicit(&count, 1, acqrel) == 1) atomic_store_explicit(&ended, 1, rel);
#endif
}

int main(void) {
  run_all(2, either);
#ifdef TWICE
  CHECK(atomic_load_explicit(&ended, rlx) <= 1);
#else
  CHECK(atomic_load_explicit(&ended, rlx) == 1);
#endif
  return 0;
}
