// The names of GenMC's tests: a stack whose nodes are protected by hazard pointers.
// expect: silent
#include <genmc.h>
#include <stdatomic.h>

#include "fencepost.h"

struct node {
  int value;
  struct node *next;
};

static _Atomic(struct node *) top;

static void *push(void *argument) {
  struct node *node = __VERIFIER_malloc(sizeof *node);
  if (node == NULL) abort();
  node->value = *(int *)argument;
  __VERIFIER_local_write(node->next = NULL);
  __VERIFIER_loop_begin();
  for (;;) {
    __VERIFIER_spin_start();
    struct node *old = __VERIFIER_speculative_read(atomic_load(&top));
    node->next = old;
    const bool done = __VERIFIER_confirming_CAS(atomic_compare_exchange_strong(&top, &old, node));
    __VERIFIER_spin_end(done);
    if (done) return NULL;
    __VERIFIER_optional(pthread_exit(NULL));
  }
}

static int pop(void) {
  __VERIFIER_hp_t *hazard = __VERIFIER_hp_alloc();
  for (;;) {
    struct node *old = __VERIFIER_hp_protect(hazard, &top);
    __VERIFIER_assume(old != NULL);
    if (atomic_compare_exchange_strong(&top, &old, old->next)) {
      const int value = old->value;
      __VERIFIER_hp_clear(hazard);
      __VERIFIER_hp_retire(old);
      __VERIFIER_hp_free(hazard);
      return value;
    }
  }
}

int main(void) {
  int one = 1, two = 2;
  const __VERIFIER_thread_t first = __VERIFIER_spawn(push, &one);
  const __VERIFIER_thread_t second = __VERIFIER_spawn_symmetric(push, &two, first);
  __VERIFIER_join(first);
  __VERIFIER_join_symmetric(second);
  fencepost_assert(pop() + pop() == 3);
  pop();
  return 3;
}
