// Threads that all wait for one another. Under a controlled schedule that is noticed, whatever they wait for.
// expect: deadlock
// run: --schedule random --seeds 0..3
// run: --schedule pct:3 --seeds 0..3
// case value: -DVALUE
// case swap: -DSWAP
// case one-left: -DONE_LEFT
// case locks: -DLOCKS
// case condition: -DCONDITION
#include "../threads.h"

#include <fencepost.h>

const char *__fencepost_default_options(void);
const char *__fencepost_default_options(void) { return "deadlock=1"; }

static _Atomic int x, y;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

#ifdef VALUE
/* Each waits for what the other one would do next. */
static void left(int me) {
  (void)me;
  fencepost_wait(&x, 1, acq);
  atomic_store_explicit(&y, 1, rel);
}
static void right(int me) {
  (void)me;
  fencepost_wait_ne(&y, 0, acq);
  atomic_store_explicit(&x, 1, rel);
}
#elif defined SWAP
/* A lock that is taken twice. */
static void left(int me) {
  (void)me;
  fencepost_bcas(&x, 0, 1, acq);
  atomic_store_explicit(&y, 1, sc);
  fencepost_bcas(&x, 0, 1, acq);
}
static void right(int me) {
  (void)me;
  fencepost_bcas(&x, 0, 1, acq);
  atomic_store_explicit(&y, 1, sc);
  fencepost_bcas(&x, 0, 1, acq);
}
#elif defined ONE_LEFT
/* The other one is over. */
static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rel);
}
static void right(int me) {
  (void)me;
  fencepost_wait(&x, 2, acq);
}
#elif defined LOCKS
/* Two locks in different orders; the values make sure that both threads have one. */
static void left(int me) {
  (void)me;
  pthread_mutex_lock(&first);
  atomic_store_explicit(&x, 1, rel);
  fencepost_wait(&y, 1, acq);
  pthread_mutex_lock(&second);
}
static void right(int me) {
  (void)me;
  pthread_mutex_lock(&second);
  atomic_store_explicit(&y, 1, rel);
  fencepost_wait(&x, 1, acq);
  pthread_mutex_lock(&first);
}
#else
/* Nobody signals. */
static void left(int me) {
  (void)me;
  pthread_mutex_lock(&first);
  while (atomic_load_explicit(&x, rlx) == 0) pthread_cond_wait(&never, &first);
  pthread_mutex_unlock(&first);
}
static void right(int me) {
  (void)me;
  fencepost_wait(&y, 1, acq);
}
#endif

int main(void) {
  (void)second, (void)never, (void)first, (void)x, (void)y;
  RUN(left, right);
  return 0;
}
