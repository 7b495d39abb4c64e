// Treiber's stack (1986): push with a release, pop everything with an acquire. Nodes are plain memory: who
// takes the newest is ordered after all who pushed, because every push but the first is an update of the
// one before. One location alone is robust.
// expect: silent
#include "../threads.h"

struct node {
  struct node *next;
  int value;
};
static _Atomic(struct node *) top;
static int sums[5];

static void push(int value) {
  struct node *node = malloc(sizeof *node);
  node->value = value;
  node->next = atomic_load_explicit(&top, rlx);
  while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, rel, rlx)) continue;
}

static void pop_all(int me) {
  struct node *node = atomic_exchange_explicit(&top, NULL, acq);
  while (node) {
    struct node *next = node->next;
    sums[me] += node->value;
    free(node);
    node = next;
  }
}

static void push_and_pop(int me) {
  for (int i = 1; i <= 10; i++) {
    push(i);
    if (i % 5 == me % 5) pop_all(me);
  }
}

int main(void) {
  run_all(4, push_and_pop);
  pop_all(4);
  CHECK(sums[0] + sums[1] + sums[2] + sums[3] + sums[4] == 4 * 55);
  return 0;
}
