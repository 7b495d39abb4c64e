/* A sequence lock after Boehm: the writer's stores are relaxed behind a release fence, the reader has an acquire fence
   before its second look at the number. Reads may be stale, but then the second look shows it: the program is not
   robust, although it is correct. */
#include "fig7.h"

#ifdef ROBUST
#define DATA_READ memory_order_acquire
#define DATA_WRITE memory_order_release
#else
#define DATA_READ memory_order_relaxed
#define DATA_WRITE memory_order_relaxed
#endif

static atomic_uint sequence;
static atomic_long first, second;

static void write_both(long value) {
    unsigned before;
    do
        before = atomic_load_explicit(&sequence, DATA_READ) & ~1u;
    while (!atomic_compare_exchange_strong_explicit(&sequence, &before, before + 1,
#ifdef ROBUST
                                                    memory_order_acq_rel, memory_order_acquire
#else
                                                    memory_order_acquire, memory_order_relaxed
#endif
                                                    ));
#ifndef ROBUST
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&first, value, DATA_WRITE);
    atomic_store_explicit(&second, value, DATA_WRITE);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
}

static void read_both(void) {
    for (;;) {
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
        if (before % 2 == 1) {
            sched_yield();
            continue;
        }
        long one = atomic_load_explicit(&first, DATA_READ);
        long other = atomic_load_explicit(&second, DATA_READ);
#ifndef ROBUST
        atomic_thread_fence(memory_order_acquire);
#endif
        if (atomic_load_explicit(&sequence, DATA_READ) == before) {
            CHECK(one == other);
            return;
        }
        sched_yield();
    }
}

static void *body(void *argument) {
    long me = (long)argument;
    for (long i = 0; i < size; i++) {
        if (me % 2 == 0)
            write_both(me + 1);
        else
            read_both();
        read_both();
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    return 0;
}
