// A POSIX barrier orders what is before it in one thread and after it in another.
// expect: silent
#include "../threads.h"

enum { THREADS = 4, ROUNDS = 5 };
static pthread_barrier_t barrier;
static int cells[THREADS], sums[THREADS];

static void exchange(int me) {
  for (int round = 0; round < ROUNDS; round++) {
    cells[me] = round;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++) sums[me] += cells[i];
    pthread_barrier_wait(&barrier);
  }
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, THREADS);
  run_all(THREADS, exchange);
  pthread_barrier_destroy(&barrier);
  for (int i = 0; i < THREADS; i++) CHECK(sums[i] == THREADS * (ROUNDS - 1) * ROUNDS / 2);
  return 0;
}
