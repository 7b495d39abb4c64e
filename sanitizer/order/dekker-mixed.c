// The entry of Dekker's algorithm, with a fence on one side and SC accesses on the other: they are
// in one order.
// case robust: -DSTORE=sc -DLOAD=sc
// expect: silent
// twin: litmus/rc20/dekker+fence+sc.fp
// case weak: -DSTORE=rlx -DLOAD=rlx
// expect: robustness load of removed at @often-looks
// expect: robustness load of announced at @rarely-looks
// suggest: make the store seq_cst at @often
// suggest: make the load seq_cst at @often-looks
// run: --schedule random --seeds 0..60
#include "../threads.h"

static _Atomic int announced, removed;
int seen[2];

static void often(int me) {
  atomic_store_explicit(&announced, 1, STORE);       // @often
  seen[me] = atomic_load_explicit(&removed, LOAD);   // @often-looks
}

static void rarely(int me) {
  atomic_store_explicit(&removed, 1, rlx);
  atomic_thread_fence(sc);
  seen[me] = atomic_load_explicit(&announced, rlx);  // @rarely-looks
}

int main(void) {
  RUN(often, rarely);
  return 0;
}
