// A condition orders nothing by itself. The flag is relaxed and is set without the mutex, so the message
// may not be there yet when the flag is. With the mutex it is.
// weak executions: bug
// says: SIGABRT
// weak executions -DLOCKED: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static atomic_int message, flag;

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
  if (!atomic_load_explicit(&flag, memory_order_relaxed)) pthread_cond_wait(&condition, &mutex);
  int is_set = atomic_load_explicit(&flag, memory_order_relaxed);
  int seen = atomic_load_explicit(&message, memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
  assert(!is_set || seen);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
#ifdef LOCKED
  pthread_mutex_lock(&mutex);
#endif
  atomic_store_explicit(&message, 1, memory_order_relaxed);
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  pthread_cond_signal(&condition);
#ifdef LOCKED
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
#else
  // The signal may be lost.
  pthread_cond_signal(&condition);
  pthread_mutex_lock(&mutex);
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
#endif
}
