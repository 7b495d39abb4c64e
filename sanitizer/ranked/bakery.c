// Lamport's bakery for two, without the order that it needs.
// run: --schedule random --seeds 0..60
// case release-acquire: -DSTORE=rel -DLOAD=acq
// expect: anything
// rank: race
// case relaxed: -DSTORE=rlx -DLOAD=rlx
// expect: anything
// rank: race
#include "../threads.h"

_Atomic int choosing[2], number[2];
int shared;

static void either(int me) {
  int other = 1 - me;
  atomic_store_explicit(&choosing[me], 1, STORE);
  int mine = atomic_load_explicit(&number[other], LOAD) + 1;
  atomic_store_explicit(&number[me], mine, STORE);
  atomic_store_explicit(&choosing[me], 0, STORE);
  while (atomic_load_explicit(&choosing[other], LOAD)) sched_yield();
  for (;;) {
    int theirs = atomic_load_explicit(&number[other], LOAD);
    if (!theirs || theirs > mine || (theirs == mine && other > me)) break;
    sched_yield();
  }
  shared++;
  atomic_store_explicit(&number[me], 0, STORE);
}

int main(void) {
  run_all(2, either);
  return 0;
}
