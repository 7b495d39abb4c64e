// A block grows where it is, and its old size is no multiple of a word. The word behind it belonged to
// another block before, of another thread. That is forgotten, although only a relaxed flag orders the two.
// expect: silent
#include <malloc.h>

#include "../threads.h"

#include "fencepost.h"

/* More than what the allocator keeps for each thread. */
enum { WHOLE = 2000, SMALL = 1007, GROWN = 1014, WORD = 1008 };
static _Atomic int stage;

static void take_turns(int me) {
  fencepost_wait(&stage, me, rlx);
  volatile char *p = malloc(me ? SMALL : WHOLE);
  if (me) p = realloc((void *)p, GROWN);
  p[WORD] = 7;
  free((void *)p);
  atomic_store_explicit(&stage, me + 1, rlx);
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  run_all(2, take_turns);
  return 0;
}
