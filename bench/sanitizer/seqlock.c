/* A sequence lock around four words; thread 0 writes, the others read. */
#include "bench.h"
#include <stdatomic.h>

#define WORDS 4

static _Alignas(64) atomic_uint sequence;
static _Alignas(64) atomic_long data[WORDS];

static void write_all(long value) {
    unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_exchange_explicit(&sequence, before + 1, memory_order_acq_rel);
    for (int i = 0; i < WORDS; i++)
        atomic_store_explicit(&data[i], value, memory_order_release);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
}

static long read_all(void) {
    for (;;) {
        long values[WORDS];
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
        for (int i = 0; i < WORDS; i++)
            values[i] = atomic_load_explicit(&data[i], memory_order_acquire);
        if (before % 2 == 0 && atomic_load_explicit(&sequence, memory_order_acquire) == before) {
            for (int i = 1; i < WORDS; i++)
                CHECK(values[i] == values[0]);
            return values[0];
        }
        sched_yield();
    }
}

static void *body(void *argument) {
    long last = 0;
    for (long i = 1; i <= size; i++) {
        if (argument == NULL) {
            if (i % 8 == 0)
                write_all(i);
        } else {
            long value = read_all();
            CHECK(value >= last);
            last = value;
        }
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    CHECK(read_all() == size / 8 * 8);
    return 0;
}
