// Double-checked locking: the pointer must be published with a release and looked at with an acquire.
// case right: -DSTORE=std::memory_order_release -DLOAD=std::memory_order_acquire
// expect: silent
// twin: litmus/algorithms/singleton.fp
// case wrong: -DSTORE=std::memory_order_relaxed -DLOAD=std::memory_order_relaxed
// expect: race of heap
// allow: race
// run: --schedule random --seeds 0..50
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

struct Object {
  int value = 42;
};

static std::atomic<Object *> instance;
static std::mutex mutex;

static Object *get() {
  Object *object = instance.load(LOAD);
  if (!object) {
    std::lock_guard<std::mutex> guard(mutex);
    object = instance.load(std::memory_order_relaxed);
    if (!object) {
      object = new Object;
      instance.store(object, STORE);
    }
  }
  return object;
}

int main() {
  std::vector<std::thread> threads;
  std::atomic<int> sum{0};
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&] { sum.fetch_add(get()->value, std::memory_order_relaxed); });
  for (auto &thread : threads) thread.join();
  delete instance.load();
  return sum == 4 * 42 ? 0 : 1;
}
