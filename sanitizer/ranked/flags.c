// Store buffering: each thread raises its flag and looks at the other's.
// run: --schedule random --seeds 0..60
// case lock: -DLOCK
// expect: anything
// rank: race
// case counted: -DCOUNTED
// expect: anything
// rank: failure
// case elected: -DELECTED
// expect: anything
// rank: failure
// case told: -DTOLD
// expect: anything
// rank: failure
// case hint: -DHINT
// expect: anything
// rank: harmless
// case polite: -DPOLITE
// expect: anything
// rank: harmless
// case again: -DAGAIN
// expect: anything
// rank: harmless
#include "../threads.h"

_Atomic int flag[2];
_Atomic int inside, told;
int kept[2];
int shared, leaders;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int alone(int me) {
  atomic_store_explicit(&flag[me], 1, rel);
  return atomic_load_explicit(&flag[1 - me], acq) == 0;
}

#if defined LOCK
// Who finds the other's flag down goes in: both do.
static void either(int me) {
  if (alone(me)) shared++;
}
#elif defined COUNTED
// The same, with a count of who is inside.
static void either(int me) {
  if (alone(me)) {
    CHECK(atomic_fetch_add_explicit(&inside, 1, acqrel) == 0);
    atomic_fetch_sub_explicit(&inside, 1, acqrel);
    atomic_store_explicit(&flag[me], 0, rel);
  }
}
#elif defined ELECTED
// Who finds the other's flag down leads: there are two leaders.
static void either(int me) {
  if (alone(me)) {
    pthread_mutex_lock(&mutex);
    leaders++;
    pthread_mutex_unlock(&mutex);
  }
}
#elif defined TOLD
// Who comes second tells: nobody does.
static void either(int me) {
  if (!alone(me)) atomic_store_explicit(&told, 1, rel);
}
#elif defined HINT
// What is seen is only kept, for a statistic.
static void either(int me) { kept[me] = alone(me); }
#elif defined POLITE
// Who is alone does nothing; who is not takes a lock.
static void either(int me) {
  if (!alone(me)) {
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
  }
}
#elif defined AGAIN
// Who is alone makes sure under a lock.
static void either(int me) {
  if (alone(me)) {
    pthread_mutex_lock(&mutex);
    if (!leaders) leaders = 1;
    pthread_mutex_unlock(&mutex);
  }
}
#endif

int main(void) {
  run_all(2, either);
  CHECK(leaders <= 1);
#ifdef TOLD
  CHECK(atomic_load_explicit(&told, rlx) == 1);
#endif
  return 0;
}
