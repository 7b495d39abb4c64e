// One thread writes atomically what another one reads plainly; and a plain initialisation before anybody
// else can know is no race.
// case race: -DRACE
// expect: race of cell at @atomic and @plain
// case initialised:
// expect: silent
#include "../threads.h"

static int cell;
static int seen;

static void writer(int me) {
  (void)me;
  __atomic_store_n(&cell, 2, __ATOMIC_SEQ_CST);  // @atomic
}

static void reader(int me) {
  (void)me;
#ifdef RACE
  seen = cell;  // @plain
#else
  seen = __atomic_load_n(&cell, __ATOMIC_SEQ_CST);
#endif
}

int main(void) {
  cell = 1;
  RUN(writer, reader);
  CHECK(seen == 1 || seen == 2);
  return 0;
}
