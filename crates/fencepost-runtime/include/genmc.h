/* genmc.h: the names that tests of the model checker GenMC use.
 *
 *   __VERIFIER_assume(condition)          the run ends here if the condition is false, and nothing is wrong with it
 *   __VERIFIER_spawn, __VERIFIER_join     threads; also _symmetric, which is the same here
 *   __VERIFIER_hp_...                     hazard pointers. Nothing is ever freed by them: what is retired stays
 *   __VERIFIER_nondet_int()               0, 1, 2 or -1, and a note that there would be other values
 *   __VERIFIER_optional(statement)        nothing: what is optional is left out
 *   __VERIFIER_palloc(size)               memory
 *
 * What only helps GenMC to find fewer executions (marks of loops, of reads, writes and compare-and-swaps, of methods)
 * does nothing here. There are no files that survive a crash, and no recovery.
 *
 * In an ordinary build an assumption that does not hold ends the program with exit code 0, and says so, and a
 * nondeterministic value is 0. This file may be copied into any project. C11 or C++11 and later, with gcc or clang.
 */
#ifndef FENCEPOST_GENMC_H
#define FENCEPOST_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __FENCEPOST__
/* In fencepost's runtime. */
void __VERIFIER_assume(bool condition);
int __VERIFIER_nondet_int(void);
#else
/* Weak: several files may have them. */
__attribute__((weak)) void __VERIFIER_assume(bool condition) {
  if (!condition) {
    fputs("an assumption did not hold: the run ends here\n", stderr);
    _Exit(0);
  }
}
__attribute__((weak)) int __VERIFIER_nondet_int(void) { return 0; }
#endif

/* Threads. */
typedef pthread_t __VERIFIER_thread_t;

static inline __VERIFIER_thread_t __VERIFIER_spawn(void *(*routine)(void *), void *argument) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, routine, argument) != 0) abort();
  return thread;
}
static inline __VERIFIER_thread_t __VERIFIER_spawn_symmetric(void *(*routine)(void *), void *argument,
                                                             __VERIFIER_thread_t like) {
  (void)like;
  return __VERIFIER_spawn(routine, argument);
}
static inline void *__VERIFIER_join(__VERIFIER_thread_t thread) {
  void *result = NULL;
  if (pthread_join(thread, &result) != 0) abort();
  return result;
}
static inline void __VERIFIER_join_symmetric(__VERIFIER_thread_t thread) { (void)__VERIFIER_join(thread); }

/* Memory. */
static inline void *__VERIFIER_malloc(size_t size) { return malloc(size); }
static inline void __VERIFIER_free(void *object) { free(object); }
static inline void *__VERIFIER_palloc(size_t size) { return malloc(size); }

/* Marks of loops and methods. */
static inline void __VERIFIER_loop_begin(void) {}
static inline void __VERIFIER_spin_start(void) {}
static inline void __VERIFIER_spin_end(bool condition) { (void)condition; }
static inline void __VERIFIER_method_begin(const char *name, int32_t argument) { (void)name, (void)argument; }
static inline void __VERIFIER_method_end(const char *name, int32_t result) { (void)name, (void)result; }

/* Marks of statements, and of expressions, whose value remains. */
#define __VERIFIER_local_write(statement) do { statement; } while (0)
#define __VERIFIER_final_write(statement) do { statement; } while (0)
#define __VERIFIER_helped_CAS(statement) do { statement; } while (0)
#define __VERIFIER_helping_CAS(statement) do { statement; } while (0)
#define __VERIFIER_speculative_read(expression) (expression)
#define __VERIFIER_confirming_read(expression) (expression)
#define __VERIFIER_confirming_CAS(expression) (expression)
#define __VERIFIER_final_CAS(expression) (expression)
#define __VERIFIER_optional(statement) \
  do {                                 \
    if (0) {                           \
      statement;                       \
    }                                  \
  } while (0)

/* Hazard pointers. */
typedef struct {
  void *unused;
} __VERIFIER_hp_t;

static inline __VERIFIER_hp_t *__VERIFIER_hp_alloc(void) {
  return (__VERIFIER_hp_t *)calloc(1, sizeof(__VERIFIER_hp_t));
}
static inline void __VERIFIER_hp_free(__VERIFIER_hp_t *pointer) { free(pointer); }
static inline void __VERIFIER_hp_clear(__VERIFIER_hp_t *pointer) { (void)pointer; }
static inline void __VERIFIER_hp_retire(void *object) { (void)object; }
/* The atomic variable may be declared with another type of the same width. */
typedef void *__attribute__((may_alias)) fencepost_pointer;
#define __VERIFIER_hp_protect(pointer, variable) \
  ((void)(pointer), __atomic_load_n((fencepost_pointer *)(variable), __ATOMIC_ACQUIRE))

/* The lock of the partial-lock specification is an ordinary lock. */
typedef struct {
  pthread_mutex_t lock;
} __VERIFIER_plock_t;
static inline int __VERIFIER_plock_lock(__VERIFIER_plock_t *plock) { return pthread_mutex_lock(&plock->lock); }
static inline int __VERIFIER_plock_unlock(__VERIFIER_plock_t *plock) { return pthread_mutex_unlock(&plock->lock); }

#ifdef __cplusplus
}
#endif

#endif
