// Exceptions through many frames, in several threads, with locks that are released on the way.
// expect: silent
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::mutex mutex;
static int caught, thrown;

[[gnu::noinline]] static void descend(int depth) {
  std::vector<int> local(10, depth);
  if (depth == 0) {
    std::lock_guard<std::mutex> guard(mutex);
    thrown++;
    throw std::runtime_error("bottom");
  }
  descend(depth - 1);
  local[0]++;
}

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back([] {
      for (int round = 0; round < 20; round++) {
        try {
          descend(20);
        } catch (const std::runtime_error &) {
          std::lock_guard<std::mutex> guard(mutex);
          caught++;
        }
      }
    });
  }
  for (auto &thread : threads) thread.join();
  return caught == 60 && thrown == 60 ? 0 : 1;
}
