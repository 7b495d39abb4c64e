/* Eight threads read what another one writes: each comes before or after. */
#include "tests.h"
#include <stdatomic.h>

static atomic_int value;

static void *body(void *argument) {
  if ((intptr_t)argument == 0) {
    atomic_store_explicit(&value, 42, memory_order_release);
  } else {
    atomic_load_explicit(&value, memory_order_acquire);
  }
  return NULL;
}

int main(void) { RUN(9, body); }
