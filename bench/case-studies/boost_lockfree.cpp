// Boost.Lockfree: queue, stack and ring, one after the other.
#include "client.hpp"
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

int main(int count, char **words) {
    Load load = arguments(count, words);
    {
        boost::lockfree::queue<long> queue(64);
        many_to_many(load, "queue", [&](long value) { return queue.push(value); }, [&](long &value) { return queue.pop(value); });
    }
    {
        boost::lockfree::stack<long> stack(64);
        many_to_many(load, "stack", [&](long value) { return stack.push(value); }, [&](long &value) { return stack.pop(value); });
    }
    {
        boost::lockfree::spsc_queue<long> ring(64);
        one_to_one(load, "ring", [&](long value) { return ring.push(value); }, [&](long &value) { return ring.pop(value); });
    }
    return 0;
}
