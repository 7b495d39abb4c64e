// The end of `main` waits for threads that go on, and not for those that cannot.
// every schedule: exhausted
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t never;
static atomic_int value;

static void *waits(void *unused) {
  value = 1;
  sem_wait(&never);
  return unused;
}

int main(void) {
  pthread_t thread;
  sem_init(&never, 0, 0);
  pthread_create(&thread, NULL, waits, NULL);
  value = 2;
}
