// A bounded buffer with condition variables: signal, broadcast, wait, and a wait that times out.
// expect: silent
#include "../threads.h"

#include <errno.h>
#include <time.h>

enum { SIZE = 2, ITEMS = 10 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int buffer[SIZE], used, sum, taken, timeouts;

static void put(int me) {
  for (int i = 1; i <= ITEMS; i++) {
    pthread_mutex_lock(&mutex);
    while (used == SIZE) pthread_cond_wait(&not_full, &mutex);
    buffer[used++] = i;
    if (me)
      pthread_cond_signal(&not_empty);
    else
      pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&mutex);
  }
}

static void get(int me) {
  (void)me;
  pthread_mutex_lock(&mutex);
  while (taken < 2 * ITEMS) {
    if (used == 0) {
      struct timespec soon;
      clock_gettime(CLOCK_REALTIME, &soon);
      soon.tv_nsec += 1000000;
      if (soon.tv_nsec >= 1000000000) soon.tv_nsec -= 1000000000, soon.tv_sec++;
      if (pthread_cond_timedwait(&not_empty, &mutex, &soon) == ETIMEDOUT) timeouts++;
    } else {
      sum += buffer[--used];
      taken++;
      pthread_cond_signal(&not_full);
    }
  }
  pthread_mutex_unlock(&mutex);
}

int main(void) {
  RUN(put, put, get, get);
  CHECK(sum == ITEMS * (ITEMS + 1));
  return 0;
}
