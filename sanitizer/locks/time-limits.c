// Sleeps and time limits end in the order of their lengths, although no time passes in a controlled
// schedule when all threads wait. Clocks agree: they go ahead. Who tries its luck for some rounds
// before it waits is not overtaken by who sleeps.
// expect: silent
// run every: --schedule random --runs 20
// run every: --schedule pct:3 --runs 20
#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/time.h>
#include <time.h>

#include "../threads.h"

enum { MILLISECOND = 1000000 };
static sem_t items;

static long long now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long of_day(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

/* Takes an item within so many milliseconds. */
static int take(int milliseconds) {
  for (int round = 0; round < 20; round++) {
    if (!sem_trywait(&items)) return 1;
    sched_yield();
  }
  long long limit = now(CLOCK_REALTIME) + milliseconds * (long long)MILLISECOND;
  struct timespec until = {limit / 1000000000, limit % 1000000000};
  int took;
  while ((took = sem_timedwait(&items, &until)) && errno == EINTR) {
  }
  return took == 0;
}

static void sleeps(int milliseconds) {
  struct timespec length = {0, milliseconds * MILLISECOND};
  long long start = now(CLOCK_MONOTONIC), day = of_day(), whole = time(NULL);
  nanosleep(&length, NULL);
  CHECK(now(CLOCK_MONOTONIC) - start >= milliseconds * (long long)MILLISECOND);
  /* Of it, microseconds are left. */
  CHECK(of_day() - day >= (milliseconds - 1) * (long long)MILLISECOND);
  CHECK(time(NULL) >= whole);
}

static void work(int me) {
  if (me) {
    sleeps(300);
    sem_post(&items);
    return;
  }
  long long start = now(CLOCK_MONOTONIC);
  CHECK(!take(100));
  CHECK(now(CLOCK_MONOTONIC) - start >= 99 * (long long)MILLISECOND);
  CHECK(take(600));
}

int main(void) {
  sem_init(&items, 0, 0);
  run_all(2, work);
  return 0;
}
