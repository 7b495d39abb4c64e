// Somebody else has the lock.
// every schedule: bug
// says: SIGABRT
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int failed;

static void *tries(void *unused) {
  failed = pthread_mutex_trylock(&mutex);
  if (!failed) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, tries, NULL);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  assert(!failed);
}
