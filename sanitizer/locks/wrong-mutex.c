// Two threads, two mutexes, one counter; and one thread that takes none.
// case other: -DOTHER
// expect: race of counter at @count and @count
// case none:
// expect: race of counter at @count and @bare
#include "../threads.h"

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
int counter;

static void count(int me) {
#ifdef OTHER
  pthread_mutex_t *mutex = &mutexes[me];
#else
  pthread_mutex_t *mutex = &mutexes[0];
  if (me == 1) {
    counter++;  // @bare
    return;
  }
#endif
  pthread_mutex_lock(mutex);
  counter++;  // @count
  pthread_mutex_unlock(mutex);
}

int main(void) {
  run_all(2, count);
  return 0;
}
