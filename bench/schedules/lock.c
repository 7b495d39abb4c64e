/* Three threads take a lock by `exchange`, which waits busily, and change a plain variable. */
#include "tests.h"
#include <sched.h>
#include <stdatomic.h>

static atomic_int lock;
static int value;

static void *body(void *argument) {
  while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) sched_yield();
  value++;
  atomic_store_explicit(&lock, 0, memory_order_release);
  return argument;
}

int main(void) { RUN(3, body); }
