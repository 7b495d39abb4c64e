// A value that is computed once and kept; whoever finds nothing computes it again.
// run: --schedule random --seeds 0..60
// case address: -DADDRESS -DORDER=rlx
// expect: anything
// rank: race
// case number-right: -DORDER=rlx
// expect: anything
// rank: harmless
// case pair: -DPAIR -DORDER=rlx
// expect: anything
// rank: failure
#include "../threads.h"

_Atomic int cache, looked[2];
_Atomic int key, value;
int memory[2];
_Atomic(int *) place;
int kept[2];

static void either(int me) {
  (void)me;
#if defined ADDRESS
  int *found = atomic_load_explicit(&place, ORDER);
  if (!found) {
    memory[me] = 9;
    found = &memory[me];
    atomic_store_explicit(&place, found, ORDER);
  }
  kept[me] = *found;
#elif defined PAIR
  // The key says that the value is there.
  if (atomic_load_explicit(&key, ORDER) == 3) {
    CHECK(atomic_load_explicit(&value, ORDER) == 9);
  } else {
    atomic_store_explicit(&value, 9, ORDER);
    atomic_store_explicit(&key, 3, ORDER);
  }
#else
  atomic_store_explicit(&looked[me], 1, ORDER);
  if (!atomic_load_explicit(&looked[1 - me], ORDER)) kept[me] = 1;
  int found = atomic_load_explicit(&cache, ORDER);
  if (!found) atomic_store_explicit(&cache, found = 9, ORDER);
  CHECK(found == 9);
#endif
}

int main(void) {
  run_all(2, either);
  return 0;
}
