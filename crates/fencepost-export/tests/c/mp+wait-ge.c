/* mp+wait-ge, exported by fencepost.
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

/* How often a thread may jump backwards; the run is over when one has done so. */
#ifndef FP_STEPS
#define FP_STEPS 1000
#endif

/* How long threads may wait for each other. */
#ifndef FP_MILLISECONDS
#define FP_MILLISECONDS 5000
#endif

/* The end of the run, whatever the other threads are doing. */
static void fp_end(int status) {
#ifdef FP_EXPLORE
  exit(status);
#endif
  static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&first);
  exit(status);
}

/* A jump backwards. */
static void fp_again(long *steps) {
#ifdef FP_EXPLORE
  (void)steps;
#else
  if (++*steps > FP_STEPS) fp_end(0);
  sched_yield();
#endif
}

static void fp_fail(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  fp_end(1);
}
#define FP_FAIL(what) fp_fail(__FILE__, __LINE__, what)

static _Atomic uint8_t count = 0;
static _Atomic uint8_t a = 0;
static _Atomic uint8_t b = 0;

static void *producer(void);
static void *consumer(void);

static const struct {
  const char *name;
  void *(*run)(void);
} fp_threads[] = {
    {"producer", producer},
    {"consumer", consumer},
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

#line 14 "mp+wait-ge.fp"
static void *producer(void) {
#line 14
  atomic_store_explicit(&a, 1, memory_order_relaxed);
  atomic_store_explicit(&count, 1, memory_order_release);
  atomic_store_explicit(&b, 1, memory_order_relaxed);
  atomic_store_explicit(&count, 2, memory_order_release);
  atomic_store_explicit(&count, 3, memory_order_release);
  return NULL;
}

#line 23 "mp+wait-ge.fp"
static void *consumer(void) {
  volatile uint8_t r = 0;
  volatile uint8_t s = 0;
  long fp_steps = 0;
#line 23
  for (;;) { const int64_t fp_seen = atomic_load_explicit(&count, memory_order_acquire); if (fp_seen >= 2) { break; } fp_again(&fp_steps); }
  r = atomic_load_explicit(&a, memory_order_relaxed);
  s = atomic_load_explicit(&b, memory_order_relaxed);
  if (!((r == 1) && (s == 1))) FP_FAIL("failed: assert(r == 1 && s == 1)");
  return NULL;
}
