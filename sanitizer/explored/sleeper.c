// Sleeping is not waiting for others.
// every schedule: bug
// says: SIGABRT
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int value;

static void *sleeps(void *unused) {
  usleep(1000);
  value = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, sleeps, NULL);
  assert(value == 0);
  pthread_join(thread, NULL);
}
