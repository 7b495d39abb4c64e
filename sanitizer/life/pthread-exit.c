// Threads that end by pthread_exit deep in their calls, with cleanup handlers and keys; main itself ends
// that way, too.
// expect: silent
#include "../threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int cleaned, destroyed;
/* Always, but the compiler does not know and does not complain. */
static volatile int exits = 1;

static void clean(void *argument) {
  (void)argument;
  cleaned++;
  pthread_mutex_unlock(&mutex);
}

static void destroy(void *value) {
  (void)value;
  pthread_mutex_lock(&mutex);
  destroyed++;
  pthread_mutex_unlock(&mutex);
}

static void __attribute__((noinline)) descend(int depth) {
  if (depth > 0) {
    descend(depth - 1);
  } else if (exits) {
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, NULL);
    pthread_exit((void *)(uintptr_t)42);
    pthread_cleanup_pop(0);
  }
}

static void *leave(void *argument) {
  pthread_setspecific(key, argument);
  descend(10);
  return NULL;
}

static void *judge(void *argument) {
  pthread_t *threads = argument;
  for (int i = 0; i < 3; i++) {
    void *result;
    CHECK(pthread_join(threads[i], &result) == 0);
    CHECK((uintptr_t)result == 42);
  }
  CHECK(cleaned == 3 && destroyed == 3);
  exit(0);
}

int main(void) {
  static pthread_t threads[3], judging;
  CHECK(pthread_key_create(&key, destroy) == 0);
  for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, leave, &cleaned) == 0);
  CHECK(pthread_create(&judging, NULL, judge, threads) == 0);
  pthread_exit(NULL);
}
