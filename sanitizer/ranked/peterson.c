// Peterson's lock. With release and acquire both threads enter.
// run: --schedule random --seeds 0..60
// case release-acquire: -DSTORE=rel -DLOAD=acq
// expect: anything
// rank: race
// case relaxed: -DSTORE=rlx -DLOAD=rlx
// expect: anything
// rank: race
// case fences: -DSTORE=rel -DLOAD=acq -DFENCE=acqrel
// expect: anything
// rank: race
#include "../threads.h"

#ifdef FENCE
#define BETWEEN atomic_thread_fence(FENCE)
#else
#define BETWEEN (void)0
#endif

_Atomic int wants[2], turn;
int shared;

static void either(int me) {
  atomic_store_explicit(&wants[me], 1, STORE);
  atomic_store_explicit(&turn, 1 - me, STORE);
  BETWEEN;
  while (atomic_load_explicit(&wants[1 - me], LOAD) && atomic_load_explicit(&turn, LOAD) == 1 - me) sched_yield();
  shared++;
  atomic_store_explicit(&wants[me], 0, STORE);
}

int main(void) {
  run_all(2, either);
  return 0;
}
