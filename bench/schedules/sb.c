/* Store buffering: each of two threads writes, and reads what the other one writes. */
#include "tests.h"
#include <stdatomic.h>

static atomic_int flags[2];

static void *body(void *argument) {
  intptr_t me = (intptr_t)argument;
  atomic_store(&flags[me], 1);
  atomic_load(&flags[1 - me]);
  return NULL;
}

int main(void) { RUN(2, body); }
