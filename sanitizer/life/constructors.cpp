// Threads that are started before main and end after it, by objects with static storage.
// expect: silent
#include <atomic>
#include <thread>

static std::atomic<int> count;
int plain;

struct Worker {
  std::atomic<bool> stop{false};
  std::thread thread;
  Worker()
      : thread([this] {
          while (!stop.load(std::memory_order_acquire)) std::this_thread::yield();
          plain++;
          count.fetch_add(1);
        }) {}
  ~Worker() {
    stop.store(true, std::memory_order_release);
    thread.join();
    plain++;
  }
};

static Worker first, second;

int main() { return 0; }
