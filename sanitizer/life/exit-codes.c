// The program's own exit code is passed through when there is nothing to report: from main, from exit in a
// thread, from _exit in a signal handler.
// case main: -DFROM_MAIN
// expect: silent
// exit: 3
// case thread: -DFROM_THREAD
// expect: silent
// exit: 4
// case handler: -DFROM_HANDLER
// expect: silent
// exit: 5
#include "../threads.h"

#include <signal.h>
#include <unistd.h>

static _Atomic int counter;

static void handle(int signal) {
  (void)signal;
  _exit(5);
}

static void work(int me) {
  atomic_fetch_add(&counter, 1);
#ifdef FROM_THREAD
  if (me == 0) exit(4);
#else
  (void)me;
#endif
}

int main(void) {
  signal(SIGUSR1, handle);
  run_all(2, work);
#ifdef FROM_HANDLER
  raise(SIGUSR1);
#endif
  return 3;
}
