// Neighbours in one word, each written by one thread: bytes, halves, odd addresses, fields of a packed
// structure. No race.
// expect: silent
#include <string.h>

#include "../threads.h"

static unsigned char bytes[8];
static unsigned short halves[4];
static struct __attribute__((packed)) {
  char first;
  int second;
  short third;
  char fourth;
} fields;

static void write_own(int me) {
  for (int i = 0; i < 100; i++) {
    bytes[me] = (unsigned char)i;
    halves[me] = (unsigned short)i;
    switch (me) {
      case 0: fields.first = (char)i; break;
      case 1: fields.second = i; break;
      case 2: fields.third = (short)i; break;
      default: fields.fourth = (char)i; break;
    }
  }
}

int main(void) {
  run_all(4, write_own);
  for (int i = 0; i < 4; i++) CHECK(bytes[i] == 99 && halves[i] == 99);
  CHECK(fields.second == 99);
  return 0;
}
