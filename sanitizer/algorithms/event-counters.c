// Threads count events by relaxed updates of shared buckets; one more collects the numbers when all are
// done. That is robust, because being done is released and acquired. The argument is the number of threads
// that count.
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 3
// run: --schedule random --seeds 0..10 -- 8
// run: --schedule pct:3 --seeds 0..10 -- 3
// case robust: -DDONE=rel -DSEE=acq
// expect: silent
// twin: sanitizer/twins/event-counters.fp
// case weak: -DDONE=rlx -DSEE=acq
// expect: robustness load of bucket at @collect
// twin: sanitizer/twins/event-counters-weak.fp
// case seq_cst: -DDONE=sc -DSEE=sc -DCOUNT=sc
// expect: silent
#include "../threads.h"

#include "fencepost.h"

#ifndef COUNT
#define COUNT rlx
#endif

enum { MOST = 32, BUCKETS = 4, EVENTS = 6 };
static _Atomic int done[MOST], bucket[BUCKETS];
static int n, sum;

static void count_or_collect(int me) {
  if (me < n) {
    for (int i = 0; i < EVENTS; i++) atomic_fetch_add_explicit(&bucket[(me + i * i) % BUCKETS], 1, COUNT);
    atomic_store_explicit(&done[me], 1, DONE);
  } else {
    for (int i = 0; i < n; i++) fencepost_wait(&done[i], 1, SEE);
    for (int i = 0; i < BUCKETS; i++) sum += atomic_load_explicit(&bucket[i], COUNT);  // @collect
  }
}

int main(int argc, char **argv) {
  n = argument_or(argc, argv, 3);
  CHECK(n < MOST);
  run_all(n + 1, count_or_collect);
  CHECK(sum == n * EVENTS);
  return 0;
}
