/* Publishing by pointer: readers announce the epoch they read in, the writer reuses what nobody can hold any more. */
#include "bench.h"
#include <stdatomic.h>

#define WORDS 16

struct version {
    long words[WORDS];
};

static _Atomic(struct version *) current;
static _Alignas(64) atomic_ulong epoch;
static struct {
    _Alignas(64) atomic_ulong epoch; /* 0: not reading */
} readers[MOST_THREADS];

static void write_version(struct version **spare, long value) {
    for (int i = 0; i < WORDS; i++)
        (*spare)->words[i] = value;
    *spare = atomic_exchange_explicit(&current, *spare, memory_order_seq_cst);
    unsigned long now = atomic_fetch_add_explicit(&epoch, 1, memory_order_seq_cst) + 1;
    for (int i = 1; i < threads; i++) {
        for (;;) {
            unsigned long seen = atomic_load_explicit(&readers[i].epoch, memory_order_seq_cst);
            if (seen == 0 || seen >= now)
                break;
            sched_yield();
        }
    }
}

static long read_version(long me) {
    unsigned long now = atomic_load_explicit(&epoch, memory_order_seq_cst);
    atomic_store_explicit(&readers[me].epoch, now, memory_order_seq_cst);
    struct version *version = atomic_load_explicit(&current, memory_order_seq_cst);
    long value = version->words[0];
    for (int i = 1; i < WORDS; i++)
        CHECK(version->words[i] == value);
    atomic_store_explicit(&readers[me].epoch, 0, memory_order_seq_cst);
    return value;
}

static void *body(void *argument) {
    long me = (long)argument, last = 0;
    struct version *spare = calloc(1, sizeof *spare);
    for (long i = 1; i <= size; i++) {
        if (me == 0) {
            if (i % 8 == 0)
                write_version(&spare, i);
        } else {
            long value = read_version(me);
            CHECK(value >= last);
            last = value;
        }
    }
    free(spare);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    atomic_store(&epoch, 1);
    atomic_store(&current, calloc(1, sizeof(struct version)));
    run_threads(body);
    CHECK(atomic_load(&current)->words[0] == size / 8 * 8);
    return 0;
}
