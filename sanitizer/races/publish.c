// A message behind a flag: protected by release and acquire, by half of it, by one fence of two, by
// nothing; and one that is read whatever the flag says.
// case protected: -DSTORE=rel -DLOAD=acq
// expect: silent
// twin: litmus/classic/mp+na+if.fp
// case relaxed: -DSTORE=rlx -DLOAD=rlx
// expect: race of message at @write and @read
// suggest: make the store release at @publish
// suggest: make the load acquire at @look
// twin: litmus/rc20/mp+na+rlx.fp
// case half: -DSTORE=rel -DLOAD=rlx
// expect: race of message at @write and @read
// suggest: make the load acquire at @look
// case other-half: -DSTORE=rlx -DLOAD=acq
// expect: race of message at @write and @read
// suggest: make the store release at @publish
// case one-fence: -DSTORE=rlx -DLOAD=rlx -DFENCE
// expect: race of message at @write and @read
// suggest: make the store release at @publish
// twin: litmus/rc20/mp+na+rel+rlx.fp
// case careless: -DSTORE=rel -DLOAD=acq -DCARELESS
// expect: race of message at @write and @read unguarded
// twin: litmus/classic/mp+na.fp
#include "../threads.h"

static _Atomic int flag;
int message; /* visible elsewhere: compilers narrow what they see all writes of */
int received;

static void producer(int me) {
  (void)me;
  message = 1;  // @write
  atomic_store_explicit(&flag, 1, STORE);  // @publish
}

static void consumer(int me) {
  (void)me;
  int seen = atomic_load_explicit(&flag, LOAD);  // @look
#ifdef FENCE
  atomic_thread_fence(acq);
#endif
#ifdef CARELESS
  seen = 1;
#endif
  if (seen) received = message;  // @read
}

int main(void) {
  RUN(producer, consumer);
  return 0;
}
