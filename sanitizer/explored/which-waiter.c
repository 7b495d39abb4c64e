// Two threads wait for the same condition, and one is woken: it can be either of them.
// every schedule: bug
// says: exit code 1
// says: exit code 2
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting, first;

static void *waits(void *number) {
  pthread_mutex_lock(&mutex);
  waiting++;
  pthread_cond_wait(&condition, &mutex);
  if (first == 0) first = *(int *)number;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  static int numbers[] = {1, 2};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, waits, &numbers[i]);
  for (int are_there = 0; !are_there;) {
    pthread_mutex_lock(&mutex);
    if (waiting == 2) are_there = 1;
    if (are_there) pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    if (!are_there) exit(0);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return first;
}
