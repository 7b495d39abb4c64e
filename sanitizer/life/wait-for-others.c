// All threads wait, but not for one another: a signal or another process ends it. That is no deadlock.
// expect: silent
// run: --schedule os --runs 2
// run: --schedule random --seeds 0..4
// run: --schedule pct:3 --seeds 0..4
// case signal: -DSIGNAL
// case process: -DPROCESS
// case process-lock: -DPROCESS_LOCK
#include "../threads.h"

#include <fencepost.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef SIGNAL
static _Atomic int flag;

static void handle(int signal) {
  (void)signal;
  atomic_store_explicit(&flag, 1, rel);
}

static void wait_for_it(int me) {
  (void)me;
  fencepost_wait(&flag, 1, acq);
}

int main(void) {
  signal(SIGALRM, handle);
  ualarm(20000, 0);
  RUN(wait_for_it, wait_for_it);
  return 0;
}
#else
struct shared {
  _Atomic int flag;
  pthread_mutex_t mutex;
};
static struct shared *shared;

static void wait_for_it(int me) {
  (void)me;
#ifdef PROCESS
  fencepost_wait(&shared->flag, 2, acq);
#else
  pthread_mutex_lock(&shared->mutex);
  pthread_mutex_unlock(&shared->mutex);
#endif
}

int main(void) {
  int status;
  pthread_mutexattr_t attributes;
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  CHECK(pthread_mutex_init(&shared->mutex, &attributes) == 0);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_lock(&shared->mutex);
    atomic_store_explicit(&shared->flag, 1, rel);
    /* Unlike a sleep, this takes real time under a controlled schedule too. */
    poll(NULL, 0, 20);
    atomic_store_explicit(&shared->flag, 2, rel);
    pthread_mutex_unlock(&shared->mutex);
    _exit(0);
  }
  CHECK(child > 0);
  fencepost_wait_ne(&shared->flag, 0, acq);
  RUN(wait_for_it, wait_for_it);
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
#endif
