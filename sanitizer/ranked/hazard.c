// Hazard pointers: a reader announces what it reads, and looks whether it is still there; who frees looks for
// announcements first.
// run: --schedule random --seeds 0..60
// case no-fence: -DFENCE=(void)0
// expect: anything
// rank: race
// case acquire-release: -DFENCE=atomic_thread_fence(acqrel)
// expect: anything
// rank: race
// case hint: -DFENCE=atomic_thread_fence(sc) -DHINT
// expect: anything
// rank: harmless
#include "../threads.h"

int objects[2];
_Atomic(int *) current, announced;
_Atomic int readers, writers;
int kept[3];

static void reader(int me) {
  (void)me;
  int *object = atomic_load_explicit(&current, rlx);
  atomic_store_explicit(&announced, object, rlx);
  FENCE;
  if (atomic_load_explicit(&current, acq) == object) kept[0] = *object;
  atomic_store_explicit(&announced, NULL, rel);
#ifdef HINT
  atomic_store_explicit(&readers, 1, rlx);
  kept[1] = atomic_load_explicit(&writers, rlx);
#endif
}

static void writer(int me) {
  (void)me;
  atomic_store_explicit(&current, &objects[1], rel);
  FENCE;
  // Used again for something else, as freed memory is.
  if (atomic_load_explicit(&announced, acq) != &objects[0]) objects[0] = 7;
#ifdef HINT
  atomic_store_explicit(&writers, 1, rlx);
  kept[2] = atomic_load_explicit(&readers, rlx);
#endif
}

int main(void) {
  atomic_store_explicit(&current, &objects[0], rel);
  RUN(reader, writer);
  return 0;
}
