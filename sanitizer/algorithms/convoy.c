// A bounded queue by tickets, whose threads all spin: there are more of them than processors. Whoever waits gives its
// processor away after a while, or each of them would use up its time slice before the next one moves.
// expect: anything
// run: --schedule os --runs 3 -- 2
// run: --schedule random --seeds 0..10 -- 2
#include "../threads.h"

#define SIZE 4
#define ITEMS 20

static struct {
  _Atomic size_t turn;
  int value;
} slots[SIZE];
static _Atomic size_t head, tail;
static _Atomic int sum;

static void push(int value) {
  const size_t ticket = atomic_fetch_add_explicit(&tail, 1, rlx);
  while (atomic_load_explicit(&slots[ticket % SIZE].turn, acq) != ticket) {
  }
  slots[ticket % SIZE].value = value;
  atomic_store_explicit(&slots[ticket % SIZE].turn, ticket + 1, rel);
}

static int pop(void) {
  const size_t ticket = atomic_fetch_add_explicit(&head, 1, rlx);
  while (atomic_load_explicit(&slots[ticket % SIZE].turn, acq) != ticket + 1) {
  }
  const int value = slots[ticket % SIZE].value;
  atomic_store_explicit(&slots[ticket % SIZE].turn, ticket + SIZE, rel);
  return value;
}

static void work(int me) {
  for (int i = 0; i < ITEMS; i++) {
    if (me % 2 == 0) {
      push(1);
    } else {
      atomic_fetch_add_explicit(&sum, pop(), rlx);
    }
  }
}

int main(int argc, char **argv) {
  const int pairs = argument_or(argc, argv, 2);
  for (size_t i = 0; i < SIZE; i++) atomic_init(&slots[i].turn, i);
  run_all(2 * pairs, work);
  CHECK(sum == pairs * ITEMS);
  return 0;
}
