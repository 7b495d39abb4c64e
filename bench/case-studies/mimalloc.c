/* Many threads allocate, keep for a while, hand over to each other and free with mimalloc: `PROGRAM THREADS ROUNDS`.
   In each round all threads are started and ended, so that what they leave behind is taken over as well. */
#include "../sanitizer/bench.h"
#include <mimalloc.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SHARED 1024
#define KEPT 256
#define STEPS 2000

static _Atomic(uint32_t *) shared[SHARED];
static long started;

static uint32_t *allocate(uint64_t *random) {
    uint64_t choice = next_random(random);
    /* Mostly small, sometimes a page, seldom large. */
    size_t words = choice % 256 == 0 ? 4096 : choice % 16 == 0 ? 256 : 4 + choice % 28;
    uint32_t *block = choice >> 60 == 0 ? mi_calloc(words, sizeof *block) : mi_malloc(words * sizeof *block);
    CHECK(block != NULL);
    block[0] = (uint32_t)words;
    block[words - 1] = (uint32_t)words;
    return block;
}

static void release(uint32_t *block) {
    if (block) {
        CHECK(block[block[0] - 1] == block[0]);
        mi_free(block);
    }
}

static void *body(void *argument) {
    uint32_t *kept[KEPT] = {0};
    uint64_t random = seed_of((long)argument + started);
    for (int i = 0; i < STEPS; i++) {
        size_t at = next_random(&random) % KEPT;
        switch (next_random(&random) % 4) {
        case 0:
            release(kept[at]);
            kept[at] = NULL;
            break;
        case 1:
            /* Somebody else frees it. */
            kept[at] = atomic_exchange(&shared[next_random(&random) % SHARED], kept[at]);
            break;
        default:
            release(kept[at]);
            kept[at] = allocate(&random);
        }
    }
    for (int i = 0; i < KEPT; i++)
        if (i % 4 == 0)
            release(atomic_exchange(&shared[next_random(&random) % SHARED], kept[i]));
        else
            release(kept[i]);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    for (long round = 0; round < size; round++) {
        started = round * threads;
        run_threads(body);
    }
    for (int i = 0; i < SHARED; i++)
        release(atomic_load(&shared[i]));
    return 0;
}
