/* A counter and a small table behind a spin lock. */
#include "bench.h"
#include <stdatomic.h>

static atomic_int taken;

static void lock(long me) {
    (void)me;
    while (atomic_exchange_explicit(&taken, 1, memory_order_acquire))
        while (atomic_load_explicit(&taken, memory_order_relaxed))
            sched_yield();
}

static void unlock(long me) {
    (void)me;
    atomic_store_explicit(&taken, 0, memory_order_release);
}

#include "locked_counter.h"
