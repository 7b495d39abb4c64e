/* A counter and a small table behind a ticket lock. */
#include "bench.h"
#include <stdatomic.h>

static atomic_ulong next_ticket;
static atomic_ulong serving;

static void lock(long me) {
    (void)me;
    unsigned long mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
    while (atomic_load_explicit(&serving, memory_order_acquire) != mine)
        sched_yield();
}

static void unlock(long me) {
    (void)me;
    unsigned long mine = atomic_load_explicit(&serving, memory_order_relaxed);
    atomic_store_explicit(&serving, mine + 1, memory_order_release);
}

#include "locked_counter.h"
