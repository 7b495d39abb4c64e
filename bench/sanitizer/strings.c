/* Copying, comparing and searching of strings and buffers. */
#include "bench.h"

static void *body(void *argument) {
    enum { LENGTH = 4096 };
    char *text = malloc(LENGTH), *copy = malloc(LENGTH), *work = malloc(2 * LENGTH);
    uint64_t random = seed_of((long)argument);
    for (int i = 0; i < LENGTH - 1; i++)
        text[i] = (char)('a' + next_random(&random) % 20);
    text[LENGTH - 1] = 0;
    for (long i = 0; i < size; i++) {
        size_t length = 64 + next_random(&random) % (LENGTH - 65);
        memset(copy, 'z', LENGTH);
        memcpy(copy, text, length);
        copy[length] = 0;
        CHECK(strlen(copy) == length && strncmp(copy, text, length) == 0);
        CHECK(strchr(copy, 'z') == NULL);
        strcpy(work, copy);
        memmove(work + 32, work, length + 1);
        CHECK(memcmp(work + 32, text, length) == 0);
        long spaces = 0;
        for (size_t j = 0; j < length; j += 16)
            spaces += work[j] == ' ';
        CHECK(spaces == 0);
    }
    free(text);
    free(copy);
    free(work);
    return NULL;
}

int main(int count, char **words) {
    arguments(count, words);
    run_threads(body);
    return 0;
}
