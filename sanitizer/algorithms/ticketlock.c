// The ticket lock (Reed and Kanodia 1979): draw a number, wait for it to be called, call the next one. The
// argument is the number of threads.
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 4
// run: --schedule pct:3 --seeds 0..10 -- 4
// case robust: -DDRAW=acqrel -DSEE=acq -DCALL=rel
// expect: silent
// twin: litmus/algorithms/ticketlock4.fp
// case weak: -DDRAW=acqrel -DSEE=acq -DCALL=rlx
// expect: race of inside
// allow: race
// allow: robustness
// twin: sanitizer/twins/ticketlock-weak.fp
// case seq_cst: -DDRAW=sc -DSEE=sc -DCALL=sc
// expect: silent
#include "../threads.h"

#include "fencepost.h"

enum { ROUNDS = 5 };
static _Atomic unsigned next_ticket, serving;
int inside, entries; /* visible elsewhere, so that writes stay */

static void enter_and_leave(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    const unsigned ticket = atomic_fetch_add_explicit(&next_ticket, 1, DRAW);
    fencepost_wait(&serving, ticket, SEE);
    inside = me;
    CHECK(inside == me);
    entries++;
    atomic_store_explicit(&serving, ticket + 1, CALL);
  }
}

int main(int argc, char **argv) {
  const int n = argument_or(argc, argv, 4);
  run_all(n, enter_and_leave);
  CHECK(entries == n * ROUNDS);
  return 0;
}
