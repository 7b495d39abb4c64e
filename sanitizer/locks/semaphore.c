// Semaphores, unnamed: as a lock, and to hand something over.
// expect: silent
#include "../threads.h"

#include <semaphore.h>

static sem_t lock, filled;
static int counter, message, received;

static void count(int me) {
  for (int i = 0; i < 10; i++) {
    if (i % 2) {
      CHECK(sem_wait(&lock) == 0);
    } else {
      while (sem_trywait(&lock) != 0) sched_yield();
    }
    counter++;
    CHECK(sem_post(&lock) == 0);
  }
  if (me == 0) {
    message = 42;
    CHECK(sem_post(&filled) == 0);
  } else if (me == 1) {
    CHECK(sem_wait(&filled) == 0);
    received = message;
  }
}

int main(void) {
  sem_init(&lock, 0, 1);
  sem_init(&filled, 0, 0);
  run_all(3, count);
  CHECK(counter == 30 && received == 42);
  sem_destroy(&lock);
  sem_destroy(&filled);
  return 0;
}
