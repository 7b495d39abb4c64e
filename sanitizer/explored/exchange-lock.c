// A lock by exchange writes back what it finds while it waits. One such round is enough.
// every schedule: exhausted
// every schedule -DWEAK: bug
// says: data race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define GIVE_BACK memory_order_relaxed
#else
#define GIVE_BACK memory_order_release
#endif

static atomic_int lock;
static int value;

static void *increments(void *unused) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
  }
  value++;
  atomic_store_explicit(&lock, 0, GIVE_BACK);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, increments, NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  assert(value == 3);
}
