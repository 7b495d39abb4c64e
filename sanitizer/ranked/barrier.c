// A barrier of two threads: each counts itself and waits for the other.
// run: --schedule random --seeds 0..60
// case relaxed-count: -DCOUNT=rlx -DLOOK=acq
// expect: anything
// rank: race
// case relaxed-look: -DCOUNT=rel -DLOOK=rlx
// expect: anything
// rank: race
// case right: -DCOUNT=acqrel -DLOOK=acq -DHINT
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int arrived, early[2];
int parts[2];
int kept[2];

static void either(int me) {
#ifdef HINT
  atomic_store_explicit(&early[me], 1, rlx);
  kept[me] = atomic_load_explicit(&early[1 - me], rlx);
#endif
  parts[me] = 1;
  atomic_fetch_add_explicit(&arrived, 1, COUNT);
  while (atomic_load_explicit(&arrived, LOOK) < 2) sched_yield();
  CHECK(parts[0] + parts[1] == 2);
}

int main(void) {
  run_all(2, either);
  return 0;
}
