// A writer is alone.
// every schedule: exhausted
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value;

static void *writer(void *unused) {
  pthread_rwlock_wrlock(&lock);
  value++;
  value++;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t one, other;
  pthread_create(&one, NULL, writer, NULL);
  pthread_create(&other, NULL, writer, NULL);
  pthread_rwlock_rdlock(&lock);
  assert(value % 2 == 0);
  pthread_rwlock_unlock(&lock);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  assert(value == 4);
}
