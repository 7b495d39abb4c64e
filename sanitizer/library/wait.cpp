// std::atomic::wait and notify. What the library does inside is its own; that the flag is set with release and waited
// for with acquire is the user's.
// needs: atomic
// build: -O1 -std=gnu++20
// case right: -DSTORE=release -DLOAD=acquire
// expect: silent
// case right-O0: -O0 -DSTORE=release -DLOAD=acquire
// expect: silent
// case right-long: -DSTORE=release -DLOAD=acquire -DTYPE=long
// expect: silent
// case relaxed-store: -DSTORE=relaxed -DLOAD=acquire
// expect: race of data at @read and @write
// case relaxed-wait: -DSTORE=release -DLOAD=relaxed
// expect: race of data at @read and @write
// case libc++: -stdlib=libc++ -DSTORE=release -DLOAD=acquire
// expect: silent
// case libc++-relaxed: -stdlib=libc++ -DSTORE=release -DLOAD=relaxed
// expect: race of data at @read and @write
#include <atomic>
#include <thread>

#define NAME(order) std::memory_order_##order
#define ORDER(order) NAME(order)
#ifndef TYPE
#define TYPE int
#endif

static std::atomic<TYPE> flag{0};
int data, seen;

int main() {
  std::thread waiter([] {
    flag.wait(0, ORDER(LOAD));
    seen = data;  // @read
  });
  std::thread notifier([] {
    data = 1;  // @write
    flag.store(1, ORDER(STORE));
    flag.notify_one();
  });
  waiter.join();
  notifier.join();
}
