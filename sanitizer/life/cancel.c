// Threads that are cancelled while they wait.
// expect: silent
#include "../threads.h"

#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void clean(void *argument) {
  (void)argument;
  cleaned++;
  pthread_mutex_unlock(&mutex);
}

static void *wait_for_ever(void *argument) {
  (void)argument;
  pthread_mutex_lock(&mutex);
  waiting++;
  pthread_cleanup_push(clean, NULL);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, wait_for_ever, NULL) == 0);
  for (int all = 0; !all; usleep(1000)) {
    pthread_mutex_lock(&mutex);
    all = waiting == 2;
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < 2; i++) {
    void *result;
    CHECK(pthread_cancel(threads[i]) == 0);
    CHECK(pthread_join(threads[i], &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
  }
  CHECK(cleaned == 2);
  return 0;
}
