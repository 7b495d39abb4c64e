// Message passing: data, then a flag. Robust if the flag releases and acquires.
// case robust: -DFLAG_STORE=rel -DFLAG_LOAD=acq
// expect: silent
// twin: litmus/classic/mp.fp
// case relaxed: -DFLAG_STORE=rlx -DFLAG_LOAD=rlx
// expect: robustness load of data at @read
// twin: litmus/rc20/mp+rlx.fp
#include "../threads.h"

static _Atomic int data, flag;
static int seen_flag, seen_data;

static void producer(int me) {
  (void)me;
  atomic_store_explicit(&data, 1, rlx);
  atomic_store_explicit(&flag, 1, FLAG_STORE);
}

static void consumer(int me) {
  (void)me;
  seen_flag = atomic_load_explicit(&flag, FLAG_LOAD);
  seen_data = atomic_load_explicit(&data, rlx);  // @read
}

int main(void) {
  RUN(producer, consumer);
  CHECK(seen_flag == 0 || seen_data == 1);
  return 0;
}
