// A lock by exchange whose waiting loop looks elsewhere, too, and which is given back by another
// exchange. Only the second round in vain leads from there to the owner.
// every schedule: bug
// says: not robust
#include <pthread.h>
#include <stdatomic.h>

// Not static: a compiler could see that `noise` always has the same value, and leave it out.
atomic_int lock = 1, noise, value;

static void *makes_noise(void *unused) {
  atomic_store_explicit(&value, 1, memory_order_relaxed);
  atomic_store_explicit(&noise, 0, memory_order_relaxed);
  return unused;
}

static void *gives_back(void *unused) {
  atomic_exchange_explicit(&lock, 0, memory_order_relaxed);
  atomic_load_explicit(&value, memory_order_relaxed);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, makes_noise, NULL);
  pthread_create(&threads[1], NULL, gives_back, NULL);
  while (atomic_exchange_explicit(&lock, 1, memory_order_relaxed)) {
    atomic_load_explicit(&noise, memory_order_relaxed);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
