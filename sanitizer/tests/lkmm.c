// The Linux kernel's names: message passing with a release store and an acquire load, counters, a lock.
// expect: silent
// build: -O1 -std=gnu11
#include <lkmm.h>

#include "fencepost.h"

static int data, flag;
static atomic_t count = ATOMIC_INIT(1);
static spinlock_t lock = PTHREAD_MUTEX_INITIALIZER;
static int guarded;

static void add(void) {
  atomic_inc(&count);
  spin_lock(&lock);
  guarded++;
  spin_unlock(&lock);
}

static void *producer(void *unused) {
  WRITE_ONCE(data, 7);
  smp_store_release(&flag, 1);
  add();
  return unused;
}

static void *consumer(void *unused) {
  while (!smp_load_acquire(&flag))
    ;
  fencepost_assert(READ_ONCE(data) == 7);
  add();
  return unused;
}

int main(void) {
  const __VERIFIER_thread_t threads[] = {__VERIFIER_spawn(producer, NULL), __VERIFIER_spawn(consumer, NULL)};
  for (int i = 0; i < 2; i++) __VERIFIER_join(threads[i]);
  fencepost_assert(guarded == 2 && spin_trylock(&lock));
  fencepost_assert(atomic_read(&count) == 3 && atomic_fetch_add(2, &count) == 3 && atomic_dec_return(&count) == 4);
  fencepost_assert(cmpxchg(&flag, 1, 5) == 1 && cmpxchg(&flag, 1, 6) == 5 && xchg(&flag, 2) == 5 && flag == 2);
  return 0;
}
