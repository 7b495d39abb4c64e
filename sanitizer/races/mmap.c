// The same for memory that is mapped, unmapped and mapped again.
// expect: silent
#include "../threads.h"

#include <sys/mman.h>

#include "fencepost.h"

static _Atomic int stage;

static void take_turns(int me) {
  const size_t size = 1 << 16;
  fencepost_wait(&stage, me, rlx);
  for (int round = 0; round < 4; round++) {
    int *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    for (size_t i = 0; i < size / sizeof *p; i++) p[i] = me;
    CHECK(munmap(p, size) == 0);
  }
  atomic_store_explicit(&stage, me + 1, rlx);
}

int main(void) {
  run_all(4, take_turns);
  return 0;
}
