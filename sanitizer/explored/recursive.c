// A mutex that its owner takes once more. It is free when it was given back as often.
// every schedule: exhausted
// weak executions: exhausted
// every schedule -DEARLY: bug
// says: data race
// weak executions -DEARLY: bug
// says: data race
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex;
int value;

static void *adds(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  value++;
  pthread_mutex_unlock(&mutex);
#ifdef EARLY
  pthread_mutex_unlock(&mutex);
  value++;
#else
  value++;
  pthread_mutex_unlock(&mutex);
#endif
  return unused;
}

int main(void) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
  pthread_t thread;
  pthread_create(&thread, NULL, adds, NULL);
  adds(NULL);
  pthread_join(thread, NULL);
  assert(value == 4);
}
