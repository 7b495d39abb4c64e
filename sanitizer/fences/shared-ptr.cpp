// std::shared_ptr in many threads: libstdc++ counts with its own atomic operations, and only if there are
// threads at all.
// expect: silent
#include <memory>
#include <thread>
#include <vector>

int main() {
  auto shared = std::make_shared<std::vector<int>>(100, 1);
  std::vector<std::thread> threads;
  std::vector<long> sums(4);
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([copy = shared, &sum = sums[i]] {
      for (int round = 0; round < 10; round++) {
        auto mine = copy;
        for (int value : *mine) sum += value;
      }
    });
  }
  shared.reset();
  for (auto &thread : threads) thread.join();
  for (long sum : sums)
    if (sum != 1000) return 1;
  return 0;
}
