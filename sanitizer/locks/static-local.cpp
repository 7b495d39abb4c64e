// A static local variable: the language promises that it is initialised once, and everybody else comes
// after that.
// expect: silent
#include <thread>
#include <vector>

struct Table {
  int entries[100];
  Table() {
    for (int i = 0; i < 100; i++) entries[i] = i;
  }
};

static const Table &table() {
  static const Table instance;
  return instance;
}

int main() {
  std::vector<std::thread> threads;
  std::vector<int> sums(4);
  for (int i = 0; i < 4; i++) {
    threads.emplace_back([&sum = sums[i]] {
      for (int entry : table().entries) sum += entry;
    });
  }
  for (auto &thread : threads) thread.join();
  for (int sum : sums)
    if (sum != 4950) return 1;
  return 0;
}
