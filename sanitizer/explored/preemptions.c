// The defect needs the turn to be taken from a thread three times.
// every schedule: bug
// every schedule --preemptions 2: unknown
// says: with more preemptions
// every schedule --preemptions 3: bug
// says: SIGABRT
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int one, other;

static void *writes(void *unused) {
  one = 1;
  one = 0;
  other = 1;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, writes, NULL);
  int seen = one;
  int too = other;
  assert(!(seen && too));
  pthread_join(thread, NULL);
}
