// What is found in children, of the program and of its children, is reported by the command that runs the program:
// once over all runs, counted, and with its exit code.
// expect: robustness load of y at @left
// expect: robustness load of x at @right
#include "../threads.h"

#include <sys/wait.h>
#include <unistd.h>

static _Atomic int x, y;
int a, b;

static void left(int me) {
  (void)me;
  atomic_store_explicit(&x, 1, rlx);
  a = atomic_load_explicit(&y, rlx);  // @left
}

static void right(int me) {
  (void)me;
  atomic_store_explicit(&y, 1, rlx);
  b = atomic_load_explicit(&x, rlx);  // @right
}

/* Runs the two threads in a child `depth` processes away; returns in the parent. */
static void descend(int depth) {
  int status;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    if (depth > 1) {
      descend(depth - 1);
    } else {
      RUN(left, right);
    }
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void) {
  descend(1);
  descend(2);
  return 0;
}
