// That a lock is taken orders nothing for who finds it so: the message need not be there. Who gets the
// lock has what was done under it.
// weak executions: bug
// says: SIGABRT
// weak executions -DFAILED=0: exhausted
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef FAILED
#define FAILED 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int message, done;

static void *tries(void *unused) {
  int failed = pthread_mutex_trylock(&mutex) != 0;
  int is_done = atomic_load_explicit(&done, memory_order_relaxed);
  int seen = atomic_load_explicit(&message, memory_order_relaxed);
  assert(failed != FAILED || !is_done || seen);
  if (!failed) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, tries, NULL);
  pthread_mutex_lock(&mutex);
  atomic_store_explicit(&message, 1, memory_order_relaxed);
  atomic_store_explicit(&done, 1, memory_order_relaxed);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}
