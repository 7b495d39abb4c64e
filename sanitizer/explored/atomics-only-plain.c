// Plain accesses that nobody sees may race, also in a program that has no atomic ones.
// every schedule: bug
// says: data race
// every schedule -g --atomics-only: unknown
// says: --atomics-only
#include <pthread.h>

int value, other;

static void *writes(void *unused) {
  value++;
  other = value;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  writes(NULL);
  pthread_join(thread, NULL);
}
