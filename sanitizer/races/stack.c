// The same on the stack of main, which lent it to its threads.
// expect: race of stack at @count and @count
#include "../threads.h"

static int *lent;

static void count(int me) {
  (void)me;
  ++*lent;  // @count
}

int main(void) {
  int counter = 0;
  lent = &counter;
  run_all(2, count);
  return counter > 0 ? 0 : 1;
}
