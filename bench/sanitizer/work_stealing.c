/* Chase and Lev's deque, seq_cst: thread 0 pushes and takes, the others steal. */
#include "bench.h"
#include <stdatomic.h>

#define SLOTS 1024

static _Alignas(64) atomic_long top;
static _Alignas(64) atomic_long bottom;
static atomic_long slots[SLOTS];
static _Alignas(64) atomic_int finished;
static struct {
    _Alignas(64) long sum;
} sums[MOST_THREADS];

static int push(long value) {
    long at = atomic_load_explicit(&bottom, memory_order_relaxed);
    if (at - atomic_load_explicit(&top, memory_order_acquire) == SLOTS)
        return 0;
    atomic_store_explicit(&slots[at % SLOTS], value, memory_order_release);
    atomic_store_explicit(&bottom, at + 1, memory_order_seq_cst);
    return 1;
}

static int take(long *value) {
    long at = atomic_load_explicit(&bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&bottom, at, memory_order_seq_cst);
    long first = atomic_load_explicit(&top, memory_order_seq_cst);
    int got = first <= at;
    if (got)
        *value = atomic_load_explicit(&slots[at % SLOTS], memory_order_acquire);
    if (first >= at) {
        if (first == at)
            got = atomic_compare_exchange_strong(&top, &first, first + 1);
        atomic_store_explicit(&bottom, at + 1, memory_order_seq_cst);
    }
    return got;
}

static int steal(long *value) {
    long first = atomic_load_explicit(&top, memory_order_seq_cst);
    if (first >= atomic_load_explicit(&bottom, memory_order_seq_cst))
        return 0;
    *value = atomic_load_explicit(&slots[first % SLOTS], memory_order_acquire);
    return atomic_compare_exchange_strong(&top, &first, first + 1);
}

/* Some work for each task. */
static long work(long value) {
    long result = 0;
    for (long i = 0; i < 16; i++)
        result += (value ^ i) & 7;
    return value + (result & 0);
}

static void *body(void *argument) {
    long me = (long)argument, value;
    if (me == 0) {
        for (long i = 1; i <= size; i++) {
            while (!push(i))
                if (take(&value))
                    sums[0].sum += work(value);
            if (i % 4 == 0 && take(&value))
                sums[0].sum += work(value);
        }
        while (atomic_load(&bottom) > atomic_load(&top))
            if (take(&value))
                sums[0].sum += work(value);
        atomic_store(&finished, 1);
        return NULL;
    }
    while (!atomic_load_explicit(&finished, memory_order_acquire)) {
        if (steal(&value))
            sums[me].sum += work(value);
        else
            sched_yield();
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < threads; i++)
        sum += sums[i].sum;
    CHECK(sum == size * (size + 1) / 2);
    return 0;
}
