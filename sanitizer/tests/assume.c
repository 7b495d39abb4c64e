// What comes after an assumption that does not hold is not run: neither the race nor the exit code.
// expect: silent
#include "../threads.h"

#include "fencepost.h"

static _Atomic int never;
int plain;

static void writes(int me) {
  fencepost_assume(atomic_load(&never) == 1);
  plain = me;
}

int main(void) {
  RUN(writes, writes);
  return 3;
}
