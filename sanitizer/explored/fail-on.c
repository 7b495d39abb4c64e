// Two threads can both miss the store of the other, which does no harm, or only leads to a failure.
// every schedule --fail-on failure: bug
// says: not robust
// exit code: 0
// every schedule --no-weak --fail-on failure: bug
// exit code: 3
// every schedule --no-weak --provoke --fail-on race: bug
// exit code: 3
// weak executions --fail-on failure: exhausted
// exit code: 0
// every schedule -DFAILS --fail-on failure: bug
// exit code: 66
// weak executions -DFAILS --fail-on race: bug
// says: exit code 1
// exit code: 0
// weak executions -DFAILS --fail-on failure: bug
// exit code: 66
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int left, right;

static void *other(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  right = atomic_load_explicit(&x, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  left = atomic_load_explicit(&y, memory_order_relaxed);
  pthread_join(thread, NULL);
#ifdef FAILS
  return !left && !right;
#else
  return left + right > 2;
#endif
}
