// Bytes are copied while others are set: the library's own accesses count, too.
// expect: race of buffer
// case ordinary: -O1
// case fortified: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
#include <string.h>

#include "../threads.h"

char buffer[64], copy[64];
/* Not known to the compiler, which would not call the library otherwise. */
static volatile size_t some = 40, all = 64;

static void set(int me) {
  (void)me;
  memset(buffer + 8, 1, some);
}

static void get(int me) {
  (void)me;
  memcpy(copy, buffer, all);
}

int main(void) {
  RUN(set, get);
  return 0;
}
