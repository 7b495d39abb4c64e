// concurrentqueue: the queue with implicit producers.
#include "client.hpp"
#include <concurrentqueue/concurrentqueue.h>

int main(int count, char **words) {
    moodycamel::ConcurrentQueue<long> queue(64);
    many_to_many(arguments(count, words), "queue", [&](long value) { return queue.enqueue(value); }, [&](long &value) { return queue.try_dequeue(value); });
    return 0;
}
