// A queue with a mutex and a condition, in C++.
// every schedule: exhausted
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>

static std::mutex mutex;
static std::condition_variable condition;
static std::queue<int> items;

static int take() {
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return !items.empty(); });
  const int item = items.front();
  items.pop();
  return item;
}

static void put(int item) {
  {
    std::lock_guard lock(mutex);
    items.push(item);
  }
  condition.notify_one();
}

int main() {
  int taken = 0;
  std::thread thread([&] { taken = take() + take(); });
  put(1);
  put(2);
  thread.join();
  assert(taken == 3);
}
