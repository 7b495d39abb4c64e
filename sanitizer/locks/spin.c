// POSIX spin locks.
// expect: silent
#include "../threads.h"

static pthread_spinlock_t lock;
static int counter;

static void count(int me) {
  (void)me;
  for (int i = 0; i < 10; i++) {
    if (i % 2) {
      pthread_spin_lock(&lock);
    } else {
      while (pthread_spin_trylock(&lock) != 0) sched_yield();
    }
    counter++;
    pthread_spin_unlock(&lock);
  }
}

int main(void) {
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  run_all(3, count);
  CHECK(counter == 30);
  pthread_spin_destroy(&lock);
  return 0;
}
