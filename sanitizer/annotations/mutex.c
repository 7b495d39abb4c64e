// Locks of a program's own that it describes: __tsan_mutex_... and AnnotateRWLock... What is inside of them is not
// looked at; what they protect is.
// case right: -DLOCKED=1
// expect: silent
// case wrong: -DLOCKED=0
// expect: race of count
// case readers: -DLOCKED=1 -DREADERS
// expect: race of count
// case annotated: -DLOCKED=1 -DANNOTATED
// expect: silent
// case annotated-readers: -DLOCKED=1 -DANNOTATED -DREADERS
// expect: race of count
#include "../threads.h"

#ifdef __FENCEPOST__
void __tsan_mutex_create(void *lock, unsigned flags);
void __tsan_mutex_destroy(void *lock, unsigned flags);
void __tsan_mutex_pre_lock(void *lock, unsigned flags);
void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
void __tsan_mutex_post_unlock(void *lock, unsigned flags);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writes);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writes);
#else
#define __tsan_mutex_create(lock, flags) ((void)(lock))
#define __tsan_mutex_destroy(lock, flags) ((void)(lock))
#define __tsan_mutex_pre_lock(lock, flags) ((void)(lock))
#define __tsan_mutex_post_lock(lock, flags, recursion) ((void)(lock))
#define __tsan_mutex_pre_unlock(lock, flags) ((void)(lock))
#define __tsan_mutex_post_unlock(lock, flags) ((void)(lock))
#define AnnotateRWLockAcquired(file, line, lock, writes) ((void)(lock))
#define AnnotateRWLockReleased(file, line, lock, writes) ((void)(lock))
#endif

#ifdef READERS
#define READ_LOCK (1 << 3)
#else
#define READ_LOCK 0
#endif

/* Relaxed: to whoever looks inside, it orders nothing. */
static atomic_flag taken = ATOMIC_FLAG_INIT;
int count;

static void lock(void) {
#ifndef ANNOTATED
  __tsan_mutex_pre_lock(&taken, READ_LOCK);
  while (!READ_LOCK && atomic_flag_test_and_set_explicit(&taken, rlx)) sched_yield();
  __tsan_mutex_post_lock(&taken, READ_LOCK, 0);
#else
  while (!READ_LOCK && atomic_flag_test_and_set_explicit(&taken, rlx)) sched_yield();
  AnnotateRWLockAcquired(__FILE__, __LINE__, &taken, !READ_LOCK);
#endif
}

static void unlock(void) {
#ifndef ANNOTATED
  (void)__tsan_mutex_pre_unlock(&taken, READ_LOCK);
  atomic_flag_clear_explicit(&taken, rlx);
  __tsan_mutex_post_unlock(&taken, READ_LOCK);
#else
  AnnotateRWLockReleased(__FILE__, __LINE__, &taken, !READ_LOCK);
  atomic_flag_clear_explicit(&taken, rlx);
#endif
}

static void work(int me) {
  (void)me;
  for (int i = 0; i < 3; i++) {
    if (LOCKED) lock();
    count++;
    if (LOCKED) unlock();
  }
}

int main(void) {
#ifndef ANNOTATED
  __tsan_mutex_create(&taken, 0);
#endif
  RUN(work, work);
#ifndef ANNOTATED
  __tsan_mutex_destroy(&taken, 0);
#endif
  return 0;
}
