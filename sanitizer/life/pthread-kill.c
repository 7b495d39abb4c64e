// A signal for one thread, which waits for it with a semaphore posted in the handler: both are allowed there.
// expect: silent
#include "../threads.h"

#include <semaphore.h>
#include <signal.h>

static sem_t arrived;
static _Atomic int ready;
static pthread_t target;

static void handle(int signal) {
  (void)signal;
  sem_post(&arrived);
}

static void wait_for_signal(int me) {
  (void)me;
  target = pthread_self();
  atomic_store(&ready, 1);
  while (sem_wait(&arrived) != 0) continue;
}

static void send(int me) {
  (void)me;
  while (!atomic_load(&ready)) sched_yield();
  CHECK(pthread_kill(target, SIGUSR1) == 0);
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  sem_init(&arrived, 0, 0);
  CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
  RUN(wait_for_signal, send);
  return 0;
}
