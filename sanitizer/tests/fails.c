// Tests that fail: under every schedule, at the first run, and they end as `assert` would end them (134 is that of
// SIGABRT). What they do before is watched.
// expect: anything
// exit: 134
// run: --schedule os
// run: --schedule random
// case assert:
// case error: -DERROR
// case reach-error: -DREACH
// case verifier-assert: -DVERIFIER_ASSERT
// case after-choice: -DCHOICE
#include "../threads.h"

#include "fencepost.h"

extern void __VERIFIER_error(void);
extern void reach_error(void);
extern void __VERIFIER_assert(int);

static _Atomic int x;

static void adds(int me) {
  (void)me;
  atomic_fetch_add(&x, 1);
}

int main(void) {
  RUN(adds, adds);
#if defined(CHOICE)
  fencepost_assert(fencepost_choose(7) > 6 + (unsigned)atomic_load(&x));
#elif defined(__FENCEPOST__) && defined(ERROR)
  __VERIFIER_error();
#elif defined(__FENCEPOST__) && defined(REACH)
  reach_error();
#elif defined(__FENCEPOST__) && defined(VERIFIER_ASSERT)
  __VERIFIER_assert(atomic_load(&x) == 2);
  __VERIFIER_assert(atomic_load(&x) != 2);
#else
  fencepost_assert(atomic_load(&x) != 2);
#endif
  return 0;
}
