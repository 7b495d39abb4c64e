// C11 threads: thrd_create and join, mtx, cnd, call_once, tss with a destructor.
// expect: silent
#include <stdio.h>
#include <stdlib.h>
#include <threads.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

static mtx_t mutex;
static cnd_t changed;
static once_flag once = ONCE_FLAG_INIT;
static tss_t key;
static int counter, initialised, destroyed;

static void destroy(void *value) {
  mtx_lock(&mutex);
  destroyed += *(int *)value;
  mtx_unlock(&mutex);
  free(value);
}

static void initialise(void) { initialised = 1; }

static int count(void *argument) {
  int *mine = malloc(sizeof *mine);
  *mine = 1;
  call_once(&once, initialise);
  CHECK(initialised == 1);
  CHECK(tss_set(key, mine) == thrd_success);
  for (int i = 0; i < 10; i++) {
    mtx_lock(&mutex);
    counter++;
    cnd_broadcast(&changed);
    mtx_unlock(&mutex);
  }
  return *(int *)argument;
}

int main(void) {
  enum { THREADS = 3 };
  thrd_t threads[THREADS];
  int numbers[THREADS], result;
  CHECK(mtx_init(&mutex, mtx_plain) == thrd_success);
  CHECK(cnd_init(&changed) == thrd_success);
  CHECK(tss_create(&key, destroy) == thrd_success);
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    CHECK(thrd_create(&threads[i], count, &numbers[i]) == thrd_success);
  }
  mtx_lock(&mutex);
  while (counter < 10 * THREADS) cnd_wait(&changed, &mutex);
  mtx_unlock(&mutex);
  for (int i = 0; i < THREADS; i++) {
    CHECK(thrd_join(threads[i], &result) == thrd_success);
    CHECK(result == i);
  }
  CHECK(destroyed == THREADS);
  return 0;
}
