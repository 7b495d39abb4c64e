// Readers and writers, with and without waiting; and a writer who only took it for reading.
// case right: -DWRITE_LOCK=pthread_rwlock_wrlock
// expect: silent
// case wrong: -DWRITE_LOCK=pthread_rwlock_rdlock
// expect: race of value
// allow: race
// run: --schedule random --seeds 0..20
#include "../threads.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value, copies[4];

static void read_and_write(int me) {
  for (int i = 0; i < 10; i++) {
    if (i % 4 == me) {
      CHECK(WRITE_LOCK(&lock) == 0);
      value++;
      pthread_rwlock_unlock(&lock);
    } else if (i % 2) {
      CHECK(pthread_rwlock_rdlock(&lock) == 0);
      copies[me] = value;
      pthread_rwlock_unlock(&lock);
    } else if (pthread_rwlock_tryrdlock(&lock) == 0) {
      copies[me] = value;
      pthread_rwlock_unlock(&lock);
    } else if (pthread_rwlock_trywrlock(&lock) == 0) {
      pthread_rwlock_unlock(&lock);
    }
  }
}

int main(void) {
  run_all(4, read_and_write);
  return 0;
}
