// An old number that is still a good one: nothing fails. But where it decides what is accessed, or what others
// read, somebody should look at it.
// expect: robustness load of number at @use
// run: --schedule random --seeds 0..20
// case index: -DINDEX
// rank: passed-on address robustness load of number at @use
// case atomic-index: -DATOMIC_INDEX
// rank: passed-on address robustness load of number at @use
// case copied: -DCOPIED
// rank: passed-on value robustness load of number at @use
// case computed: -DCOMPUTED
// rank: passed-on value robustness load of number at @use
// case branch: -DBRANCH
// rank: harmless robustness load of number at @use
// case kept: -DKEPT
// rank: harmless robustness load of number at @use
// case again: -DAGAIN
// rank: harmless robustness load of number at @use
#include "../threads.h"

static _Atomic int number, ready;
int tables[2];
_Atomic int slots[2], copy, sum;
volatile int seen;

static void writer(int me) {
  (void)me;
  atomic_store_explicit(&number, 1, rlx);
  atomic_store_explicit(&ready, 1, rlx);
}

static void reader(int me) {
  (void)me;
  if (!atomic_load_explicit(&ready, acq)) return;
  int found = atomic_load_explicit(&number, rlx);  // @use
#if defined INDEX
  seen = tables[found];
#elif defined ATOMIC_INDEX
  seen = atomic_load_explicit(&slots[found], rlx);
#elif defined COPIED
  atomic_store_explicit(&copy, found, rlx);
#elif defined COMPUTED
  atomic_fetch_add_explicit(&sum, 2 * found, rlx);
#elif defined BRANCH
  // Another address, but because another way is taken.
  if (found) seen = tables[1];
  else seen = tables[0] + atomic_load_explicit(&slots[0], rlx);
#elif defined KEPT
  // The address is the same. What is written is not looked at.
  tables[0] = found;
#elif defined AGAIN
  // An old number is noticed.
  while (found != 1) found = atomic_load_explicit(&number, rlx);
  atomic_store_explicit(&copy, found, rlx);
#endif
  (void)found;
}

int main(void) {
  RUN(writer, reader);
  return 0;
}
