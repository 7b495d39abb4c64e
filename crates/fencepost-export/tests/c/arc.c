/* arc, exported by fencepost.
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

#define FENCEPOST_PAUSE() sched_yield()
#include "fencepost.h"

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

/* Some number below `bound`, by the seed and the number of the thread (splitmix64). */
static _Thread_local uint64_t fp_choices;
#ifdef FP_EXPLORE
extern unsigned __fencepost_choose(unsigned bound);
#endif
static uint64_t fp_choose(uint64_t bound) {
#ifdef FP_EXPLORE
  return __fencepost_choose((unsigned)bound);
#endif
  uint64_t z = (fp_choices += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % bound;
}

static _Atomic uint8_t strong = 1 << 5; /* in the upper 3 bits, where counting wraps around as it should */
static _Atomic uint8_t mailbox = 0;
static uint8_t object = 1;

static void *owner(void);
static void *worker_0(void);
static void *worker_1(void);

static const struct {
  const char *name;
  void *(*run)(void);
} fp_threads[] = {
    {"owner", owner},
    {"worker[0]", worker_0},
    {"worker[1]", worker_1},
};
enum { FP_THREADS = sizeof fp_threads / sizeof *fp_threads };

static uint64_t fp_seed;
#ifndef FP_EXPLORE
static pthread_barrier_t fp_start;
#endif

static void *fp_begin(void *argument) {
  const size_t number = (size_t)(uintptr_t)argument;
  fp_choices = fp_seed * FP_THREADS + number;
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
  if (argc > 1) fp_seed = strtoull(argv[1], NULL, 0);
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

#line 35 "arc.fp"
static void *owner(void) {
  volatile uint8_t more = 1;
  volatile uint8_t r = 0;
  volatile uint8_t r_2 = 0;
  long fp_steps = 0;
#line 35
L0: if (!more) { goto L8; }
  if (0 > 1) return NULL; more = 0 + fp_choose(1 - 0 + 1);
  if (!more) { goto L7; }
#line 20
  r = object;
  if (!(r == 1)) FP_FAIL("failed: assert(r == 1)");
#line 39
  (void)atomic_fetch_add_explicit(&strong, 1 << 5, memory_order_relaxed);
  fencepost_bcas_8(&mailbox, 0, 1, memory_order_release);
#line 35
L7: fp_again(&fp_steps); goto L0;
#line 26
L8: r_2 = atomic_fetch_sub_explicit(&strong, 1 << 5, memory_order_release) >> 5;
  if (r_2 != 1) { goto L12; }
  atomic_thread_fence(memory_order_acquire);
  object = 0;
#line 44
L12: return NULL;
}

#line 48 "arc.fp"
static void *worker_0(void) {
  volatile uint8_t r = 0;
  volatile uint8_t r_2 = 0;
  long fp_steps = 0;
#line 48
L0: fencepost_bcas_8(&mailbox, 1, 0, memory_order_acquire);
#line 20
  r = object;
  if (!(r == 1)) FP_FAIL("failed: assert(r == 1)");
#line 26
  r_2 = atomic_fetch_sub_explicit(&strong, 1 << 5, memory_order_release) >> 5;
  if (r_2 != 1) { goto L7; }
  atomic_thread_fence(memory_order_acquire);
  object = 0;
#line 47
L7: fp_again(&fp_steps); goto L0;
  return NULL;
}

#line 48 "arc.fp"
static void *worker_1(void) {
  volatile uint8_t r = 0;
  volatile uint8_t r_2 = 0;
  long fp_steps = 0;
#line 48
L0: fencepost_bcas_8(&mailbox, 1, 0, memory_order_acquire);
#line 20
  r = object;
  if (!(r == 1)) FP_FAIL("failed: assert(r == 1)");
#line 26
  r_2 = atomic_fetch_sub_explicit(&strong, 1 << 5, memory_order_release) >> 5;
  if (r_2 != 1) { goto L7; }
  atomic_thread_fence(memory_order_acquire);
  object = 0;
#line 47
L7: fp_again(&fp_steps); goto L0;
  return NULL;
}
