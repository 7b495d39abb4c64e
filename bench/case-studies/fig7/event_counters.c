/* Event counters: thread 0 raises a condition and wakes who waits, but only if somebody has said so; the others say so,
   look at the condition again, and wait for the next event. Either side may miss the other. */
#include "fig7.h"

static atomic_long event, waiters, condition;

static void wait_for(long wanted) {
    while (atomic_load_explicit(&condition, READ) < wanted) {
        long seen = atomic_load_explicit(&event, READ);
        atomic_fetch_add_explicit(&waiters, 1, UPDATE);
        if (atomic_load_explicit(&condition, READ) < wanted)
            while (atomic_load_explicit(&event, READ) == seen)
                sched_yield();
        atomic_fetch_sub_explicit(&waiters, 1, UPDATE);
    }
}

static void *body(void *argument) {
    for (long i = 1; i <= size; i++) {
        if (argument == NULL) {
            atomic_store_explicit(&condition, i, WRITE);
            if (atomic_load_explicit(&waiters, READ) != 0)
                atomic_fetch_add_explicit(&event, 1, UPDATE);
        } else {
            wait_for(i);
        }
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    return 0;
}
