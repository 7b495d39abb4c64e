// A wait goes on while it reads one value. An overwritten one of another value ends it too early, and that is no affair
// of the library's: the user has not said that the second store comes before the wait.
// needs: atomic
// build: -O1 -std=gnu++20
// case two-values: -DVALUES=2
// expect: robustness load of stage at @wait
// case one-value: -DVALUES=1
// expect: silent
#include <atomic>
#include <thread>

static std::atomic<int> stage{0}, done{0};
int seen;

int main() {
  std::thread waiter([] {
    if (done.load(std::memory_order_relaxed) == 1) {
      stage.wait(0, std::memory_order_relaxed);  // @wait
      seen = 1;
    }
  });
  std::thread notifier([] {
    for (int value = 1; value <= VALUES; value++) stage.store(value, std::memory_order_relaxed);
    done.store(1, std::memory_order_relaxed);
    stage.notify_all();
  });
  waiter.join();
  notifier.join();
}
