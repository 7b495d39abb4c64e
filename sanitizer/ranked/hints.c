// What is looked at without waiting for it, and made sure of, or of no importance: correct, and not robust.
// expect: anything
// run: --schedule random --seeds 0..60
// case leader: -DLEADER
// rank: harmless
// case mask: -DMASK
// rank: harmless
// case size: -DSIZE
// rank: harmless
// case optimist: -DOPTIMIST
// rank: harmless
// case epoch: -DEPOCH
// rank: harmless
// case cancel: -DCANCEL
// rank: harmless
// case version: -DVERSION
// rank: harmless
// case snapshot: -DSNAPSHOT
// rank: harmless
// case pointer: -DPOINTER
// rank: passed-on address robustness
// case clock: -DCLOCK
// rank: harmless
// case spread: -DSPREAD
// rank: harmless
// case backoff: -DBACKOFF
// rank: harmless
// case slots: -DSLOTS
// rank: passed-on address robustness
// case reader-count: -DREADERS
// rank: harmless
#include "../threads.h"

_Atomic int a[2], b[2], c;
int kept[2], shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define see(what) atomic_load_explicit(what, rlx)
#define put(what, value) atomic_store_explicit(what, value, rlx)

#if defined LEADER
// Who believes that nobody leads asks for it: one compare-and-swap succeeds.
static void either(int me) {
  put(&a[me], 1);
  int nobody = 0;
  if (!see(&a[1 - me]) && atomic_compare_exchange_strong_explicit(&c, &nobody, me + 1, acqrel, acq)) shared = me;
}
#elif defined MASK
// Bits that are never taken back.
static void either(int me) {
  atomic_fetch_or_explicit(&a[me], 1 << me, rlx);
  kept[me] = see(&a[0]) | see(&a[1]);
  CHECK(kept[me] & 1 << me);
}
#elif defined SIZE
// About how much is in both queues? Who moves something does so under a lock.
static void either(int me) {
  put(&a[me], 1);
  if (see(&a[1 - me]) == 0) return;
  pthread_mutex_lock(&mutex);
  shared += see(&a[1 - me]);
  put(&a[1 - me], 0);
  pthread_mutex_unlock(&mutex);
}
#elif defined OPTIMIST
// A quick look first, and a second one under the lock.
static void either(int me) {
  pthread_mutex_lock(&mutex);
  put(&a[me], see(&a[me]) + 1);
  pthread_mutex_unlock(&mutex);
  put(&b[me], 1);
  if (see(&b[1 - me])) return;
  pthread_mutex_lock(&mutex);
  shared = see(&a[0]) + see(&a[1]);
  pthread_mutex_unlock(&mutex);
  CHECK(see(&a[me]) >= 1);
}
#elif defined EPOCH
// Nobody goes ahead of the epoch that it has seen of the other one by more than one.
static void either(int me) {
  for (int i = 0; i < 2; i++) {
    int other = see(&a[1 - me]);
    int mine = see(&a[me]);
    if (mine <= other) put(&a[me], mine + 1);
  }
  CHECK(see(&a[me]) <= 2);
}
#elif defined CANCEL
// Who is cancelled while it starts ends a little later.
static void either(int me) {
  if (me) {
    put(&a[0], 1);
    kept[1] = see(&b[0]);
  } else {
    put(&b[0], 1);
    if (!see(&a[0])) shared = 1;
  }
}
#elif defined VERSION
// A version that is too old is noticed by who uses it.
static void either(int me) {
  put(&b[me], 1);
  int version = see(&c);
  kept[me] = see(&b[1 - me]);
  while (!atomic_compare_exchange_weak_explicit(&c, &version, version + 1, acqrel, rlx)) {
  }
  CHECK(version <= 1);
}
#elif defined SNAPSHOT
// Both counters, twice: who sees a change tries again, at most so many times.
static void either(int me) {
  for (int tries = 0; tries < 2; tries++) {
    atomic_fetch_add_explicit(&a[me], 1, rlx);
    int first = see(&a[1 - me]);
    if (first == see(&a[1 - me])) kept[me] = first;
  }
  CHECK(kept[me] >= 0 && kept[me] <= 2);
}
#elif defined POINTER
// The newest table, or the one before: both are good.
static int tables[2] = {10, 20};
static _Atomic(int *) newest[2] = {&tables[0], &tables[0]};
static void either(int me) {
  atomic_store_explicit(&newest[me], &tables[1], rel);
  int *table = atomic_load_explicit(&newest[1 - me], acq);
  CHECK(*table == 10 || *table == 20);
}
#elif defined CLOCK
// Times that only grow: the greater one of mine and yours.
static void either(int me) {
  for (int now = 1; now <= 2; now++) {
    put(&a[me], now);
    int other = see(&a[1 - me]);
    kept[me] = other > kept[me] ? other : kept[me];
    kept[me] = now > kept[me] ? now : kept[me];
  }
  CHECK(kept[me] == 2);
}
#elif defined SPREAD
// A counter in two parts: the sum is at least what this thread has counted.
static void either(int me) {
  for (int i = 1; i <= 2; i++) {
    put(&a[me], i);
    CHECK(see(&a[0]) + see(&a[1]) >= i);
  }
}
#elif defined BACKOFF
// Who sees the other one waits a moment, out of politeness. The lock does the rest.
static void either(int me) {
  put(&a[me], 1);
  if (see(&a[1 - me])) sched_yield();
  pthread_mutex_lock(&mutex);
  shared++;
  pthread_mutex_unlock(&mutex);
  put(&a[me], 0);
}
#elif defined SLOTS
// A slot that looks free is claimed; who fails takes the next one.
static void either(int me) {
  put(&b[me], 1);
  for (int slot = see(&b[1 - me]) ? me : 0; slot < 2; slot++) {
    int nobody = 0;
    if (atomic_compare_exchange_strong_explicit(&a[slot], &nobody, me + 1, rlx, rlx)) return;
  }
  CHECK(!"no slot");
}
#elif defined READERS
// How many read now? Shown to somebody, that is all.
static void either(int me) {
  atomic_fetch_add_explicit(&a[me], 1, rlx);
  kept[me] = see(&a[0]) + see(&a[1]);
  atomic_fetch_sub_explicit(&a[me], 1, rlx);
  CHECK(kept[me] >= 1);
}
#endif

int main(void) {
  run_all(2, either);
  return 0;
}
