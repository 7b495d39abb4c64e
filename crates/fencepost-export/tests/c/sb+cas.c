/* store buffering with compare-and-swaps, exported by fencepost.
     cc -std=c11 -pthread FILE                             an ordinary program
     fencepost cc -std=c11 FILE && fencepost run ./a.out   is the run robust?
     fencepost cc -std=c11 -DFP_EXPLORE FILE && fencepost run --schedule all ./a.out   are all?
   The argument is a seed for what the program leaves open. Lines are those of the source. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* How long threads may wait for each other. */
#ifndef FP_MILLISECONDS
#define FP_MILLISECONDS 5000
#endif

static _Atomic uint8_t x = 0;
static _Atomic uint8_t y = 0;

static void *left(void);
static void *right(void);

static const struct {
  const char *name;
  void *(*run)(void);
} fp_threads[] = {
    {"left", left},
    {"right", right},
};
enum { FP_THREADS = sizeof fp_threads / sizeof *fp_threads };

#ifndef FP_EXPLORE
static pthread_barrier_t fp_start;
#endif

static void *fp_begin(void *argument) {
  const size_t number = (size_t)(uintptr_t)argument;
#ifndef FP_EXPLORE
  pthread_barrier_wait(&fp_start);
#endif
  return fp_threads[number].run();
}

#ifndef FP_EXPLORE
static void fp_give_up(int signal) {
  static const char message[] = "gave up: the threads that are left wait for each other\n";
  (void)signal;
  (void)!write(STDERR_FILENO, message, sizeof message - 1);
  _exit(0);
}

/* Everybody begins at the same time; who waits does so for a while. */
static void fp_prepare(void) {
  const struct itimerspec patience = {
      .it_value = {.tv_sec = FP_MILLISECONDS / 1000, .tv_nsec = FP_MILLISECONDS % 1000 * 1000000}};
  timer_t timer;
  sigset_t alarms;
  /* For this thread only, which does nothing but wait. */
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  signal(SIGALRM, fp_give_up);
  timer_create(CLOCK_MONOTONIC, NULL, &timer);
  timer_settime(timer, 0, &patience, NULL);
  pthread_barrier_init(&fp_start, NULL, FP_THREADS);
}

static void fp_allow_alarms(void) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
}
#endif

int main(int argc, char **argv) {
  pthread_t threads[FP_THREADS];
  (void)argc, (void)argv;
#ifndef FP_EXPLORE
  fp_prepare();
#endif
  for (size_t number = 0; number < FP_THREADS; number++) {
    if (pthread_create(&threads[number], NULL, fp_begin, (void *)(uintptr_t)number) != 0) {
      fprintf(stderr, "thread %s cannot be created\n", fp_threads[number].name);
      return 2;
    }
  }
#ifndef FP_EXPLORE
  fp_allow_alarms();
#endif
  for (size_t number = 0; number < FP_THREADS; number++) pthread_join(threads[number], NULL);
  return 0;
}

#line 16 "sb+cas.fp"
static void *left(void) {
#line 16
  atomic_store_explicit(&x, 1, memory_order_release);
  { uint8_t fp_old = 0; atomic_compare_exchange_strong_explicit(&y, &fp_old, 2, memory_order_acq_rel, memory_order_acquire); }
  return NULL;
}

#line 21 "sb+cas.fp"
static void *right(void) {
#line 21
  atomic_store_explicit(&y, 1, memory_order_release);
  { uint8_t fp_old = 0; atomic_compare_exchange_strong_explicit(&x, &fp_old, 2, memory_order_acq_rel, memory_order_acquire); }
  return NULL;
}
