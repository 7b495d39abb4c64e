/* Each thread sorts its part of an array, then one merges. */
#include "bench.h"

static long *numbers, *sorted;

static void merge(long *from, long *to, long middle, long end) {
    long left = 0, right = middle;
    for (long i = 0; i < end; i++)
        to[i] = right >= end || (left < middle && from[left] <= from[right]) ? from[left++] : from[right++];
}

static void merge_sort(long *part, long *aside, long length) {
    if (length < 2)
        return;
    merge_sort(part, aside, length / 2);
    merge_sort(part + length / 2, aside + length / 2, length - length / 2);
    merge(part, aside, length / 2, length);
    memcpy(part, aside, (size_t)length * sizeof *part);
}

static void *body(void *argument) {
    long me = (long)argument, begin = size * me / threads, end = size * (me + 1) / threads;
    merge_sort(numbers + begin, sorted + begin, end - begin);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    numbers = malloc((size_t)size * sizeof *numbers);
    sorted = malloc((size_t)size * sizeof *sorted);
    uint64_t random = seed_of(0);
    long before = 0, after = 0;
    for (long i = 0; i < size; i++)
        before += numbers[i] = (long)(next_random(&random) >> 1 & 0xffffffff);
    run_threads(body);
    for (int part = 1; part < threads; part++) {
        merge(numbers, sorted, size * part / threads, size * (part + 1) / threads);
        memcpy(numbers, sorted, (size_t)(size * (part + 1) / threads) * sizeof *numbers);
    }
    for (long i = 0; i < size; i++) {
        CHECK(i == 0 || numbers[i - 1] <= numbers[i]);
        after += numbers[i];
    }
    CHECK(before == after);
    return 0;
}
