// Read-copy-update in small (after Desnoyers et al. 2012): readers say when they look, the updater
// publishes a new node and waits until nobody looks before it scraps the old one. Store buffering again:
// both need their fence. The argument is the number of readers.
// run: --schedule os --runs 3 -- 6
// run: --schedule random --seeds 0..20 -- 2
// run: --schedule pct:3 --seeds 0..20 -- 3
// case robust: -DFENCE=atomic_thread_fence(sc)
// expect: silent
// twin: sanitizer/twins/rcu.fp
// case weak: -DFENCE=(void)0
// expect: robustness wait of online at @wait
// allow: robustness load of ptr at @look
// allow: race
// twin: sanitizer/twins/rcu-weak.fp
#include "../threads.h"

#include "fencepost.h"

enum { MOST = 32, ROUNDS = 3 };
static _Atomic int ptr, online[MOST];
static int n, node[ROUNDS + 1];

static void update(void) {
  for (int round = 0; round < ROUNDS; round++) {
    node[round + 1] = 1;
    atomic_store_explicit(&ptr, round + 1, rel);
    FENCE;
    for (int i = 0; i < n; i++) fencepost_wait(&online[i], 0, acq);  // @wait
    node[round] = 0;
  }
}

static void look(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    atomic_store_explicit(&online[me], 1, rlx);
    FENCE;
    const int p = atomic_load_explicit(&ptr, acq);  // @look
    if (p != 0) CHECK(node[p] == 1);
    atomic_store_explicit(&online[me], 0, rel);
  }
}

static void update_or_look(int me) {
  if (me == n)
    update();
  else
    look(me);
}

int main(int argc, char **argv) {
  n = argument_or(argc, argv, 2);
  CHECK(n <= MOST);
  run_all(n + 1, update_or_look);
  return 0;
}
