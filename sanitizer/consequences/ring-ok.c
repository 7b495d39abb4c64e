// A ring for one producer and one consumer, as in textbooks. It is not robust: either side may see an old
// index of the other's, and then tries again. That does no harm, and is told in one line.
// expect: robustness load of head at @full
// expect: robustness load of tail at @empty
// rank: harmless robustness
#include "../threads.h"

enum { SIZE = 4, COUNT = 30 };
static int buffer[SIZE];
static _Atomic unsigned head, tail;

static int try_push(int value) {
  unsigned t = atomic_load_explicit(&tail, rlx);
  unsigned h = atomic_load_explicit(&head, acq);  // @full
  if (t - h == SIZE) return 0;
  buffer[t % SIZE] = value;
  atomic_store_explicit(&tail, t + 1, rel);
  return 1;
}

static int try_pop(int *value) {
  unsigned h = atomic_load_explicit(&head, rlx);
  unsigned t = atomic_load_explicit(&tail, acq);  // @empty
  if (t == h) return 0;
  *value = buffer[h % SIZE];
  atomic_store_explicit(&head, h + 1, rel);
  return 1;
}

static void producer(int me) {
  (void)me;
  for (int i = 0; i < COUNT; i++)
    while (!try_push(i)) sched_yield();
}

static void consumer(int me) {
  (void)me;
  for (int i = 0, value; i < COUNT; i++) {
    while (!try_pop(&value)) sched_yield();
    CHECK(value == i);
  }
}

int main(void) {
  RUN(producer, consumer);
  return 0;
}
