// The same with data instead of an assertion: a data race follows when one of them misses the other.
// every schedule --provoke --no-weak: bug
// says: a data race
// says: not robust

#include <pthread.h>
#include <stdatomic.h>

static atomic_int here[2];
static int data;

static void *visitor(void *number) {
  int own = *(int *)number;
  atomic_store_explicit(&here[own], 1, memory_order_release);
  if (!atomic_load_explicit(&here[1 - own], memory_order_acquire)) data++;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, visitor, &numbers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
