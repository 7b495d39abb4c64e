// Semaphores of C++20.
// needs: semaphore
// build: -O1 -std=gnu++20
// case right:
// expect: silent
// case right-O0: -O0
// expect: silent
// case too-early: -DTOO_EARLY
// expect: race of data at @early and @write
// case libc++: -stdlib=libc++
// expect: silent
// case libc++-too-early: -stdlib=libc++ -DTOO_EARLY
// expect: race of data at @early and @write
#include <chrono>
#include <semaphore>
#include <thread>

static std::counting_semaphore<4> items{0};
static std::binary_semaphore mutex{1};
int data, seen, count;

static void counts() {
  mutex.acquire();
  count++;
  mutex.release();
}

int main() {
  std::thread taker([] {
#ifdef TOO_EARLY
    seen = data;  // @early
#endif
    items.acquire();
    seen = data;
    counts();
    while (!items.try_acquire_for(std::chrono::milliseconds(1))) std::this_thread::yield();
    seen = data + 1;
  });
  std::thread giver([] {
    data = 1;  // @write
    items.release();
    counts();
    items.release();
  });
  taker.join();
  giver.join();
}
