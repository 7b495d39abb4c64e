/* A bounded buffer with a mutex and two condition variables; pairs of producers and consumers. */
#include "bench.h"

#define SLOTS 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static long slots[SLOTS], head, tail, sum;

static void *body(void *argument) {
    for (long i = 0; i < size; i++) {
        pthread_mutex_lock(&lock);
        if ((long)argument % 2 == 0) {
            while (tail - head == SLOTS)
                pthread_cond_wait(&not_full, &lock);
            slots[tail++ % SLOTS] = i;
            pthread_cond_signal(&not_empty);
        } else {
            while (tail == head)
                pthread_cond_wait(&not_empty, &lock);
            sum += slots[head++ % SLOTS];
            pthread_cond_signal(&not_full);
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    threads += threads % 2;
    run_threads(body);
    CHECK(sum == threads / 2 * (size * (size - 1) / 2));
    return 0;
}
