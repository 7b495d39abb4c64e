// A thread waits for a condition as it should, with a time limit or without.
// every schedule: exhausted
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int items, taken;

static void *waits(void *limited) {
  struct timespec until = {.tv_sec = 1LL << 40};
  pthread_mutex_lock(&mutex);
  while (!items) {
    if (limited) {
      pthread_cond_timedwait(&condition, &mutex, &until);
    } else {
      pthread_cond_wait(&condition, &mutex);
    }
  }
  items--;
  taken++;
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void test(void *limited) {
  pthread_t thread;
  pthread_create(&thread, NULL, waits, limited);
  pthread_mutex_lock(&mutex);
  items++;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
}

int main(void) {
  int limited;
  test(NULL);
  test(&limited);
  assert(taken == 2 && items == 0);
}
