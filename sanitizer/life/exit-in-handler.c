// A signal handler that ends the process at any moment, also while the thread it interrupts is being scheduled or reported about:
// it must not wait for what it has interrupted.
// expect: silent
// exit: 6
// run: --schedule os --runs 5
// run: --schedule random --seeds 0..20
// run: --schedule pct:3 --seeds 0..20
#include "../threads.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static _Atomic int work;

static void leave(int signal) {
  (void)signal;
  _exit(6);
}

static void count(int me) {
  (void)me;
  for (;;) atomic_fetch_add(&work, 1);
}

int main(void) {
  const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
  CHECK(signal(SIGALRM, leave) != SIG_ERR);
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  run_all(3, count);
  return 0;
}
