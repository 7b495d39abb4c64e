// Stress clients for queues: every thread puts numbers in and takes numbers out; nothing may be lost or doubled.
// `PROGRAM THREADS SIZE`.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

struct Load {
    int threads;
    long size;
};

inline Load arguments(int count, char **words) {
    if (count < 3) {
        std::fprintf(stderr, "usage: %s THREADS SIZE\n", words[0]);
        std::exit(2);
    }
    return {std::atoi(words[1]), std::atol(words[2])};
}

inline void check(bool holds, const char *what) {
    if (!holds) {
        std::fprintf(stderr, "wrong: %s\n", what);
        std::exit(1);
    }
}

// Any number of producers and consumers: each thread is both.
template <typename Push, typename Pop>
void many_to_many(Load load, const char *what, Push push, Pop pop) {
    std::vector<long> sums(static_cast<size_t>(load.threads));
    std::vector<std::thread> running;
    for (int me = 0; me < load.threads; me++)
        running.emplace_back([&, me] {
            long sum = 0, value = 0;
            for (long i = 1; i <= load.size; i++) {
                while (!push(i))
                    std::this_thread::yield();
                while (!pop(value))
                    std::this_thread::yield();
                sum += value;
            }
            sums[static_cast<size_t>(me)] = sum;
        });
    for (auto &thread : running)
        thread.join();
    long sum = 0, value = 0;
    for (long part : sums)
        sum += part;
    check(sum == load.threads * (load.size * (load.size + 1) / 2), what);
    check(!pop(value), what);
}

// One producer, one consumer.
template <typename Push, typename Pop>
void one_to_one(Load load, const char *what, Push push, Pop pop) {
    std::thread producer([&] {
        for (long i = 1; i <= load.size; i++)
            while (!push(i))
                std::this_thread::yield();
    });
    std::thread consumer([&] {
        for (long i = 1; i <= load.size; i++) {
            long value = 0;
            while (!pop(value))
                std::this_thread::yield();
            check(value == i, what);
        }
    });
    producer.join();
    consumer.join();
}
