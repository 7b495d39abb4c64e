// A barrier with a counter and a generation number: the last one to come lets the others go. All relaxed it
// keeps threads back and orders nothing. The argument is the number of threads.
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 3
// run: --schedule pct:3 --seeds 0..10 -- 4
// case robust: -DCOME=acqrel -DGO=rel -DSEE=acq
// expect: silent
// twin: sanitizer/twins/barrier.fp
// case weak: -DCOME=rlx -DGO=rlx -DSEE=rlx
// expect: race of data
// allow: race
// allow: robustness
// twin: sanitizer/twins/barrier-weak.fp
// case seq_cst: -DCOME=sc -DGO=sc -DSEE=sc
// expect: silent
#include "../threads.h"

#include "fencepost.h"

enum { MOST = 32, ROUNDS = 3 };
static _Atomic int count, generation;
static int n, data[ROUNDS][MOST];

static void meet(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    data[round][me] = round;
    if (atomic_fetch_add_explicit(&count, 1, COME) == n - 1) {
      atomic_store_explicit(&count, 0, rlx);
      atomic_store_explicit(&generation, round + 1, GO);
    } else {
      fencepost_wait(&generation, round + 1, SEE);
    }
    CHECK(data[round][(me + 1) % n] == round);
  }
}

int main(int argc, char **argv) {
  n = argument_or(argc, argv, 3);
  CHECK(n <= MOST);
  run_all(n, meet);
  return 0;
}
