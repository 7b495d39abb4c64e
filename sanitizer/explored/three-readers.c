// Three threads read a variable, and the main thread writes it when it has waited for two of them. The
// third one has read already, which says a flag that orders nothing.
// every schedule: bug
// says: data race
// weak executions: bug
// says: data race
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int variable, seen[3];
static atomic_int has_read;

static void *reader(void *where) {
  *(int *)where = variable;
  return NULL;
}

static void *third(void *where) {
  reader(where);
  atomic_store_explicit(&has_read, 1, memory_order_relaxed);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, reader, &seen[0]);
  pthread_create(&threads[1], NULL, reader, &seen[1]);
  pthread_create(&threads[2], NULL, third, &seen[2]);
  while (atomic_load_explicit(&has_read, memory_order_relaxed) == 0) continue;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  variable = 1;
  pthread_join(threads[2], NULL);
  return 0;
}
