// A layer over atomics in a shared library. Its hooks, and its own functions, are called through stubs. What is
// wrong is wrong at the callers, in another file.
// library: atomics.c
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
// case no-plt: -O1 -fno-plt
#include "../threads.h"

#include <dlfcn.h>

static int (*get)(const atomic_int *);
static void (*set)(atomic_int *, int);

static atomic_int d1, f1, d2, f2;
int r1, r2;

static void write1(int me) {
  (void)me;
  set(&d1, 1);
  set(&f1, 1);  // @flag1
}

static void write2(int me) {
  (void)me;
  set(&d2, 1);
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
  void *library = dlopen("./atomics.so", RTLD_NOW);
  CHECK(library != NULL);
  *(void **)&get = dlsym(library, "get");
  *(void **)&set = dlsym(library, "set");
  CHECK(get != NULL && set != NULL);
  RUN(write1, write2, read1, read2);
  return 0;
}
