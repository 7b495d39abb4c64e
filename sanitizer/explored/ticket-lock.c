// A ticket lock.
// every schedule: exhausted
// every schedule -DWEAK: bug
// says: data race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define TAKE memory_order_relaxed
#else
#define TAKE memory_order_acquire
#endif

static atomic_int next, serving;
static int value;

static void *increments(void *unused) {
  int ticket = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed);
  while (atomic_load_explicit(&serving, TAKE) != ticket) {
  }
  value++;
  atomic_store_explicit(&serving, ticket + 1, memory_order_release);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, increments, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(value == 3);
}
