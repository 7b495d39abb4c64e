// A loop waits for two locations, one of which is never set. A round that has read the other one before
// it was set is not yet the end.
// every schedule: bug
// says: a deadlock
// weak executions: bug
// says: a deadlock
// every schedule -DIS_SET: exhausted
// weak executions -DIS_SET: exhausted
#include <pthread.h>
#include <stdatomic.h>

atomic_int one, other;

static void *sets(void *unused) {
  atomic_store(&one, 1);
#ifdef IS_SET
  atomic_store(&other, 1);
#endif
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sets, NULL);
  while (!atomic_load(&one) | !atomic_load(&other)) {
  }
  pthread_join(thread, NULL);
}
