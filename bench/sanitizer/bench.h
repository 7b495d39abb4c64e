/* What every program of the suite needs: its two arguments, threads, a way to fail. */
#ifndef BENCH_H
#define BENCH_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 256

/* Fails the program when its own result is wrong. */
#define CHECK(condition)                                                      \
    do {                                                                      \
        if (!(condition)) {                                                   \
            fprintf(stderr, "%s:%d: wrong: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                          \
        }                                                                     \
    } while (0)

static int threads;
static long size;

/* `PROGRAM THREADS SIZE`. */
static inline void arguments(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: %s THREADS SIZE\n", words[0]);
        exit(2);
    }
    threads = atoi(words[1]);
    size = atol(words[2]);
    CHECK(threads > 0 && threads <= MOST_THREADS && size > 0);
}

/* Runs `body(0)` .. `body(threads - 1)`, each in a thread of its own, to the end. */
static inline void run_threads(void *(*body)(void *)) {
    pthread_t running[MOST_THREADS];
    for (long i = 0; i < threads; i++)
        CHECK(pthread_create(&running[i], NULL, body, (void *)i) == 0);
    for (int i = 0; i < threads; i++)
        pthread_join(running[i], NULL);
}

/* A generator for each thread. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return *state = x;
}

static inline uint64_t seed_of(long thread) { return 0x9e3779b97f4a7c15u * (uint64_t)(thread + 1); }

#endif
