// Somebody finds the mutex taken by a thread that is about to wait for a condition, and does not signal.
// To wait gives the mutex back: that is one step, which touches both.
// every schedule: bug
// says: a deadlock
// weak executions: bug
// says: a deadlock
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_done;

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
  if (!is_done) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *tries(void *unused) {
  if (pthread_mutex_trylock(&mutex) == 0) {
    is_done = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, waits, NULL);
  pthread_create(&other, NULL, tries, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
}
