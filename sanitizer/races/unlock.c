// A spin lock that is given back by a store: it must be a release.
// case release: -DUNLOCK=rel
// expect: silent
// case relaxed: -DUNLOCK=rlx
// expect: race of counter at @count and @count
// allow: robustness
// suggest: make the store release at @unlock
#include <sched.h>
#include "../threads.h"

static atomic_int locked;
int counter;

static void count(int me) {
  (void)me;
  for (int i = 0; i < 3; i++) {
    while (atomic_exchange_explicit(&locked, 1, acq)) sched_yield();
    counter++;                                      // @count
    atomic_store_explicit(&locked, 0, UNLOCK);      // @unlock
  }
}

int main(void) {
  run_all(2, count);
  CHECK(counter == 6);
  return 0;
}
