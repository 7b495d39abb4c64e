// Two threads put something into each other's box and look into their own once.
// run: --schedule random --seeds 0..60
// case both-empty: -DCHECKED
// expect: anything
// rank: failure
// case plain: -DPLAIN=rlx
// expect: anything
// rank: race
// case later-right: -DLATER
// expect: anything
// rank: harmless
#include "../threads.h"

#ifdef PLAIN
#define PUT PLAIN
#else
#define PUT rel
#endif

_Atomic int box[2];
int letter[2], got[2];
int kept[2];

static void either(int me) {
  letter[1 - me] = 5;
  atomic_store_explicit(&box[1 - me], 1, PUT);
  got[me] = atomic_load_explicit(&box[me], acq);
#ifdef LATER
  // It comes sooner or later.
  while (!atomic_load_explicit(&box[me], acq)) sched_yield();
  CHECK(letter[me] == 5);
#else
  if (got[me]) kept[me] = letter[me];
#endif
}

int main(void) {
  run_all(2, either);
#ifdef CHECKED
  CHECK(got[0] || got[1]);
#endif
  return 0;
}
