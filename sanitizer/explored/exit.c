// A thread ends the process.
// every schedule: bug
// says: exit code 3
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int value;

static void *ends(void *unused) {
  if (value == 1) exit(3);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, ends, NULL);
  value = 1;
  value = 2;
  pthread_join(thread, NULL);
}
