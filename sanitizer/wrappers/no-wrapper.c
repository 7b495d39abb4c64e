// Functions that are to blame themselves, though they are small and make one access: they decide what is written, or
// what is accessed. Both callers of each function have the same bug, and there is one report.
// expect: robustness load of data at @read
// suggest: make the store release at @publish
// suggest: make the load acquire at @ask
// run: --schedule random --seeds 0..40
// case O0: -O0
// case O1: -O1
// case O2: -O2
// case out-of-line: -O2 -DSMALL=__attribute__((noinline))
#include "../threads.h"

#ifndef SMALL
#define SMALL inline
#endif

typedef struct {
  atomic_int locked;
} lock;

static lock flag;
static atomic_int data;
int results[2];

/* What it stores is its own affair, as that of `unlock` is. */
static SMALL void publish(lock *l) {
  atomic_store_explicit(&l->locked, 1, rlx);  // @publish
}

/* It is about one variable. */
static SMALL int is_there(void) {
  return atomic_load_explicit(&flag.locked, rlx);  // @ask
}

static SMALL void write_data(void) {
  atomic_store_explicit(&data, 1, rlx);  // @write
}

static SMALL int read_data(void) {
  return atomic_load_explicit(&data, rlx);  // @read
}

static void write(int me) {
  (void)me;
  write_data();
  publish(&flag);
}

static void read_first(int me) {
  (void)me;
  if (is_there()) results[0] = read_data();
}

static void read_second(int me) {
  (void)me;
  if (is_there()) results[1] = read_data();
}

int main(void) {
  RUN(write, read_first, read_second);
  return 0;
}
