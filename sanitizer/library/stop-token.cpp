// A thread that can be asked to stop, with a callback.
// needs: stop_token
// build: -O1 -std=gnu++20
// case right:
// expect: silent
// case unordered: -DUNORDERED
// expect: race of data at @read and @write
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

int data, seen;
static std::mutex mutex;
static std::condition_variable_any condition;
static bool ready;

int main() {
  std::jthread worker([](std::stop_token stop) {
    std::unique_lock lock(mutex);
    condition.wait(lock, stop, [] { return ready; });
    std::stop_callback callback(stop, [] { seen = data; });  // @read
  });
  data = 1;
#ifndef UNORDERED
  worker.request_stop();
#else
  {
    std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_all();
  worker.request_stop();
  data = 2;  // @write
#endif
}
