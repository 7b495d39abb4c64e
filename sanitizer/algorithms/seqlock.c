// A sequence lock (Lameter 2005; Boehm 2012): writers make the number odd while they write, readers try
// again when it was odd or has changed. The first half of the threads write. With relaxed data and fences,
// as Boehm has it, a reader can see new x and old y together; it drops them, and yet no SC run shows that.
// The tool of the PLDI 2025 paper never caught it: a whole write must fit between two loads of one reader,
// which an operating system does not do by chance.
// case robust: -DREAD=acq -DWRITE=rel -DBEFORE=(void)0 -DBETWEEN=(void)0
// expect: silent
// twin: litmus/algorithms/seqlock.fp
// run: --schedule os --runs 3 -- 8
// run: --schedule random --seeds 0..10 -- 4
// run: --schedule pct:3 --seeds 0..10 -- 4
// case fences: -DREAD=rlx -DWRITE=rlx -DBEFORE=atomic_thread_fence(rel) -DBETWEEN=atomic_thread_fence(acq)
// expect: robustness load of y at @y
// allow: robustness load of x at @x
// twin: litmus/algorithms/seqlock-fence.fp
// run: --schedule pct:3 --seeds 0..1000 -- 2
// case seq_cst: -DREAD=sc -DWRITE=sc -DBEFORE=(void)0 -DBETWEEN=(void)0 -DSEQ_CST
// expect: silent
#include "../threads.h"

#ifdef SEQ_CST
#define ACQUIRE sc
#define RELEASE sc
#define RELAXED sc
#else
#define ACQUIRE acq
#define RELEASE rel
#define RELAXED rlx
#endif

enum { ROUNDS = 3 };
static _Atomic unsigned seq;
static _Atomic int x, y;
static int n;

static void write_both(int value) {
  unsigned before;
  for (;;) {
    before = atomic_load_explicit(&seq, RELAXED);
    if (before % 2 == 0 &&
        atomic_compare_exchange_strong_explicit(&seq, &before, before + 1, ACQUIRE, RELAXED))
      break;
    sched_yield();
  }
  BEFORE;
  atomic_store_explicit(&x, value, WRITE);
  atomic_store_explicit(&y, value, WRITE);
  atomic_store_explicit(&seq, before + 2, RELEASE);
}

static void read_both(void) {
  unsigned before, after;
  int a, b;
  do {
    while ((before = atomic_load_explicit(&seq, ACQUIRE)) % 2) sched_yield();
    a = atomic_load_explicit(&x, READ);  // @x
    b = atomic_load_explicit(&y, READ);  // @y
    BETWEEN;
    after = atomic_load_explicit(&seq, RELAXED);
  } while (before != after);
  CHECK(a == b);
}

static void write_or_read(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    if (me < n / 2)
      write_both(me * ROUNDS + round);
    else
      read_both();
  }
}

int main(int argc, char **argv) {
  n = argument_or(argc, argv, 2);
  run_all(n, write_or_read);
  return 0;
}
