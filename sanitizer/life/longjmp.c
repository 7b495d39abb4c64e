// Jumping out of functions leaves their exits behind: the shadow of the call stack must not grow or lose
// its way.
// expect: silent
#include "../threads.h"

#include <setjmp.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int counter;
/* Always, but the compiler does not know and does not complain. */
static volatile int jumps = 1;

static void __attribute__((noinline)) descend(jmp_buf out, int depth) {
  volatile char frame[64];
  frame[depth % 64] = (char)depth;
  if (depth > 0)
    descend(out, depth - 1);
  else if (jumps)
    longjmp(out, 1);
  (void)frame[0];
}

static void jump(int me) {
  (void)me;
  for (volatile int i = 0; i < 1000; i++) {
    jmp_buf out;
    if (setjmp(out) == 0) descend(out, 20);
    pthread_mutex_lock(&mutex);
    counter++;
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  run_all(2, jump);
  CHECK(counter == 2000);
  return 0;
}
