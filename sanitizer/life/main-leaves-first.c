// The main thread ends by pthread_exit while others still run: from then on the kernel does not tell which file
// the program was started from. What the others do is reported with its places all the same, and once.
// expect: robustness load of y at @left
// expect: robustness load of x at @right
// waits for: the kernel, which ends the main thread when it likes
#include "../threads.h"

#include <unistd.h>

static _Atomic int x, y;
int a, b;

/* What is told of the main thread is told of the whole process. */
static void wait_for_main(void) {
  char path[4];
  while (readlink("/proc/self/exe", path, sizeof path) > 0) sched_yield();
}

static void *left(void *argument) {
  wait_for_main();
  atomic_store_explicit(&x, 1, rlx);
  a = atomic_load_explicit(&y, rlx);  // @left
  return argument;
}

static void *right(void *argument) {
  wait_for_main();
  atomic_store_explicit(&y, 1, rlx);
  b = atomic_load_explicit(&x, rlx);  // @right
  return argument;
}

int main(void) {
  pthread_t threads[2];
  CHECK(pthread_create(&threads[0], NULL, left, NULL) == 0);
  CHECK(pthread_create(&threads[1], NULL, right, NULL) == 0);
  pthread_exit(NULL);
}
