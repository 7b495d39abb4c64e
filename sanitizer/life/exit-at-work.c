// A signal handler that ends the process, mostly while the sanitizer is at work for the thread it interrupts: threads come and go,
// memory is new each time. Nothing that the thread has locked may be waited for.
// expect: silent
// exit: 6
// run: --schedule os --runs 20
// run: --schedule random --seeds 0..20
// run: --schedule pct:3 --seeds 0..20
#include "../threads.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  _exit(6);
}

static void use(int me) {
  _Atomic int *numbers = (_Atomic int *)malloc(64 * sizeof *numbers);
  CHECK(numbers != NULL);
  for (int i = 0; i < 64; i++) atomic_init(&numbers[i], me);
  for (int i = 0; i < 64; i++) atomic_fetch_add(&numbers[i], 1);
  free((void *)numbers);
}

int main(void) {
  // Another moment in each process.
  const struct itimerval soon = {.it_value = {.tv_usec = 1000 + getpid() * 37 % 5000}};
  CHECK(signal(SIGALRM, leave) != SIG_ERR);
  CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
  for (;;) run_all(2, use);
}
