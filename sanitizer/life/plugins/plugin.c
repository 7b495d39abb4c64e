/* The library that dlopen.c and dlopen-race.c load. */
#include <stdatomic.h>

static _Atomic int sum;
int calls, races;

int add(int value);
void race(void);

int add(int value) {
  static atomic_flag lock = ATOMIC_FLAG_INIT;
  int result;
  while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) continue;
  calls++;
  result = atomic_fetch_add_explicit(&sum, value, memory_order_relaxed);
  atomic_flag_clear_explicit(&lock, memory_order_release);
  return result + value;
}

void race(void) { races++; }
