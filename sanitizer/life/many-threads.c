// A thousand threads, at the same time and one after the other.
// run: --schedule os --runs 1
// run: --schedule random --seeds 0..2
// case together:
// expect: silent
// case in-turn: -DIN_TURN
// expect: silent
#include "../threads.h"

enum { THREADS = 1000 };
static _Atomic int counter;
static int cells[THREADS];

static void *work(void *argument) {
  *(int *)argument = 1;
  atomic_fetch_add_explicit(&counter, 1, acqrel);
  return NULL;
}

int main(void) {
  static pthread_t threads[THREADS];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], &small, work, &cells[i]) == 0);
#ifdef IN_TURN
    CHECK(pthread_join(threads[i], NULL) == 0);
  }
#else
  }
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
#endif
  for (int i = 0; i < THREADS; i++) CHECK(cells[i] == 1);
  CHECK(atomic_load(&counter) == THREADS);
  return 0;
}
