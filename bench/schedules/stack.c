/* Treiber's stack: two threads push their own node and take one. */
#include "tests.h"
#include <stdatomic.h>

static struct {
  int value;
  atomic_int next;
} nodes[3];
static atomic_int top;

static void *body(void *argument) {
  int mine = (int)(intptr_t)argument + 1, found = atomic_load_explicit(&top, memory_order_relaxed);
  nodes[mine].value = mine;
  do {
    atomic_store_explicit(&nodes[mine].next, found, memory_order_relaxed);
  } while (!atomic_compare_exchange_strong_explicit(&top, &found, mine, memory_order_acq_rel,
                                                    memory_order_relaxed));
  found = atomic_load_explicit(&top, memory_order_acquire);
  while (found != 0) {
    int next = atomic_load_explicit(&nodes[found].next, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&top, &found, next, memory_order_acq_rel,
                                                memory_order_acquire)) {
      break;
    }
  }
  return NULL;
}

int main(void) { RUN(2, body); }
