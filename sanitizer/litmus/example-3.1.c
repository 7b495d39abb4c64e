// Store buffering with one more store in each thread: example 3.1 of "Dynamic Robustness Verification
// against Weak Memory" (PLDI 2025). When one thread has ended before the other begins, a monitor that only
// knows the newest writes has forgotten what matters; one that predicts has not. The second thread sleeps
// first, so that this is what happens. (If both first stores come before both loads there is nothing to be
// seen: with controlled schedules, some seeds.)
// expect: robustness load of x at @right
// allow: robustness load of y at @left
// run every: --schedule os --runs 5
// run: --schedule random --seeds 0..20
// run: --schedule pct:3 --seeds 0..20
// twin: sanitizer/twins/example-3.1.fp
#include "../threads.h"

#include <unistd.h>

static _Atomic int x, y;
int a, b;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rlx);
  a = atomic_load_explicit(&y, rlx);  // @left
  atomic_store_explicit(&x, 2, rlx);
}

static void right(int me) {
  (void)me;
  usleep(50000);
  atomic_store_explicit(&y, 1, rlx);
  b = atomic_load_explicit(&x, rlx);  // @right
  atomic_store_explicit(&y, 2, rlx);
}

int main(void) {
  RUN(left, right);
  return 0;
}
