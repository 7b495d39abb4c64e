// atomic_queue: queues of atomic elements, and of others; with one producer and consumer, and with many.
#include "client.hpp"
#include <atomic_queue/atomic_queue.h>

int main(int count, char **words) {
    Load load = arguments(count, words);
    {
        static atomic_queue::AtomicQueue<long, 64> queue;
        many_to_many(load, "AtomicQueue", [&](long value) { return queue.try_push(value); }, [&](long &value) { return queue.try_pop(value); });
    }
    {
        static atomic_queue::AtomicQueue2<long, 64> queue;
        many_to_many(load, "AtomicQueue2", [&](long value) { return queue.try_push(value); }, [&](long &value) { return queue.try_pop(value); });
    }
    {
        static atomic_queue::AtomicQueue<long, 64, 0L, true, true, false, true> queue;
        one_to_one(load, "AtomicQueue, one to one", [&](long value) { return queue.try_push(value); }, [&](long &value) { return queue.try_pop(value); });
    }
    return 0;
}
