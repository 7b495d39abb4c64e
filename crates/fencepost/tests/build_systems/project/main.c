#include "parts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

_Atomic int flag;
int data;

static void *other(void *argument) {
  data = 1;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  /* A race: the flag is relaxed. */
  if (part() == 1) data = 2;
  pthread_join(thread, NULL);
  return move() == 1 ? 0 : 1;
}
