// Each of three alternatives is taken in some run, and no other is.
// expect: race write of second at @second and @second
// expect: race write of third at @third and @third
// run: --schedule random --seeds 0..60
#include "../threads.h"

#include "fencepost.h"

int second, third;

static void nothing(int me) { (void)me; }

static void writes_second(int me) {
  second = me;  // @second
}

static void writes_third(int me) {
  third = me;  // @third
}

int main(void) {
  body *const ways[] = {nothing, writes_second, writes_third};
  const unsigned chosen = fencepost_choose(3);
  fencepost_assert(chosen < 3);
  fencepost_assert(fencepost_choose(1) == 0 && fencepost_choose(0) == 0);
  RUN(ways[chosen], ways[chosen]);
  return 0;
}
