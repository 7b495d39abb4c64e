// Detached threads, before and after they are created so; nobody joins them, and some are still there when
// main returns.
// expect: silent
#include "../threads.h"

#include <semaphore.h>

enum { THREADS = 8 };
static sem_t finished;
static int results[THREADS];

static void *work(void *argument) {
  *(int *)argument = 1;
  sem_post(&finished);
  return NULL;
}

static void *linger(void *argument) {
  for (;;) sched_yield();
  return argument;
}

int main(void) {
  pthread_attr_t detached;
  pthread_t thread;
  sem_init(&finished, 0, 0);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&thread, i % 2 ? &detached : NULL, work, &results[i]) == 0);
    if (i % 2 == 0) CHECK(pthread_detach(thread) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    while (sem_wait(&finished) != 0) continue;
  for (int i = 0; i < THREADS; i++) CHECK(results[i] == 1);
  CHECK(pthread_create(&thread, &detached, linger, NULL) == 0);
  return 0;
}
