// std::call_once, std::shared_mutex, std::condition_variable, std::async.
// needs: version
// build: -O1 -std=gnu++20
// case right:
// expect: silent
// case outside: -DOUTSIDE
// expect: race of data at @read and @write
// case libc++: -stdlib=libc++
// expect: silent
// case libc++-outside: -stdlib=libc++ -DOUTSIDE
// expect: race of data at @read and @write
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::once_flag once;
static std::shared_mutex shared;
static std::mutex mutex;
static std::condition_variable changed;
static bool ready;
int data, made, seen[2];

static void work(int me) {
  std::call_once(once, [] { made = 1; });
  seen[me] = made;
  {
    std::shared_lock lock(shared);
    seen[me] = data;  // @read
  }
  {
    std::unique_lock lock(mutex);
    if (me == 0) {
      ready = true;
      changed.notify_one();
    } else {
      changed.wait(lock, [] { return ready; });
    }
  }
}

int main() {
  std::thread other(work, 1);
  std::thread writer([] {
#ifdef OUTSIDE
    data = 1;  // @write
#else
    std::unique_lock lock(shared);
    data = 1;
#endif
  });
  work(0);
  const int result = std::async(std::launch::async, [] { return 1; }).get();
  other.join();
  writer.join();
  return result - 1;
}
