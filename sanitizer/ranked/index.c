// A stale number where it matters, and where it does not.
// run: --schedule random --seeds 0..60
// case crash: -DCRASH
// expect: anything
// rank: failure
// case division: -DDIVISION
// expect: anything
// rank: failure
// case range-right: -DRANGE
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int length, ready;
_Atomic(const char *) text;
int kept;

static void producer(int me) {
  (void)me;
  atomic_store_explicit(&text, "abc", rlx);
  atomic_store_explicit(&length, 3, rlx);
  atomic_store_explicit(&ready, 1, rlx);
}

static void consumer(int me) {
  (void)me;
  if (!atomic_load_explicit(&ready, rlx)) return;
#if defined CRASH
  kept = *(volatile const char *)atomic_load_explicit(&text, rlx);
#elif defined DIVISION
  kept = 12 / atomic_load_explicit(&length, rlx);
#else
  const char *seen = atomic_load_explicit(&text, rlx);
  for (int i = 0; seen && i < atomic_load_explicit(&length, rlx); i++) kept += seen[i];
#endif
}

int main(void) {
  RUN(producer, consumer);
  return 0;
}
