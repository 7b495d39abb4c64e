/* Pairs of threads, each with a bounded ring: one produces, the other consumes. */
#include "bench.h"
#include <stdatomic.h>

#define SLOTS 256

struct ring {
    _Alignas(64) atomic_size_t head;
    _Alignas(64) atomic_size_t tail;
    long slots[SLOTS];
};

static struct ring rings[MOST_THREADS / 2];
static long sums[MOST_THREADS / 2];

static void *body(void *argument) {
    long me = (long)argument;
    struct ring *ring = &rings[me / 2];
    for (long i = 0; i < size; i++) {
        size_t at = (size_t)i % SLOTS;
        if (me % 2 == 0) {
            while ((size_t)i - atomic_load_explicit(&ring->head, memory_order_acquire) == SLOTS)
                sched_yield();
            ring->slots[at] = i;
            atomic_store_explicit(&ring->tail, (size_t)i + 1, memory_order_release);
        } else {
            while (atomic_load_explicit(&ring->tail, memory_order_acquire) == (size_t)i)
                sched_yield();
            sums[me / 2] += ring->slots[at];
            atomic_store_explicit(&ring->head, (size_t)i + 1, memory_order_release);
        }
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    threads += threads % 2;
    run_threads(body);
    for (int i = 0; i < threads / 2; i++)
        CHECK(sums[i] == size * (size - 1) / 2);
    return 0;
}
