// Initialisation when it is first needed.
// run: --schedule random --seeds 0..60
// case right: -DFAST=acq -DDONE=rel
// expect: silent
// case relaxed-load: -DFAST=rlx -DDONE=rel
// expect: anything
// rank: race
// case relaxed-store: -DFAST=acq -DDONE=rlx
// expect: anything
// rank: race
// case hint-right: -DFAST=acq -DDONE=rel -DHINT
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int done;
_Atomic int asked[2];
int value;
int kept[2];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int get(void) {
  if (!atomic_load_explicit(&done, FAST)) {
    pthread_mutex_lock(&mutex);
    if (!atomic_load_explicit(&done, rlx)) {
      value = 42;
      atomic_store_explicit(&done, 1, DONE);
    }
    pthread_mutex_unlock(&mutex);
  }
  return value;
}

static void either(int me) {
  (void)me;
#ifdef HINT
  // Has the other one asked yet? Somebody counts that.
  atomic_store_explicit(&asked[me], 1, rlx);
  kept[me] = atomic_load_explicit(&asked[1 - me], rlx);
#endif
  CHECK(get() == 42);
}

int main(void) {
  run_all(2, either);
  return 0;
}
