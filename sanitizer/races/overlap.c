// Accesses of different widths that share one byte; bit fields that share one.
// case widths: -DWIDTHS
// expect: race of word at @wide and @narrow
// case bits:
// expect: race of bits at @one and @two
#include "../threads.h"

union {
  uint64_t all;
  uint8_t part[8];
} word;

struct {
  unsigned first : 3, second : 5;
} bits;

static void one(int me) {
  (void)me;
#ifdef WIDTHS
  word.all = 1;  // @wide
#else
  bits.first = 1;  // @one
#endif
}

static void two(int me) {
  (void)me;
#ifdef WIDTHS
  word.part[7] = 2;  // @narrow
#else
  bits.second = 1;  // @two
#endif
}

int main(void) {
  RUN(one, two);
  return 0;
}
