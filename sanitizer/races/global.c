// Two threads count without any protection.
// expect: race of counter at @count and @count unguarded
#include "../threads.h"

int counter;

static void count(int me) {
  (void)me;
  counter++;  // @count
}

int main(void) {
  run_all(2, count);
  return 0;
}
