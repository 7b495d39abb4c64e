// Store buffering where the second access is an update: a compare-and-swap that succeeds or fails, or an
// exchange. Each may use what the other thread has overwritten, and leaves memory as it is.
// case succeeds: -DMEETS=succeeds
// expect: robustness cas of y at @left
// expect: robustness cas of x at @right
// rank: failure signal robustness cas of y at @left
// rank: failure signal robustness cas of x at @right
// case weakly: -DMEETS=weakly
// expect: robustness cas of y at @left
// expect: robustness cas of x at @right
// rank: failure signal robustness cas of y at @left
// rank: failure signal robustness cas of x at @right
// case fails: -DMEETS=fails
// expect: robustness cas of y at @left
// expect: robustness cas of x at @right
// rank: failure signal robustness cas of y at @left
// rank: failure signal robustness cas of x at @right
// case exchanges: -DMEETS=exchanges
// expect: robustness exchange of y at @left
// expect: robustness exchange of x at @right
// rank: failure signal robustness exchange of y at @left
// rank: failure signal robustness exchange of x at @right
#include "../threads.h"

#define succeeds(location) \
  ({ int expected = 0; atomic_compare_exchange_strong_explicit(location, &expected, 2, acqrel, rlx); })
#define weakly(location) \
  ({ int expected = 0; atomic_compare_exchange_weak_explicit(location, &expected, 2, acqrel, rlx); })
#define fails(location) \
  ({ int expected = 1; !atomic_compare_exchange_strong_explicit(location, &expected, 2, acqrel, rlx); })
#define exchanges(location) (atomic_exchange_explicit(location, 2, acqrel) == 0)

static _Atomic int x, y;
static int misses[2];

static void left(int me) {
  atomic_store_explicit(&x, 1, rel);
  misses[me] = MEETS(&y);  // @left
}

static void right(int me) {
  atomic_store_explicit(&y, 1, rel);
  misses[me] = MEETS(&x);  // @right
}

int main(void) {
  RUN(left, right);
  CHECK(!misses[0] || !misses[1]);
  return 0;
}
