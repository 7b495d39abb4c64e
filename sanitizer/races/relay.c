// Published to a second thread, which tells a third one. What the first has done must be passed on, too.
// case passed-on: -DPASS=rel
// expect: silent
// case kept: -DPASS=rlx
// expect: race of table at @write and @read
// suggest: make the store release at @pass
#include <sched.h>
#include "../threads.h"

static atomic_int ready, told;
int table[4]; /* visible elsewhere: compilers narrow what they see all writes of */
int received;

static void writer(int me) {
  (void)me;
  table[2] = 1;  // @write
  atomic_store_explicit(&ready, 1, rel);
}

static void messenger(int me) {
  (void)me;
  while (!atomic_load_explicit(&ready, acq)) sched_yield();
  atomic_store_explicit(&told, 1, PASS);  // @pass
}

static void reader(int me) {
  (void)me;
  while (!atomic_load_explicit(&told, acq)) sched_yield();
  received = table[2];  // @read
}

int main(void) {
  RUN(writer, messenger, reader);
  CHECK(received == 1);
  return 0;
}
