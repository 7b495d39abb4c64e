// One loop that waits for a value, and one load that does not wait, by the same function. That the first one does
// nothing with the value says nothing about the second.
// expect: robustness load of late at @late
// build: -O1
// run: --schedule random --seeds 0..60
// case inlined: -DLAYER=inline
// case out-of-line: -DLAYER=__attribute__((noinline))
#include "../threads.h"

static LAYER int get(atomic_int *a) { return atomic_load_explicit(a, rlx); }
static LAYER void set(atomic_int *a, int v) { atomic_store_explicit(a, v, rel); }

static atomic_int late, flag;
int result;

static void writer(int me) {
  (void)me;
  set(&late, 1);
  atomic_store_explicit(&flag, 1, rlx);
}

static void waiter(int me) {
  (void)me;
  while (get(&late) == 0) {
  }
}

static void reader(int me) {
  (void)me;
  if (atomic_load_explicit(&flag, rlx)) result = get(&late);  // @late
}

int main(void) {
  RUN(writer, waiter, reader);
  return 0;
}
