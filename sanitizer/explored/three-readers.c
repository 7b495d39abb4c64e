// Three threads read a variable, and the main thread writes it when it has waited for two of them. The
// third one has read already, which says a flag that orders nothing.
// every schedule: bug
// says: data race
// weak executions: bug
// says: data race
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static int variable;
static atomic_int has_read;

static void *reader(void *unused) {
  return variable == 2 ? NULL : unused;
}

static void *third(void *unused) {
  reader(unused);
  atomic_store_explicit(&has_read, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, reader, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  pthread_create(&threads[2], NULL, third, NULL);
  while (atomic_load_explicit(&has_read, memory_order_relaxed) == 0) continue;
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  variable = 1;
  pthread_join(threads[2], NULL);
  return 0;
}
