/* Five threads write one more than the neighbour has; one looks for the last zero. */
#include "tests.h"
#include <stdatomic.h>

#define N 5

static atomic_int array[N + 1];

static void *body(void *argument) {
  intptr_t me = (intptr_t)argument;
  if (me == 0) {
    for (int i = N; atomic_load_explicit(&array[i], memory_order_acquire) != 0; i--) {
    }
  } else {
    int before = atomic_load_explicit(&array[me - 1], memory_order_acquire);
    atomic_store_explicit(&array[me], before + 1, memory_order_release);
  }
  return NULL;
}

int main(void) { RUN(N + 1, body); }
