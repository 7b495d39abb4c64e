// Store buffering in C++, with release and acquire, which do not help.
// expect: robustness load of y at @left
// expect: robustness load of x at @right
// twin: litmus/classic/sb.fp
#include <atomic>
#include <thread>

static std::atomic<int> x, y;
int a, b;

int main() {
  std::atomic<int> ready{0};
  auto together = [&] {
    ready.fetch_add(1, std::memory_order_relaxed);
    while (ready.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
  };
  std::thread left([&] {
    together();
    x.store(1, std::memory_order_release);
    a = y.load(std::memory_order_acquire);  // @left
  });
  std::thread right([&] {
    together();
    y.store(1, std::memory_order_release);
    b = x.load(std::memory_order_acquire);  // @right
  });
  left.join();
  right.join();
}
