// Thread-local objects with destructors, which run when the thread is all but gone and still use locks and
// atomics.
// expect: silent
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static int destroyed;
static std::atomic<int> alive;

struct Local {
  std::string text = "thread-local text that is too long for its own buffer";
  Local() { alive.fetch_add(1, std::memory_order_acq_rel); }
  ~Local() {
    std::lock_guard<std::mutex> guard(mutex);
    destroyed++;
    alive.fetch_sub(1, std::memory_order_acq_rel);
  }
};

static thread_local Local local;

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; i++) threads.emplace_back([] { local.text += "!"; });
  for (auto &thread : threads) thread.join();
  return destroyed == 5 && alive.load() == 0 ? 0 : 1;
}
