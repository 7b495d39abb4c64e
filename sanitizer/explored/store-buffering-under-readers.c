// Readers of a lock are not ordered among each other: neither need see what the other has stored. Writers
// are.
// weak executions: bug
// says: exit code 1
// weak executions -DLOCK=pthread_rwlock_wrlock: exhausted
#include <pthread.h>
#include <stdatomic.h>

#ifndef LOCK
#define LOCK pthread_rwlock_rdlock
#endif

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int x, y;
static int left, right;

static void *other(void *unused) {
  LOCK(&lock);
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  right = atomic_load_explicit(&x, memory_order_relaxed);
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  LOCK(&lock);
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  left = atomic_load_explicit(&y, memory_order_relaxed);
  pthread_rwlock_unlock(&lock);
  pthread_join(thread, NULL);
  return !left && !right;
}
