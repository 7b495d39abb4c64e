/* A sorted table behind a reader-writer lock: binary searches, and an update now and then. */
#include "bench.h"

#define ENTRIES 1024

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long keys[ENTRIES], values[ENTRIES];
static long found[MOST_THREADS];

static int search(long key) {
    int low = 0, high = ENTRIES;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (keys[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void *body(void *argument) {
    long me = (long)argument;
    uint64_t random = seed_of(me);
    for (long i = 0; i < size; i++) {
        long key = (long)(next_random(&random) % ENTRIES) * 3;
        if (i % 32 == 0) {
            pthread_rwlock_wrlock(&lock);
            values[search(key)]++;
        } else {
            pthread_rwlock_rdlock(&lock);
            found[me] += keys[search(key)] == key;
        }
        pthread_rwlock_unlock(&lock);
    }
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    for (int i = 0; i < ENTRIES; i++)
        keys[i] = 3 * i;
    run_threads(body);
    long written = 0, read = 0;
    for (int i = 0; i < ENTRIES; i++)
        written += values[i];
    for (int i = 0; i < threads; i++)
        read += found[i];
    CHECK(written == threads * ((size + 31) / 32));
    CHECK(written + read == threads * size);
    return 0;
}
