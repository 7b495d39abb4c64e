// A thread hands an object over by a release store and then writes to it once more.
// expect: race of heap at @late and @read
// run: --schedule random --seeds 0..50
#include "../threads.h"

static _Atomic(int *) mailbox;
int received;

static void sender(int me) {
  (void)me;
  int *object = malloc(sizeof *object);
  *object = 1;
  atomic_store_explicit(&mailbox, object, rel);
  *object = 2;  // @late
}

static void receiver(int me) {
  (void)me;
  const int *object = atomic_load_explicit(&mailbox, acq);
  if (object) received = *object;  // @read
}

int main(void) {
  RUN(sender, receiver);
  free(atomic_load(&mailbox));
  return 0;
}
