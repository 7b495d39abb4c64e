// More threads than there is room for in clocks, all detached, so that none is known to be over. The last one learns of the writer only
// by a thread that it may be taken for.
// run: --schedule os --runs 1
// expect: silent
#include "../threads.h"

enum { FILLERS = 2045 };
static int data;
static _Atomic int written, passed, over;

static void *pass_on(void *argument) {
  while (!atomic_load_explicit(&written, acq)) sched_yield();
  atomic_store_explicit(&passed, 1, rel);
  atomic_fetch_add_explicit(&over, 1, rlx);
  return argument;
}

static void *write_data(void *argument) {
  data = 1;
  atomic_store_explicit(&written, 1, rel);
  atomic_fetch_add_explicit(&over, 1, rlx);
  return argument;
}

static void *nothing(void *argument) {
  atomic_fetch_add_explicit(&over, 1, rlx);
  return argument;
}

static void *read_data(void *argument) {
  while (!atomic_load_explicit(&passed, acq)) sched_yield();
  CHECK(data == 1);
  return argument;
}

int main(void) {
  pthread_attr_t detached;
  pthread_t thread;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&detached, 128 << 10);
  for (int i = 0; i < FILLERS + 2; i++) {
    void *(*body)(void *) = i == 0 ? pass_on : i == 1 ? write_data : nothing;
    CHECK(pthread_create(&thread, &detached, body, NULL) == 0);
    if (i > 0)
      while (atomic_load_explicit(&over, rlx) <= i) sched_yield();
  }
  CHECK(pthread_create(&thread, NULL, read_data, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 0;
}
