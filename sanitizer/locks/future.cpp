// Futures and promises: half of them is in the library, where nothing is instrumented.
// expect: silent
#include <future>
#include <vector>

int main() {
  std::vector<std::future<std::vector<int>>> futures;
  for (int i = 0; i < 4; i++)
    futures.push_back(std::async(std::launch::async, [i] { return std::vector<int>(100, i); }));
  long sum = 0;
  for (auto &future : futures)
    for (int value : future.get()) sum += value;
  return sum == 600 ? 0 : 1;
}
