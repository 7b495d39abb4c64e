// Each thread may miss that the other has come (store buffering). Then both go in.
// every schedule --provoke --no-weak: bug
// says: ended by signal 6
// says: not robust

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int here[2], inside;

static void *visitor(void *number) {
  int own = *(int *)number;
  atomic_store_explicit(&here[own], 1, memory_order_release);
  if (!atomic_load_explicit(&here[1 - own], memory_order_acquire)) {
    assert(atomic_fetch_add_explicit(&inside, 1, memory_order_relaxed) == 0);
  }
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int numbers[2] = {0, 1};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, visitor, &numbers[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
