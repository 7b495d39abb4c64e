/* For the plots: message passing between two threads, with many writes to other locations in between.
   `PROGRAM THREADS WRITES`. What is kept about the run must not grow with the number of writes. */
#include "bench.h"
#include <stdatomic.h>

static atomic_long data, noise[64], flag;

static void *body(void *argument) {
    if ((long)argument == 0) {
        atomic_store_explicit(&data, 42, memory_order_relaxed);
        for (long i = 0; i < size; i++)
            atomic_store_explicit(&noise[i % 64], i, memory_order_release);
        atomic_store_explicit(&flag, 1, memory_order_release);
    } else {
        while (!atomic_load_explicit(&flag, memory_order_acquire))
            sched_yield();
        CHECK(atomic_load_explicit(&data, memory_order_relaxed) == 42);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    threads = 2;
    run_threads(body);
    long written = 0;
    for (int i = 0; i < 64; i++)
        written += atomic_load_explicit(&noise[i], memory_order_relaxed) > 0;
    CHECK(written == (size - 1 < 64 ? size - 1 : 64));
    return 0;
}
