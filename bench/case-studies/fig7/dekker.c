/* Dekker's algorithm, one lock for each pair of threads. With release and acquire only, a thread may miss the other's
   flag. */
#include "fig7.h"

static struct pair {
    atomic_int wants[2];
    atomic_int turn;
    long inside;
} pairs[MOST_THREADS / 2];

static void *body(void *argument) {
    struct pair *pair = &pairs[(long)argument / 2];
    int me = (long)argument % 2, other = 1 - me;
    for (long i = 0; i < size; i++) {
        atomic_store_explicit(&pair->wants[me], 1, WRITE);
        while (atomic_load_explicit(&pair->wants[other], READ)) {
            if (atomic_load_explicit(&pair->turn, READ) != me) {
                atomic_store_explicit(&pair->wants[me], 0, WRITE);
                while (atomic_load_explicit(&pair->turn, READ) != me)
                    sched_yield();
                atomic_store_explicit(&pair->wants[me], 1, WRITE);
            }
            sched_yield();
        }
        pair->inside++;
        atomic_store_explicit(&pair->turn, other, WRITE);
        atomic_store_explicit(&pair->wants[me], 0, WRITE);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < (threads + 1) / 2; i++)
        sum += pairs[i].inside;
    CHECK(sum == threads * size);
    return 0;
}
