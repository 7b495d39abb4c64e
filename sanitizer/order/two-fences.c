// Two SC fences between which nothing is passed on: they do not order what comes before the one and
// after the other. The reader does not know of the message; that it sees no data is as good as if
// it came first.
// expect: silent
#include "../threads.h"

static _Atomic int data, message;
int seen[3];

static void writer(int me) {
  (void)me;
  atomic_store_explicit(&data, 1, rlx);
  atomic_store_explicit(&message, 1, rlx);
}

static void witness(int me) {
  seen[me] = atomic_load_explicit(&message, rlx);
  atomic_thread_fence(sc);
}

static void reader(int me) {
  atomic_thread_fence(sc);
  seen[me] = atomic_load_explicit(&data, rlx);
}

int main(void) {
  RUN(writer, witness, reader);
  return 0;
}
