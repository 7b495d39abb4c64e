// Counting under a mutex of every kind: normal, recursive, checked; taken by lock, trylock, timedlock.
// expect: silent
#include "../threads.h"

#include <time.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, recursive, checked;
static int counts[3];

static void lock_somehow(pthread_mutex_t *mutex, int i) {
  struct timespec later;
  switch (i % 3) {
    case 0: CHECK(pthread_mutex_lock(mutex) == 0); break;
    case 1:
      while (pthread_mutex_trylock(mutex) != 0) sched_yield();
      break;
    default:
      clock_gettime(CLOCK_REALTIME, &later);
      later.tv_sec += 60;
      CHECK(pthread_mutex_timedlock(mutex, &later) == 0);
  }
}

static void count(int me) {
  for (int i = 0; i < 10; i++) {
    lock_somehow(&plain, me + i);
    counts[0]++;
    CHECK(pthread_mutex_unlock(&plain) == 0);
    lock_somehow(&recursive, me + i);
    CHECK(pthread_mutex_lock(&recursive) == 0);
    counts[1]++;
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    counts[1]++;
    CHECK(pthread_mutex_unlock(&recursive) == 0);
    lock_somehow(&checked, me + i);
    counts[2]++;
    CHECK(pthread_mutex_unlock(&checked) == 0);
  }
}

static void make(pthread_mutex_t *mutex, int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, kind);
  CHECK(pthread_mutex_init(mutex, &attributes) == 0);
  pthread_mutexattr_destroy(&attributes);
}

int main(void) {
  make(&recursive, PTHREAD_MUTEX_RECURSIVE);
  make(&checked, PTHREAD_MUTEX_ERRORCHECK);
  run_all(4, count);
  CHECK(counts[0] == 40 && counts[1] == 80 && counts[2] == 40);
  pthread_mutex_destroy(&recursive);
  pthread_mutex_destroy(&checked);
  return 0;
}
