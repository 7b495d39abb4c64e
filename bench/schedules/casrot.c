/* Four threads, each of which may replace what the one before it has written. */
#include "tests.h"
#include <stdatomic.h>

static atomic_int value;

static void *body(void *argument) {
  int expected = (int)(intptr_t)argument;
  atomic_compare_exchange_strong_explicit(&value, &expected, expected + 1, memory_order_relaxed,
                                          memory_order_relaxed);
  return NULL;
}

int main(void) { RUN(4, body); }
