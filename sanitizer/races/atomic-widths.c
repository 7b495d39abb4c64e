// The same bytes as one atomic word and as atomic bytes. No model says what that means: anything may be
// reported, nothing may break.
// expect: anything
#include "../threads.h"

static uint64_t word;

static void access_both(int me) {
  uint8_t *bytes = (uint8_t *)&word;
  for (int i = 0; i < 100; i++) {
    if (me % 2)
      __atomic_fetch_add(&word, 1, __ATOMIC_ACQ_REL);
    else
      __atomic_fetch_add(&bytes[7 - me], 1, __ATOMIC_RELAXED);
  }
}

int main(void) {
  run_all(4, access_both);
  CHECK((word & 0xff) == 200);
  return 0;
}
