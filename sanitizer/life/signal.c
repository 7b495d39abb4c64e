// Signal handlers that interrupt anything, atomics included, and access atomics themselves.
// expect: silent
#include "../threads.h"

#include <signal.h>
#include <sys/time.h>

static _Atomic int signals, work, mine;

static void handle(int signal) {
  (void)signal;
  atomic_fetch_add(&signals, 1);
  atomic_store(&mine, atomic_load(&work));
}

static void count(int me) {
  (void)me;
  for (int i = 0; i < 3000; i++) atomic_fetch_add(&work, 1);
}

int main(void) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
  const struct itimerval never = {.it_value = {.tv_usec = 0}};
  CHECK(sigaction(SIGALRM, &action, NULL) == 0);
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  raise(SIGALRM);
  run_all(2, count);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  CHECK(atomic_load(&work) == 6000);
  CHECK(atomic_load(&signals) > 0);
  return 0;
}
