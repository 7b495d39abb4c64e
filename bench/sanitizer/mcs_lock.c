/* A counter and a small table behind a mcs lock. */
#include "bench.h"
#include <stdatomic.h>

struct node {
    _Alignas(64) _Atomic(struct node *) next;
    atomic_int waiting;
};

static struct node nodes[MOST_THREADS];
static _Atomic(struct node *) last;

static void lock(long me) {
    struct node *mine = &nodes[me];
    atomic_store_explicit(&mine->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&mine->waiting, 1, memory_order_relaxed);
    struct node *before = atomic_exchange_explicit(&last, mine, memory_order_acq_rel);
    if (before == NULL)
        return;
    atomic_store_explicit(&before->next, mine, memory_order_release);
    while (atomic_load_explicit(&mine->waiting, memory_order_acquire))
        sched_yield();
}

static void unlock(long me) {
    struct node *mine = &nodes[me];
    struct node *expected = mine;
    if (atomic_load_explicit(&mine->next, memory_order_acquire) == NULL) {
        if (atomic_compare_exchange_strong_explicit(&last, &expected, NULL, memory_order_acq_rel, memory_order_relaxed))
            return;
        while (atomic_load_explicit(&mine->next, memory_order_acquire) == NULL)
            sched_yield();
    }
    struct node *after = atomic_load_explicit(&mine->next, memory_order_acquire);
    atomic_store_explicit(&after->waiting, 0, memory_order_release);
}

#include "locked_counter.h"
