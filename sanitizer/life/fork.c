// Fork with several threads running: the child has one, whose own threads are watched as usual or not at
// all; both must end.
// expect: silent
#include "../threads.h"

#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int stop, counter;

static void count(int me) {
  (void)me;
  while (!atomic_load(&stop)) {
    atomic_fetch_add(&counter, 1);
    sched_yield();
  }
}

static void work_in_child(int me) {
  (void)me;
  for (int i = 0; i < 10; i++) atomic_fetch_add(&counter, 1);
}

static void fork_and_wait(int me) {
  (void)me;
  for (int i = 0; i < 3; i++) {
    int status;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      run_all(2, work_in_child);
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
      _exit(7);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  atomic_store(&stop, 1);
}

int main(void) {
  RUN(count, fork_and_wait);
  return 0;
}
