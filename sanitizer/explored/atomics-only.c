// Plain accesses that nobody sees may race.
// every schedule: bug
// says: data race
// every schedule -g --atomics-only: unknown
// says: --atomics-only
#include <pthread.h>
#include <stdatomic.h>

static int value;
static atomic_int flag;

static void *writes(void *unused) {
  value++;
  flag = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  writes(NULL);
  pthread_join(thread, NULL);
}
