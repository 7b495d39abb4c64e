// A ring buffer of one producer and one consumer. Both look at the other's index: either may see an old one,
// and then finds the ring fuller, or emptier, than it is, and tries again.
// run: --schedule random --seeds 0..60
// case right: -DPUBLISH=rel -DLOOK=acq
// expect: anything
// rank: harmless
// case sc-right: -DPUBLISH=sc -DLOOK=acq
// expect: anything
// rank: harmless
// case relaxed-store: -DPUBLISH=rlx -DLOOK=acq
// expect: anything
// rank: race
// case relaxed-load: -DPUBLISH=rel -DLOOK=rlx
// expect: anything
// rank: race
#include "../threads.h"

enum { SIZE = 2, COUNT = 6 };
int slots[SIZE];
_Atomic unsigned head, tail;

static int push(int value) {
  unsigned t = atomic_load_explicit(&tail, rlx);
  if (t - atomic_load_explicit(&head, LOOK) == SIZE) return 0;
  slots[t % SIZE] = value;
  atomic_store_explicit(&tail, t + 1, PUBLISH);
  return 1;
}

static int pop(int *value) {
  unsigned h = atomic_load_explicit(&head, rlx);
  if (atomic_load_explicit(&tail, LOOK) == h) return 0;
  *value = slots[h % SIZE];
  atomic_store_explicit(&head, h + 1, PUBLISH);
  return 1;
}

static void producer(int me) {
  (void)me;
  for (int i = 0; i < COUNT; i++)
    while (!push(i)) sched_yield();
}

static void consumer(int me) {
  (void)me;
  for (int i = 0, value = -1; i < COUNT; i++) {
    while (!pop(&value)) sched_yield();
    CHECK(value == i);
  }
}

int main(void) {
  RUN(producer, consumer);
  return 0;
}
