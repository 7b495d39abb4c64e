// A semaphore of two lets two in.
// every schedule: bug
// says: SIGABRT
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t semaphore;
static atomic_int inside, both;

static void *enters(void *unused) {
  sem_wait(&semaphore);
  inside++;
  if (inside == 2) both = 1;
  inside--;
  sem_post(&semaphore);
  return unused;
}

int main(void) {
  sem_init(&semaphore, 0, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, enters, NULL);
  enters(NULL);
  pthread_join(thread, NULL);
  assert(!both);
}
