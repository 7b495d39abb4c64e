// The same on the heap, in the middle of an allocation.
// expect: race of heap at @count and @count
#include "../threads.h"

static int *counters;

static void count(int me) {
  (void)me;
  counters[5]++;  // @count
}

int main(void) {
  counters = calloc(10, sizeof *counters);
  run_all(2, count);
  free(counters);
  return 0;
}
