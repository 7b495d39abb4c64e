// A work-stealing deque (Chase and Lev, SPAA 2005), small enough never to grow. The owner
// lowers `bottom` and looks at `top`, a thief reads `top` and looks at `bottom`: store buffering, so both need a seq_cst
// fence in between. The acq_rel fences of the weak version stand where these belong.
// case robust: -DFENCE=sc
// expect: silent
// With SC loads a thief needs no fence.
// case mixed: -DFENCE=sc -DLOADS
// expect: silent
// case weak: -DFENCE=acqrel
// expect: robustness load of top at @owner-looks
// expect: robustness load of bottom at @thief-looks
// suggest: make the fence seq_cst at @owner
// suggest: make the fence seq_cst at @thief
// run: --schedule random --seeds 0..300
// run: --schedule pct:3 --seeds 0..300
#include "../threads.h"

enum { SIZE = 8, EMPTY = -1 };

static _Atomic int top, bottom;
static _Atomic int items[SIZE];
static int sums[2];

static void push(int item) {
  int b = atomic_load_explicit(&bottom, rlx);
  atomic_store_explicit(&items[b % SIZE], item, rlx);
  atomic_store_explicit(&bottom, b + 1, rel);
}

static int take(void) {
  int b = atomic_load_explicit(&bottom, rlx) - 1;
  atomic_store_explicit(&bottom, b, rel);
  atomic_thread_fence(FENCE);                   // @owner
  int t = atomic_load_explicit(&top, acq);      // @owner-looks
  if (t > b) {
    atomic_store_explicit(&bottom, b + 1, rel);
    return EMPTY;
  }
  int item = atomic_load_explicit(&items[b % SIZE], rlx);
  if (t == b) {
    if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, acqrel, acq)) item = EMPTY;
    atomic_store_explicit(&bottom, b + 1, rel);
  }
  return item;
}

static int steal(void) {
#ifdef LOADS
  int t = atomic_load_explicit(&top, sc);
  int b = atomic_load_explicit(&bottom, sc);
#else
  int t = atomic_load_explicit(&top, acq);
  atomic_thread_fence(FENCE);                       // @thief
  int b = atomic_load_explicit(&bottom, acq);       // @thief-looks
#endif
  if (t >= b) return EMPTY;
  int item = atomic_load_explicit(&items[t % SIZE], rlx);
  if (!atomic_compare_exchange_strong_explicit(&top, &t, t + 1, acqrel, acq)) return EMPTY;
  return item;
}

static void add(int me, int item) {
  if (item != EMPTY) sums[me] += item;
}

static void owner(int me) {
  for (int item = 1; item <= 3; item++) push(item);
  for (int i = 0; i < 3; i++) add(me, take());
}

static void thief(int me) {
  for (int i = 0; i < 2; i++) add(me, steal());
}

int main(void) {
  RUN(owner, thief);
  CHECK(sums[0] + sums[1] == 1 + 2 + 3);
  return 0;
}
