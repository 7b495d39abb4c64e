// A message is handed over by a semaphore, and an answer by another one. Nothing is ordered but by
// them: the accesses are plain.
// every schedule: exhausted
// weak executions: exhausted
// every schedule -DTAKES=sem_trywait: bug
// says: data race
// weak executions -DTAKES=sem_trywait: bug
// says: data race
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef TAKES
#define TAKES sem_wait
#endif

static sem_t asked, answered;
int message, answer;

static void *answers(void *unused) {
  TAKES(&asked);
  answer = message + 1;
  sem_post(&answered);
  return unused;
}

int main(void) {
  sem_init(&asked, 0, 0);
  sem_init(&answered, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, answers, NULL);
  message = 1;
  sem_post(&asked);
  sem_wait(&answered);
  assert(answer == 2);
  pthread_join(thread, NULL);
}
