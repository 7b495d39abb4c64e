// Chase and Lev's deque, as a small test: the owner pushes two numbers and takes one, a thief tries to
// steal two, and nobody gets a number twice.
// every schedule: exhausted
// every schedule -DWEAK: bug
// says: not robust
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef WEAK
#define LOWER memory_order_release
#else
#define LOWER memory_order_seq_cst
#endif

#define SLOTS 4

static atomic_long top, bottom, slots[SLOTS];
static long taken, stolen[2];

static void push(long value) {
  long at = atomic_load_explicit(&bottom, memory_order_relaxed);
  atomic_store_explicit(&slots[at % SLOTS], value, memory_order_release);
  atomic_store(&bottom, at + 1);
}

static long take(void) {
  long at = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
  atomic_store_explicit(&bottom, at, LOWER);
  long first = atomic_load(&top), value = 0;
  if (first <= at) value = atomic_load_explicit(&slots[at % SLOTS], memory_order_acquire);
  if (first >= at) {
    if (first == at && !atomic_compare_exchange_strong(&top, &first, first + 1)) value = 0;
    atomic_store(&bottom, at + 1);
  }
  return value;
}

static long steal(void) {
  long first = atomic_load(&top);
  if (first >= atomic_load(&bottom)) return 0;
  long value = atomic_load_explicit(&slots[first % SLOTS], memory_order_acquire);
  return atomic_compare_exchange_strong(&top, &first, first + 1) ? value : 0;
}

static void *thief(void *unused) {
  for (int i = 0; i < 2; i++) stolen[i] = steal();
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, thief, NULL);
  push(1);
  push(2);
  taken = take();
  pthread_join(thread, NULL);
  for (int i = 0; i < 2; i++) assert(stolen[i] == 0 || stolen[i] != taken);
}
