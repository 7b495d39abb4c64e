// A loop in which each round changes something can go round for ever.
// every schedule --spins 2: bounded
// says: went round no further
#include <pthread.h>
#include <stdatomic.h>

static atomic_int lock;

static void *takes(void *unused) {
  while (atomic_fetch_add(&lock, 1) != 0) atomic_fetch_sub(&lock, 1);
  atomic_fetch_sub(&lock, 1);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, takes, NULL);
  takes(NULL);
  pthread_join(thread, NULL);
}
