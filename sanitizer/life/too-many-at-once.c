// More threads at the same time than there is room for in clocks. Those that found none are not watched, so what they do cannot be
// told from what nobody did: nothing is reported any more, not even the race at the end. The program itself goes on as usual.
// run: --schedule os --runs 1
// expect: silent
#include "../threads.h"

enum { THREADS = 2100 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_are_here = PTHREAD_COND_INITIALIZER;
static int here, raced;
static _Atomic int counted;

static void *meet(void *argument) {
  pthread_mutex_lock(&mutex);
  here++;
  if (here == THREADS) pthread_cond_broadcast(&all_are_here);
  while (here < THREADS) pthread_cond_wait(&all_are_here, &mutex);
  pthread_mutex_unlock(&mutex);
  atomic_fetch_add_explicit(&counted, 1, rlx);
  raced = 1;
  return argument;
}

int main(void) {
  static pthread_t threads[THREADS];
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], &small, meet, NULL) == 0);
  for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(atomic_load_explicit(&counted, rlx) == THREADS && raced == 1);
  return 0;
}
