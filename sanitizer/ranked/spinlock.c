// Locks that are given back by a store.
// run: --schedule random --seeds 0..60
// case test-and-set: -DUNLOCK=rlx
// expect: anything
// rank: race
// case ticket: -DUNLOCK=rlx -DTICKET
// expect: anything
// rank: race
// case relaxed-take: -DUNLOCK=rel -DTAKE=rlx
// expect: anything
// rank: race
// case try-right: -DUNLOCK=rel -DTRY
// expect: anything
// rank: harmless
#include "../threads.h"

#ifndef TAKE
#define TAKE acq
#endif

_Atomic int locked, next, serving;
_Atomic int given_up[2];
int shared;
int kept[2];

static int lock(int me) {
  (void)me;
#if defined TICKET
  int mine = atomic_fetch_add_explicit(&next, 1, rlx);
  while (atomic_load_explicit(&serving, TAKE) != mine) sched_yield();
#elif defined TRY
  // Who sees that it is taken leaves a note, and looks whether the other one did.
  if (atomic_load_explicit(&locked, rlx) || atomic_exchange_explicit(&locked, 1, TAKE)) {
    atomic_store_explicit(&given_up[me], 1, rlx);
    kept[me] = atomic_load_explicit(&locked, rlx);
    return 0;
  }
#else
  while (atomic_exchange_explicit(&locked, 1, TAKE)) sched_yield();
#endif
  return 1;
}

static void unlock(int me) {
#if defined TICKET
  (void)me;
  atomic_store_explicit(&serving, atomic_load_explicit(&serving, rlx) + 1, UNLOCK);
#else
  atomic_store_explicit(&locked, 0, UNLOCK);
#ifdef TRY
  kept[me] = atomic_load_explicit(&given_up[1 - me], rlx);
#else
  (void)me;
#endif
#endif
}

static void either(int me) {
  for (int i = 0; i < 2; i++) {
    if (!lock(me)) continue;
    shared++;
    unlock(me);
  }
}

int main(void) {
  run_all(2, either);
  return 0;
}
