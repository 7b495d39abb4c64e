// pthread_once: whoever comes later is ordered after the initialisation.
// expect: silent
#include "../threads.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int table[100];

static void initialise(void) {
  for (int i = 0; i < 100; i++) table[i] = i;
}

static void use(int me) {
  CHECK(pthread_once(&once, initialise) == 0);
  CHECK(table[me] == me);
}

int main(void) {
  run_all(4, use);
  return 0;
}
