/* Four threads increment a counter: every order of them. */
#include "tests.h"
#include <stdatomic.h>

static atomic_int counter;

static void *body(void *argument) {
  atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
  return argument;
}

int main(void) { RUN(4, body); }
