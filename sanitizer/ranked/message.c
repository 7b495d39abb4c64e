// A message, and a flag that says that it is there.
// run: --schedule random --seeds 0..60
// case plain-store: -DSET=rlx -DGET=acq -DPLAIN
// expect: anything
// rank: race
// case plain-load: -DSET=rel -DGET=rlx -DPLAIN
// expect: anything
// rank: race
// case atomic-store: -DSET=rlx -DGET=acq
// expect: anything
// rank: failure
// case atomic-load: -DSET=rel -DGET=rlx
// expect: anything
// rank: failure
// case pointer: -DSET=rlx -DGET=rlx -DPOINTER
// expect: anything
// rank: race
// case hint: -DSET=rlx -DGET=rlx -DHINT
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int flag;
_Atomic int data;
int plain;
_Atomic(int *) pointer;
int pointed;
int kept;

static void producer(int me) {
  (void)me;
#if defined PLAIN
  plain = 1;
#elif defined POINTER
  pointed = 1;
  atomic_store_explicit(&pointer, &pointed, SET);
#else
  atomic_store_explicit(&data, 1, rlx);
#endif
  atomic_store_explicit(&flag, 1, SET);
}

static void consumer(int me) {
  (void)me;
#if defined POINTER
  int *seen = atomic_load_explicit(&pointer, GET);
  if (seen) kept = *seen;
#else
  if (!atomic_load_explicit(&flag, GET)) return;
#if defined PLAIN
  kept = plain;
#elif defined HINT
  // How much there was, at some time.
  kept = atomic_load_explicit(&data, rlx);
#else
  CHECK(atomic_load_explicit(&data, rlx) == 1);
#endif
#endif
}

int main(void) {
  RUN(producer, consumer);
  return 0;
}
