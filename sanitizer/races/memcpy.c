// Bytes are copied while others are set: the library's own accesses count, too.
// expect: race of buffer
// build: -O1 -fno-builtin
#include <string.h>

#include "../threads.h"

char buffer[64], copy[64];

static void set(int me) {
  (void)me;
  memset(buffer + 8, 1, 40);
}

static void get(int me) {
  (void)me;
  memcpy(copy, buffer, sizeof copy);
}

int main(void) {
  RUN(set, get);
  return 0;
}
