// Numbers that are looked at while they change.
// run: --schedule random --seeds 0..60
// case counters: -DCOUNTERS
// expect: anything
// rank: harmless
// case maximum: -DMAXIMUM
// expect: anything
// rank: harmless
// case progress: -DPROGRESS
// expect: anything
// rank: harmless
// case balance: -DBALANCE
// expect: anything
// rank: failure
// case version: -DVERSION
// expect: anything
// rank: failure
#include "../threads.h"

_Atomic int in, out, most[2];
int kept[2];

#if defined COUNTERS
// Requests that have begun and ended: somebody prints both.
static void either(int me) {
  atomic_fetch_add_explicit(me ? &out : &in, 1, rlx);
  kept[me] = atomic_load_explicit(me ? &in : &out, rlx);
}
#elif defined MAXIMUM
// Each raises its own and takes the greater one of both.
static void either(int me) {
  atomic_store_explicit(&most[me], me + 1, rlx);
  int other = atomic_load_explicit(&most[1 - me], rlx);
  kept[me] = other > me + 1 ? other : me + 1;
  CHECK(kept[me] > me);
}
#elif defined PROGRESS
// How far is the slower one, at least?
static void either(int me) {
  for (int i = 1; i <= 2; i++) {
    atomic_store_explicit(&most[me], i, rel);
    int other = atomic_load_explicit(&most[1 - me], acq);
    kept[me] = other < i ? other : i;
    CHECK(kept[me] <= i);
  }
}
#elif defined BALANCE
// What has gone out has come in before.
static void either(int me) {
  if (me) {
    int gone = atomic_load_explicit(&out, rlx);
    CHECK(gone <= atomic_load_explicit(&in, rlx));
  } else {
    atomic_store_explicit(&in, 1, rlx);
    atomic_store_explicit(&out, 1, rlx);
  }
}
#elif defined VERSION
// A version is written after what it is the version of.
static void either(int me) {
  if (me) {
    int version = atomic_load_explicit(&out, acq);
    CHECK(atomic_load_explicit(&in, rlx) >= version);
  } else {
    for (int i = 1; i <= 2; i++) {
      atomic_store_explicit(&in, i, rlx);
      atomic_store_explicit(&out, i, rlx);
    }
  }
}
#endif

int main(void) {
  run_all(2, either);
  return 0;
}
