/* Small allocations that live for a while; some are freed by another thread. */
#include "bench.h"

#define KEPT 512

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char *exchange[64];

static void *body(void *argument) {
    unsigned char *kept[KEPT] = {0};
    uint64_t random = seed_of((long)argument);
    for (long i = 0; i < size; i++) {
        size_t at = next_random(&random) % KEPT, length = 16 + next_random(&random) % 240;
        unsigned char *fresh = malloc(length);
        fresh[0] = (unsigned char)length;
        fresh[length - 1] = (unsigned char)at;
        unsigned char *old = kept[at];
        kept[at] = fresh;
        if (old && i % 16 == 0) {
            pthread_mutex_lock(&lock);
            unsigned char *other = exchange[at % 64];
            exchange[at % 64] = old;
            pthread_mutex_unlock(&lock);
            old = other;
        }
        if (old)
            CHECK(old[0] >= 16);
        free(old);
    }
    for (int i = 0; i < KEPT; i++)
        free(kept[i]);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    for (int i = 0; i < 64; i++)
        free(exchange[i]);
    return 0;
}
