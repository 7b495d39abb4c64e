// Two readers have the lock at the same time.
// every schedule: bug
// says: SIGABRT
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static atomic_int inside, both;

static void *reader(void *unused) {
  pthread_rwlock_rdlock(&lock);
  inside++;
  if (inside == 2) both = 1;
  inside--;
  pthread_rwlock_unlock(&lock);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
  pthread_rwlock_rdlock(&lock);
  inside++;
  inside--;
  pthread_rwlock_unlock(&lock);
  pthread_join(thread, NULL);
  assert(!both);
}
