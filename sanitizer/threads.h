/* What most programs here need: short names of memory orders, and threads that start together.
 *
 * Programs keep results that nobody looks at in variables that are not static: of others, a compiler would leave out
 * the stores, and the loads with them.
 *
 * The barrier at the start orders nothing but what main did before. */
#ifndef THREADS_H
#define THREADS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define rlx memory_order_relaxed
#define acq memory_order_acquire
#define rel memory_order_release
#define acqrel memory_order_acq_rel
#define sc memory_order_seq_cst

/* Unlike assert: always there. */
#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

typedef void body(int me);

struct start {
  body *run;
  int me;
  pthread_barrier_t *together;
};

static void *begin(void *argument) {
  struct start *start = (struct start *)argument;
  pthread_barrier_wait(start->together);
  start->run(start->me);
  return NULL;
}

/* Runs bodies[0](0), bodies[1](1), ... each in a thread. */
static inline void run_each(int n, body *const *bodies) {
  pthread_barrier_t together;
  pthread_t *threads = (pthread_t *)calloc((size_t)n, sizeof *threads);
  struct start *starts = (struct start *)calloc((size_t)n, sizeof *starts);
  CHECK(pthread_barrier_init(&together, NULL, (unsigned)n) == 0);
  for (int i = 0; i < n; i++) {
    starts[i].run = bodies[i];
    starts[i].me = i;
    starts[i].together = &together;
    CHECK(pthread_create(&threads[i], NULL, begin, &starts[i]) == 0);
  }
  for (int i = 0; i < n; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(pthread_barrier_destroy(&together) == 0);
  free(starts);
  free(threads);
}

#define RUN(...)                                       \
  do {                                                 \
    body *const bodies[] = {__VA_ARGS__};              \
    run_each(sizeof bodies / sizeof *bodies, bodies);  \
  } while (0)

/* Runs the same n times. */
static inline void run_all(int n, body *run) {
  body **bodies = (body **)calloc((size_t)n, sizeof *bodies);
  for (int i = 0; i < n; i++) bodies[i] = run;
  run_each(n, bodies);
  free(bodies);
}

/* The number on the command line, or another one. */
static inline int argument_or(int argc, char **argv, int otherwise) { return argc > 1 ? atoi(argv[1]) : otherwise; }

#endif
