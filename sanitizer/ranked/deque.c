// Work stealing (Chase and Lev 2005; Le and others 2013), reduced to one task. Without full fences owner and
// thief both take it.
// run: --schedule random --seeds 0..60
// case acquire-release: -DFENCE=acqrel
// expect: anything
// rank: failure
// case half: -DFENCE=sc -DTHIEF=acqrel
// expect: anything
// rank: failure
// case hint: -DFENCE=sc -DHINT
// expect: anything
// rank: harmless
#include "../threads.h"

#ifndef THIEF
#define THIEF FENCE
#endif

_Atomic int top, bottom = 2, taken[3];
_Atomic int idle[2];
int kept[2];

static void take(int task) { CHECK(atomic_fetch_add_explicit(&taken[task], 1, rlx) == 0); }

static void look(int me) {
#ifdef HINT
  // Idle threads are counted, more or less.
  atomic_store_explicit(&idle[me], 1, rlx);
  kept[me] = atomic_load_explicit(&idle[1 - me], rlx);
#else
  (void)me;
#endif
}

static void owner(int me) {
  for (int i = 0; i < 2; i++) {
    int b = atomic_load_explicit(&bottom, rlx) - 1;
    atomic_store_explicit(&bottom, b, rlx);
    atomic_thread_fence(FENCE);
    int t = atomic_load_explicit(&top, rlx);
    if (t < b) {
      take(b);
    } else {
      if (t == b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, sc, rlx)) take(b);
      atomic_store_explicit(&bottom, b + 1, rlx);
    }
  }
  look(me);
}

static void thief(int me) {
  for (int i = 0; i < 2; i++) {
    int t = atomic_load_explicit(&top, acq);
    atomic_thread_fence(THIEF);
    int b = atomic_load_explicit(&bottom, acq);
    if (t < b && atomic_compare_exchange_strong_explicit(&top, &t, t + 1, sc, rlx)) take(t);
  }
  look(me);
}

int main(void) {
  RUN(owner, thief);
  return 0;
}
