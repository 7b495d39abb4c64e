// Relaxed atomics of every kind, all under one mutex: a mutex orders in happens-before as well as in SC, so
// nothing can be stale.
// expect: silent
#include "../threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int x, y;

static void access_all(int me) {
  for (int i = 0; i < 10; i++) {
    int expected;
    pthread_mutex_lock(&mutex);
    atomic_store_explicit(&x, me, rlx);
    CHECK(atomic_load_explicit(&x, rlx) == me);
    expected = atomic_fetch_add_explicit(&y, 1, rlx) + 1;
    CHECK(atomic_compare_exchange_strong_explicit(&y, &expected, me, rlx, rlx));
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  run_all(3, access_all);
  return 0;
}
