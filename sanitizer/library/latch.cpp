// Latches of C++20.
// needs: latch
// build: -O1 -std=gnu++20
// case right:
// expect: silent
// case right-O0: -O0
// expect: silent
// case does-not-wait: -DDOES_NOT_WAIT
// expect: race of data at @read and @write
// case libc++: -stdlib=libc++
// expect: silent
// case libc++-does-not-wait: -stdlib=libc++ -DDOES_NOT_WAIT
// expect: race of data at @read and @write
#include <latch>
#include <thread>

static std::latch ready{2};
int data[2], seen[2];

static void work(int me) {
  data[me] = 1;  // @write
#ifdef DOES_NOT_WAIT
  ready.count_down();
#else
  ready.arrive_and_wait();
#endif
  seen[me] = data[1 - me];  // @read
}

int main() {
  std::thread other(work, 1);
  work(0);
  other.join();
}
