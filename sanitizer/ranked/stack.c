// A stack of nodes (Treiber 1986), filled by one thread and emptied by another.
// run: --schedule random --seeds 0..60
// case relaxed-push: -DPUSH=rlx -DPOP=acq
// expect: anything
// rank: race
// case relaxed-pop: -DPUSH=rel -DPOP=rlx
// expect: anything
// rank: race
// case size-right: -DPUSH=rel -DPOP=acq -DSIZE
// expect: anything
// rank: harmless
#include "../threads.h"

struct node {
  int value;
  struct node *next;
};

struct node nodes[2];
_Atomic(struct node *) top;
_Atomic int pushed, popped;
int kept[2];

static void pusher(int me) {
  (void)me;
  for (int i = 0; i < 2; i++) {
    nodes[i].value = i + 1;
    nodes[i].next = atomic_load_explicit(&top, rlx);
    while (!atomic_compare_exchange_weak_explicit(&top, &nodes[i].next, &nodes[i], PUSH, rlx)) {
    }
  }
#ifdef SIZE
  atomic_store_explicit(&pushed, 1, rlx);
  kept[0] = atomic_load_explicit(&popped, rlx);
#endif
}

static void popper(int me) {
  (void)me;
  for (int i = 0; i < 2; i++) {
    struct node *node = atomic_exchange_explicit(&top, NULL, POP);
    if (node) CHECK(node->value > 0);
  }
#ifdef SIZE
  atomic_store_explicit(&popped, 1, rlx);
  kept[1] = atomic_load_explicit(&pushed, rlx);
#endif
}

int main(void) {
  RUN(pusher, popper);
  return 0;
}
