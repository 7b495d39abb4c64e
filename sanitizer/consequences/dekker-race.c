// Raise the flag, look at the other's, and enter if it is down. Without a fence, both can be down: then
// what the lock protects races, which no run under SC shows.
// expect: robustness load of flag at @look
// rank: race race robustness load of flag at @look
// rank: race race
#include "../threads.h"

static _Atomic int flag[2];
int inside;

static void enter(int me) {
  atomic_store_explicit(&flag[me], 1, rel);
  if (!atomic_load_explicit(&flag[1 - me], acq)) inside++;  // @look
  atomic_store_explicit(&flag[me], 0, rel);
}

int main(void) {
  RUN(enter, enter);
  return 0;
}
