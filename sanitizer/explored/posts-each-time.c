// A thread posts whenever it was woken from a wait for a condition, for no reason or for one. That can
// happen twice, and more often: there is no end.
// every schedule --steps 80: unknown
// says: too many steps
// weak executions --steps 80: unknown
// says: too many steps
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t posted;
static int is_done;

static void *waits(void *unused) {
  pthread_mutex_lock(&mutex);
  while (!is_done) {
    pthread_cond_wait(&condition, &mutex);
    sem_post(&posted);
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  sem_init(&posted, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, waits, NULL);
  int posts = 0;
  for (int i = 0; i < 2; i++) posts += sem_trywait(&posted) == 0;
  pthread_mutex_lock(&mutex);
  is_done = 1;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return posts == 2;
}
