// Threads that still run when the process ends: what they have done until then is counted.
// expect: silent
// accesses: 1000
// run: --schedule os --runs 5
// run: --schedule random --seeds 0..20
// run: --schedule pct:3 --seeds 0..20
#include "../threads.h"

static _Atomic int work;

static void *count(void *argument) {
  (void)argument;
  for (;;) atomic_fetch_add(&work, 1);
  return NULL;
}

int main(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, count, NULL) == 0);
  while (atomic_load(&work) < 1000) sched_yield();
  return 0;
}
