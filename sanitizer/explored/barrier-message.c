// What comes before a barrier in one thread comes before what follows it in the other. What follows it
// in both is not ordered.
// every schedule: exhausted
// weak executions: exhausted
// every schedule -DLATE: bug
// says: data race
// weak executions -DLATE: bug
// says: data race
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
int mine, yours;

static void *other(void *unused) {
  yours = 1;
  pthread_barrier_wait(&barrier);
  assert(mine == 1);
#ifdef LATE
  mine = 2;
#endif
  pthread_barrier_wait(&barrier);
  yours = 2;
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  mine = 1;
  pthread_barrier_wait(&barrier);
  assert(yours == 1 && mine == 1);
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
}
