// A loop that looks at two locations, one of which is written over and over with the value that it
// has: what a round in vain has read there orders what comes after the loop.
// every schedule: bug
// says: not robust
#include <pthread.h>
#include <stdatomic.h>

// Not static: a compiler could see that `noise` always has the same value, and leave it out.
atomic_int stop, noise, value;

static void *makes_noise(void *unused) {
  atomic_store_explicit(&value, 1, memory_order_relaxed);
  atomic_store_explicit(&noise, 0, memory_order_relaxed);
  return unused;
}

static void *stops(void *unused) {
  atomic_store_explicit(&stop, 1, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, makes_noise, NULL);
  pthread_create(&threads[1], NULL, stops, NULL);
  while (!atomic_load_explicit(&stop, memory_order_relaxed)) atomic_load_explicit(&noise, memory_order_relaxed);
  atomic_load_explicit(&value, memory_order_relaxed);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
