// A thread goes on late from a barrier, when the other one has come to it again. What that has written
// in between is not ordered before what the late one reads.
// every schedule: bug
// says: data race
// weak executions: bug
// says: data race
#include <pthread.h>

static pthread_barrier_t barrier;
static int value;
int seen;

static void *reads(void *unused) {
  pthread_barrier_wait(&barrier);
  seen = value;
  pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, reads, NULL);
  pthread_barrier_wait(&barrier);
  value = 1;
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
}
