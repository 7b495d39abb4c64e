// Publication by fences, on which thread sanitizers that do not model fences raise false alarms: a release
// fence before a relaxed store, an acquire fence after a relaxed load, both. And fences in the wrong place,
// where there is a race.
// case release-fence: -DBEFORE=atomic_thread_fence(rel) -DSTORE=rlx -DLOAD=acq -DAFTER=(void)0
// expect: silent
// case acquire-fence: -DBEFORE=(void)0 -DSTORE=rel -DLOAD=rlx -DAFTER=atomic_thread_fence(acq)
// expect: silent
// case both: -DBEFORE=atomic_thread_fence(rel) -DSTORE=rlx -DLOAD=rlx -DAFTER=atomic_thread_fence(acq)
// expect: silent
// twin: litmus/rc20/mp+na+fences.fp
// case seq_cst-fences: -DBEFORE=atomic_thread_fence(sc) -DSTORE=rlx -DLOAD=rlx -DAFTER=atomic_thread_fence(sc)
// expect: silent
// case late: -DBEFORE=(void)0 -DSTORE=rel -DLOAD=rlx -DAFTER=(void)0 -DLATE=atomic_thread_fence(acq)
// expect: race of message at @write and @read
// twin: litmus/rc20/mp+na+fence-late.fp
// case swapped: -DBEFORE=atomic_thread_fence(acq) -DSTORE=rlx -DLOAD=rlx -DAFTER=atomic_thread_fence(rel)
// expect: race of message at @write and @read
#include "../threads.h"

#include "fencepost.h"

#ifndef LATE
#define LATE (void)0
#endif

static _Atomic int flag;
static int message, received;

static void producer(int me) {
  (void)me;
  message = 42;  // @write
  BEFORE;
  atomic_store_explicit(&flag, 1, STORE);
}

static void consumer(int me) {
  (void)me;
  fencepost_wait(&flag, 1, LOAD);
  AFTER;
  received = message;  // @read
  LATE;
}

int main(void) {
  RUN(producer, consumer);
  CHECK(received == 42);
  return 0;
}
