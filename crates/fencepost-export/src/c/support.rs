//! What every exported program brings along: how threads start together, and how runs end.

/// What parts of a program need of the rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    /// `fencepost.h`
    pub(crate) waits: bool,
    /// `fp_choose`
    pub(crate) chooses: bool,
    /// `fp_again`
    pub(crate) loops: bool,
    /// `FP_FAIL`
    pub(crate) fails: bool,
}

impl Needs {
    /// What either needs.
    pub(crate) fn with(self, other: Needs) -> Needs {
        Needs {
            waits: self.waits || other.waits,
            chooses: self.chooses || other.chooses,
            loops: self.loops || other.loops,
            fails: self.fails || other.fails,
        }
    }
}

/// Headers and helpers, without those that are not needed: a compiler would complain.
pub(crate) fn prelude(needs: Needs, steps: u32) -> String {
    let mut text = HEADERS.to_string();
    if needs.waits {
        text += WAITS;
    }
    if needs.loops {
        text += &STEPS.replace("@STEPS@", &steps.to_string());
    }
    text += PATIENCE;
    if needs.loops || needs.fails {
        text += END;
    }
    if needs.loops {
        text += AGAIN;
    }
    if needs.fails {
        text += FAIL;
    }
    if needs.chooses {
        text += CHOOSE;
    }
    text
}

/// `main`, which starts these threads: name and function.
pub(crate) fn main(needs: Needs, threads: &[(String, &str)]) -> String {
    let rows: String = threads.iter().map(|(name, function)| format!("    {{{name}, {function}}},\n")).collect();
    let (seed, choices, read) = if needs.chooses { (SEED, CHOICES, READ_SEED) } else { ("", "", IGNORE_SEED) };
    MAIN.replace("@THREADS@", &rows).replace("@SEED@", seed).replace("@CHOICES@", choices).replace("@READ@", read)
}

const HEADERS: &str = r#"#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
"#;

const WAITS: &str = r#"
#define FENCEPOST_PAUSE() sched_yield()
#include "fencepost.h"
"#;

const STEPS: &str = r#"
/* How often a thread may jump backwards; the run is over when one has done so. */
#ifndef FP_STEPS
#define FP_STEPS @STEPS@
#endif
"#;

const PATIENCE: &str = r#"
/* How long threads may wait for each other. */
#ifndef FP_MILLISECONDS
#define FP_MILLISECONDS 5000
#endif
"#;

const END: &str = r#"
/* The end of the run, whatever the other threads are doing. */
static void fp_end(int status) {
#ifdef FP_EXPLORE
  exit(status);
#endif
  static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&first);
  exit(status);
}
"#;

const AGAIN: &str = r#"
/* A jump backwards. */
static void fp_again(long *steps) {
#ifdef FP_EXPLORE
  (void)steps;
#else
  if (++*steps > FP_STEPS) fp_end(0);
  sched_yield();
#endif
}
"#;

const FAIL: &str = r#"
static void fp_fail(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  fp_end(1);
}
#define FP_FAIL(what) fp_fail(__FILE__, __LINE__, what)
"#;

const CHOOSE: &str = r#"
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
"#;

const MAIN: &str = r#"static const struct {
  const char *name;
  void *(*run)(void);
} fp_threads[] = {
@THREADS@};
enum { FP_THREADS = sizeof fp_threads / sizeof *fp_threads };

@SEED@#ifndef FP_EXPLORE
static pthread_barrier_t fp_start;
#endif

static void *fp_begin(void *argument) {
  const size_t number = (size_t)(uintptr_t)argument;
@CHOICES@#ifndef FP_EXPLORE
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
@READ@
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
"#;

const SEED: &str = "static uint64_t fp_seed;\n";
const CHOICES: &str = "  fp_choices = fp_seed * FP_THREADS + number;\n";
const READ_SEED: &str = "  if (argc > 1) fp_seed = strtoull(argv[1], NULL, 0);";
const IGNORE_SEED: &str = "  (void)argc, (void)argv;";
