// Two readers have the lock at the same time, in C++.
// every schedule: bug
// says: SIGABRT
#include <atomic>
#include <cassert>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static std::atomic<int> inside, both;

static void reads() {
  std::shared_lock lock(mutex);
  if (++inside == 2) both = 1;
  --inside;
}

int main() {
  std::thread thread(reads);
  reads();
  thread.join();
  assert(!both);
}
