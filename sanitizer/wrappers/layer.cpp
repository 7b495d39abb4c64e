// The same with a class over atomics, and with std::atomic alone, which is a layer too where nothing is optimised: its
// functions are the same for all callers.
// expect: robustness load of d1 at @load1
// expect: robustness load of d2 at @load2
// suggest: make the store release at @flag1
// suggest: make the load acquire at @if1
// suggest: make the store release at @flag2
// suggest: make the load acquire at @if2
// run: --schedule random --seeds 0..40
// case O0: -O0
// case O1: -O1
// case O2: -O2
// case out-of-line: -O1 -DLAYER=__attribute__((noinline))
// case plain-O0: -O0 -DPLAIN
// case plain-O1: -O1 -DPLAIN
#include <atomic>
#include <thread>

#ifndef LAYER
#define LAYER
#endif

#ifdef PLAIN
template <typename T>
using cell = std::atomic<T>;
#define get() load(std::memory_order_relaxed)
#define set(v) store(v, std::memory_order_relaxed)
#else
template <typename T>
class cell {
  std::atomic<T> value{};

 public:
  LAYER T get() const { return value.load(std::memory_order_relaxed); }
  LAYER void set(T v) { value.store(v, std::memory_order_relaxed); }
};
#endif

static cell<int> d1, f1, d2, f2;
int r1, r2;

static void write1() {
  d1.set(1);  // @store1
  f1.set(1);  // @flag1
}

static void write2() {
  d2.set(1);  // @store2
  f2.set(1);  // @flag2
}

static void read1() {
  const int there = f1.get();  // @if1
  if (there) r1 = d1.get();    // @load1
}

static void read2() {
  const int there = f2.get();  // @if2
  if (there) r2 = d2.get();    // @load2
}

int main() {
  std::thread threads[] = {std::thread(write1), std::thread(write2), std::thread(read1), std::thread(read2)};
  for (std::thread &thread : threads) thread.join();
}
