/* A bounded queue with a sequence number in each cell; every thread produces and consumes. */
#include "bench.h"
#include <stdatomic.h>
#include <stdbool.h>

#define CELLS 1024

struct cell {
    atomic_size_t sequence;
    long value;
};

static struct cell cells[CELLS];
static _Alignas(64) atomic_size_t tail;
static _Alignas(64) atomic_size_t head;
static long sums[MOST_THREADS];

static bool push(long value) {
    size_t at = atomic_load_explicit(&tail, memory_order_relaxed);
    for (;;) {
        struct cell *cell = &cells[at % CELLS];
        size_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        if (sequence == at) {
            if (atomic_compare_exchange_weak_explicit(&tail, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
                cell->value = value;
                atomic_store_explicit(&cell->sequence, at + 1, memory_order_release);
                return true;
            }
        } else if ((intptr_t)(sequence - at) < 0) {
            return false;
        } else {
            at = atomic_load_explicit(&tail, memory_order_relaxed);
        }
    }
}

static bool pop(long *value) {
    size_t at = atomic_load_explicit(&head, memory_order_relaxed);
    for (;;) {
        struct cell *cell = &cells[at % CELLS];
        size_t sequence = atomic_load_explicit(&cell->sequence, memory_order_acquire);
        if (sequence == at + 1) {
            if (atomic_compare_exchange_weak_explicit(&head, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
                *value = cell->value;
                atomic_store_explicit(&cell->sequence, at + CELLS, memory_order_release);
                return true;
            }
        } else if ((intptr_t)(sequence - (at + 1)) < 0) {
            return false;
        } else {
            at = atomic_load_explicit(&head, memory_order_relaxed);
        }
    }
}

static void *body(void *argument) {
    long me = (long)argument;
    for (long i = 0; i < size; i++) {
        long value;
        while (!push(i))
            sched_yield();
        while (!pop(&value))
            sched_yield();
        sums[me] += value;
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    for (size_t i = 0; i < CELLS; i++)
        atomic_store_explicit(&cells[i].sequence, i, memory_order_relaxed);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < threads; i++)
        sum += sums[i];
    CHECK(sum == threads * (size * (size - 1) / 2));
    return 0;
}
