// Memory that was freed and allocated again is other memory: what happened to it before is forgotten,
// although nothing orders the two threads but a relaxed flag. The same for realloc, for stacks of threads
// that are gone, and for atomic locations.
// case plain: -DTYPE=int -DPUT(p,v)=*(p)=(v) -DGET(p)=*(p)
// expect: silent
// case atomic: -DTYPE=_Atomic(int) -DPUT(p,v)=atomic_store_explicit(p,v,rlx) -DGET(p)=atomic_load_explicit(p,rlx)
// expect: silent
#include <malloc.h>
#include <string.h>

#include "../threads.h"

#include "fencepost.h"

/* More than what the allocator keeps for each thread. */
enum { SIZE = 300 };
static _Atomic int stage;

static void use(TYPE *p, int value) {
  for (int i = 0; i < SIZE; i++) PUT(&p[i], value + i);
  for (int i = 0; i < SIZE; i++) CHECK(GET(&p[i]) == value + i);
}

static void take_turns(int me) {
  TYPE on_stack[SIZE];
  fencepost_wait(&stage, me, rlx);
  for (int round = 0; round < 3; round++) {
    TYPE *p = malloc(SIZE * sizeof *p);
    use(p, me);
    p = realloc(p, 2 * SIZE * sizeof *p);
    use(p + SIZE, me);
    free(p);
  }
  use(on_stack, me);
  atomic_store_explicit(&stage, me + 1, rlx);
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_all(4, take_turns);
  for (int i = 0; i < 3; i++) {
    atomic_store_explicit(&stage, 0, rlx);
    run_all(2, take_turns);
  }
  return 0;
}
