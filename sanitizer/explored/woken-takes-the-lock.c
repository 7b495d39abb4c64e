// Somebody who was woken by the one tries to take the mutex back while the other one has it, and in
// another schedule has it before.
// every schedule: bug
// says: a deadlock
// weak executions: bug
// says: a deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *wakes_all(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *wakes_one(void *unused) {
  pthread_cond_signal(&condition);
  return unused;
}

int main(void) {
  static void *(*const runs[])(void *) = {waits, wakes_all, wakes_one};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, runs[i], NULL);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
