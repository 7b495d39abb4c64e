// Read-modify-writes that come before what has overwritten what they read.
// run: --schedule random --seeds 0..60
// case tickets: -DTICKETS
// expect: anything
// rank: harmless
// case claimed: -DCLAIMED
// expect: anything
// rank: failure
// case failed: -DFAILED
// expect: anything
// rank: failure
// case retry-right: -DRETRY
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int x, y, winners;
int kept[2];

static void either(int me) {
#if defined TICKETS
  // Each takes a number from one roll and looks at the other.
  atomic_fetch_add_explicit(me ? &y : &x, 1, rlx);
  kept[me] = atomic_load_explicit(me ? &x : &y, rlx);
#elif defined CLAIMED
  // Each takes its own and claims the other's, if it is free still.
  int expected = 0;
  atomic_store_explicit(me ? &y : &x, 1, rel);
  if (atomic_compare_exchange_strong_explicit(me ? &x : &y, &expected, 2, acqrel, acq))
    CHECK(atomic_fetch_add_explicit(&winners, 1, rlx) == 0);
#elif defined FAILED
  // A failed compare-and-swap says what was there: a message, and the flag that announced it.
  int expected = 7;
  if (me) {
    atomic_store_explicit(&x, 1, rlx);
    atomic_store_explicit(&y, 1, rlx);
  } else if (atomic_load_explicit(&y, rlx) &&
             !atomic_compare_exchange_strong_explicit(&x, &expected, 8, rlx, rlx)) {
    CHECK(expected == 1);
  }
#else
  // The greatest of all: who fails looks again.
  int seen = atomic_load_explicit(&x, rlx);
  while (seen < me + 1 && !atomic_compare_exchange_weak_explicit(&x, &seen, me + 1, rlx, rlx)) {
  }
  atomic_store_explicit(me ? &y : &winners, 1, rlx);
  kept[me] = atomic_load_explicit(me ? &winners : &y, rlx);
#endif
}

int main(void) {
  run_all(2, either);
#ifdef RETRY
  CHECK(atomic_load_explicit(&x, rlx) == 2);
#endif
  return 0;
}
