/* A hash map with a mutex for each of its stripes. */
#include "bench.h"

#define STRIPES 16
#define BUCKETS 4096

struct entry {
    struct entry *next;
    uint64_t key;
    long value;
};

static struct {
    _Alignas(64) pthread_mutex_t lock;
} stripes[STRIPES];
static struct entry *buckets[BUCKETS];

static void add(uint64_t key) {
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 52) % BUCKETS;
    pthread_mutex_lock(&stripes[at % STRIPES].lock);
    struct entry *entry = buckets[at];
    while (entry && entry->key != key)
        entry = entry->next;
    if (!entry) {
        entry = malloc(sizeof *entry);
        *entry = (struct entry){buckets[at], key, 0};
        buckets[at] = entry;
    }
    entry->value++;
    pthread_mutex_unlock(&stripes[at % STRIPES].lock);
}

static void *body(void *argument) {
    uint64_t random = seed_of((long)argument);
    for (long i = 0; i < size; i++)
        add(next_random(&random) % 20000);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripes[i].lock, NULL);
    run_threads(body);
    long sum = 0;
    for (int i = 0; i < BUCKETS; i++)
        for (struct entry *entry = buckets[i]; entry; entry = entry->next)
            sum += entry->value;
    CHECK(sum == threads * size);
    return 0;
}
