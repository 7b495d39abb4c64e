// A test as SV-COMP has them: it declares what it uses, and abort() is the end of a run and no failure. A section
// keeps others out.
// expect: silent
// build: -O1 -include sv-comp.h
// case sections:
// case own: -DOWN
#include <pthread.h>

extern void abort(void) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void __VERIFIER_assume(int);

void reach_error(void) { assert(0); }

void assume_abort_if_not(int cond) {
  if (!cond) abort();
}

/* A test may have its own. */
#ifdef OWN
void __VERIFIER_assert(int cond) {
  if (!cond) reach_error();
}
#else
#define __VERIFIER_assert(cond) (!(cond) ? reach_error() : (void)0)
#endif

static int count;

static void *adds(void *unused) {
  __VERIFIER_atomic_begin();
  count++;
  __VERIFIER_atomic_end();
  return unused;
}

int main(void) {
  int value = __VERIFIER_nondet_int();
  const unsigned char small = __VERIFIER_nondet_uchar();
  __VERIFIER_assert(value == 0 || value == 1 || value == 2 || value == -1);
  __VERIFIER_assert(small <= 2 || small == 255);
  const _Bool truth = __VERIFIER_nondet_bool();
  __VERIFIER_assert(truth == 0 || truth == 1);
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, adds, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  __VERIFIER_atomic_begin();
  __VERIFIER_assert(count == 2);
  __VERIFIER_atomic_end();
  assume_abort_if_not(count < 2);
  reach_error();
}
