/* Lamport's fast mutual exclusion. */
#include "fig7.h"

static atomic_int x, y, busy[MOST_THREADS + 1];

static void lock(int me) {
    for (;;) {
        atomic_store_explicit(&busy[me], 1, WRITE);
        atomic_store_explicit(&x, me, WRITE);
        if (atomic_load_explicit(&y, READ) != 0) {
            atomic_store_explicit(&busy[me], 0, WRITE);
            while (atomic_load_explicit(&y, READ) != 0)
                sched_yield();
            continue;
        }
        atomic_store_explicit(&y, me, WRITE);
        if (atomic_load_explicit(&x, READ) == me)
            return;
        atomic_store_explicit(&busy[me], 0, WRITE);
        for (int i = 1; i <= threads; i++)
            while (atomic_load_explicit(&busy[i], READ))
                sched_yield();
        if (atomic_load_explicit(&y, READ) == me)
            return;
        while (atomic_load_explicit(&y, READ) != 0)
            sched_yield();
    }
}

static void *body(void *argument) {
    int me = (int)(long)argument + 1;
    for (long i = 0; i < size; i++) {
        lock(me);
        critical_section();
        atomic_store_explicit(&y, 0, WRITE);
        atomic_store_explicit(&busy[me], 0, WRITE);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    CHECK(inside == threads * size);
    return 0;
}
