// A ring buffer of two elements for one producer and one consumer. It is correct, and not robust: who
// looks at the other's index may find an old one. Nothing goes wrong in any execution.
// weak executions: exhausted
// every schedule: bug
// says: not robust
// every schedule --provoke --no-weak: bug
// says: not robust
// weak executions -DPUT=memory_order_relaxed: bug
// says: data race
// weak executions -DGET=memory_order_relaxed: bug
// says: data race
// weak executions -DSIZE=3: bug
// says: exit code
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef PUT
#define PUT memory_order_release
#endif
#ifndef GET
#define GET memory_order_release
#endif
#ifndef SIZE
#define SIZE 2
#endif

enum { ELEMENTS = 3 };

static int ring[2];
static atomic_uint head, tail;

static int put(int value) {
  unsigned last = atomic_load_explicit(&tail, memory_order_relaxed);
  if (last - atomic_load_explicit(&head, memory_order_acquire) == SIZE) return 0;
  ring[last % 2] = value;
  atomic_store_explicit(&tail, last + 1, PUT);
  return 1;
}

static int get(int *value) {
  unsigned first = atomic_load_explicit(&head, memory_order_relaxed);
  if (first == atomic_load_explicit(&tail, memory_order_acquire)) return 0;
  *value = ring[first % 2];
  atomic_store_explicit(&head, first + 1, GET);
  return 1;
}

static void *producer(void *unused) {
  for (int value = 0; value < ELEMENTS; value++) {
    while (!put(value)) continue;
  }
  return unused;
}

static void *consumer(void *unused) {
  for (int expected = 0, value; expected < ELEMENTS; expected++) {
    while (!get(&value)) continue;
    if (value != expected) exit(1);
  }
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, producer, NULL);
  pthread_create(&threads[1], NULL, consumer, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
