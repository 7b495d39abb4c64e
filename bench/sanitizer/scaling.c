/* For the plots: a fixed number of accesses, shared among threads, over a number of atomic locations.
   `PROGRAM THREADS ACCESSES LOCATIONS`. A third of each: acquire loads, release stores to locations of one's own, acq_rel updates. */
#include "bench.h"
#include <stdatomic.h>

static long locations;
static atomic_long *shared;
static long updates[MOST_THREADS];

static void *body(void *argument) {
    long me = (long)argument, seen = 0;
    uint64_t random = seed_of(me);
    for (long i = 0; i < size / threads; i++) {
        long at = (long)(next_random(&random) % (uint64_t)locations);
        switch (i % 3) {
        case 0:
            seen += atomic_load_explicit(&shared[2 * at], memory_order_acquire) >= 0;
            break;
        case 1:
            /* The odd ones are written by one thread each. */
            at -= at % threads;
            at = at + me < locations ? at + me : me;
            if (at < locations)
                atomic_store_explicit(&shared[2 * at + 1], i, memory_order_release);
            break;
        default:
            atomic_fetch_add_explicit(&shared[2 * at], 1, memory_order_acq_rel);
            updates[me]++;
        }
    }
    CHECK(seen == (size / threads + 2) / 3);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    CHECK(count > 3);
    locations = (atol(words[3]) + 1) / 2;
    shared = calloc((size_t)locations * 2, sizeof *shared);
    run_threads(body);
    long sum = 0, expected = 0;
    for (long i = 0; i < locations; i++)
        sum += atomic_load(&shared[2 * i]);
    for (int i = 0; i < threads; i++)
        expected += updates[i];
    CHECK(sum == expected);
    free(shared);
    return 0;
}
