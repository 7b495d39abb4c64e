/* sv-comp.h: the names that tests of SV-COMP, the competition on software verification, use.
 *
 * Most tests declare these functions themselves, and need no header: programs built by `fencepost cc` find them in
 * fencepost's runtime. A test that defines one of them has its own.
 *
 *   __VERIFIER_assume(condition)   the run ends here if the condition is 0, and nothing is wrong with it
 *   __VERIFIER_assert(condition)   the test fails if the condition is 0
 *   __VERIFIER_error()             the test fails; reach_error() is the same
 *   __VERIFIER_nondet_bool()       true or false; each of them in some runs
 *   __VERIFIER_nondet_TYPE()       any value. Only 0, 1, 2 and the one with all bits set are tried, so tests that use
 *                                  these functions can be found to be wrong, but not to be right. A note says so
 *   __VERIFIER_atomic_begin()      an atomic section begins: one lock for all of them. Accesses outside of sections
 *   __VERIFIER_atomic_end()        are not kept out, so put both sides into sections
 *
 * To these tests abort() is the end of a run and no failure. `fencepost cc -include sv-comp.h test.c` builds them so:
 * from there on abort() is __VERIFIER_assume(0).
 *
 * In an ordinary build an error aborts, an assumption that does not hold ends the program with exit code 0, both say
 * so, and what is nondeterministic is 0. This file may be copied into any project. C11 or C++11 and later.
 */
#ifndef FENCEPOST_SV_COMP_H
#define FENCEPOST_SV_COMP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef __FENCEPOST__
#include <pthread.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Weak, so that a test can define its own. */
#ifdef __FENCEPOST__
#define FENCEPOST_SV_COMP(TYPE, NAME, ARGUMENTS, BODY) TYPE NAME ARGUMENTS;
#else
#define FENCEPOST_SV_COMP(TYPE, NAME, ARGUMENTS, BODY) \
  TYPE NAME ARGUMENTS;                                 \
  __attribute__((weak)) TYPE NAME ARGUMENTS { BODY }
#endif
#define FENCEPOST_VALUE(TYPE, NAME) FENCEPOST_SV_COMP(TYPE, __VERIFIER_nondet_##NAME, (void), return 0;)

FENCEPOST_SV_COMP(void, __VERIFIER_assume, (int condition),
                  if (!condition) {
                    fputs("an assumption did not hold: the run ends here\n", stderr);
                    _Exit(0);
                  })
FENCEPOST_SV_COMP(void, __VERIFIER_error, (void), fputs("an error was reached\n", stderr); (abort)();)

FENCEPOST_VALUE(bool, bool)
FENCEPOST_VALUE(char, char)
FENCEPOST_VALUE(unsigned char, uchar)
FENCEPOST_VALUE(short, short)
FENCEPOST_VALUE(unsigned short, ushort)
FENCEPOST_VALUE(int, int)
FENCEPOST_VALUE(unsigned, uint)
FENCEPOST_VALUE(long, long)
FENCEPOST_VALUE(unsigned long, ulong)
FENCEPOST_VALUE(long long, longlong)
FENCEPOST_VALUE(unsigned long long, ulonglong)
FENCEPOST_VALUE(size_t, size_t)

#ifdef __FENCEPOST__
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
#else
static inline pthread_mutex_t *fencepost_section(void) {
  static pthread_mutex_t section = PTHREAD_MUTEX_INITIALIZER;
  return &section;
}
static inline void __VERIFIER_atomic_begin(void) { pthread_mutex_lock(fencepost_section()); }
static inline void __VERIFIER_atomic_end(void) { pthread_mutex_unlock(fencepost_section()); }
#endif

#undef FENCEPOST_VALUE
#undef FENCEPOST_SV_COMP

#ifdef __cplusplus
}
#endif

/* Also where the test declares it: `extern void abort(void);`. */
__attribute__((noreturn)) static inline void fencepost_sv_comp_abort(void) {
  __VERIFIER_assume(0);
  __builtin_unreachable();
}
#define abort(...) fencepost_sv_comp_abort(__VA_ARGS__)

#endif
