// std::thread, std::mutex and std::shared_ptr: readers take references to a list that is replaced now and then.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Store {
    std::mutex lock;
    std::shared_ptr<const std::vector<long>> newest = std::make_shared<std::vector<long>>(64, 0L);

    std::shared_ptr<const std::vector<long>> get() {
        std::lock_guard<std::mutex> guard(lock);
        return newest;
    }

    void set(std::shared_ptr<const std::vector<long>> next) {
        std::lock_guard<std::mutex> guard(lock);
        newest = std::move(next);
    }
};

int main(int count, char **words) {
    if (count < 3) {
        std::fprintf(stderr, "usage: %s THREADS SIZE\n", words[0]);
        return 2;
    }
    int threads = std::atoi(words[1]);
    long size = std::atol(words[2]);
    Store store;
    std::vector<std::thread> running;
    for (int me = 0; me < threads; me++) {
        running.emplace_back([&store, me, size] {
            for (long i = 1; i <= size; i++) {
                auto list = store.get();
                auto second = list;
                for (long value : *second)
                    if (value != list->front())
                        std::abort();
                if (me == 0 && i % 16 == 0)
                    store.set(std::make_shared<std::vector<long>>(64, i));
            }
        });
    }
    for (auto &thread : running)
        thread.join();
    return store.get()->front() == size / 16 * 16 ? 0 : 1;
}
