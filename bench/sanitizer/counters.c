/* Statistics: relaxed and release counters, shared by all threads. */
#include "bench.h"
#include <stdatomic.h>

#define COUNTERS 32

static struct {
    _Alignas(64) atomic_long value;
} counters[COUNTERS];

static void *body(void *argument) {
    uint64_t random = seed_of((long)argument);
    for (long i = 0; i < size; i++) {
        uint64_t choice = next_random(&random);
        atomic_long *counter = &counters[choice % COUNTERS].value;
        if (choice >> 32 & 1)
            atomic_fetch_add_explicit(counter, 1, memory_order_acq_rel);
        else
            atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < COUNTERS; i++)
        sum += atomic_load(&counters[i].value);
    CHECK(sum == threads * size);
    return 0;
}
