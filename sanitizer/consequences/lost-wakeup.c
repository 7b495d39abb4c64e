// Whoever is about to sleep says so and looks once more whether there is work; whoever brings work looks
// for a sleeper. Without a fence both can miss each other, and nobody is woken: the sleeper waits for ever.
// expect: robustness load of work at @sleep
// expect: robustness load of sleeping at @wake
// run: --hang-after 2s --schedule random --seeds 0..20
// case sleeps: -DSLEEPS
// rank: failure deadlock robustness load of work at @sleep
// rank: failure deadlock robustness load of sleeping at @wake
// case polls:
// rank: failure hang robustness load of work at @sleep
// rank: failure hang robustness load of sleeping at @wake
#include "../threads.h"

#include <semaphore.h>

static _Atomic int work, sleeping;
#ifdef SLEEPS
static sem_t alarm_clock;
#else
static volatile _Atomic int rings;
#endif

const char *__fencepost_default_options(void) { return "deadlock=1"; }

static void sleeper(int me) {
  (void)me;
  atomic_store_explicit(&sleeping, 1, rel);
  if (atomic_load_explicit(&work, acq)) return;  // @sleep
#ifdef SLEEPS
  sem_wait(&alarm_clock);
#else
  while (!atomic_load_explicit(&rings, acq)) sched_yield();
#endif
}

static void worker(int me) {
  (void)me;
  atomic_store_explicit(&work, 1, rel);
  if (!atomic_load_explicit(&sleeping, acq)) return;  // @wake
#ifdef SLEEPS
  sem_post(&alarm_clock);
#else
  atomic_store_explicit(&rings, 1, rel);
#endif
}

int main(void) {
#ifdef SLEEPS
  CHECK(sem_init(&alarm_clock, 0, 0) == 0);
#endif
  RUN(sleeper, worker);
  return 0;
}
