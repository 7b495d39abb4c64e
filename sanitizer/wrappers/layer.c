// A layer of the program's own over atomics. Two threads pass messages by it, wrongly, and so do two others. What is
// wrong is wrong at the callers: there are two reports, and not one.
// expect: robustness load of d1 at @load1
// expect: robustness load of d2 at @load2
// suggest: make the store release at @flag1
// suggest: make the load acquire at @if1
// suggest: make the store release at @flag2
// suggest: make the load acquire at @if2
// run: --schedule random --seeds 0..40
// case O0: -O0
// case O1: -O1
// case O2: -O2
// case out-of-line-O0: -O0 -DLAYER=__attribute__((noinline))
// case out-of-line-O2: -O2 -DLAYER=__attribute__((noinline))
// case macros: -O1 -DMACROS
#include "../threads.h"

#ifndef LAYER
#define LAYER inline __attribute__((always_inline))
#endif

typedef struct {
  atomic_int value;
} cell;

#ifdef MACROS
#define get(a) atomic_load_explicit(&(a)->value, rlx)
#define set(a, v) atomic_store_explicit(&(a)->value, v, rlx)
#else
static LAYER int load(const cell *a) { return atomic_load_explicit(&a->value, rlx); }
static LAYER void store(cell *a, int v) { atomic_store_explicit(&a->value, v, rlx); }
static LAYER int get(const cell *a) { return load(a); }
static LAYER void set(cell *a, int v) { store(a, v); }
#endif

static cell d1, f1, d2, f2;
int r1, r2;

static void write1(int me) {
  (void)me;
  set(&d1, 1);  // @store1
  set(&f1, 1);  // @flag1
}

static void write2(int me) {
  (void)me;
  set(&d2, 1);  // @store2
  set(&f2, 1);  // @flag2
}

static void read1(int me) {
  (void)me;
  const int there = get(&f1);  // @if1
  if (there) r1 = get(&d1);    // @load1
}

static void read2(int me) {
  (void)me;
  const int there = get(&f2);  // @if2
  if (there) r2 = get(&d2);    // @load2
}

int main(void) {
  RUN(write1, write2, read1, read2);
  return 0;
}
