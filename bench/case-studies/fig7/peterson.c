/* Peterson's algorithm for any number of threads: a filter of levels, each of which keeps one back. */
#include "fig7.h"

static atomic_int level[MOST_THREADS], last[MOST_THREADS];

static int somebody_else(int me, int at) {
    for (int i = 0; i < threads; i++)
        if (i != me && atomic_load_explicit(&level[i], READ) >= at)
            return 1;
    return 0;
}

static void *body(void *argument) {
    int me = (int)(long)argument;
    for (long i = 0; i < size; i++) {
        for (int at = 1; at < threads; at++) {
            atomic_store_explicit(&level[me], at, WRITE);
            atomic_store_explicit(&last[at], me, WRITE);
            while (atomic_load_explicit(&last[at], READ) == me && somebody_else(me, at))
                sched_yield();
        }
        critical_section();
        atomic_store_explicit(&level[me], 0, WRITE);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    CHECK(inside == threads * size);
    return 0;
}
