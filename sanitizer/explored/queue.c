// Michael and Scott's queue, as a small test: one thread puts in, another one takes out what is there.
// every schedule: exhausted
// every schedule -DWEAK: bug
// says: data race
// weak executions: exhausted
// weak executions -DWEAK: bug
// says: data race
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define LINK memory_order_relaxed
#else
#define LINK memory_order_seq_cst
#endif

static struct {
  int value;
  atomic_int next;
} nodes[4];
static atomic_int head, tail;

static void put(int node, int value) {
  nodes[node].value = value;
  for (;;) {
    int last = atomic_load(&tail), next = atomic_load(&nodes[last].next);
    if (next != 0) {
      atomic_compare_exchange_strong(&tail, &last, next);
    } else if (atomic_compare_exchange_strong_explicit(&nodes[last].next, &next, node, LINK,
                                                       memory_order_relaxed)) {
      atomic_compare_exchange_strong(&tail, &last, node);
      return;
    }
  }
}

static int get(void) {
  for (;;) {
    int first = atomic_load(&head), last = atomic_load(&tail);
    int next = atomic_load(&nodes[first].next);
    if (next == 0) return 0;
    if (first == last) {
      atomic_compare_exchange_strong(&tail, &last, next);
    } else if (atomic_compare_exchange_strong(&head, &first, next)) {
      return nodes[next].value;
    }
  }
}

static void *puts_in(void *unused) {
  put(1, 10);
  put(2, 20);
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, puts_in, NULL);
  int one = get(), other = get();
  pthread_join(thread, NULL);
  assert(one == 0 || one == 10);
  assert(other == 0 || other == (one == 10 ? 20 : 10));
}
