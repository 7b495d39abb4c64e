// Fibers: two threads of control on one thread of the system, and one that moves to another thread.
// case right:
// expect: silent
// case unordered: -DFLAGS=1
// expect: race of data at @fiber and @main
// allow: race of home
// case shared: -DSHARED
// expect: race of shared at @inside and @outside
#include "../threads.h"

#include <ucontext.h>

#ifdef __FENCEPOST__
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);
#else
#define __tsan_get_current_fiber() NULL
#define __tsan_create_fiber(flags) NULL
#define __tsan_destroy_fiber(fiber) ((void)(fiber))
#define __tsan_switch_to_fiber(fiber, flags) ((void)(fiber))
#define __tsan_set_fiber_name(fiber, name) ((void)(fiber))
#endif

#ifndef FLAGS
#define FLAGS 0
#endif

static ucontext_t outside, inside;
static void *home, *fiber;
static char stack[1 << 16];
int data, shared, seen;

static void deep(int depth) {
  if (depth > 0) {
    deep(depth - 1);
    return;
  }
  data = 1;  // @fiber
  __tsan_switch_to_fiber(home, FLAGS);
  swapcontext(&inside, &outside);
}

static void run(void) {
  deep(5);
  /* By another thread now, perhaps. */
  shared++;  // @inside
  __tsan_switch_to_fiber(home, 0);
  swapcontext(&inside, &outside);
}

static void switch_to_fiber(void) {
  home = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber, 0);
  swapcontext(&outside, &inside);
}

static void *go_on(void *unused) {
  switch_to_fiber();
  return unused;
}

int main(void) {
  pthread_t thread;
  getcontext(&inside);
  inside.uc_stack.ss_sp = stack;
  inside.uc_stack.ss_size = sizeof stack;
  inside.uc_link = NULL;
  makecontext(&inside, run, 0);
  fiber = __tsan_create_fiber(0);
  __tsan_set_fiber_name(fiber, "fiber");
  switch_to_fiber();
  seen = data;  // @main
  CHECK(pthread_create(&thread, NULL, go_on, NULL) == 0);
#ifdef SHARED
  shared++;  // @outside
#endif
  CHECK(pthread_join(thread, NULL) == 0);
  seen += shared;
  __tsan_destroy_fiber(fiber);
  return seen < 2;
}
