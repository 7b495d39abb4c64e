// The C++ library's threads, mutexes, shared mutexes, condition variables, call_once, scoped locks of
// several.
// expect: silent
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::mutex mutex, other;
static std::recursive_mutex recursive;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::once_flag once;
static int counter, both, nested, table, turn, seen;

static void work(int me) {
  std::call_once(once, [] { table = 42; });
  for (int i = 0; i < 10; i++) {
    {
      std::lock_guard<std::mutex> guard(mutex);
      counter++;
    }
    {
      std::scoped_lock locks(other, mutex);
      both++;
    }
    {
      std::lock_guard<std::recursive_mutex> outer(recursive);
      std::lock_guard<std::recursive_mutex> inner(recursive);
      nested += table == 42;
    }
    if (i % 3 == me % 3) {
      std::unique_lock<std::shared_mutex> lock(shared);
      seen++;
    } else {
      std::shared_lock<std::shared_mutex> lock(shared);
      if (seen < 0) throw seen;
    }
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [me] { return turn == me; });
  turn++;
  changed.notify_all();
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++) threads.emplace_back(work, i);
  for (auto &thread : threads) thread.join();
  return counter == 40 && both == 40 && nested == 40 && turn == 4 ? 0 : 1;
}
