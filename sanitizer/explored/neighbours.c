// Three threads each write their own byte of a word. The main thread waits for two of them, and reads
// the byte of the third one, which a flag that orders nothing says to be written.
// every schedule -DTHIRD=0: bug
// says: data race
// every schedule -DTHIRD=1: bug
// says: data race
// every schedule -DTHIRD=2: bug
// says: data race
// weak executions -DTHIRD=0: bug
// says: data race
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static char bytes[8];
static atomic_int written[3];

static void *writer(void *number) {
  bytes[(size_t)number] = 1;
  atomic_store_explicit(&written[(size_t)number], 1, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (size_t number = 0; number < 3; number++) pthread_create(&threads[number], NULL, writer, (void *)number);
  while (atomic_load_explicit(&written[THIRD], memory_order_relaxed) == 0) continue;
  for (size_t number = 0; number < 3; number++) {
    if (number != THIRD) pthread_join(threads[number], NULL);
  }
  bytes[7] = bytes[THIRD];
  pthread_join(threads[THIRD], NULL);
  return 0;
}
