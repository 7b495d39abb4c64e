// A program that starts another one, which is watched as well: here itself, with an argument. What that one does
// is reported by the command that runs the first.
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

int main(int argc, char **argv) {
  int status;
  if (argc > 1) {
    RUN(left, right);
    return 0;
  }
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    execl(argv[0], argv[0], "again", (char *)NULL);
    _exit(1);
  }
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return 0;
}
